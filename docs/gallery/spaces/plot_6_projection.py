"""
Thirty features
===============

More than two features are projected onto w and the leading component orthogonal to it, so that the
hyperplane is still a line and distances to it are true. The axes say so.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("breast_cancer")[:2]
model = rb.Perceptron().fit(X, y)
figures.x_space(model, X, y)
