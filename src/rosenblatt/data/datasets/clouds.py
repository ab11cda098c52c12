"""Random points whose margin is known. scipy is imported when sparse ones are asked for."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import SIZE, checked
from rosenblatt.errors import InputError


class Cloud(NamedTuple):
    """Random points, and the hyperplane they were made with.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,)
        Labels −1 and +1.
    normal : ndarray of shape (d,)
        A unit vector; the hyperplane passes through the origin.
    flipped : ndarray of int
        The rows whose label was turned round.

    Examples
    --------
    >>> cloud = separable(100, 5, 0.2)
    >>> bool((cloud.y * (cloud.X @ cloud.normal) >= 0.2).all())
    True
    """

    X: Any
    y: np.ndarray
    normal: np.ndarray
    flipped: np.ndarray


# Margins are made wider and radii smaller by this part of the radius: far more than rounding can
# take away, so that the promise holds of the floats themselves and not only on paper.
SLACK = 1e-9
NO_ROWS = np.array([], dtype=int)
SIGNAL = 4  # columns that carry the hyperplane of a sparse cloud


@checked(n=SIZE, d=SIZE)
def separable(
    n: int,
    d: int,
    margin: float,
    *,
    radius: float = 1.0,
    seed: Any = 0,
    sparse: bool = False,
    nonzeros: int = 20,
) -> Cloud:
    """Points in a ball, each at least ``margin`` away from a hyperplane through the origin.

    The margin is geometric, through the origin, and holds exactly of the floats returned. A bias
    coordinate of 1 cannot lower it (take b = 0) but makes the radius √(R² + 1).

    Parameters
    ----------
    n, d : int
        Points and features.
    margin, radius : float
        0 < γ < R: at least this far from the hyperplane, at most that far from the origin.
    seed : int or Generator
        Where the randomness comes from.
    sparse : bool
        A CSR matrix: the hyperplane lives in four columns that every row has, and the other
        entries of a row lie in random columns.
    nonzeros : int
        Entries of a sparse row, more than four.

    Returns
    -------
    Cloud

    Examples
    --------
    >>> cloud = separable(50, 3, 0.1, radius=2.0)
    >>> bool((cloud.y * (cloud.X @ cloud.normal)).min() >= 0.1)
    True
    >>> bool(np.linalg.norm(cloud.X, axis=1).max() <= 2)
    True
    """
    _check_sizes(n, d)
    if not 0 < margin < radius < math.inf:
        raise InputError(f"need 0 < margin < radius, got margin={margin} and radius={radius}.")
    if sparse and not SIGNAL < nonzeros <= d:
        raise InputError(
            f"a sparse cloud needs more than {SIGNAL} and at most d = {d} nonzeros a row, "
            f"got {nonzeros}."
        )
    inner, outer = margin + SLACK * radius, radius * (1 - SLACK)
    if inner > outer:
        raise InputError(f"margin={margin} leaves no room inside radius={radius}.")
    rng = np.random.default_rng(seed)
    normal = _unit(rng, SIGNAL if sparse else d)
    y = _signs(rng, n)
    distance = rng.uniform(inner, outer, n)
    room = np.sqrt(outer**2 - distance**2) * rng.uniform(size=n)
    along = np.outer(y * distance, normal)
    if sparse:
        X = _sparse_rows(rng, along, room, d, nonzeros - SIGNAL)
    else:
        X = along + room[:, None] * _beside(rng, normal, n)
    return Cloud(X, y, np.pad(normal, (0, d - len(normal))), NO_ROWS)


@checked(n=SIZE, d=SIZE)
def gaussian(n: int, d: int, margin: float, *, seed: Any = 0) -> Cloud:
    """A standard Gaussian cloud, pushed away from a random hyperplane through the origin.

    Every point moves by ``margin`` along the normal, to its own side. The margin holds exactly of
    the floats returned, with or without a bias. The radius grows like √d.

    Parameters
    ----------
    n, d : int
        Points and features.
    margin : float
        γ > 0.
    seed : int or Generator
        Where the randomness comes from.

    Returns
    -------
    Cloud

    Examples
    --------
    >>> cloud = gaussian(1000, 20, 0.05)
    >>> bool((cloud.y * (cloud.X @ cloud.normal)).min() >= 0.05)
    True
    """
    _check_sizes(n, d)
    if not 0 < margin < math.inf:
        raise InputError(f"margin must be positive and finite, got {margin}.")
    rng = np.random.default_rng(seed)
    normal = _unit(rng, d)
    X = rng.standard_normal((n, d))
    y = np.where(X @ normal >= 0, 1, -1)
    return Cloud(X + (margin + SLACK) * y[:, None] * normal, y, normal, NO_ROWS)


@checked(n=SIZE, d=SIZE)
def flipped(n: int, d: int, margin: float, *, flips: int = 1, seed: Any = 0) -> Cloud:
    """A `gaussian` cloud with the labels of some random points turned round.

    As a rule it is inseparable when n is much larger than d, but nothing promises that: a point
    turned round at the rim of a small cloud can be on the right side of another hyperplane.

    Parameters
    ----------
    n, d, margin, seed
        As for `gaussian`.
    flips : int
        How many labels to turn round.

    Returns
    -------
    Cloud

    Examples
    --------
    >>> cloud = flipped(1000, 5, 0.1, flips=3)
    >>> wrong = np.flatnonzero(cloud.y * (cloud.X @ cloud.normal) < 0)
    >>> wrong.tolist() == cloud.flipped.tolist()
    True
    """
    _check_sizes(n, d)
    if not 0 <= flips <= n:
        raise InputError(f"flips must be from 0 to n = {n}, got {flips}.")
    rng = np.random.default_rng(seed)
    cloud = gaussian(n, d, margin, seed=rng)
    chosen = np.sort(rng.choice(n, size=flips, replace=False))
    cloud.y[chosen] *= -1
    return cloud._replace(flipped=chosen)


@checked(n=SIZE, d=SIZE)
def touching(n: int, d: int, *, seed: Any = 0) -> Cloud:
    """Two clouds that touch: a hyperplane has each on its own side, none has them apart.

    All points but three keep a distance of 0.1 from the hyperplane. Those three lie on it: two
    positive ones, v and −v, and the negative origin between them, so that v + (−v) − 2·0 = 0
    proves that the classes are inseparable, with or without a bias, by α = (1, 1, 2).
    Statisticians call this quasi-complete separation.

    Parameters
    ----------
    n, d : int
        Points, of which the last three are the ones on the hyperplane, and features.
    seed : int or Generator
        Where the randomness comes from.

    Returns
    -------
    Cloud

    Examples
    --------
    >>> cloud = touching(20, 3)
    >>> sides = cloud.y * (cloud.X @ cloud.normal)
    >>> bool((sides[:-3] >= 0.1).all()), bool((sides[-3:] == 0).all())
    (True, True)
    """
    _check_sizes(n, d)
    if n < 3:
        raise InputError(f"touching needs at least 3 points, got n = {n}.")
    rng = np.random.default_rng(seed)
    # The normal is a coordinate axis, so that points on the hyperplane are on it exactly.
    axis = int(rng.integers(d))
    y = np.append(_signs(rng, n - 3), [1, 1, -1])
    X = rng.standard_normal((n, d))
    X[:, axis] = y * (0.1 + np.abs(X[:, axis]))
    X[-3:, axis] = 0
    X[-2], X[-1] = -X[-3], 0
    return Cloud(X, y, np.eye(d)[axis], NO_ROWS)


def _check_sizes(n: int, d: int) -> None:
    if n < 1 or d < 1:
        raise InputError(f"need at least one point and one feature, got n = {n} and d = {d}.")


def _unit(rng: np.random.Generator, d: int) -> np.ndarray:
    vector = rng.standard_normal(d)
    return vector / np.linalg.norm(vector)


def _signs(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice([-1, 1], size=n)


def _beside(rng: np.random.Generator, normal: np.ndarray, n: int) -> np.ndarray:
    """Random directions at right angles to the normal; 0 where there is none, in one dimension."""
    if len(normal) == 1:
        return np.zeros((n, 1))
    vectors = rng.standard_normal((n, len(normal)))
    for _ in range(2):  # once leaves a rounding error that matters, twice does not
        vectors -= np.outer(vectors @ normal, normal)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _sparse_rows(
    rng: np.random.Generator, signal: np.ndarray, room: np.ndarray, d: int, extra: int
) -> Any:
    """Rows that begin with the signal and go on with ``room`` spread over random columns."""
    from scipy.sparse import csr_array

    n, first = signal.shape
    # One column out of each of `extra` equal blocks: different columns, in order, without a search.
    block = (d - first) // extra
    columns = first + block * np.arange(extra) + rng.integers(block, size=(n, extra))
    values = rng.standard_normal((n, extra))
    values *= (room / np.linalg.norm(values, axis=1))[:, None]
    data = np.hstack([signal, values])
    indices = np.hstack([np.tile(np.arange(first), (n, 1)), columns])
    starts = np.arange(n + 1) * (first + extra)
    return csr_array((data.ravel(), indices.ravel(), starts), shape=(n, d))
