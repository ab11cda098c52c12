"""
Regions of three classes
========================

Each class has a weight vector, and the highest score wins.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("iris")[:2]
X = X[:, 2:]
model = rb.Perceptron().fit(X, y)
figures.regions(model, X, y, names=["petal length", "petal width"])
