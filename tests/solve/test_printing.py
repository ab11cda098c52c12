"""Printing a result never computes: no solver, no exact algebra, no pass over the data."""

from __future__ import annotations

from contextlib import contextmanager

import flint
import highspy
import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.engine import loop, sweep
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, text
from rosenblatt.proof.exact import nullspaces
from rosenblatt.solve.separation import redundant
from rosenblatt.solve.separation.directions import Directions

RNG = np.random.default_rng(0)


@contextmanager
def no_solver():
    """Whoever computes is caught."""

    def refuse(*_, **__):
        raise AssertionError("printing computes")

    places = [(highspy.Highs, "run"), (loop, "learn"), (exact, "nullspace"), (exact, "chunks")]
    places += [(redundant, "_spanning"), (redundant, "_padded"), (Directions, "identified")]
    places += [(Directions, "reaches"), (nullspaces, "equations"), (sweep, "all_margins")]
    with pytest.MonkeyPatch.context() as patch:
        for place, name in places:
            patch.setattr(place, name, refuse)
        yield


def large(labels):
    """A set with so many columns that its coefficients would take long."""
    X = RNG.normal(size=(2000, 32))
    X[:2] = 1.0
    return X, {
        "complete": (X[:, 0] > 0).astype(int),
        "overlap": np.arange(2000) % 2,
        "three": np.digitize(X[:, 0], [-0.5, 0.5]),
    }[labels]


@pytest.mark.parametrize("labels", ["complete", "overlap", "three"])
def test_a_large_separation_kind_prints_what_it_knows(labels):
    result = rb.separation_kind(*large(labels))
    with no_solver():
        shown = str(result), result._repr_html_()
        assert repr(result).startswith("SeparationKind(kind=")
    for said in shown:
        assert "separat" in said
        assert "result.coefficients" in said
        assert "result.report" in said
    assert "coefficients" not in vars(result)


def test_the_report_is_printed_once_it_is_known():
    X, y = RNG.normal(size=(60, 200)), np.arange(60) % 2
    result = rb.separation_kind(X, y)
    assert "Not identified" not in str(result)
    assert "Not identified" in result.report
    with no_solver():
        assert str(result) == result.report
        assert "<td>not identified</td>" in result._repr_html_()


def test_other_results_print_without_computing():
    X, y = RNG.normal(size=(100, 4)), RNG.integers(0, 3, size=100)
    signs = np.where(y == 1, 1, -1)
    fitted = rb.Perceptron().fit(X, y == 1)
    found = [
        *(rb.decide(X, y == 1), rb.decide(X, y == 1).certificate, rb.decide(X, y)),
        *(rb.pairs(X, y), rb.margin(X[:5], [0, 0, 1, 1, 1]), fitted, fitted.run_),
        *(rb.fewest_errors(X[:12, :3], y[:12] == 1), rb.trace(X, y == 1, max_passes=2)),
        *(rb.sparsity_path(X, y), rb.MaxMargin().fit(X[:5], [0, 0, 1, 1, 1])),
        *(rb.risk.descend(X, signs), rb.risk.study(X, signs)),
        rb.separation_kind(X[:20, :2], y[:20] == 1).inseparability,
    ]
    with no_solver():
        for result in found:
            assert str(result)
            assert repr(result)
            if hasattr(result, "_repr_html_"):
                assert result._repr_html_()


def test_an_explanation_divides_only_the_multipliers_that_it_shows(monkeypatch):
    divided = []
    monkeypatch.setattr(text, "Fraction", lambda value: divided.append(value) or flint.fmpq(1))
    alpha = tuple(10**9 + k for k in range(100))
    proof = Inseparability(
        rows=np.arange(100), alpha=alpha, classes=(0, 1), fit_intercept=True, fingerprint=""
    )
    assert text._weights(proof).endswith("… (100 in all)")
    assert len(divided) <= 2 * text.SHOWN_ENTRIES
