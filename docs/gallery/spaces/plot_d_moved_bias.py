"""
A moved bias
============

A larger bias moves the line against w, so that more points are called positive.
"""

from rosenblatt import datasets, figures

X, y = datasets.six_points()[:2]
figures.moved_bias([3, 1, 0], X, y, steps=[-3, 3])
