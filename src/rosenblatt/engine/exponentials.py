"""Exponentials of many numbers that are not positive, for kernels of distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rosenblatt.engine.machine.jit import compiled

# Below this, exp(x) is subnormal, and taken as 0.
LEAST = -708.0


def exponential(x: Any) -> Any:
    """exp(x), where a positive x is taken for a rounded 0; NaN stays NaN.

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
    """x ← exp(x) in place, for a block of a row-major float64 matrix, by machine code.

    NumPy takes the numbers one by one on processors without registers of eight doubles.

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
