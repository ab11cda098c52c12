"""
weightcross: a section through the optimum
==========================================

The same constraints at w₁ = 1/17: lines in (w₂, α), and the slice where all of them hold.
"""

from rosenblatt import datasets, figures

X, y = datasets.three_samples()[:2]
figures.weight_section(None, X, y)
