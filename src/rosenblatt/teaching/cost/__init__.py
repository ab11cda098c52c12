"""What it costs: operations in closed form, operations counted, and how cost grows.

Three ways to the same numbers. `lecture` writes linear algebra as plain loops and says what each
must cost, `learning` says it of the perceptron; `operations` runs any plain code over numbers that
count what is done to them, and `statements` counts how often each line runs. `growth` fits the
exponent by which a cost grows, `classes` names the class of its growth.
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
from rosenblatt.teaching.cost.classes import GrowthClass, growth_class
from rosenblatt.teaching.cost.growth import Doubling, Growth, doubling, growth_exponent
from rosenblatt.teaching.cost.lecture import (
    binary_search,
    binary_search_cost,
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
from rosenblatt.teaching.cost.statements import Statements, statements

__all__ = [
    "Counted",
    "Doubling",
    "Growth",
    "GrowthClass",
    "Operations",
    "RunCost",
    "Statements",
    "binary_search",
    "binary_search_cost",
    "counted",
    "dot",
    "dot_cost",
    "doubling",
    "frobenius",
    "frobenius_cost",
    "growth_class",
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
    "statements",
    "update_cost",
]
