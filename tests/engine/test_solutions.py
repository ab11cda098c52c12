"""The solutions of one run against plain-Python references, to the bit on integers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from expected import OUT_OF_PASSES
from rosenblatt import InputError, Perceptron, Stop
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.solutions import KeepingSweep, Pocket, Voters
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep
from strategies import labelled

pytestmark = OUT_OF_PASSES

ORDERS = ["active", "cyclic", "shuffled", "worst"]


def kept_run(X, y, order="cyclic", passes=6, updates=None, max_voters=10**6):
    """A run with both keepers, and the keepers."""
    classes = int(y.max()) + 1
    points = make_points(X, y if classes > 2 else 2.0 * y - 1)
    keepers = (Pocket(), Voters(max_voters))
    run = learn(
        KeepingSweep(keepers, points, make_rule(classes)),
        order=order,
        budget=Budget(passes=passes, updates=updates),
    )
    return run, *keepers


def reference(X, y, passes):
    """Freund and Schapire's figure 1, and the pocket, look by look in cyclic order."""
    A = np.hstack([X, np.ones((len(X), 1))])
    signs = 2.0 * y - 1

    def mistakes(w):
        return int(np.sum(signs * (A @ w) <= 0))

    w, votes, voters, total = np.zeros(A.shape[1]), 0, [], np.zeros(A.shape[1])
    pocket, least, streak, longest = None, np.inf, 0, 0
    ratchet = []
    for _ in range(passes):
        clean = True
        for a, sign in zip(A, signs, strict=True):
            if sign * (a @ w) <= 0:
                voters.append((w, votes))
                w, votes, streak, clean = w + sign * a, 1, 0, False
            else:
                votes += 1
                streak += 1
                if streak > longest:
                    longest = streak
                    if mistakes(w) < least:
                        pocket, least = w, mistakes(w)
            total += w
            ratchet.append(least)
        if mistakes(w) < least:
            pocket, least = w, mistakes(w)
        if clean:
            break
    voters.append((w, votes))
    return [(w, c) for w, c in voters if c], total, pocket, least, ratchet


@given(labelled(), st.integers(1, 6))
def test_vote_average_and_pocket_equal_plain_references(problem, passes):
    X, y = problem
    voters, total, pocket, least, ratchet = reference(X, y, passes)
    for rows in (X, X.astype(np.float32), sparse.csr_matrix(X)):
        run, ours, panel = kept_run(rows, y, passes=passes)
        np.testing.assert_array_equal(panel.votes, [c for _, c in voters])
        np.testing.assert_array_equal(panel.weights, [w for w, _ in voters])
        np.testing.assert_array_equal(panel.votes @ panel.weights, total)
        np.testing.assert_allclose(run.average, total / run.looks, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(ours.weights, pocket)
        np.testing.assert_equal(ours.error, least / len(y))
    assert ratchet == sorted(ratchet, reverse=True)


@given(labelled())
def test_the_vote_equals_freund_and_schapires(problem):
    X, y = problem
    voters, *_ = reference(X, y, 3)
    outcome = sum(c * np.where(X @ w[:-1] + w[-1] >= 0, 1, -1) for w, c in voters)
    clf = Perceptron(order="cyclic", max_iter=3, solution="vote", certify=False).fit(X, y)
    total = sum(c for _, c in voters)
    np.testing.assert_allclose(clf.decision_function(X), outcome / total, atol=1e-15)
    np.testing.assert_array_equal(clf.predict(X), (outcome >= 0).astype(int))
    in_csr = Perceptron(order="cyclic", max_iter=3, solution="vote", certify=False)
    np.testing.assert_array_equal(
        in_csr.fit(sparse.csr_matrix(X), y).decision_function(sparse.csr_matrix(X)),
        clf.decision_function(X),
    )


@given(labelled(), st.sampled_from(ORDERS))
def test_keeping_changes_nothing_of_the_run(problem, order):
    X, y = problem
    points = make_points(X, 2.0 * y - 1)
    for budget in (Budget(passes=5), Budget(updates=7, passes=20)):
        plain = learn(CompiledSweep(points, make_rule(2)), order=order, budget=budget)
        run, pocket, voters = kept_run(X, y, order, budget.passes, budget.updates)
        np.testing.assert_array_equal(run.weights, plain.weights)
        np.testing.assert_array_equal(run.average, plain.average)
        assert (run.updates, run.looks, run.stop) == (plain.updates, plain.looks, plain.stop)
        # The pocket is no worse than the last weights, and the votes average to the average.
        last = np.sum((2 * y - 1) * (X @ run.weights[:-1] + run.weights[-1]) <= 0)
        assert pocket.error <= last / len(y)
        # Looks that change nothing whatever they see are no votes.
        assert voters.votes.sum() == run.state.clock[0] <= run.looks
        if order not in ("active", "worst"):
            assert run.state.clock[0] == run.looks


def test_weights_are_tried_about_as_often_as_records_are_broken():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 5))
    y = (X[:, 0] + rng.standard_normal(500) > 0).astype(int)
    run, pocket, _ = kept_run(X, y, "shuffled", passes=20)
    assert run.updates > 2000
    assert pocket.trials < 20 + 5 * np.log(run.updates)


def test_native_classes_have_a_pocket_and_a_vote_too():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(keep=("pocket", "vote"), max_iter=10, certify=False).fit(X, y)
    pocket, vote = clf.with_solution("pocket"), clf.with_solution("vote")
    assert pocket.score(X, y) == pytest.approx(1 - clf.kept_[0]["pocket"].error)
    assert pocket.score(X, y) >= clf.with_solution("last").score(X, y)
    shares = vote.decision_function(X)
    assert shares.shape == (150, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    panel = clf.kept_[0]["vote"]
    table = np.zeros((150, 3))
    for W, votes in zip(panel.weights, panel.votes, strict=True):
        table[np.arange(150), (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)] += votes
    np.testing.assert_allclose(shares, table / panel.votes.sum())


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_parts_have_a_pocket_and_a_vote_too(multiclass):
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(multiclass=multiclass, keep=("pocket", "vote"), max_iter=10, certify=False)
    clf.fit(X, y)
    for solution in ("last", "average", "pocket", "vote"):
        other = clf.with_solution(solution)
        assert other.decision_function(X).shape == (150, 3)
        assert other.score(X, y) > 0.6


def test_the_cap_keeps_those_with_most_votes():
    X, y = load_iris(return_X_y=True)
    full = kept_run(X, (y == 1).astype(int), "shuffled")[2]
    capped = kept_run(X, (y == 1).astype(int), "shuffled", max_voters=10)[2]
    assert len(full) > 20
    assert len(capped) == 10
    np.testing.assert_array_equal(np.sort(capped.votes), np.sort(full.votes)[-10:])
    assert capped.dropped + capped.votes.sum() == full.votes.sum()
    clf = Perceptron(solution="vote", max_voters=3, certify=False, max_iter=5).fit(X, y == 1)
    assert len(clf.kept_[0]["vote"]) == 3


def test_with_solution_shares_the_run_and_does_not_refit():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(solution="pocket", max_iter=10, certify=False).fit(X, y == 1)
    last, average = clf.with_solution("last"), clf.with_solution("average")
    np.testing.assert_array_equal(last.coef_[0], clf.run_.weights[:-1])
    np.testing.assert_array_equal(average.coef_[0], clf.run_.average[:-1])
    np.testing.assert_array_equal(clf.coef_[0], clf.kept_[0]["pocket"].weights[:-1])
    assert last.run_ is clf.run_
    assert (clf.solution, last.solution) == ("pocket", "last")
    with pytest.raises(InputError, match=r"vote was not tracked .* keep=\('vote',\)"):
        clf.with_solution("vote")
    with pytest.raises(InputError, match="solution must be one of"):
        clf.with_solution("best")
    with pytest.raises(NotFittedError):
        Perceptron().with_solution("last")


def test_a_separator_found_by_proof_enters_the_pocket():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    clf = Perceptron(solution="pocket", certify=True).fit(X, X[:, 0] > 0)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(X, X[:, 0] > 0) == 1.0


def test_batches_go_on_voting_and_pickles_vote_alike():
    X, y = load_iris(return_X_y=True)
    whole = Perceptron(order="cyclic", max_iter=1, keep=("pocket", "vote"), certify=False)
    whole.fit(X, y == 1)
    parts = Perceptron(order="cyclic", keep=("pocket", "vote"))
    for rows in np.array_split(np.arange(150), 4):
        parts.partial_fit(X[rows], y[rows] == 1, classes=[False, True])
    one, other = whole.with_solution("vote"), parts.with_solution("vote")
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    copy = pickle.loads(pickle.dumps(parts))
    np.testing.assert_array_equal(copy.with_solution("vote").predict(X), other.predict(X))
    before = len(copy.kept_[0]["vote"])
    twin = copy.with_solution("last")
    copy.partial_fit(X, y == 1)
    assert len(twin.kept_[0]["vote"]) == before < len(copy.kept_[0]["vote"])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"keep": "pocket"}, "keep must be a tuple of names"),
        ({"keep": ("average",)}, "keep must be a tuple of names"),
        ({"max_voters": 0, "solution": "vote"}, "max_voters must be at least 1, got 0"),
    ],
)
def test_bad_settings_get_a_clear_error(how, message):
    with pytest.raises(InputError, match=message):
        Perceptron(**how).fit([[0.0], [1.0]], [0, 1])


def test_the_pocket_counts_points_by_their_weight():
    X, y = np.array([[1.0], [1.0], [1.0]]), [0, 0, 1]
    heavy = Perceptron(solution="pocket", certify=False, max_iter=20)
    assert heavy.fit(X, y).predict(X[:1]) == [0]
    assert heavy.fit(X, y, sample_weight=[1, 1, 5]).predict(X[:1]) == [1]
