"""
A perceptron's line
===================

Points, the line, its normal w, and the two sides. Mistakes would be circled.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(120, 2, 0.1, seed=3)[:2]
model = rb.Perceptron().fit(X, y)
figures.x_space(model, X, y)
