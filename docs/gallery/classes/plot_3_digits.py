"""
Digits in the plane
===================

Sixty-four features, projected onto the two directions that tell the classes apart best (Fisher).
Regions are drawn in the plane through the mean. A digit beside that plane may lie in another
region than the one that its point is drawn on.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
model = rb.Perceptron().fit(X, y)
figures.regions(model, X, y)
