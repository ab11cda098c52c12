"""The named classes of growth, from constant to exponential, and which of them a cost follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.errors import InputError

Shape = Callable[[Any], Any]

# Slowest growth first: of classes that fit alike, the first is named.
CLASSES: dict[str, tuple[str, Shape]] = {
    "constant": ("O(1)", lambda n: np.ones_like(n)),
    "logarithmic": ("O(log n)", np.log2),
    "linear": ("O(n)", lambda n: n),
    "linearithmic": ("O(n log n)", lambda n: n * np.log2(n)),
    "quadratic": ("O(n²)", lambda n: n**2),
    "cubic": ("O(n³)", lambda n: n**3),
    "exponential": ("O(2ⁿ)", lambda n: np.exp2(n)),
}
# A class that fits worse than another by no more than this part of the costs fits as well.
ALIKE = 1e-9
# Growth is named where it leaves less than half of the constant's error: every class contains the
# constant one, so that by chance alone each fits noise a little better.
CHANCE = 2.0


class GrowthClass(NamedTuple):
    """A named class of growth: cost ≈ factor · f(n) + offset.

    Attributes
    ----------
    name : str
        "constant", "logarithmic", "linear", "linearithmic", "quadratic", "cubic", "exponential".
    order : str
        The same in big-O notation.
    factor, offset : float
        Of the fit; with constant growth the factor is the cost and the offset 0.
    error : float
        Root mean square of the relative errors of the fit.

    Examples
    --------
    >>> print(GrowthClass("linear", "O(n)", 2.0, 1.0, 0.0))
    linear, O(n): cost ≈ 2·f(n) + 1, off by 0.0% on average
    """

    name: str
    order: str
    factor: float
    offset: float
    error: float

    def __str__(self) -> str:
        law = f"{self.factor:.3g}" if self.name == "constant" else f"{self.factor:.3g}·f(n)"
        if self.offset:
            law += f" {'+' if self.offset > 0 else '−'} {abs(self.offset):.3g}"
        return f"{self.name}, {self.order}: cost ≈ {law}, off by {100 * self.error:.1f}% on average"


@checked()
def growth_class(sizes: Sequence[float], costs: Sequence[float]) -> GrowthClass:
    """The named class that explains the costs best, by least squares of the relative errors.

    Measurements can suggest a class and never prove one: n and n·log n differ little over few
    sizes. Let sizes grow by a factor of ten or more.

    Parameters
    ----------
    sizes, costs : sequence of positive numbers
        At least three different sizes.

    Returns
    -------
    GrowthClass

    Examples
    --------
    >>> from rosenblatt.cost import binary_search, operations_of, search
    >>> sizes = [15, 127, 1023, 8191]
    >>> for find in (search, binary_search):
    ...     costs = [operations_of(find, n, list(range(n))).total for n in sizes]
    ...     print(growth_class(sizes, costs).order, costs)
    O(n) [15, 127, 1023, 8191]
    O(log n) [8, 14, 20, 26]
    """
    n, cost = np.asarray(sizes, dtype=float), np.asarray(costs, dtype=float)
    if n.shape != cost.shape or n.ndim != 1:
        raise InputError(f"Each size needs its cost: got {n.shape} sizes and {cost.shape} costs.")
    if not all(np.isfinite(v).all() and (v > 0).all() for v in (n, cost)):
        raise InputError("A class of growth needs sizes and costs that are positive and finite.")
    if len(set(n.tolist())) < 3:
        raise InputError(f"Telling classes apart needs three different sizes, got {sizes!r}.")
    fits = [_fit(name, *CLASSES[name], n, cost) for name in CLASSES]
    least = min(fit.error for fit in fits)
    if fits[0].error <= CHANCE * least:
        return fits[0]
    return next(fit for fit in fits if fit.error <= least + ALIKE)


def _fit(name: str, order: str, shape: Shape, n: np.ndarray, cost: np.ndarray) -> GrowthClass:
    with np.errstate(over="ignore"):
        f = shape(n)
    if not np.isfinite(f).all():
        return GrowthClass(name, order, math.nan, math.nan, math.inf)
    table = f[:, None] if name == "constant" else np.column_stack([f, np.ones_like(f)])
    scale = np.abs(table / cost[:, None]).max(axis=0)  # 2ⁿ and 1 in one system of equations
    found = np.linalg.lstsq(table / cost[:, None] / scale, np.ones_like(cost))[0] / scale
    error = float(np.sqrt(np.mean((table @ found / cost - 1) ** 2)))
    factor, offset = (*found, 0.0)[:2]
    if factor <= 0:
        error = math.inf  # a cost that falls belongs to no class of growth
    return GrowthClass(name, order, float(factor), float(offset), error)
