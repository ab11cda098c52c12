"""
Margins of single points
========================

The margin of a point is its distance to the line, drawn as a perpendicular. With many points, only
those of the nearest ones are drawn.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(60, 2, 0.3, seed=3)[:2]
model = rb.Perceptron().fit(X, y)
figures.x_space(model, X, y, perpendiculars=True)
