"""Coordinates for a floating-point program: columns of like scale, none nearly dependent.

A column that is a sum, a mean or a difference of others is almost never exactly dependent on them:
its floats, taken as rational numbers, leave residues of some units in the last place, and these may
decide whether the data are separable. A linear program with tolerances cannot see them. Refined
coordinates replace such columns by their residues, computed exactly and scaled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.threads import scipy_linalg
from rosenblatt.proof import exact
from rosenblatt.solve.effort import exact_entries_units, factor_units
from rosenblatt.solve.linear_constraints import LinearConstraints

# Numbers below two to this power can be squared and summed without overflow, and are normal floats,
# as are their inverses.
SQUARABLE = 500
# Distance from the span of other columns below which a column is replaced by its residues.
NEARLY_DEPENDENT = 1e-6
# Most levels of residues of residues, and floats whose sum is a factor.
LEVELS, FLOATS_A_FACTOR = 4, 3
# Rows in excess of the number of columns, by which exact dependence is tested; and rows by which a
# residue is centred.
SPARE_ROWS = 20


class Frame:
    """Coordinates in which columns are comparable: (x − shift)/2^exponent.

    Scaling by powers of two is exact. The shift, which the bias takes back, only serves the
    floating-point program; sparse data and data without a bias are not shifted.

    Parameters
    ----------
    constraints : LinearConstraints
    """

    def __init__(self, constraints: LinearConstraints):
        d, blocks, bias = constraints.d, constraints.blocks, constraints.bias
        low, high = constraints.bounds()
        self.shift = np.zeros(d) if constraints.sparse or not bias else low / 2 + high / 2
        reach = np.maximum(high - self.shift, self.shift - low)
        exponents = np.zeros(d + 1, dtype=np.intc)
        np.frexp(reach, None, exponents[:-1])
        self.exponents = np.tile(exponents, blocks) if blocks > 1 else exponents
        # Only the direction of weights counts, so huge weights of tiny columns are scaled down.
        self.lift = min(0, int(exponents.min()) + SQUARABLE)
        self.blocks, self.d, self.bias = blocks, d, bias

    def into(self, rows: Any) -> Any:
        """Constraints in these coordinates."""
        if hasattr(rows, "indices"):
            scaled = rows.copy()
            scaled.data = np.ldexp(scaled.data, -self.exponents[scaled.indices])
            return scaled
        table = rows.reshape(-1, self.blocks, self.d + 1).copy()
        table[:, :, :-1] -= table[:, :, -1:] * self.shift
        table = table.reshape(rows.shape)
        if np.abs(self.exponents).max() > SQUARABLE:
            return np.ldexp(table, -self.exponents)
        table *= np.ldexp(1.0, -self.exponents)  # the same, in a tenth of the time
        return table

    def back(self, z: np.ndarray) -> np.ndarray:
        """Weights of these coordinates as weights of the user's."""
        table = np.ldexp(z, self.lift - self.exponents).reshape(self.blocks, self.d + 1)
        table[:, -1] = self.bias * (table[:, -1] - table[:, :-1] @ self.shift)
        return table.ravel()

    def slope(self, gradient: np.ndarray) -> np.ndarray:
        """A gradient by the user's weights as one by weights of these coordinates."""
        table = gradient.reshape(self.blocks, self.d + 1) * 1.0
        table[:, -1] *= self.bias
        table[:, :-1] -= table[:, -1:] * self.shift
        return np.ldexp(table.ravel(), self.lift - self.exponents)


class Residue(NamedTuple):
    """A coordinate in place of a column: what it has beyond the span of other columns.

    Attributes
    ----------
    column : int
    factors : tuple of Fraction
        Of the scaled columns x_k/2^e_k, and of the bias.
    """

    column: int
    factors: tuple[Fraction, ...]


class Refined:
    """A frame whose nearly dependent columns are replaced by their residues.

    Examples
    --------
    The third column is the rounded sum of the others; what rounding left of it is a coordinate.

    >>> from rosenblatt.solve.constraints import Constraints
    >>> X = np.array([[0.1, 0.2], [0.3, 0.1], [0.7, 0.6], [0.2, 0.3], [0.4, 0.4]])
    >>> X = np.column_stack([X, X.sum(axis=1)])
    >>> constraints = Constraints(X, np.array([1, 1, 1, 1, 1]), 2)
    >>> rows = constraints.rows(np.arange(5), np.zeros(5, int))
    >>> frame, _ = refined(Frame(constraints), rows)
    >>> frame.columns
    [2]
    >>> [float(np.linalg.cond(f.into(rows))) > 1e6 for f in (frame.frame, frame)]
    [True, False]
    """

    def __init__(self, frame: Frame, residues: dict[int, Residue]):
        self.frame, self.residues = frame, residues

    @property
    def columns(self) -> list[int]:
        """The columns that were replaced."""
        return sorted(self.residues)

    def into(self, rows: np.ndarray) -> np.ndarray:
        """Constraints in these coordinates."""
        width, exponents = self.frame.d + 1, self.frame.exponents
        table = self.frame.into(rows).reshape(-1, width)
        scaled = np.ldexp(rows.reshape(-1, width), -exponents[:width])
        used = scaled.any(axis=1)
        for residue in self.residues.values():
            table[used, residue.column] = _combined(scaled[used], residue.factors)
        return table.reshape(rows.shape)

    def back(self, z: np.ndarray) -> np.ndarray:
        """Weights of these coordinates as weights of the user's: fractions."""
        width = self.frame.d + 1
        scales = [Fraction(2) ** -int(e) for e in self.frame.exponents[:width]]
        weights = []
        for part in z.reshape(self.frame.blocks, width).tolist():
            total = [Fraction(0)] * width
            for column, value in enumerate(part):
                if value:
                    _add(total, Fraction(value), self.factors(column))
            if not self.frame.bias:
                total[-1] = Fraction(0)
            weights += [w * scale for w, scale in zip(total, scales, strict=True)]
        return np.array(weights, dtype=object)

    def factors(self, column: int) -> dict[int, Fraction]:
        """A coordinate as a combination of the scaled columns and the bias."""
        if column in self.residues:
            return {k: f for k, f in enumerate(self.residues[column].factors) if f}
        frame, one = self.frame, Fraction(1)
        if column == frame.d or not frame.shift[column]:
            return {column: one}
        shift = Fraction(frame.shift[column].item()) / Fraction(2) ** int(frame.exponents[column])
        return {column: one, frame.d: -shift}


def _add(total: list[Fraction], times: Fraction, factors: dict[int, Fraction]) -> None:
    for k, factor in factors.items():
        total[k] += times * factor


def refined(
    frame: Frame, rows: np.ndarray, pay: Callable[[float], None] = lambda units: None
) -> tuple[Refined, np.ndarray]:
    """The frame with nearly, but not exactly, dependent columns replaced; and the rows in it.

    Residues may again be nearly dependent, on one another or on what the rounding of factors left
    of the other columns: then they are replaced by their residues, too.

    Parameters
    ----------
    frame : Frame
    rows : ndarray of shape (m, d + 1)
        Points ±(x, bias) of the working set.
    pay : callable
        Called with the units of each step, before it is made.
    """
    pay(exact_entries_units(rows.size) + factor_units(*rows.shape))
    # Columns that depend exactly on others, or on the bias, which comes first, do no harm.
    order = [frame.d, *range(frame.d)] if frame.bias else list(range(frame.d))
    some = rows[:: max(1, len(rows) // (frame.d + SPARE_ROWS)), order]
    kept = exact.independent_columns(exact.integer_matrix(some, axis=0))
    columns = np.array([order[k] for k in kept if order[k] < frame.d], dtype=np.intp)
    one = Refined(frame, {})
    one.frame = _single(frame)
    table, scaled = one.into(rows), np.ldexp(rows, -one.frame.exponents)
    for _ in range(LEVELS):
        near = _nearly_dependent(table, columns, bool(frame.bias)) if len(columns) else []
        pay(exact_entries_units(len(near) * rows.size / 2))
        known = cache(one.factors)
        new = [_residue(known, scaled, bool(frame.bias), *found) for found in near]
        for residue, values in filter(None, new):
            one.residues[residue.column] = residue
            table[:, residue.column] = values
        if not new:
            break
    return Refined(frame, one.residues), table


def _single(frame: Frame) -> Frame:
    """The frame of one block."""
    block = copy(frame)
    block.blocks, block.exponents = 1, frame.exponents[: frame.d + 1]
    return block


def _nearly_dependent(
    table: np.ndarray, columns: np.ndarray, bias: bool
) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Each column near the span of others and the bias, with these others and their factors."""
    linalg = scipy_linalg()
    part = table[:, columns]
    if bias:
        signs = np.sign(table[:, -1:])
        part = part - signs * (signs * part).mean(axis=0)
    norms = np.linalg.norm(part, axis=0)
    norms[norms == 0] = 1.0
    solved: Any = linalg.qr(part / norms, mode="r", pivoting=True, check_finite=False)
    triangle, pivots = solved
    size = np.abs(np.diag(triangle))
    rank = int(np.sum(size > NEARLY_DEPENDENT * size[0]))
    main, near = pivots[:rank], pivots[rank : len(size)]
    factors = linalg.solve_triangular(triangle[:rank, :rank], triangle[:rank, rank : len(size)])
    factors *= norms[near] / norms[main][:, None]
    return [(int(columns[j]), columns[main], factors[:, at]) for at, j in enumerate(near)]


def _residue(
    known: Callable[[int], dict[int, Fraction]],
    scaled: np.ndarray,
    bias: bool,
    column: int,
    others: np.ndarray,
    factors: np.ndarray,
) -> tuple[Residue, np.ndarray] | None:
    """The coordinate less a combination of others, centred at its median and at most 1 in size.

    And its value for each row.
    """
    terms: list[list[tuple[Fraction, Fraction]]] = [[] for _ in range(scaled.shape[1])]
    for k, factor in zip([column, *others.tolist()], [-1.0, *factors.tolist()], strict=True):
        times = -Fraction(factor)
        for at, of_it in known(k).items():
            terms[at].append((times, of_it))
    total = [_sum_of_products(some) for some in terms]
    if bias:
        some = np.s_[:: max(1, len(scaled) // SPARE_ROWS)]
        signed = _combined(scaled[some], total) * np.sign(scaled[some, -1])
        if np.isfinite(signed).all():
            total[-1] -= Fraction(float(signed.max() / 2 + signed.min() / 2))
    values = _combined(scaled, total)
    if not np.isfinite(values).all() or not values.any():
        return None
    power = -int(np.frexp(np.abs(values).max())[1])
    scale = Fraction(2) ** power
    if max(map(abs, total)) * scale > Fraction(2) ** SQUARABLE:
        return None
    return Residue(column, tuple(factor * scale for factor in total)), np.ldexp(values, power)


def _sum_of_products(terms: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Sum of products of dyadic rationals, as floats are, reduced once at the end.

    Examples
    --------
    >>> _sum_of_products([(Fraction(1, 2), Fraction(3, 4)), (Fraction(5), Fraction(-1, 16))])
    Fraction(1, 16)
    """
    products = [(a.numerator * b.numerator, a.denominator * b.denominator) for a, b in terms]
    finest = max((below for _, below in products), default=1)
    return Fraction(sum(above * (finest // below) for above, below in products), finest)


def _combined(scaled: np.ndarray, factors: Sequence[Fraction]) -> np.ndarray:
    """Σ factorₖ·xₖ of every row, rounded once.

    A factor is the sum of some floats, each product the sum of two (Dekker 1971), and `math.fsum`
    adds without rounding.
    """
    used, parts = [], []
    for k, factor in enumerate(factors):
        above, below = factor.numerator, factor.denominator
        for _ in range(FLOATS_A_FACTOR):
            if above:
                used.append(k)
                parts.append(above / below)
                n, d = parts[-1].as_integer_ratio()
                above, below = above * d - n * below, below * d
    columns, both = scaled[:, used], np.array(parts)
    product = columns * both
    high, low = _halves(columns)
    first, second = _halves(both)
    error = ((high * first - product) + high * second + low * first) + low * second
    return np.array([math.fsum(terms) for terms in np.hstack([product, error]).tolist()])


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of 26 bits that add up to each (Veltkamp's splitting)."""
    big = values * 134217729.0
    high = big - (big - values)
    return high, values - high
