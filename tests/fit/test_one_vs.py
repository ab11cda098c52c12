"""One class against the rest, and against each other."""

from __future__ import annotations

import multiprocessing
import threading
import time
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

from rosenblatt import InputError, Perceptron, Stop, Verdict
from rosenblatt.engine.machine import threads
from rosenblatt.fit import fitting, one_vs
from rosenblatt.fit.one_vs import PRESSING, odds_power, pair_scores
from rosenblatt.places import lockstep
from rosenblatt.places.lockstep import Turns

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
        np.testing.assert_equal(np.isnan(errors).sum(), run.averaged)
    clf = Perceptron(multiclass=multiclass, max_iter=8)
    clf.fit(X[:1200], y[:1200], eval_set=(X[1200:], y[1200:]))
    assert clf.score(X[1200:], y[1200:]) > 0.85


def test_a_wrong_name_is_refused():
    with pytest.raises(InputError, match="multiclass must be one of 'native', 'ovr', 'ovo'"):
        Perceptron(multiclass="all").fit([[0.0], [1.0]], [0, 1])


@pytest.mark.usefixtures("threads_for_short_runs")
@pytest.mark.parametrize("order", ["cyclic", "active"])
def test_runs_in_step_learn_what_each_learns_alone(monkeypatch, order):
    X, y = load_digits(return_X_y=True)
    how = {**HOW, "order": order, "multiclass": "ovr"}
    alone = Perceptron(**how).fit(X, y)
    monkeypatch.setattr(lockstep, "FEW_BYTES", 0)
    monkeypatch.setattr(lockstep, "PIECE", 100 * 64 * 8)
    passed = []
    let_pass = Turns.let_pass
    monkeypatch.setattr(
        Turns, "let_pass", lambda turns, place: (passed.append(place), let_pass(turns, place))
    )
    together = Perceptron(n_jobs=2, **how).fit(X, y)
    assert len(passed) > 10 * 5 * len(X) // 100
    np.testing.assert_array_equal(together.coef_, alone.coef_)
    for ours, own in zip(together.runs_, alone.runs_, strict=True):
        assert (ours.mistakes, ours.looks, ours.stop) == (own.mistakes, own.looks, own.stop)
        np.testing.assert_array_equal(ours.average, own.average)
        np.testing.assert_array_equal(ours.state.dual, own.state.dual)


def test_no_more_than_so_many_work_at_once_and_all_come_through():
    turns, lock, working, most, places = Turns(2), threading.Lock(), [0], [0], {}

    def work(name):
        for place in range(20):
            turns.let_pass(place)
            with lock:
                working[0] += 1
                most[0] = max(most[0], working[0])
                places[name] = place
            time.sleep(0.0002)
            with lock:
                working[0] -= 1

    threads = [threading.Thread(target=turns.alone, args=(lambda k=k: work(k),)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert places == dict.fromkeys(range(6), 19)
    assert most[0] <= 2


def test_a_run_that_fails_makes_room_for_the_next():
    turns = Turns(1)
    with pytest.raises(ZeroDivisionError):
        turns.alone(lambda: 1 // 0)
    assert turns.alone(lambda: "next") == "next"


def threads_of_a_fit():
    """How many threads the parts of a fit to ten classes run in, given two jobs."""
    seen, fit_part = set(), fitting.fit_part

    def seeing(*given, **how):
        seen.add(threading.get_ident())
        time.sleep(0.05)  # long enough for the other thread to take a part too
        return fit_part(*given, **how)

    fitting.fit_part = seeing  # in a process of its own
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

    monkeypatch.setattr(fitting, "side_by_side", side_by_side)
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


@pytest.mark.parametrize(("classes", "noise", "behind"), [(3, 0.0, 0.03), (3, 0.3, 0.03)])
def test_scores_of_classes_that_separate_and_of_others_are_comparable(classes, noise, behind):
    """That in the middle is not separated from the rest, the others perhaps are."""
    scores = []
    for seed in range(4):
        X, y, new, known = on_a_line(seed, classes, noise)
        each = Perceptron(multiclass="ovr").fit(X, y)
        scores.append([each.score(new, known), Perceptron().fit(X, y).score(new, known)])
    ours, native = np.mean(scores, axis=0)
    assert ours > native - behind


def test_planes_are_those_of_the_runs_times_powers_of_two():
    X, y, new, _ = on_a_line(0, 3, 0.0)
    each = Perceptron(multiclass="ovr").fit(X, y)
    planes = np.column_stack([each.coef_, each.intercept_])
    separated = 0
    for plane, proof in zip(planes, each.certificates_, strict=True):
        if type(proof).__name__ == "Separation":
            ratio = plane / proof.weights
            np.testing.assert_array_equal(ratio, ratio[0])
            assert np.frexp(ratio[0])[0] == 0.5
            separated += 1
    assert separated == 2
    # What else a run keeps is as it was made.
    last = each.with_solution("last")
    np.testing.assert_array_equal(last.coef_, np.vstack([run.weights[:-1] for run in each.runs_]))
    assert each.with_solution("auto").predict(new).tolist() == each.predict(new).tolist()


@given(st.integers(0, 2**32 - 1), st.floats(-30, 30), st.integers(2, 60))
def test_the_power_is_that_of_the_least_loss(seed, size, rows):
    rng = np.random.default_rng(seed)
    margins = (rng.normal(size=rows) + rng.normal()) * 2.0**size
    signs = np.where(np.arange(rows) % 3 > 0, 1.0, -1.0)
    positive = signs > 0
    sure = np.where(positive, (positive.sum() + 1) / (positive.sum() + 2), 0)
    sure = np.where(positive, sure, ((~positive).sum() + 1) / ((~positive).sum() + 2))

    def loss(power):
        scores = margins * 2.0**power
        return float((sure * np.logaddexp(0, -scores) + (1 - sure) * np.logaddexp(0, scores)).sum())

    power = odds_power(margins, signs, np.ones(rows))
    margins = np.minimum(margins, 2 * np.sort(np.abs(margins))[rows // 2])
    if margins @ (sure - 0.5) <= 0:
        assert power == 0
        return
    # The least of all slopes is within half a power.
    assert loss(power + 0.5) <= loss(power + 1.5)
    assert loss(power - 0.5) <= loss(power - 1.5)


@pytest.mark.parametrize("margins", [np.zeros(4), np.full(4, np.inf), -np.ones(4)])
def test_no_power_of_margins_that_tell_nothing(margins):
    assert odds_power(margins, np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4)) == 0


def test_classes_are_comparable_where_a_margin_was_asked_for():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(multiclass="ovr", margin=0.3, max_iter=200).fit(X[:, :2], y)
    assert clf.score(X[:, :2], y) > 0.7
    assert np.isfinite(clf.coef_).all()


def test_weights_count_where_scores_are_compared():
    ours, raw = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, W = rng.normal(size=(3000, 20)), rng.normal(size=(20, 5))
        scores = X @ W
        scores[:, 0] += np.quantile(scores.max(axis=1) - scores[:, 0], 0.88)
        y = scores.argmax(axis=1)
        noisy = np.where(rng.random(1500) < 0.1, rng.integers(0, 5, 1500), y[:1500])
        for found, multiclass in ((ours, "ovr"), (raw, "native")):
            clf = Perceptron(multiclass=multiclass, class_weight="balanced")
            told = clf.fit(X[:1500], noisy).predict(X[1500:])
            found.append(np.mean([np.mean(told[y[1500:] == k] == k) for k in range(5)]))
    # Both 0.70; where all rows count alike, as the class of 88 % has it, 0.60.
    np.testing.assert_array_less(np.mean(raw) - 0.04, np.mean(ours))
