"""Exact arithmetic: every float is a rational, so signs and null spaces can be known for certain.

Signs of scores come from a floating-point filter with a rigorous error bound, and from integers
scaled by powers of two for the rows that the filter leaves open; null spaces from python-flint.
That rows cancel may be known, by such a filter, before their weights are, and that some columns are
enough to look at.
"""

from rosenblatt.proof.exact.combinations import (
    caratheodory,
    combination,
    hull_point_norm,
    orthogonal_to_all,
    solve_alpha,
)
from rosenblatt.proof.exact.dependence import spanning_columns
from rosenblatt.proof.exact.existence import Implied, sure_weights
from rosenblatt.proof.exact.kernels import Kernel, Span, entries
from rosenblatt.proof.exact.nullspaces import (
    independent_columns,
    integer_matrix,
    nullspace,
    pivots,
    rank_at_least,
)
from rosenblatt.proof.exact.numbers import (
    UNIT,
    as_dense,
    as_floats,
    as_fraction,
    chunks,
    power_of_two,
    primitive,
    root_above,
    root_below,
    scaled_integers,
)
from rosenblatt.proof.exact.reading import as_matrix
from rosenblatt.proof.exact.scores import rounding
from rosenblatt.proof.exact.signs import (
    floats_suffice,
    margin_floor,
    normalised,
    reaches,
    settled_scores,
    signs_of_constraints,
    signs_of_scores,
    with_best_bias,
)

__all__ = [
    "UNIT",
    "Implied",
    "Kernel",
    "Span",
    "as_dense",
    "as_floats",
    "as_fraction",
    "as_matrix",
    "caratheodory",
    "chunks",
    "combination",
    "entries",
    "floats_suffice",
    "hull_point_norm",
    "independent_columns",
    "integer_matrix",
    "margin_floor",
    "normalised",
    "nullspace",
    "orthogonal_to_all",
    "pivots",
    "power_of_two",
    "primitive",
    "rank_at_least",
    "reaches",
    "root_above",
    "root_below",
    "rounding",
    "scaled_integers",
    "settled_scores",
    "signs_of_constraints",
    "signs_of_scores",
    "solve_alpha",
    "spanning_columns",
    "sure_weights",
    "with_best_bias",
]
