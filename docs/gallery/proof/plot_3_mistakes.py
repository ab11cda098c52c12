"""
Mistakes per pass
=================

Passes make fewer mistakes, on the whole, until one makes none.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(2000, 20, 0.05)[:2]
model = rb.Perceptron(order="cyclic", certify=False).fit(X, y)
figures.mistakes_per_pass(model)
