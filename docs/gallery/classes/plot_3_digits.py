"""
Digits in the plane
===================

Sixty-four features, projected by Fisher's directions. The regions need all features
and are not drawn.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
model = rb.Perceptron(max_iter=5, certify=False).fit(X, y)
figures.regions(model, X, y)
