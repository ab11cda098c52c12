"""Moves a mean of weights until it separates: by its bias alone, or towards a separator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.loop import length

# Share of the remaining way to a separator that is made beyond the point where all are separated.
BEYOND = 0.1


class Moved(NamedTuple):
    """A mean that was moved until it separates.

    Attributes
    ----------
    weights : ndarray
    least : float
        Lower bound of their least margin, up to rounding; NaN if unknown.
    way : float
        Share of the way to a separator that it was moved.
    """

    weights: np.ndarray
    least: float
    way: float = 0.0


def between(mean: np.ndarray, near: np.ndarray, signs: np.ndarray) -> Moved | None:
    """The mean with its bias between the classes, if its direction separates them.

    The rarer class is given more room, by the square root of how much rarer it is: fewer of its
    points have been seen, so that more of those to come lie beyond them.

    Parameters
    ----------
    mean : ndarray
        Weights, the bias last.
    near, signs : ndarray
        The margins and signs of the points to separate.

    Notes
    -----
    Y. Li, H. Zaragoza, R. Herbrich, J. Shawe-Taylor and J. Kandola, "The perceptron algorithm with
    uneven margins", ICML (2002), 379–386.

    Examples
    --------
    >>> between(np.array([1.0, 0.0]), np.array([4.0, -1.0]), np.array([1.0, -1.0]))
    Moved(weights=array([ 1. , -2.5]), least=1.5, way=0.0)
    >>> near, signs = np.array([4.0, 9.0, 9.0, 9.0, -1.0]), np.array([1.0, 1.0, 1.0, 1.0, -1.0])
    >>> between(np.array([1.0, 0.0]), near, signs)
    Moved(weights=array([ 1., -3.]), least=1.0, way=0.0)
    """
    positive = signs > 0
    above = float(np.min(near[positive], initial=math.inf))
    below = float(np.min(near[~positive], initial=math.inf))
    room = above + below
    if not 0 < room < math.inf:
        return None
    many = math.sqrt(np.count_nonzero(positive))
    share = many / (many + math.sqrt(len(signs) - many * many))
    moved = mean.copy()
    moved[-1] += below - share * room
    return Moved(moved, min(share, 1 - share) * room)


def towards(
    mean: np.ndarray,
    separator: np.ndarray,
    near: np.ndarray,
    margins: Callable[[np.ndarray, np.ndarray], np.ndarray],
    reached: float = math.nan,
) -> Moved:
    """The mean moved towards a separator, just far enough to separate as well.

    The margin of a point is a concave function of the weights: where it is a for the mean and b for
    the separator, it is at least (1 − t)·a + t·b at t of the way. So it is positive from
    t = −a/(b − a) on where a ≤ 0 < b. A point of large a does not have the least margin whatever
    its b, so that b is not computed for it.

    Parameters
    ----------
    mean, separator : ndarray
        Weights.
    near : ndarray
        The margins of the points to separate, of the mean.
    margins : callable
        Returns the margins of the points at some places, given weights and places.
    reached : float
        The least margin of the separator; NaN if it is not known.

    Examples
    --------
    >>> y, X = np.array([1.0, -1.0]), np.array([[1.0, 1.0], [2.0, 1.0]])
    >>> margins = lambda w, chosen: y[chosen] * (X[chosen] @ w)
    >>> near = margins(np.array([0.0, 1.0]), np.arange(2))
    >>> towards(np.array([0.0, 1.0]), np.array([-1.0, 1.5]), near, margins, 0.5)
    Moved(weights=array([-0.44630271,  0.86487041]), least=0.027..., way=0.80...)
    """
    length_of_mean, length_of_separator = length(mean), length(separator)
    if not (0 < length_of_mean < np.inf and 0 < length_of_separator < np.inf):
        return Moved(separator, math.nan, 1.0)
    least = float(near.min())
    if least > 0:
        return Moved(mean, least)
    scale = length_of_mean / length_of_separator
    separator = separator * scale
    wrong = (~(near > 0)).nonzero()[0]
    at, far = near[wrong], margins(separator, wrong)
    if not (far > at).all():  # by rounding, the separator seems no better
        return Moved(separator, math.nan, 1.0)
    way = float((at / (at - far)).max())
    way += BEYOND * (1 - way)
    stay = 1 - way
    least = float((stay * at + way * far).min())
    # Points that are right for the mean, but whose margin may be less than that.
    others = (stay * near < least - way * scale * reached).nonzero()[0]
    others = others[near[others] > 0]
    if len(others):
        far = margins(separator, others)
        least = min(least, float((stay * near[others] + way * far).min()))
    least = least if reached > 0 else math.nan
    return Moved(stay * mean + way * separator, least, way)
