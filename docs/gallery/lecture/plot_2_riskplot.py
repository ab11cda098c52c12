"""
riskplot: the risk as a surface
===============================

R(w) adds up how far the misclassified points are on the wrong side. Its creases lie on the samples'
lines; every w on the green floor is a solution.
"""

from rosenblatt import datasets, figures
from rosenblatt.risk import descend

X, y = datasets.three_samples()[:2]
path = descend(X, y, init=[1, -5], epsilon=0.2, fit_intercept=False)
figures.risk_surface(path, X, y)
