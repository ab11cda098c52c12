"""Pockets and voters of rows with very many columns, most of them empty: held narrow."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb

WIDTH, N, PER_ROW = 2**15, 80, 4
RNG = np.random.default_rng(7)
USED = np.sort(RNG.choice(WIDTH, 60, replace=False))
NARROW = sparse.csr_array(
    (RNG.normal(size=N * PER_ROW), RNG.integers(0, 60, N * PER_ROW), np.arange(N + 1) * PER_ROW),
    shape=(N, 60),
)
NARROW.sum_duplicates()
X = sparse.csr_array((NARROW.data, USED[NARROW.indices], NARROW.indptr), shape=(N, WIDTH))
NEW = sparse.random_array((50, WIDTH), density=0.01, rng=RNG, format="csr")  # other columns too
Y = RNG.integers(0, 6, N)
PARAMS = [
    {"multiclass": multiclass, "solution": solution, "keep": ("pocket", "vote"), "max_voters": 30}
    for multiclass in ("native", "ovr", "ovo")
    for solution in ("vote", "pocket", "auto")
]
pytestmark = pytest.mark.filterwarnings("ignore:The budget of passes")


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_it_is_the_fit_on_the_columns_in_use(params, classes):
    y = Y % classes
    wide = rb.Perceptron(max_iter=5, certify=False, **params).fit(X, y)
    narrow = rb.Perceptron(max_iter=5, certify=False, **params).fit(NARROW, y)
    np.testing.assert_array_equal(wide.coef_[:, USED], narrow.coef_)
    assert np.count_nonzero(wide.coef_) == np.count_nonzero(narrow.coef_)
    np.testing.assert_array_equal(wide.decision_function(X), narrow.decision_function(NARROW))
    np.testing.assert_allclose(
        wide.decision_function(NEW), narrow.decision_function(NEW[:, USED]), atol=1e-12
    )
    for ours, theirs in zip(wide.kept_, narrow.kept_, strict=True):
        assert ours["vote"].in_use.shape[-1] < 100  # each was a vector of all columns
        assert ours["vote"].votes.tolist() == theirs["vote"].votes.tolist()
        for name in ("vote", "pocket"):
            found = ours[name].weights
            assert found.shape[-1] == WIDTH + 1
            np.testing.assert_array_equal(found[..., [*USED, -1]], theirs[name].weights)


def test_learning_on_adds_voters_of_all_columns():
    wide = rb.Perceptron(solution="vote", certify=False, max_iter=5).fit(X, Y % 2)
    narrow = rb.Perceptron(solution="vote", certify=False, max_iter=5).fit(NARROW, Y % 2)
    wide.partial_fit(X, Y % 3 % 2)
    narrow.partial_fit(NARROW, Y % 3 % 2)
    panel = wide.kept_[0]["vote"]
    assert panel.columns is None
    assert panel.votes.tolist() == narrow.kept_[0]["vote"].votes.tolist()
    np.testing.assert_array_equal(wide.decision_function(X), narrow.decision_function(NARROW))
    again = pickle.loads(pickle.dumps(wide))
    np.testing.assert_array_equal(again.decision_function(NEW), wide.decision_function(NEW))


def test_solutions_can_be_chosen_afterwards_and_rows_may_be_dense():
    clf = rb.Perceptron(keep=("pocket", "vote"), certify=False, max_iter=5).fit(X, Y % 2)
    other = rb.Perceptron(keep=("pocket", "vote"), certify=False, max_iter=5).fit(NARROW, Y % 2)
    for solution in ("vote", "pocket", "last", "average", "auto"):
        wide, narrow = (model.with_solution(solution) for model in (clf, other))
        np.testing.assert_array_equal(wide.predict(X.toarray()), narrow.predict(NARROW))
