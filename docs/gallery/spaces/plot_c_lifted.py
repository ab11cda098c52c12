"""
Points lifted to height 1
=========================

A plane through the origin cuts the sheet at height 1 in a line that need not pass through it.
"""

from rosenblatt import datasets, figures

X, y = datasets.five_points()[:2]
figures.lifted_points([2, -1, -2], X, y)
