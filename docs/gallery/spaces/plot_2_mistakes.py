"""
Mistakes, circled
=================

Twelve labels were turned round, so no line is right everywhere; the averaged weights do well.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.flipped(300, 2, 0.1, flips=12, seed=1)[:2]
model = rb.Perceptron().fit(X, y)
figures.x_space(model, X, y)
