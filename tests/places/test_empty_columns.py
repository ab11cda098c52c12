"""Rows of which most columns are empty are learned from without those."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from expected import OUT_OF_PASSES
from rosenblatt import Perceptron, Verdict
from rosenblatt.certificate import fingerprint
from rosenblatt.places.memory import WIDE, Memory

D = 2 * WIDE


def rows(classes, *, noisy=False, seed=0):
    """The same rows twice: with their thirty columns alone, and with these among many."""
    rng = np.random.default_rng(seed)
    narrow = rng.normal(size=(120, 30)) * (rng.random((120, 30)) < 0.3)
    narrow[np.arange(30), np.arange(30)] = 1.0
    y = (narrow @ rng.normal(size=(30, classes))).argmax(axis=1)
    if noisy:
        narrow = np.vstack([narrow, narrow[:5]])
        y = np.append(y, (y[:5] + 1) % classes)
    used = np.sort(rng.choice(D, 30, replace=False))
    narrow = sparse.csr_array(narrow)
    shape = (narrow.shape[0], D)
    wide = sparse.csr_array((narrow.data, used[narrow.indices], narrow.indptr), shape=shape)
    return narrow, wide, used, y


def same(clf, short, used):
    np.testing.assert_array_equal(clf.coef_[:, used], short.coef_)
    np.testing.assert_array_equal(np.delete(clf.coef_, used, axis=1), 0.0)
    np.testing.assert_array_equal(clf.intercept_, short.intercept_)
    for run, other in zip(clf.runs_, short.runs_, strict=True):
        assert run.weights.shape == run.average.shape == (*other.weights.shape[:-1], D + 1)
        np.testing.assert_array_equal(run.state.drift[..., used], other.state.drift[..., :-1])
    assert (clf.stop_, clf.mistakes_, clf.verdict_) == (
        short.stop_,
        short.mistakes_,
        short.verdict_,
    )
    assert clf.margin_ == short.margin_


@OUT_OF_PASSES
@pytest.mark.parametrize("how", ["native", "ovr", "ovo"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("certify", ["auto", True, False])
def test_a_fit_is_that_of_the_columns_in_use(how, classes, noisy, certify):
    narrow, wide, used, y = rows(classes, noisy=noisy)
    clf = Perceptron(multiclass=how, certify=certify, max_iter=300)
    short = Perceptron(**clf.get_params()).fit(narrow, y)
    same(clf.fit(wide, y), short, used)
    np.testing.assert_array_equal(clf.predict(wide), short.predict(narrow))
    if clf.certificate_ is not None:
        assert clf.certificate_.verify(wide, y)
    if certify is not False:
        assert clf.verdict_ is (Verdict.INSEPARABLE if noisy else Verdict.SEPARABLE)


def test_a_pair_of_classes_may_use_fewer_columns_than_all():
    X = sparse.random_array((60, 2 * D), density=1e-4, format="csr", rng=0)
    y = np.arange(60) % 3
    clf = Perceptron(multiclass="ovo").fit(X, y)
    assert clf.coef_.shape == (3, 2 * D)
    for at, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = np.isin(y, pair)
        assert clf.certificates_[at].verify(X[rows], y[rows])


@OUT_OF_PASSES
def test_it_goes_on_with_batches_and_with_another_fit():
    def start(X):
        return Perceptron(warm_start=True, max_iter=2, solution="last").fit(X[:60], y[:60])

    narrow, wide, used, y = rows(2)
    clf, short = (start(X) for X in (wide, narrow))
    for batch in (slice(60, 90), slice(90, 120)):
        clf.partial_fit(wide[batch], y[batch])
        short.partial_fit(narrow[batch], y[batch])
    np.testing.assert_array_equal(clf.coef_[:, used], short.coef_)
    same(clf.fit(wide, y), short.fit(narrow, y), used)


def test_where_weights_are_seen_under_way_they_are_those_of_all_columns():
    _, wide, _, y = rows(2)
    kept = Perceptron(keep=("pocket",)).fit(wide, y)
    assert kept.kept_[0]["pocket"].weights.shape == (D + 1,)
    held = Perceptron().fit(wide, y, eval_set=(wide[:20], y[:20]))
    assert held.coef_.shape == (1, D)


@pytest.mark.parametrize("how", ["native", "ovr", "ovo"])
@pytest.mark.parametrize("noisy", [False, True])
def test_rows_held_out_lose_their_empty_columns_too(how, noisy):
    narrow, wide, used, y = rows(3, noisy=noisy)
    clf = Perceptron(multiclass=how, early_stopping=True, random_state=0)
    short = Perceptron(**clf.get_params()).fit(narrow, y)
    assert all(run.narrow.weights.shape[-1] == 31 for run in clf.fit(wide, y).runs_)
    same(clf, short, used)
    if clf.certificate_ is not None:
        assert clf.certificate_.verify(wide, y)
        assert clf.certificate_.fingerprint == fingerprint(wide, y)


@pytest.mark.parametrize("how", ["native", "ovr"])
def test_only_coefficients_are_made_for_all_columns(how):
    """Each further array of columns × classes takes as long as many passes."""
    _, wide, _, y = rows(3)
    clf = Perceptron(multiclass=how).fit(wide, y)
    clf.predict(wide)
    lazy = {"weights", "average", "best", "state"}
    assert not lazy & {name for run in (clf.run_, *clf.runs_) for name in vars(run)}
    assert all("weights" not in vars(proof) for proof in clf.certificates_)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.run_.weights, clf.run_.weights)
    assert all(proof.weights.shape[-1] == D + 1 for proof in again.certificates_)
    last = clf.with_solution("last")
    np.testing.assert_array_equal(last.coef_, np.vstack([clf.run_.weights])[:, :-1])


def test_only_rows_of_many_empty_columns_are_narrowed():
    narrow, wide, _, y = rows(2)
    classes, codes = np.unique(y, return_inverse=True)
    assert Memory.of(wide, classes, codes).narrow().size.columns == 30
    assert Memory.of(narrow, classes, codes).narrow().size.columns == 30
    assert Memory.of(narrow, classes, codes).narrow().used is None
    full = sparse.csr_array(np.ones((2, WIDE)))
    assert Memory.of(full, classes, np.array([0, 1])).narrow().used is None


def test_weights_of_many_classes_stay_feature_by_feature_as_prediction_wants_them():
    rng = np.random.default_rng(0)
    wide = sparse.csr_matrix((np.ones(60), rng.permutation(60), np.arange(61)), (60, 2**15))
    few = sparse.csr_matrix(wide[:, :60])
    for X in (wide, few):
        clf = Perceptron(max_iter=2, certify=False).fit(X, np.arange(60) % 3)
        assert clf.coef_.flags.f_contiguous
