"""
Time, operations and the margin
===============================

A pass costs in proportion to n and to d. The bound grows with 1/γ²; on these clouds updates grow
more slowly.
"""

from rosenblatt import figures

figures.cost_scaling()
