"""
Time, operations and the margin
===============================

The operations of a pass grow in proportion to n and to d. Its time does so for large n and d only:
a short pass has fixed costs. The bound grows with 1/γ²; on these clouds updates grow more slowly.
"""

from rosenblatt import figures

figures.cost_scaling()
