"""
Regions that are not linear
===========================

A kernel perceptron tells exclusive or apart; its regions are found by asking it on a grid.
"""

from rosenblatt import datasets, figures
from rosenblatt.estimators.kernel import KernelPerceptron

X, y = datasets.quadrants()[:2]
model = KernelPerceptron(kernel="rbf").fit(X, y)
figures.regions(model, X, y)
