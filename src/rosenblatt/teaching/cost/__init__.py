"""What it costs: operations in closed form, operations counted, and how cost grows.

Three ways to the same numbers. `lecture` writes linear algebra as plain loops and says what each
must cost, `learning` says it of the perceptron; `operations` runs any plain code over numbers that
count what is done to them. `growth` fits the exponent by which a cost grows.
"""

from rosenblatt.engine.costs import (
    RunCost,
    learning_cost,
    look_cost,
    pass_cost,
    run_cost,
    update_cost,
)
from rosenblatt.engine.operations import Counted, Operations, counted, operations_of
from rosenblatt.teaching.cost.growth import Doubling, Growth, doubling, growth_exponent
from rosenblatt.teaching.cost.lecture import (
    dot,
    dot_cost,
    frobenius,
    frobenius_cost,
    matmul,
    matmul_cost,
    matvec,
    matvec_cost,
    norm,
    norm_cost,
    search,
    search_cost,
)

__all__ = [
    "Counted",
    "Doubling",
    "Growth",
    "Operations",
    "RunCost",
    "counted",
    "dot",
    "dot_cost",
    "doubling",
    "frobenius",
    "frobenius_cost",
    "growth_exponent",
    "learning_cost",
    "look_cost",
    "matmul",
    "matmul_cost",
    "matvec",
    "matvec_cost",
    "norm",
    "norm_cost",
    "operations_of",
    "pass_cost",
    "run_cost",
    "search",
    "search_cost",
    "update_cost",
]
