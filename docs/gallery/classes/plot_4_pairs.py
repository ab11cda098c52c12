"""
Which pairs are separable
=========================

Every pair of digits can be told apart by a hyperplane; the number is the margin that it keeps.
"""

from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
figures.pairs_matrix(X, y)
