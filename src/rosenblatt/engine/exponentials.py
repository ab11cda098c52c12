"""Exponentials of many numbers, none of them positive: what kernels of distances are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rosenblatt.engine.machine.compiled import compiled

# Below this exp(x) is no normal number, and 0 here.
LEAST = -708.0


def exponential(x: Any) -> Any:
    """exp(x), where a positive x is 0 but for rounding; NaN stays what it is.

    Examples
    --------
    >>> exponential(-1.0) == math.exp(-1.0), exponential(1e-9), exponential(-math.inf)
    (True, 1.0, 0.0)
    """
    if x < LEAST:
        return 0.0
    return 1.0 if x > 0 else math.exp(x)


def exponentiate_rows(numbers: Any, width: int, step: int) -> None:
    """x ← exp(x) for the first ``width`` numbers of every ``step``."""
    for first in range(0, len(numbers), step):
        for k in range(np.uint64(first), np.uint64(first + width)):
            numbers[k] = exponential(numbers[k])


def exponentiate(table: np.ndarray) -> np.ndarray:
    """x ← exp(x) in place, of a part of a matrix of float64 in rows, by machine code.

    NumPy takes the numbers one by one where a processor has no registers of eight.

    Examples
    --------
    >>> exponentiate(np.array([[0.0, -1.0], [-np.inf, np.nan]])).round(3)
    array([[1.   , 0.368],
           [0.   ,   nan]])
    """
    rows, width = table.shape
    if table.size:
        step = max(width, table.strides[0] // table.itemsize)
        flat = as_strided(table, ((rows - 1) * step + width,), (table.itemsize,))
        compiled(exponentiate_rows)(flat, width, step)
    return table
