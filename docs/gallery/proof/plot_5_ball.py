"""
The ball of the bound
=====================

R is the radius about the origin, not about the middle of the points.
"""

from rosenblatt import datasets, figures

X, y = datasets.six_points()[:2]
figures.ball(X + 3, y, centre=True)
