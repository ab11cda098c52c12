"""
Counted operations
==================

The fifth lecture's operations, counted, on logarithmic axes: the slope is the exponent.
"""

from rosenblatt import cost, figures

sizes = [8, 16, 32, 64, 128]
counted = {
    "norm": (sizes, [cost.norm_cost(n).total for n in sizes]),
    "matrix · vector": (sizes, [cost.matvec_cost(n, n).total for n in sizes]),
    "matrix · matrix": (sizes, [cost.matmul_cost(n, n, n).total for n in sizes]),
}
figures.cost(counted, size="n")
