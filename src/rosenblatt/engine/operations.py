"""Counts of arithmetic operations, and numbers that count the operations done to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.text import plural


@dataclass(frozen=True)
class Operations:
    """Number of operations of each kind; compares by the four counts.

    Attributes
    ----------
    additions : int
        Subtractions among them.
    multiplications : int
        Divisions among them.
    comparisons, square_roots : int
    order : str
        How the total grows, such as ``"O(nd)"``; empty for a count that was taken.

    Examples
    --------
    >>> print(Operations(3, 3, square_roots=1) + Operations(comparisons=1))
    3 additions, 3 multiplications, 1 comparison, 1 square root: 8 operations
    """

    additions: int = 0
    multiplications: int = 0
    comparisons: int = 0
    square_roots: int = 0
    order: str = field(default="", compare=False)

    @property
    def total(self) -> int:
        """All operations together."""
        return self.additions + self.multiplications + self.comparisons + self.square_roots

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.comparisons + other.comparisons,
            self.square_roots + other.square_roots,
        )

    def __str__(self) -> str:
        kinds = {
            "addition": self.additions,
            "multiplication": self.multiplications,
            "comparison": self.comparisons,
            "square root": self.square_roots,
        }
        parts = ", ".join(plural(count, kind) for kind, count in kinds.items() if count)
        total = plural(self.total, "operation")
        text = f"{parts}: {total}" if parts else total
        return f"{text}, {self.order}" if self.order else text


class Counted:
    """A number that counts what is done to it, in a tally that it shares with its results.

    A subtraction counts as an addition, a division as a multiplication, a test for zero as a
    comparison; a change of sign and an absolute value are free. `numpy.sqrt` works on it.

    Parameters
    ----------
    value : number
        Any type with the arithmetic asked of it: int, float, `fractions.Fraction`.
    tally : Counter
        Where operations are counted, under the names of the fields of `Operations`.

    Examples
    --------
    >>> tally = Counter()
    >>> a, b = Counted(3, tally), Counted(4, tally)
    >>> np.sqrt(a * a + b * b)
    Counted(5.0)
    >>> print(Operations(**tally))
    1 addition, 2 multiplications, 1 square root: 4 operations
    """

    __slots__ = ("tally", "value")
    __hash__ = None  # type: ignore[assignment]  # a look-up would hide its comparisons

    def __init__(self, value: Any, tally: Counter[str]):
        self.value = value
        self.tally = tally

    def _count(self, kind: str, value: Any) -> Counted:
        self.tally[kind] += 1
        return Counted(value, self.tally)

    def __add__(self, other: Any) -> Counted:
        return self._count("additions", self.value + _value(other))

    def __radd__(self, other: Any) -> Counted:
        return self._count("additions", other + self.value)

    def __sub__(self, other: Any) -> Counted:
        return self._count("additions", self.value - _value(other))

    def __rsub__(self, other: Any) -> Counted:
        return self._count("additions", other - self.value)

    def __mul__(self, other: Any) -> Counted:
        return self._count("multiplications", self.value * _value(other))

    def __rmul__(self, other: Any) -> Counted:
        return self._count("multiplications", other * self.value)

    def __truediv__(self, other: Any) -> Counted:
        return self._count("multiplications", self.value / _value(other))

    def __rtruediv__(self, other: Any) -> Counted:
        return self._count("multiplications", other / self.value)

    def sqrt(self) -> Counted:
        """The square root, in floating point; `numpy.sqrt` calls it."""
        return self._count("square_roots", float(self.value) ** 0.5)

    def _compare(self, outcome: Any) -> bool:
        self.tally["comparisons"] += 1
        return bool(outcome)

    def __eq__(self, other: object) -> bool:
        return self._compare(self.value == _value(other))

    def __ne__(self, other: object) -> bool:
        return self._compare(self.value != _value(other))

    def __lt__(self, other: Any) -> bool:
        return self._compare(self.value < _value(other))

    def __le__(self, other: Any) -> bool:
        return self._compare(self.value <= _value(other))

    def __gt__(self, other: Any) -> bool:
        return self._compare(self.value > _value(other))

    def __ge__(self, other: Any) -> bool:
        return self._compare(self.value >= _value(other))

    def __bool__(self) -> bool:
        return self._compare(self.value != 0)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    def __abs__(self) -> Counted:
        return Counted(abs(self.value), self.tally)

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"Counted({self.value!r})"


def counted(values: Any, tally: Counter[str]) -> Any:
    """The same numbers, each a `Counted`: a number, or nested lists or arrays of them as lists.

    Examples
    --------
    >>> counted([[1, 2], [3, 4]], Counter())
    [[Counted(1), Counted(2)], [Counted(3), Counted(4)]]
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [counted(value, tally) for value in values]
    return Counted(values, tally)


def operations_of(function: Callable[..., Any], *arguments: Any) -> Operations:
    """Run plain code over counting numbers, and return the operations it made.

    Parameters
    ----------
    function : callable
    *arguments : number, or nested lists or arrays of numbers
        Handed to it as `Counted` numbers, arrays as lists.

    Examples
    --------
    >>> from rosenblatt.cost.lecture import dot, dot_cost
    >>> operations_of(dot, [1, 2, 3], [4, 5, 6]) == dot_cost(3)
    True
    >>> print(operations_of(max, [3, 1, 2]))
    2 comparisons: 2 operations
    """
    tally: Counter[str] = Counter()
    function(*counted(arguments, tally))
    return Operations(**tally)  # type: ignore[arg-type]


def _value(number: Any) -> Any:
    return number.value if isinstance(number, Counted) else number


def check_sizes(*sizes: int) -> None:
    """Refuse a negative size."""
    if min(sizes) < 0:
        raise InputError(f"A size cannot be negative, got {min(sizes)}.")
