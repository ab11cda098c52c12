"""
maxmargin: the widest slab
==========================

The slab between the classes has width 2/‖w‖ and rests on the support vectors.
"""

from rosenblatt import datasets, figures
from rosenblatt.maxmargin import max_margin

X, y = datasets.three_samples()[:2]
figures.x_space(max_margin(X, y), X, y, slab=True, perpendiculars=True)
