"""
riskiso: lines of equal risk
============================

Three ways down: gradient descent over all misclassified points, the perceptron's stochastic steps
from one point at a time, and an exact line search.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.risk import descend

X, y = datasets.three_samples()[:2]
start = {"init": [1, -5], "fit_intercept": False}
ways = {
    "GD": descend(X, y, epsilon=0.2, **start),
    "SGD": rb.trace(X, y, eta=0.5, ties="correct", **start),
    "line search": descend(X, y, step="line_search", **start),
}
figures.risk_contours(ways, X, y)
