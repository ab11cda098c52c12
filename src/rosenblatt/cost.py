"""What it costs: operations counted in closed form, and what a run did.

Imports ``points``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.points import Points, SparseRows


class RunCost(NamedTuple):
    """What a run cost.

    Attributes
    ----------
    multiply_adds : int
        One for each stored entry and bias that a look reads or an update changes.
    comparisons : int
        One for each look with two classes, K − 1 more with K: is it a mistake, who is the rival.
    rows, bytes : int
        Rows read, and bytes of row data that had to be fetched for it.
    """

    multiply_adds: int
    comparisons: int
    rows: int
    bytes: int


def run_cost(points: Points, tally: Any, classes: int = 0) -> RunCost:
    """The cost of the looks and updates in a tally."""
    per_look = max(1, classes)
    per_update = 4 if classes else 1
    rows = points.rows
    if isinstance(rows, SparseRows):
        entry = rows.data.itemsize + rows.indices.itemsize
    else:
        entry = getattr(rows.values, "itemsize", 8)
    return RunCost(
        multiply_adds=per_look * (tally.read + tally.looks)
        + per_update * (tally.written + tally.updates),
        comparisons=tally.looks * per_look,
        rows=tally.looks,
        bytes=tally.read * entry,
    )
