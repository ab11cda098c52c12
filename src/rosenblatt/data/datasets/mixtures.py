"""Two Gaussian classes: a distribution that is known, and with it the best that anyone can do."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import SIZE, checked
from rosenblatt.errors import InputError


class Mixture(NamedTuple):
    """A sample of two Gaussian classes, and the Bayes classifier of their distribution.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels −1 and +1.
    weights : ndarray of shape (d + 1,)
        The Bayes classifier, the bias last: w·x + b is the logarithm of the odds of +1 at x.
    bayes_error : float
        The probability that it is wrong on a new point; no classifier is wrong less often.

    Examples
    --------
    >>> sample = mixture(10_000, 2, distance=2.0)
    >>> wrong = np.mean(sample.bayes(sample.X) != sample.y)
    >>> round(sample.bayes_error, 4), bool(abs(wrong - sample.bayes_error) < 0.01)
    (0.1587, True)
    """

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    bayes_error: float

    def draw(self, n: int, *, seed: Any = 0) -> Mixture:
        """So many new points of the same distribution.

        Examples
        --------
        >>> sample = mixture(10, 2)
        >>> fresh = sample.draw(1000, seed=7)
        >>> len(fresh.y), fresh.bayes_error == sample.bayes_error
        (1000, True)
        """
        if n < 1:
            raise InputError(f"need at least one point, got n = {n}.")
        rng = np.random.default_rng(seed)
        y = np.where(rng.uniform(size=n) < 1 / (1 + math.exp(-self.weights[-1])), 1, -1)
        X = rng.standard_normal((n, len(self.weights) - 1))
        return self._replace(X=X + np.outer(y, self.weights[:-1] / 2), y=y)

    def bayes(self, X: Any) -> np.ndarray:
        """The likelier label at each row; on the boundary, +1."""
        scores = np.asarray(X, dtype=float) @ self.weights[:-1] + self.weights[-1]
        return np.where(scores >= 0, 1, -1)

    def probability(self, X: Any) -> np.ndarray:
        """P(y = +1 | x) at each row."""
        scores = np.asarray(X, dtype=float) @ self.weights[:-1] + self.weights[-1]
        return 0.5 * (1 + np.tanh(scores / 2))  # the logistic function, which cannot overflow


@checked(n=SIZE, d=SIZE)
def mixture(
    n: int, d: int = 2, distance: float = 2.0, *, prior: float = 0.5, seed: Any = 0
) -> Mixture:
    """Draw points of two spherical Gaussian classes of variance 1, centred at ±(Δ/2)·u.

    With P(y = +1) = p the odds of +1 at x have the logarithm Δ·u·x + b, b = log(p/(1 − p)), so
    that the Bayes classifier is a hyperplane. Along u a class has a normal distribution, and the
    Bayes error is p·Φ(−Δ/2 − b/Δ) + (1 − p)·Φ(−Δ/2 + b/Δ); with p = ½ it is Φ(−Δ/2).

    Parameters
    ----------
    n, d : int
        Points and features.
    distance : float
        Δ > 0, between the two centres.
    prior : float
        p, the probability of +1, strictly between 0 and 1.
    seed : int or Generator
        Where the randomness comes from.

    Returns
    -------
    Mixture

    Examples
    --------
    >>> [round(mixture(1, distance=far).bayes_error, 4) for far in (1, 2, 4)]
    [0.3085, 0.1587, 0.0228]
    """
    if n < 1 or d < 1:
        raise InputError(f"need at least one point and one feature, got n = {n} and d = {d}.")
    if not 0 < distance < math.inf:
        raise InputError(f"distance must be positive and finite, got {distance}.")
    if not 0 < prior < 1:
        raise InputError(f"prior must lie strictly between 0 and 1, got {prior}.")
    rng = np.random.default_rng(seed)
    along = rng.standard_normal(d)
    along /= np.linalg.norm(along)
    log_odds = math.log(prior / (1 - prior))
    half, shift = distance / 2, log_odds / distance
    error = prior * _normal(-half - shift) + (1 - prior) * _normal(-half + shift)
    weights = np.append(distance * along, log_odds)
    return Mixture(np.empty((0, d)), np.empty(0), weights, error).draw(n, seed=rng)


def _normal(z: float) -> float:
    """Φ(z), the probability that a standard normal variable is at most z."""
    return math.erfc(-z / math.sqrt(2)) / 2
