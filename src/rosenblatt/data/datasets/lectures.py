"""The worked examples of five lectures on the perceptron."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import refuse_masked
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
    >>> from rosenblatt import trace
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
    >>> from rosenblatt import trace
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
    refuse_masked(X, "X")
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != 2:
        raise InputError(f"X must be points of the plane, of shape (n, 2), got shape {X.shape}.")
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
