"""
Two hulls that meet
===================

A mean of positive points equals a mean of negative ones, so no line can be between them.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.flipped(80, 2, 0.2, flips=2, seed=2)[:2]
figures.certificate(rb.decide(X, y), X, y)
