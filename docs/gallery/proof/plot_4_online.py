"""
Online mistakes against the bound
=================================

However many examples come, the mistakes stay under R²/γ².
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.separable(1000, 5, 0.1)[:2]
run = rb.trace(X, y, fit_intercept=False)
figures.online_mistakes(run)
