"""Checks of ``coef_`` and ``intercept_``, which a user may have set."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arguments import is_beyond, is_number, refuse_masked
from rosenblatt.data.lossless import is_sparse
from rosenblatt.errors import InputError


def as_planes(coef: Any, intercept: Any, classes: int, d: int) -> tuple[Any, np.ndarray]:
    """``coef_`` and ``intercept_`` as float64: a row and a bias for each hyperplane.

    Machine code trusts their shapes.

    Parameters
    ----------
    coef : array-like or sparse matrix
        One row for two classes; for K, one a class or one a pair of classes.
    intercept : array-like
        A bias for each row, or one number for all.
    classes, d : int
        How many classes and features there are.

    Examples
    --------
    >>> as_planes([[1, 2]], 0, classes=2, d=2)
    (array([[1., 2.]]), array([0.]))
    >>> as_planes([1, 2], 0, classes=2, d=2)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: coef_ must have shape (1, 2), got (2,).
    """
    coef = coef if is_sparse(coef) else _numbers(coef, "coef_")
    planes = (1,) if classes == 2 else (classes, classes * (classes - 1) // 2)
    if coef.shape not in [(rows, d) for rows in planes]:
        wanted = " or ".join(str((rows, d)) for rows in dict.fromkeys(planes))
        raise InputError(f"coef_ must have shape {wanted}, got {coef.shape}.")
    biases = _numbers(intercept, "intercept_")
    if biases.ndim == 0 or biases.shape == (1,):
        biases = np.full(coef.shape[:1], biases.item())
    if biases.shape != coef.shape[:1]:
        raise InputError(
            f"intercept_ must have shape {coef.shape[:1]}, or be a number, got {biases.shape}."
        )
    return coef, biases


def _numbers(values: Any, name: str) -> np.ndarray:
    refuse_masked(values, name)
    try:
        table = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise InputError(
            f"{name} must be an array of numbers; its rows differ in length."
        ) from None
    for number in table.flat if table.dtype.kind == "O" else ():  # such as 2**70
        if is_beyond(number):
            raise InputError(
                f"{name} holds {number!r:.30}…, which is beyond the range of double precision: "
                "divide all weights and biases by one number, which changes no prediction."
            )
    exact = table.dtype.kind == "O" and table.size and all(map(is_number, table.flat))
    if not exact and table.dtype.kind not in "biuf":
        raise InputError(f"{name} must be an array of numbers, got {values!r:.60}.")
    return table.astype(np.float64, copy=False)
