"""Ctrl-C at any moment of a fit: raised, or told by the fit that was made; never lost."""

import _thread
import signal
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from rosenblatt.engine.machine.interrupts import Listening
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.fit import procedure

RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 3))
SEPARABLE, NOISY = X[:, 0] + 0.3 * X[:, 1] > 0.1, X[:, 0] > RNG.normal(size=40)
THREE = RNG.integers(0, 3, 40)


def fitted(clf, y, at=None):
    """The fit, with Ctrl-C at that call of a Python function; and how many calls there are."""
    calls, before = 0, signal.getsignal(signal.SIGINT)

    def press(frame, event, argument):
        nonlocal calls
        if event == "call":
            calls += 1
            if calls == at:
                sys.setprofile(None)
                _thread.interrupt_main()

    sys.setprofile(press)
    try:
        clf.fit(X, y)
    finally:
        sys.setprofile(None)
        assert signal.getsignal(signal.SIGINT) is before
        assert Listening.now is None
    return clf, calls


@pytest.mark.parametrize(
    ("clf", "y"),
    [
        (rb.Perceptron(), SEPARABLE),
        (rb.Perceptron(max_iter=20), NOISY),
        (rb.Perceptron(max_iter=20), THREE),
        (rb.Perceptron(multiclass="ovr", max_iter=10), THREE),
        (rb.Perceptron(solution="pocket", max_iter=10), NOISY),
        (rb.PassiveAggressive(max_iter=10), SEPARABLE),
        (rb.PassiveAggressive(max_iter=10), THREE),
    ],
)
def test_it_is_never_lost(clf, y, monkeypatch):
    dropped = []  # what is raised while a generator is closed
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y)  # what is compiled and imported first is not asked about here
        _, calls = fitted(clf, y)
        told = 0
        for at in range(1, calls, max(1, calls // 150)):
            dropped.clear()
            monkeypatch.setattr(Listening, "kept", -np.inf)
            try:
                again, made = fitted(type(clf)(**clf.get_params()), y, at)
            except KeyboardInterrupt:
                continue
            if made < at or dropped:  # it had ended, or Python itself dropped it, and said so
                continue
            told += 1
            assert again.stop_ is Stop.INTERRUPTED, at
            assert Stop.INTERRUPTED in {run.stop for run in again.runs_}
            assert again.predict(X).shape == (40,)
    assert told


def test_pressed_twice_it_ends_more_than_a_fit(monkeypatch):
    monkeypatch.setattr(Listening, "kept", -np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = rb.Perceptron(max_iter=20).fit(X, NOISY)
        _, calls = fitted(clf, NOISY)
        assert fitted(rb.Perceptron(max_iter=20), NOISY, calls // 2)[0].stop_ is Stop.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            fitted(rb.Perceptron(max_iter=20), NOISY, calls // 2)
        monkeypatch.setattr(Listening, "kept", Listening.kept - 60)
        assert fitted(rb.Perceptron(max_iter=20), NOISY, calls // 2)[0].stop_ is Stop.INTERRUPTED


def test_while_a_proof_is_written_what_was_learned_is_kept(monkeypatch):
    def pressed(*given):
        raise KeyboardInterrupt

    expected = rb.Perceptron(certify=True, solution="last").fit(X, SEPARABLE)
    monkeypatch.setattr(procedure, "conclude", pressed)
    clf = rb.Perceptron(certify=True, solution="last").fit(X, SEPARABLE)
    assert (clf.stop_, clf.verdict_) == (Stop.INTERRUPTED, Verdict.UNDECIDED)
    np.testing.assert_array_equal(clf.coef_, expected.coef_)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_a_run_on_the_columns_in_use_says_so_too(multiclass, tmp_path):
    wide = sparse.csr_array((X.ravel(), np.tile([3, 700, 20_000], 40), np.arange(41) * 3))
    wide.resize(40, 2**15)
    clf = rb.Perceptron(multiclass=multiclass, certify=False, max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = clf.fit(wide, THREE).fitted_.interrupted()
    assert fit.run.stop is fit.runs[-1].narrow.stop is Stop.INTERRUPTED
    assert fit.run.weights.shape == (3, 2**15 + 1)
    rb.save(fit, tmp_path / "m")
    assert rb.load(tmp_path / "m").stop_ is Stop.INTERRUPTED


def test_what_was_proved_before_it_stays_proved():
    clf = rb.Perceptron().fit(X, SEPARABLE)
    again = clf.fitted_.interrupted()
    assert again.run.stop is Stop.INTERRUPTED
    assert again.verdict is Verdict.SEPARABLE
    assert clf.stop_ is Stop.SEPARATED
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
