"""The fewest errors: equal to brute force where that is possible, and always proved."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

import rosenblatt as rb
from rosenblatt.certificate import ErrorBracket
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.fewest import fewest_errors
from rosenblatt.fewest.answer import Ending

EXAMPLES = 120


def fewest_on_line(x, positive, costs):
    """Every threshold between values, and both directions."""
    values = np.unique(x)
    cuts = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    above = x[:, None] > cuts
    right = above == positive[:, None]
    return min((costs @ ~right).min(), (costs @ right).min())


def fewest_in_plane(X, positive, costs):
    """Every order in which lines of one direction meet the points: generic directions suffice."""
    differences = (X[:, None] - X[None]).reshape(-1, 2)
    differences = differences[differences.any(axis=1)]
    normals = np.unique(np.mod(np.arctan2(differences[:, 0], -differences[:, 1]), np.pi))
    if not len(normals):
        normals = np.zeros(1)
    turned = np.append(normals, normals[0] + np.pi)
    middle = (turned[1:] + turned[:-1]) / 2
    return min(
        fewest_on_line(np.round(X @ [np.cos(a), np.sin(a)], 9), positive, costs) for a in middle
    )


def separable(X, codes, K, fit_intercept=True):
    """By one linear program over all requirements; for whole numbers."""
    padded = np.column_stack([X, np.full(len(X), float(fit_intercept))])
    rows = []
    for x, own in zip(padded, codes, strict=True):
        if K == 2:
            rows.append(x if own else -x)
            continue
        for rival in set(range(K)) - {own}:
            table = np.zeros((K, len(x)))
            table[own], table[rival] = x, -x
            rows.append(table.ravel())
    if not rows:
        return True
    A = np.array(rows)
    answer = linprog(np.zeros(A.shape[1]), -A, -np.ones(len(A)), bounds=(None, None))
    return answer.status == 0


def fewest_by_subsets(X, codes, K, costs, fit_intercept=True):
    """Every set of rows that might be removed."""
    n = len(codes)
    removals = [r for size in range(n + 1) for r in combinations(range(n), size)]
    for removed in sorted(removals, key=lambda r: sum(costs[i] for i in r)):
        kept = [i for i in range(n) if i not in removed]
        if separable(X[kept], codes[kept], K, fit_intercept):
            return sum(costs[i] for i in removed)
    raise AssertionError


def labels(n, K=2):
    return st.lists(st.integers(0, K - 1), min_size=n, max_size=n).filter(
        lambda y: len(set(y)) == K
    )


@st.composite
def problems(draw, d, most=12, K=2, largest=4, weighted=False):
    n = draw(st.integers(K + 1, most))
    X = draw(st.lists(st.integers(-largest, largest), min_size=n * d, max_size=n * d))
    y = np.array(draw(labels(n, K)))
    costs = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if weighted else [1] * n
    return np.array(X, dtype=float).reshape(n, d), y, np.array(costs)


def check(result, X, y):
    """The certificate holds, also after a journey through JSON, and speaks of the answer."""
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    again = ErrorBracket.from_json(result.certificate.to_json())
    assert again == result.certificate
    assert again.verify(X, y)
    assert result.irreducible
    assert {frozenset(s.rows.tolist()) for s in result.subsets} or result.upper == 0


@settings(max_examples=EXAMPLES)
@given(problems(d=1, weighted=True))
def test_line(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, sample_weight=costs, time_limit=None)
    assert result.lower == result.upper == fewest_on_line(X[:, 0], y == 1, costs)
    check(result, X, y)


@settings(max_examples=EXAMPLES)
@given(problems(d=2))
def test_plane(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, time_limit=None)
    assert result.lower == result.upper == fewest_in_plane(X, y == 1, costs)
    check(result, X, y)


@settings(max_examples=EXAMPLES // 8)
@given(problems(d=3, most=8, largest=1), st.booleans())
def test_space(problem, fit_intercept):
    X, y, costs = problem
    result = fewest_errors(X, y, fit_intercept=fit_intercept, time_limit=None)
    assert result.lower == result.upper == fewest_by_subsets(X, y, 2, costs, fit_intercept)
    check(result, X, y)


@settings(max_examples=EXAMPLES // 8)
@given(problems(d=2, most=7, K=3, largest=1, weighted=True))
def test_three_classes(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, sample_weight=costs, time_limit=None)
    assert result.lower == result.upper == fewest_by_subsets(X, y, 3, costs)
    check(result, X, y)
