"""
Mistakes per pass
=================

Passes get cleaner, until one makes no mistake.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(2000, 20, 0.05)[:2]
model = rb.Perceptron(order="cyclic").fit(X, y)
figures.mistakes_per_pass(model)
