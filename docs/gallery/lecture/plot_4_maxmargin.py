"""
maxmargin: the widest slab
==========================

The slab between the classes has width 2/‖w‖ and rests on the support vectors.
"""

from rosenblatt import datasets, figures
from rosenblatt.estimators.max_margin import MaxMargin

X, y = datasets.three_samples()[:2]
figures.x_space(MaxMargin().fit(X, y), X, y, slab=True, perpendiculars=True)
