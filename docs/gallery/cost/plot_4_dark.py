"""
On a dark slide
===============

The same figure for a dark room. ``plt.style.context("dark_background")`` is understood as well.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(80, 2, 0.25, seed=3)[:2]
with figures.theme("dark"):
    figures.certificate(rb.decide(X, y), X, y)
