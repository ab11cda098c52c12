"""One class against the rest, and against each other."""

from __future__ import annotations

import multiprocessing
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.utils.multiclass import _ovr_decision_function

from children import PATIENCE
from expected import OUT_OF_PASSES
from rosenblatt import InputError, Perceptron, Stop, Verdict
from rosenblatt.engine.machine import threads
from rosenblatt.fit import one_vs, parts
from rosenblatt.fit.one_vs import PRESSING, pair_scores

pytestmark = OUT_OF_PASSES

HOW = {"order": "cyclic", "max_iter": 5, "certify": False, "solution": "last"}


@pytest.fixture
def threads_for_short_runs(monkeypatch):
    monkeypatch.setattr(one_vs, "FEW_ENTRIES", 0)
    monkeypatch.setattr(one_vs, "FEW_WITHOUT_PROOFS", 0)


@pytest.mark.usefixtures("threads_for_short_runs")
def test_one_against_the_rest_is_what_scikit_learns_wrapper_makes():
    X, y = load_digits(return_X_y=True)
    names = np.array(list("abcdefghij"))[y]
    theirs = OneVsRestClassifier(Perceptron(**HOW)).fit(X, names)
    for rows in (X, sparse.csr_matrix(X)):
        for n_jobs in (None, 2):
            ours = Perceptron(multiclass="ovr", n_jobs=n_jobs, **HOW).fit(rows, names)
            np.testing.assert_array_equal(
                ours.coef_, np.vstack([e.coef_ for e in theirs.estimators_])
            )
            np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.coef_.shape == (10, 64)
    assert ours.decision_function(X).shape == (len(X), 10)
    assert [run.mistakes for run in ours.runs_] == [e.mistakes_ for e in theirs.estimators_]
    assert ours.mistakes_ == sum(e.mistakes_ for e in theirs.estimators_)
    assert ours.n_iter_ == max(e.n_iter_ for e in theirs.estimators_)


@pytest.mark.usefixtures("threads_for_short_runs")
def test_one_against_another_is_what_scikit_learns_wrapper_makes():
    X, y = load_digits(return_X_y=True)
    theirs = OneVsOneClassifier(Perceptron(**HOW)).fit(X, y)
    for n_jobs in (None, 2):
        ours = Perceptron(multiclass="ovo", n_jobs=n_jobs, **HOW).fit(X, y)
        np.testing.assert_array_equal(ours.coef_, np.vstack([e.coef_ for e in theirs.estimators_]))
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))
    assert ours.coef_.shape == (45, 64)
    assert [run.looks for run in ours.runs_] == [e.looks_ for e in theirs.estimators_]
    # The dual form is kept for the rows of a pair only.
    assert sum(len(run.state.dual) for run in ours.runs_) == 9 * len(y)


def test_pair_scores_equal_scikit_learns():
    scores = np.random.default_rng(0).standard_normal((50, 6))
    theirs = _ovr_decision_function((scores >= 0).astype(int), scores, 4)
    np.testing.assert_allclose(pair_scores(scores, 4), theirs)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_two_classes_are_two_classes(multiclass):
    X, y = load_iris(return_X_y=True)
    native = Perceptron(max_iter=5).fit(X, y == 1)
    other = Perceptron(max_iter=5, multiclass=multiclass).fit(X, y == 1)
    np.testing.assert_array_equal(native.coef_, other.coef_)
    assert other.decision_function(X).shape == (150,)


def test_verdicts_and_certificates_are_per_part():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(multiclass="ovr").fit(X, y)
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert clf.certificate_ is None
    for k, proof in enumerate(clf.certificates_):
        assert proof.verify(X, y == k)
    for certify in ("auto", True):
        clf = Perceptron(multiclass="ovo", certify=certify).fit(X, y)
        assert clf.verdict_ is Verdict.INSEPARABLE
        for pair, proof in zip([(0, 1), (0, 2), (1, 2)], clf.certificates_, strict=True):
            rows = np.isin(y, pair)
            assert proof.verify(X[rows], y[rows])
    keep = y != 2
    X3, y3 = np.vstack([X[keep], [[90.0] * 4]]), np.r_[y[keep], 7]
    clf = Perceptron(multiclass="ovo").fit(X3, y3)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(X3, y3) == 1.0
    assert 0 < clf.margin_.lower <= clf.margin_.upper
    assert clf.mistakes_ <= clf.mistake_bound_


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_batches_add_up_even_where_a_batch_lacks_a_class(multiclass):
    X, y = load_iris(return_X_y=True)
    whole = Perceptron(order="cyclic", max_iter=1, multiclass=multiclass, solution="average")
    whole.set_params(certify=False).fit(X, y)
    chunked = Perceptron(order="cyclic", multiclass=multiclass, solution="average")
    for rows in np.array_split(np.arange(150), 6):  # iris comes class by class
        chunked.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(chunked.coef_, whole.coef_, rtol=1e-12)
    assert chunked.mistakes_ == whole.mistakes_
    with pytest.raises(InputError, match="needs 1 runs, but there are 3"):
        chunked.set_params(multiclass="native").partial_fit(X, y)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_a_warm_start_goes_on_and_any_start_is_taken(multiclass):
    X, y = load_iris(return_X_y=True)
    how = {**HOW, "multiclass": multiclass}
    twice = Perceptron(**{**how, "max_iter": 2}, warm_start=True).fit(X, y).fit(X, y)
    once = Perceptron(**{**how, "max_iter": 4}).fit(X, y)
    np.testing.assert_array_equal(twice.coef_, once.coef_)
    first = Perceptron(**{**how, "max_iter": 2}).fit(X, y)
    on = Perceptron(**{**how, "max_iter": 2}).fit(
        X, y, coef_init=first.coef_, intercept_init=first.intercept_
    )
    np.testing.assert_array_equal(on.coef_, once.coef_)
    with pytest.raises(InputError, match="coef_init must have 12 entries"):
        Perceptron(**how).fit(X, y, coef_init=np.zeros((2, 4)))


def test_the_joint_record_adds_up():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(multiclass="ovr", **HOW).fit(X, y)
    assert clf.run_.column("mistakes").sum() == clf.mistakes_
    assert clf.history_[-1].looks == clf.looks_ == clf.run_.cost.rows
    assert len(clf.history_) == clf.n_iter_
    assert set(PRESSING) == set(Stop)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_validation_is_each_parts_own(multiclass):
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(multiclass=multiclass, early_stopping=True, max_iter=8).fit(X, y)
    for run in clf.runs_:
        errors = run.column("validation_error")
        assert not np.isnan(errors).any()
    clf = Perceptron(multiclass=multiclass, max_iter=8)
    clf.fit(X[:1200], y[:1200], eval_set=(X[1200:], y[1200:]))
    assert clf.score(X[1200:], y[1200:]) > 0.85


def test_a_wrong_name_is_refused():
    with pytest.raises(InputError, match="multiclass must be one of 'native', 'ovr', 'ovo'"):
        Perceptron(multiclass="all").fit([[0.0], [1.0]], [0, 1])


def threads_of_a_fit():
    """How many threads the parts of a fit to ten classes run in, given two jobs."""
    seen, fit_part = set(), parts.fit_part
    together = threading.Barrier(2)  # broken, with an error, unless two threads meet

    def seeing(*given, **how):
        if threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            together.wait(PATIENCE)
        return fit_part(*given, **how)

    parts.fit_part = seeing  # in a process of its own
    X, y = load_digits(return_X_y=True)
    one_vs.FEW_WITHOUT_PROOFS = 0  # short runs would be made one after the other
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        Perceptron(multiclass="ovr", n_jobs=2, max_iter=1, certify=False, verbose=0).fit(X, y)
    return len(seen)


@pytest.mark.parametrize(("few", "threads"), [(601, 1), (600, 2)])
def test_runs_too_short_for_threads_are_made_one_after_the_other(monkeypatch, few, threads):
    X, y = load_iris(return_X_y=True)  # 600 entries, of which a pair has 400
    monkeypatch.setattr(one_vs, "FEW_ENTRIES", 400)
    monkeypatch.setattr(one_vs, "FEW_WITHOUT_PROOFS", few)
    asked = []

    def side_by_side(call, items, threads, interrupted):
        asked.append(threads)
        return [call(item) for item in items]

    monkeypatch.setattr(parts, "side_by_side", side_by_side)
    Perceptron(multiclass="ovo", n_jobs=2, max_iter=1).fit(X, y)
    Perceptron(multiclass="ovr", n_jobs=2, max_iter=1, certify=False).fit(X, y)
    assert asked == [2, threads]


def test_threads_are_used_in_a_worker_process_too():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(threads_of_a_fit) == 2


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_rows_held_out_or_without_weight_are_never_looked_at(multiclass):
    X, y = load_digits(return_X_y=True)
    how = {"multiclass": multiclass, "order": "cyclic", "max_iter": 1, "certify": False}
    runs = 9 if multiclass == "ovo" else 10
    held = Perceptron(early_stopping=True, validation_fraction=0.25, **how).fit(X, y)
    assert held.looks_ == runs * (len(y) - np.ceil(0.25 * len(y)))
    weights = np.arange(len(y)) % 3
    some = Perceptron(**how).fit(X, y, sample_weight=weights)
    assert some.looks_ == runs * np.count_nonzero(weights)


@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(0, 20))
def test_votes_are_counted_in_pieces_as_in_plain_python(seed, classes, n):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, size=(n, classes * (classes - 1) // 2)).astype(float)
    scores[rng.random(scores.shape) < 0.05] = np.nan
    expected, sums = np.zeros((n, classes)), np.zeros((n, classes))
    one_vs.count_votes(scores, classes, sums, expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_vs, "SCORES_AT_ONCE", 4)
        patch.setattr(threads, "cores", lambda: 3)
        np.testing.assert_allclose(pair_scores(scores, classes), expected, rtol=1e-15)
    for order in (np.asfortranarray(scores), scores[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(pair_scores(order, classes), pair_scores(scores, classes))


def on_a_line(seed, classes, noise, rows=1200):
    """Classes one after the other along a direction, and new rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows + 2000, 8))
    z = X @ rng.normal(size=8) / 3 + noise * rng.normal(size=len(X))
    y = np.digitize(z, np.quantile(z, np.arange(1, classes) / classes))
    return X[:rows], y[:rows], X[rows:], y[rows:]


@pytest.mark.parametrize("power", [-1074, -1060, -1000, 0, 480])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_of_any_length_are_told_from_the_rest(power, fit_intercept):
    X = np.ldexp(
        [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0], [-1.0, -1.0], [-2.0, -1.0]], power
    )
    y = [0, 0, 1, 1, 2, 2]
    clf = Perceptron(multiclass="ovr", fit_intercept=fit_intercept).fit(X, y)
    assert np.isfinite(clf.coef_).all()
    assert np.isfinite(clf.decision_function(X)).all()
    assert clf.with_solution("last").predict(X).tolist() == y
