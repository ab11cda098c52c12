"""What to expect on new rows: bounds on the error, from the training set or from rows held out.

Every bound holds with the stated confidence if the rows, training and new, are drawn independently
from one source. They are computed from exact binomial tails, rounded up; docs/generalisation.md has
the theorems with their proofs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rosenblatt.arguments import checked, is_number
from rosenblatt.errors import InputError
from rosenblatt.text import plural

__all__ = [
    "ErrorBound",
    "best",
    "held_out",
    "online_to_batch",
    "sample_compression",
    "tail_inversion",
    "uniform",
]

# Relative rounding of sums of logarithms of binomials, paid for in every bound.
ROUNDING = 1e-9


class ErrorBound(NamedTuple):
    """A bound on the error on new rows.

    Attributes
    ----------
    bound : float
        The error on new rows is at most this, with the confidence stated; 1 says nothing.
    confidence : float
        The share of training sets, at least, for which that is true.
    name : str
        Of the theorem.
    because : str
        What the bound rests on, with its numbers.
    assumption : str
        Under which it holds.

    Examples
    --------
    >>> print(sample_compression(150, 3))
    At most 13.5 % errors on new rows, with 95 % confidence (sample compression: 3 of 150 rows
    determine the classifier, which is right on the others; rows drawn independently from one
    source).
    """

    bound: float
    confidence: float
    name: str
    because: str
    assumption: str = "rows drawn independently from one source"

    def __str__(self) -> str:
        if self.bound >= 1:
            return f"No bound on the error on new rows: {self.because}."
        return (
            f"At most {_percent(self.bound)} errors on new rows, with {_percent(self.confidence)} "
            f"confidence ({self.name}: {self.because}; {self.assumption})."
        )


@checked()
def held_out(errors: int, n: int, confidence: float = 0.95) -> ErrorBound:
    """The binomial bound: rows that the classifier has never seen (Clopper and Pearson 1934).

    Parameters
    ----------
    errors, n : int
        Errors on n rows held out.
    confidence : float

    Returns
    -------
    ErrorBound

    Examples
    --------
    >>> round(held_out(0, 100).bound, 6), round(held_out(3, 100).bound, 6)
    (0.029513, 0.075711)
    """
    _check(n, errors, confidence)
    bound = tail_inversion(errors, n, math.log1p(-confidence))
    because = f"{plural(errors, 'error')} on {plural(n, 'row')} held out"
    return ErrorBound(bound, confidence, "held out", because)


@checked()
def sample_compression(n: int, kept: int, errors: int = 0, confidence: float = 0.95) -> ErrorBound:
    """A classifier that a few of its training rows determine (Littlestone and Warmuth 1986).

    Parameters
    ----------
    n : int
        Training rows.
    kept : int
        Rows from which alone the same classifier would be learned: the support of a maximum
        margin, the rows that moved a perceptron.
    errors : int
        Training errors on the other rows.
    confidence : float

    Returns
    -------
    ErrorBound

    Notes
    -----
    Langford 2005, theorem 5.3 ("Tutorial on practical prediction theory for classification"): with
    δ' = δ/(n·C(n, k)), the largest p for which at most e errors in n − k rows have probability δ'.

    Examples
    --------
    >>> round(sample_compression(1000, 10).bound, 4)
    0.0624
    """
    _check(n, errors, confidence)
    if not 0 <= kept <= n:
        raise InputError(f"kept must be from 0 to {n}, got {kept}.")
    wrong = f"makes {plural(errors, 'error')} on the others"
    others = wrong if errors else "is right on the others"
    because = f"{kept:,} of {n:,} rows determine the classifier, which {others}"
    left = n - kept
    if errors >= left:
        return ErrorBound(1.0, confidence, "sample compression", because)
    log_delta = math.log1p(-confidence) - math.log(n) - _log_choose(n, kept)
    bound = tail_inversion(errors, left, log_delta)
    return ErrorBound(bound, confidence, "sample compression", because)


@checked()
def online_to_batch(n: int, mistakes: float, confidence: float = 0.95) -> ErrorBound:
    """The hypothesis that survived longest in one pass over fresh rows (Gallant 1990).

    Of n rows looked at once, at most ``mistakes`` changed the weights, so some weights were right
    on at least (n − M)/(M + 1) rows in a row; the bound is about these.

    Parameters
    ----------
    n : int
        Rows of one pass.
    mistakes : float
        M: mistakes counted in that pass, or a mistake bound such as R²/γ².
    confidence : float

    Returns
    -------
    ErrorBound

    Examples
    --------
    >>> round(online_to_batch(10_000, 5).bound, 4)
    0.0124
    """
    _check(n, 0, confidence)
    if not mistakes >= 0:
        raise InputError(f"mistakes must not be negative, got {mistakes}.")
    whole = n if mistakes >= n else math.floor(mistakes)
    survived = max(0, -(-(n - whole) // (whole + 1)))
    survivors = f"some weights survived {plural(survived, 'new row')}"
    because = f"{survivors} after at most {plural(whole, 'mistake')}"
    if not survived:
        return ErrorBound(1.0, confidence, "online to batch", because)
    # A stretch of right rows starts at one of n places and has one of n lengths.
    log_delta = math.log1p(-confidence) - math.log(n) - math.log(n + 1) + math.log(2)
    bound = tail_inversion(0, survived, log_delta)
    return ErrorBound(bound, confidence, "online to batch", because)


@checked()
def uniform(n: int, d: int, confidence: float = 0.95) -> ErrorBound:
    """Any hyperplane that separates the training rows, however it was found (Blumer et al. 1989).

    Parameters
    ----------
    n, d : int
        Training rows, and weights that were free: features and, where there is one, the bias.
    confidence : float

    Returns
    -------
    ErrorBound

    Notes
    -----
    ε = (2/n)·log₂(2·Π(2n)/δ) with Π(m) = Σ_{i ≤ d} C(m, i) (Sauer, Shelah), for hyperplanes of VC
    dimension d.

    Examples
    --------
    >>> round(uniform(10_000, 5).bound, 4)
    0.014
    """
    _check(n, 0, confidence)
    terms = [_log_choose(2 * n, i) for i in range(min(d, 2 * n) + 1)]
    top = max(terms)
    log_growth = top + math.log(sum(math.exp(t - top) for t in terms))
    bound = 2 / n * (math.log(2) + log_growth - math.log1p(-confidence)) / math.log(2)
    because = f"the hyperplane separates all {n:,} rows, of {d:,} free weights"
    return ErrorBound(min(1.0, bound * (1 + ROUNDING)), confidence, "uniform convergence", because)


def nothing(because: str, confidence: float) -> ErrorBound:
    """No theorem here applies, and why."""
    return ErrorBound(1.0, confidence, "none", because)


def best(bounds: list[ErrorBound]) -> ErrorBound:
    """The least of bounds that were each stated with their own share of the doubt.

    Examples
    --------
    >>> few, many = held_out(1, 50, 0.975), held_out(1, 500, 0.975)
    >>> best([few, many]) is many
    True
    """
    return min(bounds, key=lambda found: found.bound)


@checked()
def tail_inversion(errors: int, n: int, log_delta: float) -> float:
    """The largest p for which at most so many errors in n rows have probability δ; rounded up.

    Parameters
    ----------
    errors, n : int
    log_delta : float
        The natural logarithm of δ, which itself may be too small for a float; at most 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(tail_inversion(0, 100, math.log(0.05)), 6)
    0.029513
    """
    if not log_delta <= 0:
        raise InputError(
            f"log_delta is the logarithm of a probability, so at most 0, got {log_delta:g}. Of a "
            "probability delta pass math.log(delta)."
        )
    if errors >= n:
        return 1.0
    if errors == 0:
        return min(1.0, -math.expm1(log_delta / n * (1 + ROUNDING)))
    low, high = errors / n, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        if _log_tail(errors, n, middle) * (1 - ROUNDING) > log_delta:
            low = middle
        else:
            high = middle
    return high


def _log_tail(errors: int, n: int, p: float) -> float:
    """ln P(Bin(n, p) ≤ errors)."""
    log_p, log_q = math.log(p), math.log1p(-p)
    terms = [_log_choose(n, i) + i * log_p + (n - i) * log_q for i in range(errors + 1)]
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _check(n: int, errors: int, confidence: float) -> None:
    if not n >= 1:
        raise InputError(f"a bound needs at least one row, got n={n}.")
    if not 0 <= errors <= n:
        raise InputError(f"errors must be from 0 to {n}, got {errors}.")
    check_confidence(confidence)


def check_confidence(confidence: Any) -> None:
    """Refuse what is no probability to rely on."""
    if not (is_number(confidence) and 0 < float(confidence) < 1):
        raise InputError(f"confidence must be a number between 0 and 1, got {confidence!r}.")


def _percent(share: float) -> str:
    """A share as a percentage, rounded up."""
    digits = 3
    value = 100 * share
    step = 10 ** (digits - 1 - math.floor(math.log10(value))) if value > 0 else 1
    return f"{math.ceil(value * step - ROUNDING) / step:g} %"
