"""
The activation plane
====================

The activation w·x + b is a plane over the data. Without its bias it goes through the origin, and so
does the decision line.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.five_points()[:2]
model = rb.Perceptron().fit(X, y)
figures.activation_bias(model, X, y)
