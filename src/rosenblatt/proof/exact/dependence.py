"""Columns that others determine, exactly: constants, copies, and the last level of a category.

A table of categories, one column a level, has columns that add up to one another: as many equations
say the same, and a proof needs each only once. Which columns depend on which is found in floating
point; that they do is checked in whole numbers, which floats add without rounding. Columns of two
values are such, however they were scaled: with the bias, they say who has the larger one.
"""

from __future__ import annotations

import numpy as np

# Pivots smaller than this are taken for rounding, and how far a whole number may be from one.
NEXT_TO_NOTHING, NEARLY = 1e-9, 1e-6
# Denominators that are tried.
DENOMINATORS = 12
# Binary digits after the point that numbers may have, and whole numbers that floats add exactly.
DIGITS, WHOLE = 20, 2.0**53


def spanning_columns(rows: np.ndarray) -> np.ndarray | None:
    """Columns such that rows which cancel there cancel everywhere; None if none are proved to be.

    One fewer than there are rows, or all where these are as few. Some are rewritten, as signs.

    Parameters
    ----------
    rows : ndarray of shape (m, D)
        Floats, each taken as the rational it is.

    Returns
    -------
    ndarray of shape (m, columns) or None

    Examples
    --------
    Of two levels and the bias, one column follows from the others; 5 is no more than the bias.

    >>> X = [[7.0, 0.0, 0.3, 5.0], [3.0, 0.1, 0.2, 5.0], [7.0, 0.0, 0.1, 5.0], [3.0, 0.1, 0.4, 5.0]]
    >>> rows = np.array([[1.0], [1.0], [-1.0], [-1.0]]) * np.column_stack([X, np.ones(4)])
    >>> spanning_columns(rows).tolist()
    [[1.0, 0.0, 0.3], [0.0, 1.0, 0.2], [-1.0, -0.0, -0.1], [-0.0, -1.0, -0.4]]
    """
    table = _rewritten(rows[:, rows.any(axis=0)])
    rank = len(table) - 1
    if table.shape[1] <= rank or not np.isfinite(table).all():
        return table
    sizes = np.abs(table).max(axis=0)
    found = _eliminated((table[:rank] / sizes).T)
    if found is None:
        return None
    order, factors = found
    kept, others = order[:rank], order[rank:]
    shares = np.linalg.solve(factors[:rank].T, factors[rank:].T)
    shares *= sizes[others] / sizes[kept][:, None]
    proved = _are_combinations(table[:, others], table[:, kept], shares)
    return table[:, np.sort(kept)] if proved else None


def _rewritten(table: np.ndarray) -> np.ndarray:
    """Columns that cancel for the same weights of rows, of signs where their sizes are all alike.

    Let u be a column of signs, the bias. Where a column is low·u + (high − low)·h, h of 0 and signs
    as in u, it cancels with u just if h does.
    """
    sizes = np.abs(table)
    alike = ((table == 0) | (sizes == sizes.max(axis=0, initial=0.0))).all(axis=0)
    table = np.where(alike, np.sign(table), table)
    biases = np.flatnonzero(alike & table.all(axis=0))
    if not len(biases):
        return table
    bias = table[:, biases[-1:]]
    values = table * bias
    low, high = values.min(axis=0), values.max(axis=0)
    of_two = ((values == low) | (values == high)).all(axis=0) & (low < high)
    table = np.where(of_two, (values == high) * bias, table)
    needed = low < high
    needed[biases[-1]] = True
    return table[:, needed]


def _eliminated(lines: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Gauss's elimination: lines[order] = factors @ (an upper triangle); None without a pivot."""
    order = np.arange(len(lines))
    for k in range(lines.shape[1]):
        at = k + int(np.abs(lines[k:, k]).argmax())
        if abs(lines[at, k]) < NEXT_TO_NOTHING:
            return None
        if at != k:
            lines[[k, at]], order[[k, at]] = lines[[at, k]], order[[at, k]]
        below = lines[k + 1 :]
        below[:, k] /= lines[k, k]
        below[:, k + 1 :] -= np.outer(below[:, k], lines[k, k + 1 :])
    factors = np.tril(lines, -1)
    np.fill_diagonal(factors, 1.0)
    return order, factors


def _are_combinations(columns: np.ndarray, basis: np.ndarray, shares: np.ndarray) -> bool:
    """Whether the columns are combinations of a basis with about these shares, all fractions."""
    left = np.arange(columns.shape[1])
    for q in range(1, DENOMINATORS + 1):
        whole = np.rint(q * shares[:, left])
        likely = (np.abs(q * shares[:, left] - whole) <= NEARLY).all(axis=0)
        proved = likely & _add_up(basis, whole, q, columns[:, left])
        left = left[~proved]
        if not len(left):
            return True
    return False


def _add_up(basis: np.ndarray, whole: np.ndarray, q: int, columns: np.ndarray) -> np.ndarray:
    """For each column, whether basis @ whole = q·column for sure: nothing was rounded."""
    copies = (np.abs(whole) == q) & (np.count_nonzero(whole, axis=0) == 1)
    of, to = np.nonzero(copies)
    proved = np.zeros(columns.shape[1], dtype=bool)
    proved[to] = (np.sign(whole[of, to]) * basis[:, of] == columns[:, to]).all(axis=0)
    basis, columns = np.ldexp(basis, DIGITS), np.ldexp(columns, DIGITS)
    short = (basis == np.rint(basis)).all(axis=0)
    sums = basis[:, short] @ whole[short]
    largest = np.abs(basis[:, short]) @ np.abs(whole[short]) + q * np.abs(columns)
    exact = (sums == q * columns) & (largest < WHOLE) & (columns == np.rint(columns))
    return proved | (exact.all(axis=0) & ~whole[~short].any(axis=0))
