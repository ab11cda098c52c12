"""Linear programs by HiGHS, which may go round in circles from the basis of an earlier one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import rosenblatt as rb
from rosenblatt.solve import attempts, linear_program


@pytest.mark.parametrize(("negative", "expected"), [(0, "SEPARABLE"), (1, "INSEPARABLE")])
def test_a_program_begun_anew_ends_alike(monkeypatch, negative, expected):
    X, y = load_iris(return_X_y=True)
    X, y = X[(y == negative) | (y == 2)], y[(y == negative) | (y == 2)]
    monkeypatch.setattr(attempts, "multipliers", lambda *_: None)  # which needs no program
    monkeypatch.setattr(linear_program, "USUAL_ITERATIONS", 0.01)
    began = []
    run = linear_program.Program._run

    def counted(self, method, iterations):
        began.append(method)
        return run(self, method, iterations)

    monkeypatch.setattr(linear_program.Program, "_run", counted)
    found = rb.decide(X, y)
    assert found.verdict is rb.Verdict[expected]
    assert found.certificate.verify(X, y)
    if expected == "INSEPARABLE":
        assert len(set(began)) == 2  # the dual method, then the primal one
    np.testing.assert_equal(found.verdict, rb.decide(X[::-1], y[::-1]).verdict)
