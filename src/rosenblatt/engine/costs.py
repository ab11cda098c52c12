"""Costs of the perceptron: of a look, an update, a pass, a run."""

from __future__ import annotations

from dataclasses import replace
from operator import add
from typing import Any, NamedTuple

from rosenblatt.arguments import COUNT, checked
from rosenblatt.engine.operations import Operations, check_sizes
from rosenblatt.engine.points import Points, SparseRows, table_of
from rosenblatt.errors import InputError


@checked(classes=COUNT)
def learning_cost(
    looks: int, read: int, updates: int = 0, written: int = 0, *, classes: int = 0
) -> Operations:
    """Operations on entries, weights and scores that some looks and updates took.

    A look takes one product per stored entry and bias, for each class, and adds them up. With two
    classes it multiplies by the label and compares with the threshold δ; with K it subtracts the
    rival's score, after K − 1 comparisons to find the rival. An update asks once more whether the
    score was exactly δ, then adds a multiple of the row to the weights: to one vector with two
    classes, to the true class's and the rival's with K.

    Left out is what does not grow with the data: loops and indices, the step, the dual and the
    clock of a point. So is keeping the average, which is `RunCost.averaging`.

    Parameters
    ----------
    looks, updates : int
    read, written : int
        Stored entries of the rows looked at, and of the rows added, each as often as it was.
    classes : int
        K for one weight vector a class, 0 for two signs.

    Notes
    -----
    Exact where a tie counts as a mistake, the default. Otherwise each look that meets a score of
    exactly δ and lets it pass takes one comparison more.

    Examples
    --------
    Two looks at rows of 3 and 5 stored entries; the second was a mistake:

    >>> print(learning_cost(looks=2, read=8, updates=1, written=5))
    14 additions, 18 multiplications, 3 comparisons: 35 operations, O(read + written)
    """
    check_sizes(looks, read, updates, written)
    return _learning(looks, read, updates, written, classes)


def _learning(looks: int, read: int, updates: int, written: int, classes: int) -> Operations:
    added = written + updates
    if classes:
        return Operations(
            classes * read + looks + 2 * added,
            classes * (read + looks) + 2 * added,
            classes * looks + updates,
            order="O(K·read + written)",
        )
    return Operations(
        read + added, read + 2 * looks + added, looks + updates, order="O(read + written)"
    )


@checked(classes=COUNT)
def look_cost(d: int, *, classes: int = 0) -> Operations:
    """Operations of one look at a row of d stored entries that is not a mistake.

    Examples
    --------
    >>> print(look_cost(10))
    10 additions, 12 multiplications, 1 comparison: 23 operations, O(d)
    >>> look_cost(10, classes=3).order
    'O(dK)'
    """
    return replace(learning_cost(1, d, classes=classes), order="O(dK)" if classes else "O(d)")


@checked(classes=COUNT)
def update_cost(d: int, *, classes: int = 0) -> Operations:
    """Operations that a mistake adds to its look, on a row of d stored entries.

    Examples
    --------
    >>> print(update_cost(10))
    11 additions, 11 multiplications, 1 comparison: 23 operations, O(d)
    """
    return replace(learning_cost(0, 0, 1, d, classes=classes), order="O(d)")


@checked(classes=COUNT)
def pass_cost(n: int, d: int, updates: int = 0, *, classes: int = 0) -> Operations:
    """Operations of one pass over n rows of d stored entries, so many of them mistakes.

    Rows that store different numbers of entries go to `learning_cost`, with nnz for ``read``.

    Examples
    --------
    >>> pass_cost(100, 10, updates=7).total, pass_cost(100, 10).order
    (2461, 'O(nd)')
    """
    if updates > n:
        raise InputError(f"A pass over {n} rows cannot make {updates} updates.")
    cost = learning_cost(n, n * d, updates, updates * d, classes=classes)
    return replace(cost, order="O(ndK)" if classes else "O(nd)")


class RunCost(NamedTuple):
    """What a run cost.

    Only learning is counted: the looks, those of order ``"worst"`` in search of its point
    included, and the updates. Training and validation errors are not.

    Attributes
    ----------
    multiply_adds : int
        Multiplications of learning, each together with the addition that takes its product; the
        closed form is that of `learning_cost`. Two classes: one for each entry and bias read or
        changed, and one for the label at each look.
    comparisons : int
        Comparisons of learning, as in `learning_cost`: with two classes one a look, with K classes
        K a look; and one an update.
    rows, bytes : int
        Rows looked at, and bytes of their stored entries: values, and column indices if sparse.
        An update finds its row where the look left it, so it fetches nothing.
    averaging : int
        Multiply-adds on top that keep the average of the weights. Two classes: one for each entry
        and bias of the rows mistaken after the first look, added once at the end. K classes: two
        for each entry and bias changed, which is what the updates take too.
    order : str
        How a pass grows with n, d or nnz, and K.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.engine.loop import learn
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import CompiledSweep
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    >>> print(learn(CompiledSweep(make_points(X, y), PerceptronRule()), order="cyclic").cost)
    multiply-adds        19  (and 0 for the average)
    comparisons           5
    rows                  4
    bytes                64
    O(nd) a pass
    """

    multiply_adds: int
    comparisons: int
    rows: int
    bytes: int
    averaging: int
    order: str

    def after(self, earlier: RunCost) -> RunCost:
        """The cost of an earlier run and of this one, which went on from it."""
        return RunCost(*map(add, self[:-1], earlier[:-1]), order=self.order)

    def __str__(self) -> str:
        wide = max(8, len(f"{max(self.multiply_adds, self.bytes):,}"))
        return (
            f"multiply-adds  {self.multiply_adds:>{wide},}"
            f"  (and {self.averaging:,} for the average)\n"
            f"comparisons    {self.comparisons:>{wide},}\n"
            f"rows           {self.rows:>{wide},}\n"
            f"bytes          {self.bytes:>{wide},}\n"
            f"{self.order} a pass"
        )


def run_cost(points: Points, tally: Any, classes: int = 0, averaged: int = 0) -> RunCost:
    """The cost of the looks and updates in a tally.

    Parameters
    ----------
    points : Points
    tally : rules.Tally
        Looks and updates, entries read and written.
    classes : int
        K for one weight vector a class, 0 for two signs.
    averaged : int
        Multiply-adds that brought the drift up to date.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import Tally
    >>> points = make_points(np.eye(2), np.array([1.0, -1.0]))
    >>> run_cost(points, Tally(updates=1, looks=2, last=1, read=4, written=2)).multiply_adds
    11
    """
    rows = table_of(points.rows)
    if isinstance(rows, SparseRows):
        size, entry = "nnz", _item_bytes(rows.data) + _item_bytes(rows.indices)
    else:
        size, entry = "nd", _item_bytes(rows.values)
    learning = _learning(tally.looks, tally.read, tally.updates, tally.written, classes)
    drifted = 2 * (tally.written + tally.updates) if classes else 0
    return RunCost(
        multiply_adds=learning.multiplications,
        comparisons=learning.comparisons,
        rows=tally.looks,
        bytes=tally.read * entry,
        averaging=drifted + averaged,
        order=f"O({size}·K)" if classes else f"O({size})",
    )


def _item_bytes(values: Any) -> int:
    """Of an array, or of lists of exact numbers."""
    return getattr(values, "itemsize", 8)
