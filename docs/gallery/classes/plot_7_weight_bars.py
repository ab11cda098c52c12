"""
Weights as bars
===============

What speaks for a species of iris, and what against it. Features that are pixels have
:func:`rosenblatt.figures.weight_images` instead.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("iris")[:2]
names = ["sepal length", "sepal width", "petal length", "petal width"]
figures.weight_bars(rb.Perceptron().fit(X, y), names=names)
