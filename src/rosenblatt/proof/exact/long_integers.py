"""Long integers as arrays of digits: exact products of many rows at once, by matrix products.

A number is Σₖ digitₖ·65536ᵏ with digits in [0, 65536) but for the last, which carries the sign
(two's complement, as ``int.to_bytes`` writes it). Products of two digits have 32 bits, so that
floats add up 2²¹ of them, and 64-bit integers 2³¹, without rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.proof.exact.numbers import Matrix, is_sparse, with_entries

BITS = 16
# Terms of a sum of products that floats add without rounding.
FLOATS = 2**20


def bits_of(integers: np.ndarray) -> int:
    """Bits of the largest, its sign apart.

    Examples
    --------
    >>> bits_of(np.array([3, -8]))
    4
    """
    if integers.dtype == object:
        return max((int(v).bit_length() for v in integers.flat), default=0)
    return int(np.abs(integers).max(initial=0)).bit_length()


def digits(integers: np.ndarray) -> np.ndarray:
    """The digits of integers of any length, lowest first, along a new first axis.

    Parameters
    ----------
    integers : ndarray of int64 or of Python's int

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> digits(np.array([1, -1, 65536]))[:, :].tolist()
    [[1, 65535, 0], [0, -1, 1]]
    """
    count = bits_of(integers) // BITS + 1
    if integers.dtype == object:
        raw = b"".join(int(v).to_bytes(2 * count, "little", signed=True) for v in integers.flat)
    else:
        raw = integers.astype("<i8").tobytes()
    table = np.frombuffer(raw, dtype="<u2").reshape(*integers.shape, -1)[..., :count]
    found = np.moveaxis(table, -1, 0).astype(np.int64)
    found[-1] = found[-1].astype(np.int16)
    return found


def products(rows: Matrix, entries: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The products of integer rows and integer vectors, in digits.

    Parameters
    ----------
    rows : ndarray or CSR matrix, shape (n, D)
        The shape, and of CSR where its entries are.
    entries : ndarray of int
        What stands there.
    weights : ndarray of int, shape (V, D)

    Returns
    -------
    ndarray of int64, shape (digits, n, V)

    Examples
    --------
    >>> rows = np.array([[3.0, -5.0]])
    >>> found = products(rows, rows.astype(int), np.array([[2**40, 1], [0, 2**50]]))
    >>> as_integers(found)
    [[3298534883323, -5629499534213120]]
    """
    left, right = digits(entries), digits(weights)
    many, (n, width), vectors = len(right), rows.shape, len(weights)
    exact = np.float64 if width <= FLOATS else np.int64
    # One column for each digit of each vector.
    table = right.reshape(many * vectors, width).T.astype(exact)
    total = np.zeros((len(left) + many + 3, n, vectors), dtype=np.int64)
    for at, digit in enumerate(left):
        part: Any = digit.astype(exact)
        part = (with_entries(rows, part) if is_sparse(rows) else part) @ table
        total[at : at + many] += part.T.reshape(many, vectors, n).swapaxes(1, 2).astype(np.int64)
    return carried(total)


def carried(total: np.ndarray) -> np.ndarray:
    """The same numbers with every digit but the last in [0, 65536), in place.

    Examples
    --------
    >>> carried(np.array([[-1], [0], [0]])).ravel().tolist()
    [65535, 65535, -1]
    """
    for k in range(len(total) - 1):
        total[k + 1] += total[k] >> BITS
        total[k] &= (1 << BITS) - 1
    return total


def signs(total: np.ndarray) -> np.ndarray:
    """The signs of numbers in carried digits.

    Examples
    --------
    >>> signs(digits(np.array([3, -70000, 0])))
    array([ 1, -1,  0], dtype=int8)
    """
    return np.where(total[-1] < 0, -1, total.any(axis=0)).astype(np.int8)


def as_integers(total: np.ndarray) -> list[Any]:
    """Numbers in carried digits as nested lists of Python's integers.

    Examples
    --------
    >>> as_integers(digits(np.array([[3, -70000]])))
    [[3, -70000]]
    """
    raw = np.ascontiguousarray(np.moveaxis(total, 0, -1)).astype("<u2").tobytes()
    size = 2 * len(total)
    flat = (
        int.from_bytes(raw[at : at + size], "little", signed=True)
        for at in range(0, len(raw), size)
    )
    n, vectors = total.shape[1:]
    return [[next(flat) for _ in range(vectors)] for _ in range(n)]
