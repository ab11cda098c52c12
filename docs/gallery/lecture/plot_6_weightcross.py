"""
weightcross: a section through the optimum
==========================================

The same constraints at w₁ = 1/17: lines in (w₂, α), and the slice where all of them hold. As in the
lecture it is the leftmost one: w₂ grows to the left.
"""

from rosenblatt import datasets, figures

X, y = datasets.three_samples()[:2]
ax = figures.weight_section(None, X, y)
ax.invert_xaxis()
