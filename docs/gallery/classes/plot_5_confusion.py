"""
Confusion
=========

Learned on half of the digits, shown the other half.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
model = rb.Perceptron(max_iter=20).fit(X[:900], y[:900])
figures.confusion(model, X[900:], y[900:])
