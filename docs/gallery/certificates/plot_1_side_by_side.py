"""
Separable and not
=================

The left set has a line, and the right one a proof that it has none.
"""

from rosenblatt import datasets, figures

left = datasets.gaussian(40, 2, 0.5, seed=8)[:2]
right = datasets.quadrants()[:2]
figures.side_by_side({"left": left, "right": right})
