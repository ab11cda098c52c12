"""How cost grows: a power law fitted to costs over growing sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.data.notebook import sentence
from rosenblatt.engine.operations import Operations
from rosenblatt.errors import InputError


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

    def _repr_html_(self) -> str:
        return sentence(str(self))


@checked()
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
    >>> from rosenblatt.cost.lecture import matmul_cost
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
        return tuple(b / a for a, b in pairwise(self.costs))

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
    >>> from rosenblatt.cost import norm, operations_of
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
