"""What it costs: operations in closed form, operations counted, and how cost grows.

Three ways to the same numbers. The lecture's linear algebra (``norm`` to ``search``) is written as
plain loops; ``norm_cost`` to ``search_cost`` say what each must cost, and ``look_cost`` to
``run_cost`` say it of the perceptron; ``operations_of`` runs any plain code over numbers that count
what is done to them. ``doubling`` fits the exponent by which a cost grows.

Imports ``errors`` and ``points``.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.points import Points, SparseRows, width

# --- Counting ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind; equal when the four counts are.

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
    >>> print(norm_cost(3) + Operations(comparisons=1))
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
        parts = ", ".join(_plural(count, kind) for kind, count in kinds.items() if count)
        total = _plural(self.total, "operation")
        text = f"{parts}: {total}" if parts else total
        return f"{text}, {self.order}" if self.order else text


class Counted:
    """A number that counts what is done to it, in a tally that it shares with its results.

    A subtraction counts as an addition, a division as a multiplication, a test for zero as a
    comparison; a change of sign is free. `numpy.sqrt` works on it.

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
    """Run plain code over counting numbers; what it did with them.

    Parameters
    ----------
    function : callable
    *arguments : number, or nested lists or arrays of numbers
        Handed to it as `Counted` numbers, arrays as lists.

    Examples
    --------
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


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


# --- The lecture's operations, and what each costs ----------------------------------------------


def norm(a: Sequence[Any]) -> Any:
    """‖a‖ = √Σ aᵢ².

    Examples
    --------
    >>> float(norm([3.0, 4.0]))
    5.0
    """
    total = 0
    for x in a:
        total = total + x * x
    return np.sqrt(total)


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
    total = 0
    for row in A:
        for x in row:
            total = total + x * x
    return np.sqrt(total)


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


def norm_cost(d: int) -> Operations:
    """Operations of `norm` on d numbers. Its sum starts at 0, so it takes d additions, not d − 1.

    Examples
    --------
    >>> print(norm_cost(3))
    3 additions, 3 multiplications, 1 square root: 7 operations, O(d)
    """
    _check_sizes(d)
    return Operations(d, d, square_roots=1, order="O(d)")


def dot_cost(d: int) -> Operations:
    """Operations of `dot` on twice d numbers.

    Examples
    --------
    >>> dot_cost(3).total, dot_cost(3).order
    (6, 'O(d)')
    """
    _check_sizes(d)
    return Operations(d, d, order="O(d)")


def frobenius_cost(n: int, d: int) -> Operations:
    """Operations of `frobenius` on a matrix of n rows and d columns.

    Examples
    --------
    >>> frobenius_cost(2, 3).total, frobenius_cost(2, 3).order
    (13, 'O(nd)')
    """
    _check_sizes(n, d)
    return Operations(n * d, n * d, square_roots=1, order="O(nd)")


def matvec_cost(n: int, d: int) -> Operations:
    """Operations of `matvec` on an n × d matrix.

    Examples
    --------
    >>> matvec_cost(2, 3).total, matvec_cost(2, 3).order
    (12, 'O(nd)')
    """
    _check_sizes(n, d)
    return Operations(n * d, n * d, order="O(nd)")


def matmul_cost(n: int, d: int, m: int) -> Operations:
    """Operations of `matmul` on n × d and d × m matrices.

    Examples
    --------
    >>> matmul_cost(2, 3, 4).total, matmul_cost(2, 3, 4).order
    (48, 'O(ndm)')
    """
    _check_sizes(n, d, m)
    return Operations(n * d * m, n * d * m, order="O(ndm)")


def search_cost(n: int, case: Literal["best", "worst"] = "worst") -> Operations:
    """Operations of `search` in n numbers: best, x comes first; worst, x is last or absent.

    Examples
    --------
    >>> print(search_cost(100, "best"))
    1 comparison: 1 operation, O(1)
    >>> print(search_cost(100, "worst"))
    100 comparisons: 100 operations, O(n)
    """
    _check_sizes(n)
    if case not in ("best", "worst"):
        raise InputError(f'case must be "best" or "worst", got {case!r}.')
    if case == "best":
        return Operations(comparisons=min(n, 1), order="O(1)")
    return Operations(comparisons=n, order="O(n)")


def _check_sizes(*sizes: int) -> None:
    if min(sizes) < 0:
        raise InputError(f"A size cannot be negative, got {min(sizes)}.")


# --- The perceptron -----------------------------------------------------------------------------


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
    _check_sizes(looks, read, updates, written)
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


def update_cost(d: int, *, classes: int = 0) -> Operations:
    """Operations that a mistake adds to its look, on a row of d stored entries.

    Examples
    --------
    >>> print(update_cost(10))
    11 additions, 11 multiplications, 1 comparison: 23 operations, O(d)
    """
    return replace(learning_cost(0, 0, 1, d, classes=classes), order="O(d)")


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
    >>> from rosenblatt.learn import learn
    >>> from rosenblatt.points import make_points
    >>> from rosenblatt.rules import Perceptron
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    >>> print(learn(make_points(X, y), Perceptron(), order="cyclic").cost)
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
        return RunCost(
            self.multiply_adds + earlier.multiply_adds,
            self.comparisons + earlier.comparisons,
            self.rows + earlier.rows,
            self.bytes + earlier.bytes,
            self.averaging + earlier.averaging,
            self.order,
        )

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


def run_cost(points: Points, tally: Any, classes: int = 0, late: Any = ()) -> RunCost:
    """The cost of the looks and updates in a tally.

    Parameters
    ----------
    points : Points
    tally : rules.Tally
        Looks and updates, entries read and written.
    classes : int
        K for one weight vector a class, 0 for two signs.
    late : array of shape (n,), optional
        `State.late` at the end of the run, before it is settled.

    Examples
    --------
    >>> from rosenblatt.points import make_points
    >>> from rosenblatt.rules import Tally
    >>> points = make_points(np.eye(2), np.array([1.0, -1.0]))
    >>> run_cost(points, Tally(updates=1, looks=2, last=1, read=4, written=2)).multiply_adds
    11
    """
    learning = learning_cost(tally.looks, tally.read, tally.updates, tally.written, classes=classes)
    unsettled = np.flatnonzero(late)
    drifted = 2 * (tally.written + tally.updates) if classes else 0
    size = "nnz" if isinstance(points.rows, SparseRows) else "nd"
    return RunCost(
        multiply_adds=learning.multiplications,
        comparisons=learning.comparisons,
        rows=tally.looks,
        bytes=tally.read * _entry_bytes(points.rows),
        averaging=drifted + _entries_of(points, unsettled) + len(unsettled),
        order=f"O({size}·K)" if classes else f"O({size})",
    )


def _entry_bytes(rows: Any) -> int:
    arrays = (rows.data, rows.indices) if isinstance(rows, SparseRows) else (rows.values,)
    return sum(getattr(array, "itemsize", 8) for array in arrays)


def _entries_of(points: Points, chosen: np.ndarray) -> int:
    if isinstance(points.rows, SparseRows):
        return int(np.diff(points.rows.indptr)[chosen].sum())
    return len(chosen) * width(points)


# --- Growth -------------------------------------------------------------------------------------


class Growth(NamedTuple):
    """A power law: cost ≈ factor · sizeᵉˣᵖᵒⁿᵉⁿᵗ.

    Attributes
    ----------
    exponent, factor : float
    r_squared : float
        The share of the variance of log cost that it explains.

    Examples
    --------
    >>> print(Growth(exponent=2.0, factor=3.0, r_squared=1.0))
    cost ≈ 3 · size^2.00 (R² = 1.0000): twice the size, 4.00 times the cost
    """

    exponent: float
    factor: float
    r_squared: float

    def __str__(self) -> str:
        return (
            f"cost ≈ {self.factor:.3g} · size^{self.exponent:.2f} (R² = {self.r_squared:.4f}): "
            f"twice the size, {2**self.exponent:.2f} times the cost"
        )


def growth_exponent(sizes: Sequence[float], costs: Sequence[float]) -> Growth:
    """Fit a power law by least squares in log size and log cost.

    Parameters
    ----------
    sizes, costs : sequence of positive numbers
        At least two different sizes.

    Returns
    -------
    Growth

    Examples
    --------
    >>> sizes = [10, 20, 40, 80]
    >>> growth_exponent(sizes, [matmul_cost(n, n, n).total for n in sizes]).exponent
    3.0...
    """
    x, y = np.asarray(sizes, dtype=float), np.asarray(costs, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise InputError(f"Each size needs its cost: got {x.shape} sizes and {y.shape} costs.")
    if not all(np.isfinite(v).all() and (v > 0).all() for v in (x, y)):
        raise InputError("A power law needs sizes and costs that are positive and finite.")
    if len(set(x.tolist())) < 2:
        raise InputError(f"An exponent needs two different sizes, got {sizes!r}.")
    x, y = np.log(x), np.log(y)
    dx, dy = x - x.mean(), y - y.mean()
    exponent = dx @ dy / (dx @ dx)
    left = dy - exponent * dx
    r_squared = 1.0 if np.ptp(y) == 0 else 1 - (left @ left) / (dy @ dy)
    return Growth(float(exponent), float(np.exp(y.mean() - exponent * x.mean())), float(r_squared))


class Doubling(NamedTuple):
    """Costs over growing sizes; prints as a table.

    Attributes
    ----------
    sizes : tuple of int
    costs : tuple of float
    unit : {"operations", "seconds"}

    Examples
    --------
    >>> table = Doubling(sizes=(10, 20, 40), costs=(100, 400, 1600), unit="operations")
    >>> table.ratios, round(table.exponent, 9)
    ((4.0, 4.0), 2.0)
    """

    sizes: tuple[int, ...]
    costs: tuple[float, ...]
    unit: str

    @property
    def ratios(self) -> tuple[float, ...]:
        """Each cost over the one before it: 2ᵉˣᵖᵒⁿᵉⁿᵗ where sizes double."""
        return tuple(b / a for a, b in zip(self.costs, self.costs[1:], strict=False))

    @property
    def growth(self) -> Growth:
        """The power law fitted to them."""
        return growth_exponent(self.sizes, self.costs)

    @property
    def exponent(self) -> float:
        """The exponent of that law."""
        return self.growth.exponent

    def __str__(self) -> str:
        shown = "{:,.4g}" if self.unit == "seconds" else "{:,}"
        lines = [f"{'size':>12}  {self.unit:>16}  {'ratio':>6}"]
        ratios = ["", *(f"{ratio:.2f}" for ratio in self.ratios)]
        for size, cost, ratio in zip(self.sizes, self.costs, ratios, strict=True):
            lines.append(f"{size:>12,}  {shown.format(cost):>16}  {ratio:>6}".rstrip())
        return "\n".join([*lines, str(self.growth)])


def doubling(
    function: Callable[[Any], Any],
    sizes: Sequence[int],
    *,
    prepare: Callable[[int], Any] | None = None,
    unit: Literal["operations", "seconds"] = "operations",
    repeats: int = 5,
) -> Doubling:
    """Measure a callable over sizes that double, or grow in any other way.

    Parameters
    ----------
    function : callable
        Called with each size, or with what ``prepare`` makes of it. To measure operations it
        returns them: an `Operations`, of which the total is taken, or a number.
    sizes : sequence of int
    prepare : callable, optional
        Makes the input for a size, outside the time that is measured.
    unit : {"operations", "seconds"}
    repeats : int
        Seconds are the least of so many calls: whatever else the machine does only adds to them.

    Examples
    --------
    >>> print(doubling(lambda n: operations_of(norm, [1] * n), [100, 200, 400, 800]))
            size        operations   ratio
             100               201
             200               401    2.00
             400               801    2.00
             800             1,601    2.00
    cost ≈ 2.03 · size^1.00 (R² = 1.0000): twice the size, 2.00 times the cost
    >>> timed = doubling(sum, [1000, 2000], prepare=range, unit="seconds")
    >>> timed.unit, len(timed.costs)
    ('seconds', 2)
    """
    if unit not in ("operations", "seconds"):
        raise InputError(f'unit must be "operations" or "seconds", got {unit!r}.')
    if repeats < 1:
        raise InputError(f"repeats must be at least 1, got {repeats}.")
    costs = []
    for size in sizes:
        given = size if prepare is None else prepare(size)
        if unit == "seconds":
            costs.append(min(_seconds(function, given) for _ in range(repeats)))
        else:
            result = function(given)
            costs.append(result.total if isinstance(result, Operations) else result)
    return Doubling(tuple(sizes), tuple(costs), unit)


def _seconds(function: Callable[[Any], Any], given: Any) -> float:
    began = time.perf_counter()
    function(given)
    return time.perf_counter() - began
