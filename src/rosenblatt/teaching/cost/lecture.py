"""The first lecture's linear algebra as plain loops, and what each must cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.engine.operations import Operations, check_sizes
from rosenblatt.errors import InputError


def norm(a: Sequence[Any]) -> Any:
    """‖a‖ = √Σ aᵢ².

    Examples
    --------
    >>> float(norm([3.0, 4.0]))
    5.0
    """
    return np.sqrt(dot(a, a))


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """a·b = Σ aᵢbᵢ.

    Examples
    --------
    >>> dot([1, 2, 3], [4, 5, 6])
    32
    """
    total = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def frobenius(A: Sequence[Sequence[Any]]) -> Any:
    """‖A‖ = √Σᵢⱼ Aᵢⱼ².

    Examples
    --------
    >>> float(frobenius([[1, 1], [1, 1]]))
    2.0
    """
    return norm([x for row in A for x in row])


def matvec(A: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    """Ax: the dot product of each row with x.

    Examples
    --------
    >>> matvec([[1, 2], [3, 4]], [1, 1])
    [3, 7]
    """
    return [dot(row, x) for row in A]


def matmul(A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """AB: the dot product of each row of A with each column of B.

    Examples
    --------
    >>> matmul([[1, 2], [3, 4]], [[0, 1], [1, 0]])
    [[2, 1], [4, 3]]
    """
    columns = list(zip(*B, strict=True))
    return [[dot(row, column) for column in columns] for row in A]


def search(x: Any, A: Sequence[Any]) -> int:
    """The first place of x in A, or −1.

    Examples
    --------
    >>> search(7, [5, 7, 9]), search(8, [5, 7, 9])
    (1, -1)
    """
    for i in range(len(A)):
        if A[i] == x:
            return i
    return -1


def binary_search(x: Any, A: Sequence[Any]) -> int:
    """The place of x in a sorted A, or −1: each look at the middle leaves half of what was left.

    Examples
    --------
    >>> binary_search(7, [5, 7, 9]), binary_search(8, [5, 7, 9])
    (1, -1)
    """
    low, high = 0, len(A)
    while low < high:
        middle = (low + high) // 2
        if A[middle] == x:
            return middle
        if A[middle] < x:
            low = middle + 1
        else:
            high = middle
    return -1


@checked()
def norm_cost(d: int) -> Operations:
    """Operations of `norm` on d numbers. Its sum starts at 0, so it takes d additions, not d − 1.

    Examples
    --------
    >>> print(norm_cost(3))
    3 additions, 3 multiplications, 1 square root: 7 operations, O(d)
    """
    check_sizes(d)
    return Operations(d, d, square_roots=1, order="O(d)")


@checked()
def dot_cost(d: int) -> Operations:
    """Operations of `dot` on twice d numbers.

    Examples
    --------
    >>> dot_cost(3).total, dot_cost(3).order
    (6, 'O(d)')
    """
    check_sizes(d)
    return Operations(d, d, order="O(d)")


@checked()
def frobenius_cost(n: int, d: int) -> Operations:
    """Operations of `frobenius` on a matrix of n rows and d columns.

    Examples
    --------
    >>> frobenius_cost(2, 3).total, frobenius_cost(2, 3).order
    (13, 'O(nd)')
    """
    check_sizes(n, d)
    return Operations(n * d, n * d, square_roots=1, order="O(nd)")


@checked()
def matvec_cost(n: int, d: int) -> Operations:
    """Operations of `matvec` on an n × d matrix.

    Examples
    --------
    >>> matvec_cost(2, 3).total, matvec_cost(2, 3).order
    (12, 'O(nd)')
    """
    check_sizes(n, d)
    return Operations(n * d, n * d, order="O(nd)")


@checked()
def matmul_cost(n: int, d: int, m: int) -> Operations:
    """Operations of `matmul` on n × d and d × m matrices.

    Examples
    --------
    >>> matmul_cost(2, 3, 4).total, matmul_cost(2, 3, 4).order
    (48, 'O(ndm)')
    """
    check_sizes(n, d, m)
    return Operations(n * d * m, n * d * m, order="O(ndm)")


@checked()
def search_cost(n: int, case: Literal["best", "worst"] = "worst") -> Operations:
    """Operations of `search` in n numbers: best, x comes first; worst, x is last or absent.

    Examples
    --------
    >>> print(search_cost(100, "best"))
    1 comparison: 1 operation, O(1)
    >>> print(search_cost(100, "worst"))
    100 comparisons: 100 operations, O(n)
    """
    check_sizes(n)
    if case not in ("best", "worst"):
        raise InputError(f'case must be "best" or "worst", got {case!r}.')
    if case == "best":
        return Operations(comparisons=min(n, 1), order="O(1)")
    return Operations(comparisons=n, order="O(n)")


@checked()
def binary_search_cost(n: int, case: Literal["best", "worst"] = "worst") -> Operations:
    """Operations of `binary_search` in n numbers: best, x is in the middle; worst, below all.

    A look takes two comparisons, unless it finds x. Half of what is left, rounded down, lies below
    the middle, so that ⌊log₂ n⌋ + 1 looks find that x is below all.

    Examples
    --------
    >>> print(binary_search_cost(1_000_000, "best"))
    1 comparison: 1 operation, O(1)
    >>> print(binary_search_cost(1_000_000, "worst"))
    40 comparisons: 40 operations, O(log n)
    """
    check_sizes(n)
    if case not in ("best", "worst"):
        raise InputError(f'case must be "best" or "worst", got {case!r}.')
    if case == "best":
        return Operations(comparisons=min(n, 1), order="O(1)")
    return Operations(comparisons=2 * int(n).bit_length(), order="O(log n)")
