"""
Margins of single points
========================

The margin of a point is its distance to the line, drawn as a perpendicular: of many points, those
of the nearest in each class.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(60, 2, 0.3, seed=3)[:2]
model = rb.Perceptron().fit(X, y)
figures.x_space(model, X, y, perpendiculars=True)
