"""
weight3d: constraints as planes
===============================

Each sample's constraint yᵢ(xᵢ·w + α) ≥ 1 is a side of a plane in (w₁, w₂, α). The feasible point of
least ‖w‖ is where the three planes meet.
"""

from rosenblatt import datasets, figures

X, y = datasets.three_samples()[:2]
figures.weight_planes(None, X, y)
