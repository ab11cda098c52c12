"""Data: the lectures' worked examples, clouds of known margin, names for bundled data.

Imports ``errors`` only; scikit-learn and scipy when a set of theirs is asked for. Nothing here
learns: hand an `Example` to `rosenblatt.trace` with ``trace(data.X, data.y, **data.settings)``.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError

LECTURES = (
    "Kamath, Perceptron (first lecture)",
    "Perceptron Learning; Maximum Margin Classifiers (second lecture)",
    "Sharma, Perceptron (third lecture)",
    "Kalyanakrishnan, The Perceptron Learning Algorithm (fourth lecture)",
    "Virtue, Perceptron Mistake Bound & Computational Complexity (fifth lecture)",
)


class Example(NamedTuple):
    """A small data set and how its source runs the perceptron on it.

    Attributes
    ----------
    X, y : ndarray
        The points and their labels.
    description, source : str
        What it shows, and where it is from.
    init : ndarray or None
        The starting weights, the bias first if there is one; None for 0.
    fit_intercept : bool
        Whether there is a bias.
    ties : str
        What a score of 0 counts as.
    classes : tuple or None
        All labels, where y does not show each.
    passes : int or None
        How many passes the source shows; None if it runs to the end.

    Examples
    --------
    >>> from rosenblatt.tracing import trace
    >>> data = five_points()
    >>> trace(data.X, data.y, **data.settings).weights[-1].astype(int)
    array([-1,  1, -1])
    """

    X: Any
    y: Any
    description: str
    source: str
    init: Any = None
    fit_intercept: bool = True
    ties: str = "mistake"
    classes: tuple[Any, ...] | None = None
    passes: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `rosenblatt.trace` that reproduce the source, exactly."""
        chosen = {
            "init": self.init,
            "fit_intercept": self.fit_intercept,
            "ties": self.ties,
            "classes": self.classes,
            "exact": True,
        }
        return chosen if self.passes is None else {**chosen, "max_passes": self.passes}


# --- The lectures' examples ----------------------------------------------------------------------


def five_points() -> Example:
    """One pass over five points from [−1, 0, 0], the bias first, to [−1, 1, −1].

    Examples
    --------
    >>> five_points().init
    array([-1,  0,  0])
    """
    return Example(
        X=np.array([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]),
        y=np.array([-1, 1, 1, 1, -1]),
        description="Five points, one pass from [-1, 0, 0] to [-1, 1, -1].",
        source=LECTURES[2],
        init=np.array([-1, 0, 0]),
        passes=1,
    )


def six_points() -> Example:
    """Six points without a bias: mistakes on the first, third and fifth lead to w = (3, 1).

    A score of 0 predicts the positive class here, so ``ties="positive"``.

    Examples
    --------
    >>> six_points().ties
    'positive'
    """
    return Example(
        X=np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]),
        y=np.array([-1, 1, 1, -1, -1, 1]),
        description="Six points without a bias: three mistakes end in w = (3, 1).",
        source=LECTURES[4],
        fit_intercept=False,
        ties="positive",
    )


def two_points() -> Example:
    """Two points on the board: one update separates them.

    Examples
    --------
    >>> two_points().X
    array([[ 1,  1],
           [-1, -1]])
    """
    return Example(
        X=np.array([[1, 1], [-1, -1]]),
        y=np.array([1, -1]),
        description="Two points, opposite and symmetric: one update separates them.",
        source=LECTURES[0],
    )


def two_points_moved() -> Example:
    """The same with the negative point at (−¼, −¼): the bias gets in the way, two updates.

    Examples
    --------
    >>> two_points_moved().X[1]
    array([-0.25, -0.25])
    """
    return Example(
        X=np.array([[1, 1], [-0.25, -0.25]]),
        y=np.array([1, -1]),
        description="Two points, the negative one moved to (-1/4, -1/4): two updates.",
        source=LECTURES[0],
    )


def three_classes() -> Example:
    """One point, three classes: scores 11, 13 and 8, but the true class is the last.

    Class 1 is punished and becomes [2, 0, 3], class 2 is rewarded and becomes [−1, 7, −1].

    Examples
    --------
    >>> data = three_classes()
    >>> data.init @ data.X[0]
    array([11, 13,  8])
    """
    return Example(
        X=np.array([[-2, 3, 1]]),
        y=np.array([2]),
        description="One point, three classes: scores 11, 13, 8, and the update they call for.",
        source=LECTURES[2],
        init=np.array([[-2, 2, 1], [0, 3, 4], [1, 4, -2]]),
        fit_intercept=False,
        classes=(0, 1, 2),
        passes=1,
    )


def one_update() -> Example:
    """One negative point of score 10 under w = [2, 2, 2]: the update is the point itself.

    Examples
    --------
    >>> data = one_update()
    >>> data.X[0] @ data.init, data.init - data.X[0]
    (np.int64(10), array([-2,  2,  1]))
    """
    return Example(
        X=np.array([[4, 0, 1]]),
        y=np.array([-1]),
        description="One update: w = [2, 2, 2] scores 10 on the negative point [4, 0, 1].",
        source=LECTURES[2],
        init=np.array([2, 2, 2]),
        fit_intercept=False,
        classes=(-1, 1),
        passes=1,
    )


def pass_the_class() -> Example:
    """Homework and exam marks of three students, and who passed.

    Examples
    --------
    >>> data = pass_the_class()
    >>> [int(label) for label in np.sign(data.X @ [0.5, 0.5] - 50)] == data.y.tolist()
    True
    """
    return Example(
        X=np.array([[90, 80], [40, 30], [50, 40]]),
        y=np.array([1, -1, -1]),
        description="Homework and exam marks of three students: who passed the class?",
        source=LECTURES[0],
    )


def xor() -> Example:
    """Exclusive or: the smallest set that no line separates; the perceptron cycles.

    Examples
    --------
    >>> from rosenblatt.tracing import trace
    >>> trace(xor().X, xor().y).alpha
    array([1, 1, 1, 1])
    """
    return Example(
        X=np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
        y=np.array([-1, 1, 1, -1]),
        description="Exclusive or: not separable; the perceptron comes back to where it was.",
        source="Minsky and Papert, Perceptrons (1969)",
    )


def quadrants() -> Example:
    """Points of like sign against points of unlike sign: inseparable until x₁x₂ joins them.

    The lecture's figure did not survive in its text; this has the property the text gives it, with
    coordinates of our own. `with_product` adds the feature.

    Examples
    --------
    >>> data = quadrants()
    >>> bool((np.sign(data.X[:, 0] * data.X[:, 1]) == data.y).all())
    True
    """
    X = np.array([[1, 2], [3, 1], [2, 3], [-1, -1], [-3, -2], [-2, -3]])
    return Example(
        X=np.vstack([X, X * [-1, 1]]),
        y=np.repeat([1, -1], len(X)),
        description="Opposite quadrants: not separable, but separable with the feature x1*x2.",
        source=f"{LECTURES[3]}, figure 2, right; coordinates ours",
    )


def with_product(X: Any) -> np.ndarray:
    """Append the feature x₁x₂ to points of the plane.

    Examples
    --------
    >>> with_product([[2, 3], [-1, 4]])
    array([[ 2,  3,  6],
           [-1,  4, -4]])
    """
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != 2:
        raise InputError(f"with_product needs points of the plane, shape (n, 2), got {X.shape}.")
    return np.column_stack([X, X[:, 0] * X[:, 1]])


def three_samples() -> Example:
    """One point in class and two out of it, whose maximum-margin weights have w₁ = 1/17.

    The lecture's figure did not survive in its text; these coordinates are ours, chosen so that
    what the text says holds: minimising ‖w‖² subject to yᵢ(w·xᵢ + α) ≥ 1 gives w = (1/17, 4/17)
    and α = 0 with all three constraints tight, a margin of 1/‖w‖ = √17. Optimal because
    w = (x₁ − x₂/2 − x₃/2)/34 has multipliers that are positive and balance (Karush, Kuhn, Tucker).
    A line through the origin is then best of all, so the set also serves where there is no α.

    Examples
    --------
    >>> data = three_samples()
    >>> data.y * (data.X @ [1, 4])  # 17 times the constraints
    array([17, 17, 17])
    """
    return Example(
        X=np.array([[1, 4], [-5, -3], [3, -5]]),
        y=np.array([1, -1, -1]),
        description="Three samples whose maximum-margin weights are (1/17, 4/17), bias 0.",
        source=f"{LECTURES[1]}; coordinates ours",
    )


# --- Clouds of known margin ----------------------------------------------------------------------


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


# --- By name -------------------------------------------------------------------------------------

EXAMPLES: dict[str, Callable[[], Example]] = {
    maker.__name__: maker
    for maker in (
        five_points,
        six_points,
        two_points,
        two_points_moved,
        three_classes,
        one_update,
        pass_the_class,
        xor,
        quadrants,
        three_samples,
    )
}

BUNDLED = {
    "breast_cancer": "Wisconsin breast cancer: 569 tumours, 30 measures; 0 malignant, 1 benign.",
    "digits": "Handwritten digits: 1797 images of 8 x 8 pixels, 10 classes.",
    "iris": "Fisher's irises: 150 flowers, 4 measurements, 3 species.",
    "wine": "Italian wines: 178 samples, 13 measurements, 3 growers.",
}


def names() -> dict[str, str]:
    """Every name that `load` knows, and what it stands for.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> names()["xor"]
    'Exclusive or: not separable; the perceptron comes back to where it was.'
    """
    return {name: maker().description for name, maker in EXAMPLES.items()} | BUNDLED


def load(name: str) -> Example:
    """The data set of that name: an example of the lectures, or one that scikit-learn bundles.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Example

    Examples
    --------
    >>> load("breast_cancer").X.shape
    (569, 30)
    >>> load("iriss")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: There is no data set 'iriss'. Did you mean 'iris'?
    """
    if name in EXAMPLES:
        return EXAMPLES[name]()
    if name not in BUNDLED:
        raise InputError(f"There is no data set {name!r}. {_suggestion(name)}")
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Example(bunch.data, bunch.target, BUNDLED[name], "scikit-learn")


def _suggestion(name: str) -> str:
    known = names()
    near = difflib.get_close_matches(str(name).lower(), known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(sorted(known))}."
