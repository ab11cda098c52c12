"""Near ties: data that overlaps, exactly, by no more than the rounding of its numbers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.deadline import Deadline, OutOfTime
from rosenblatt.solve.linear_program import Program
from rosenblatt.solve.separation.ascent import Ascent
from rosenblatt.solve.separation.cone import Cone
from rosenblatt.text import plural

# A tie is near where the overlap is below this share of the terms that cancel.
TINY = 1e-10
# Share of its terms below which a score is taken for 0.
LOOSE = 1e-7
# What rows are moved by, in the frame's coordinates, to see whether there may be a tie.
MOVED = 1e-9
# Cells of a program that is still quick.
MOST_ENTRIES = 5_000_000


class NearTie(NamedTuple):
    """How little must change for the classes to be separated.

    Attributes
    ----------
    change : float
        The largest relative change that a row needs, of the terms that cancel in it.
    rows : int
        Rows that need one.
    strict : int
        Rows strictly on their sides then.
    """

    change: float
    rows: int
    strict: int

    def __str__(self) -> str:
        return (
            f"Near tie: separated up to relative changes of {self.change:.0e} in "
            f"{plural(self.rows, 'row')}, which is about how numbers are rounded. The answer above "
            "takes every number as it is; if these are meant to be equal, round the columns first."
        )


def near_tie(constraints: Constraints, seconds: float | None = None) -> NearTie | None:
    """A separation that only rounding denies, if there is one.

    maximise Σ sᵢ subject to aᵢ·z ≥ sᵢ − ε, 0 ≤ sᵢ ≤ 1 (Konis 2007, with a tolerance); then z is
    moved to where the rows that it has on the boundary cancel as far as floats let them.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1 + 0.2], [0.3], [1.0]])
    >>> found = near_tie(Constraints(X, np.array([0, 0, 1, 1]), 2))
    >>> found.rows, found.strict, found.change < 1e-15
    (1, 2, True)
    """
    from scipy import sparse

    over = seconds is not None and seconds <= 0
    if (
        over
        or constraints.n * constraints.dimension > MOST_ENTRIES
        or not _in_doubt(constraints, seconds)
    ):
        return None
    all_rows = np.arange(constraints.n)
    frame = Frame(constraints)
    A: Any = frame.into(constraints.rows(all_rows, 1 - constraints.codes))
    A = np.asarray(A.toarray() if hasattr(A, "toarray") else A)
    n, D = A.shape
    # With sᵢ = (1 + rᵢ)/2 all unknowns are from −1 to 1.
    program = Program(D + n)
    rows = sparse.hstack([sparse.csr_array(A), -sparse.eye_array(n) / 2], format="csr")
    program.add(rows, depth=0.0, floors=0.5 - MOVED)
    program.aim(np.append(np.zeros(D), np.ones(n)))
    solution = program.solve(math.inf if seconds is None else seconds)
    return None if solution is None else _polished(A, solution.z[:D])


def _in_doubt(constraints: Constraints, seconds: float | None) -> bool:
    """Whether rows moved by a little admit a direction at all: a cheap look, by working sets.

    A direction that all rows but for rounding allow rises along some of any rows that span.
    """
    cone = Cone(constraints, Deadline(seconds))
    all_rows = np.ones(constraints.n, dtype=bool)
    chosen = cone.spanning(np.arange(constraints.n), np.random.default_rng(0))
    ascent = Ascent(cone, all_rows, slack=MOVED)
    ascent.add(chosen)
    rows = cone.frame.into(constraints.rows(chosen, 1 - constraints.codes[chosen]))
    try:
        return ascent.climb(np.asarray(rows.sum(axis=0)).ravel())[0] is not None
    except OutOfTime:
        return False


def _polished(A: np.ndarray, z: np.ndarray) -> NearTie | None:
    scores = A @ z
    sizes = np.abs(A) @ np.abs(z)
    tight = np.abs(scores) <= LOOSE * np.maximum(sizes, np.finfo(float).tiny)
    if tight.any():
        _, values, right = np.linalg.svd(A[tight], full_matrices=False)
        span = right[values > TINY * values.max(initial=0.0)]
        z = z - span.T @ (span @ z)
        scores, sizes = A @ z, np.abs(A) @ np.abs(z)
    share = scores / np.maximum(sizes, np.finfo(float).tiny)
    wrong = scores < 0
    strict = share > LOOSE
    if not strict.any() or not wrong.any() or share.min() < -TINY:
        return None
    return NearTie(float(-share.min()), int(wrong.sum()), int(strict.sum()))
