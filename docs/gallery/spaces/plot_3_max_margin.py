"""
The maximum margin
==================

The slab that no point enters, and the points that it rests on.
"""

from rosenblatt import datasets, figures
from rosenblatt.estimators.max_margin import MaxMargin

X, y = datasets.gaussian(80, 2, 0.25, seed=3)[:2]
figures.x_space(MaxMargin().fit(X, y), X, y, slab=True)
