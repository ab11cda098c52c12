"""Linear programs by HiGHS, which may go round in circles from the basis of an earlier one."""

from __future__ import annotations

import signal

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


class TestCtrlC:
    """Pressed while HiGHS is at work, in its fifth iteration."""

    def program(self):
        rng = np.random.default_rng(0)
        program, met = linear_program.Program(60), []
        program.add(rng.normal(size=(300, 60)))

        def press(event):
            met.append(event)
            if len(met) == 5:
                signal.raise_signal(signal.SIGINT)

        program.model.cbSimplexInterrupt += press
        return program, met

    def test_ends_a_program_early(self):
        program, met = self.program()
        with pytest.raises(KeyboardInterrupt):
            program.solve()
        assert len(met) < 10

    def test_a_handler_that_raises_nothing_lets_it_go_on(self):
        program, met = self.program()
        heard = []
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        try:
            found = program.solve()
        finally:
            signal.signal(signal.SIGINT, before)
        assert heard == [1]
        assert found is not None
        assert found.height == pytest.approx(program.solve().height)
        assert len(met) > 50
