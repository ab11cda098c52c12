"""Coordinates for a floating-point program: columns of like scale, none nearly dependent.

A column that is a sum, a mean or a difference of others is, as the rational numbers its floats are,
almost never quite dependent on them: it keeps residues of some units in the last place, and whether
the data is separable is decided in these too. A program with tolerances cannot see them. Refined
coordinates put the residues, computed exactly and scaled, in place of such columns. Imports
``exact`` and ``requirements``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import exact
from rosenblatt.requirements import Goal

# Weights below 2 to this power have squares that sum to a finite number.
SQUARABLE = 500
# A column nearer than this to the span of others is replaced by its residues.
NEAR = 1e-6


class Frame:
    """Coordinates in which columns are comparable: (x − shift)/2^exponent.

    Scaling by powers of two is exact. The shift, which the bias takes back, only serves the
    floating-point program; sparse data and data without a bias are not shifted.
    """

    def __init__(self, goal: Goal):
        d, blocks = goal.d, goal.blocks
        low, high = goal.bounds()
        self.shift = np.zeros(d) if goal.sparse or not goal.bias else low / 2 + high / 2
        reach = np.maximum(high - self.shift, self.shift - low)
        exponents = np.append(np.frexp(reach)[1], 0)
        self.exponents = np.tile(exponents, blocks)
        # Only the direction of weights counts: those of tiny columns are made less huge.
        self.lift = min(0, int(exponents.min()) + SQUARABLE)
        self.blocks, self.d, self.bias = blocks, d, goal.bias

    def into(self, rows: Any) -> Any:
        """Requirements in these coordinates."""
        if hasattr(rows, "indices"):
            scaled = rows.copy()
            scaled.data = np.ldexp(scaled.data, -self.exponents[scaled.indices])
            return scaled
        table = rows.reshape(-1, self.blocks, self.d + 1).copy()
        table[:, :, :-1] -= table[:, :, -1:] * self.shift
        return np.ldexp(table.reshape(rows.shape), -self.exponents)

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
    """What a column has beyond the span of others.

    Attributes
    ----------
    column : int
        Whose coordinate it takes.
    factors : ndarray
        Of the scaled columns x_k/2^e_k.
    constant : tuple of float
        Their sum is added for a bias of 1.
    exponent : int
        Residues are divided by 2 to this power.
    """

    column: int
    factors: np.ndarray
    constant: tuple[float, float]
    exponent: int


class Refined:
    """A frame whose nearly dependent columns are replaced by their residues.

    Examples
    --------
    The third column is the rounded sum of the others, and the residue of 0.1 + 0.2 is no rounding
    of a residue: 0.1 + 0.2 − 0.30000000000000004 = −2^−55, exactly.

    >>> from rosenblatt.requirements import Requirements
    >>> X = np.array([[0.1, 0.2], [0.3, 0.1], [0.7, 0.6], [0.2, 0.3], [0.4, 0.4]])
    >>> X = np.column_stack([X, X.sum(axis=1)])
    >>> goal = Requirements(X, np.array([1, 1, 1, 1, 1]), 2)
    >>> rows = goal.rows(np.arange(5), np.zeros(5, int))
    >>> frame = refined(Frame(goal), rows)
    >>> [residue.column for residue in frame.residues]
    [2]
    >>> [float(np.linalg.cond(f.into(rows))) > 1e6 for f in (frame.frame, frame)]
    [True, False]
    """

    def __init__(self, frame: Frame, residues: list[Residue]):
        self.frame, self.residues = frame, residues

    @property
    def columns(self) -> list[int]:
        """The columns that were replaced."""
        return [residue.column for residue in self.residues]

    def into(self, rows: np.ndarray) -> np.ndarray:
        """Requirements in these coordinates."""
        width, exponents = self.frame.d + 1, self.frame.exponents
        table = self.frame.into(rows).reshape(-1, width)
        scaled = np.ldexp(rows, -exponents).reshape(-1, width)
        used = scaled.any(axis=1)
        for residue in self.residues:
            table[used, residue.column] = np.ldexp(
                _combined(scaled[used], residue.factors, residue.constant), -residue.exponent
            )
        return table.reshape(rows.shape)

    def back(self, z: np.ndarray) -> np.ndarray:
        """Weights of these coordinates as weights of the user's: fractions."""
        frame, width = self.frame, self.frame.d + 1
        two = Fraction(2)
        scales = [two ** -int(e) for e in frame.exponents[:width]]
        weights = []
        for part in z.reshape(frame.blocks, width).tolist():
            total = [Fraction(v) for v in part]
            bias = total[-1]
            for residue in self.residues:
                total[residue.column] = Fraction(0)
            for k, shift in enumerate(frame.shift.tolist()):
                if total[k] and shift:
                    bias -= total[k] * Fraction(shift) * scales[k]
            for residue in self.residues:
                value = Fraction(part[residue.column]) / two**residue.exponent
                for k in np.flatnonzero(residue.factors).tolist():
                    total[k] += value * Fraction(residue.factors[k].item())
                bias += value * sum(map(Fraction, residue.constant))
            total[-1] = bias if frame.bias else Fraction(0)
            weights += [w * scale for w, scale in zip(total, scales, strict=True)]
        return np.array(weights, dtype=object)


def refined(frame: Frame, rows: np.ndarray) -> Refined:
    """The frame with the columns replaced that are nearly, but not exactly, dependent.

    Parameters
    ----------
    frame : Frame
    rows : ndarray of shape (m, d + 1)
        Points ±(x, bias) of the working set.
    """
    scaled = np.ldexp(rows, -frame.exponents[: frame.d + 1])
    near, main, factors = _nearly_dependent(frame, rows)
    residues = []
    for at, column in enumerate(near):
        whole = np.zeros(frame.d)
        whole[main] = -factors[:, at]
        whole[column] = 1.0
        constant = -sum(
            Fraction(c) * Fraction(s) / Fraction(2) ** int(e)
            for c, s, e in zip(whole.tolist(), frame.shift.tolist(), frame.exponents, strict=False)
            if c and s
        ) + Fraction(0)
        for _ in range(2 if frame.bias else 1):
            values = _combined(scaled, whole, _two(constant))
            if not np.isfinite(values).all() or not values.any():
                break
            if frame.bias:
                signs = np.sign(rows[:, -1])
                constant = sum(map(Fraction, _two(constant)), Fraction(0)) - Fraction(
                    float((values * signs).max() / 2 + (values * signs).min() / 2)
                )
        values = _combined(scaled, whole, _two(constant))
        if np.isfinite(values).all() and values.any():
            exponent = int(np.frexp(np.abs(values).max())[1])
            residues.append(Residue(column, whole, _two(constant), exponent))
    return Refined(frame, residues)


def _nearly_dependent(frame: Frame, rows: np.ndarray) -> tuple[list[int], list[int], np.ndarray]:
    """Columns near the span of others, these others, and the factors that come nearest."""
    from scipy.linalg import qr, solve_triangular

    table = rows.copy()
    table[:, :-1] -= table[:, -1:] * frame.shift
    table = np.ldexp(table, -frame.exponents[: frame.d + 1])
    # Columns that depend exactly on others, the bias first of all, are no trouble as they are.
    order = [frame.d, *range(frame.d)] if frame.bias else list(range(frame.d))
    kept = exact.independent_columns(exact.integer_matrix(rows[:, order], axis=0))
    columns = np.array([order[k] for k in kept if order[k] < frame.d], dtype=np.intp)
    if not len(columns):
        return [], [], np.zeros((0, 0))
    part = table[:, columns]
    if frame.bias:
        signs = np.sign(rows[:, -1:])
        part = part - signs * (signs * part).mean(axis=0)
    norms = np.linalg.norm(part, axis=0)
    norms[norms == 0] = 1.0
    solved: Any = qr(part / norms, mode="r", pivoting=True, check_finite=False)
    triangle, pivots = solved
    size = np.abs(np.diag(triangle))
    rank = int(np.sum(size > NEAR * size[0]))
    main, near = pivots[:rank], pivots[rank : len(size)]
    factors = solve_triangular(triangle[:rank, :rank], triangle[:rank, rank : len(size)])
    factors *= norms[near] / norms[main][:, None]
    return columns[near].tolist(), columns[main].tolist(), factors


def _two(value: Fraction) -> tuple[float, float]:
    """The number as the sum of two floats, to a hundred bits."""
    high = float(value)
    return high, float(value - Fraction(high))


def _combined(scaled: np.ndarray, factors: np.ndarray, constant: tuple[float, float]) -> np.ndarray:
    """Σ factorₖ·xₖ + bias·constant of every row, rounded once.

    Each product is the sum of two floats (Dekker 1971), and `math.fsum` adds without rounding.
    """
    used = np.flatnonzero(factors)
    columns = scaled[:, [*used, -1, -1]]
    both = np.append(factors[used], constant)
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
