"""
xwspace: points become lines
============================

A point of x-space is a line of w-space, and the hyperplane a point. Each line allows the side that
its arrows point to; w may be anywhere in the shaded wedge.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.three_samples()[:2]
run = rb.trace(X, y, fit_intercept=False)
figures.xw_space(run)
