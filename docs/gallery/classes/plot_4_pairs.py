"""
Which pairs are separable
=========================

Every pair of digits can be told apart by a hyperplane; the number is the best margin,
what :func:`rosenblatt.margin` finds.
"""

from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
figures.pairs_matrix(X, y)
