"""When a fit looks for a proof, what it may cost, and what it says where it does not."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_classification

from rosenblatt import Perceptron, Stop, Verdict, decide
from rosenblatt.datasets import gaussian
from rosenblatt.engine.run import Pass
from rosenblatt.engine.zeros import columns_in_use
from rosenblatt.fit.budgets import Arbiter
from rosenblatt.places.place import Size
from rosenblatt.solve.constraints import Constraints


def noisy(n, d, classes=2, flip=0.1, **how):
    how = {"n_informative": max(4, d // 2), "n_redundant": 0, "random_state": 0} | how
    return make_classification(n, d, n_classes=classes, flip_y=flip, **how)


@pytest.mark.parametrize(
    ("n", "d", "classes", "flip"),
    [(100, 5, 2, 0.1), (500, 20, 2, 0.01), (500, 20, 3, 0.05), (2000, 20, 8, 0.1)],
)
def test_noisy_data_is_refuted_after_a_pass_or_two(n, d, classes, flip):
    X, y = noisy(n, d, classes, flip)
    clf = Perceptron().fit(X, y)
    assert (clf.stop_, clf.verdict_) == (Stop.INSEPARABLE, Verdict.INSEPARABLE)
    assert clf.n_iter_ - clf.run_.averaged <= 3
    assert clf.certificate_.verify(X, y)
    assert clf.run_.proof_seconds == 0


def test_columns_that_depend_on_others_are_no_trap():
    X, y = noisy(800, 20, 8, 0.05, n_informative=8, n_redundant=2, random_state=4)
    clf = Perceptron().fit(X, y)
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert clf.certificate_.verify(X, y)


def test_a_proof_that_costs_too_much_is_priced_and_left():
    X, y = noisy(2000, 390)
    clf = Perceptron().fit(X, y)
    assert (clf.stop_, clf.verdict_) == (Stop.COSTLY, Verdict.UNDECIDED)
    assert clf.certificate_ is None
    assert clf.run_.proof_seconds > 0
    assert "certify=True" in str(clf.stop_)
    assert "proof_seconds" in str(clf.stop_)
    assert clf.n_iter_ < 30
    proved = Perceptron(certify=True).fit(X, y)
    assert proved.verdict_ is Verdict.INSEPARABLE
    np.testing.assert_array_equal(proved.run_.proof_seconds, 0)


def test_the_price_is_that_of_the_likelier_way():
    """Of wide rows a separator, of many classes a pair: hours were said, where it took moments."""
    rng = np.random.default_rng(0)
    wide = sparse.random_array((2000, 2**18), density=1e-4, format="csr", rng=rng)
    wide, labels = sparse.vstack([wide, wide[:200]]).tocsr(), rng.integers(2, size=2200)
    labels[2000:] = labels[:200]
    short = Perceptron(max_iter=1, solution="last").fit(wide, labels)
    assert short.verdict_ is Verdict.UNDECIDED
    assert 0 < short.run_.proof_seconds < 1
    many = Perceptron().fit(*noisy(2000, 390, 5))
    assert many.stop_ is Stop.COSTLY
    assert 0 < many.run_.proof_seconds < 15


def test_what_a_fit_spends_is_the_same_every_time():
    X, y = noisy(600, 200)
    first, second = Perceptron().fit(X, y), Perceptron().fit(X, y)
    assert (first.n_iter_, first.looks_) == (second.n_iter_, second.looks_)
    np.testing.assert_array_equal(first.coef_, second.coef_)


@pytest.mark.parametrize("margin", [0.05, 0.005, 0.0005])
def test_separable_data_is_separated_however_small_its_margin(margin):
    data = gaussian(1000, 20, margin, seed=0)
    clf = Perceptron().fit(data.X, data.y)
    assert clf.verdict_ is Verdict.SEPARABLE
    np.testing.assert_equal(clf.score(data.X, data.y), 1.0)


def test_many_classes_are_separated_by_passes():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    np.testing.assert_equal(clf.score(X, y), 1.0)


def test_empty_columns_cost_nothing():
    X, y = noisy(400, 10)
    wide = sparse.csr_array(
        (X.ravel(), np.tile(np.arange(10) * 1000, 400), np.arange(0, 4001, 10)), shape=(400, 2**16)
    )
    np.testing.assert_array_equal(columns_in_use(wide), np.arange(10) * 1000)
    assert columns_in_use(X) is columns_in_use(sparse.csr_array(X)) is None
    clf, narrow = Perceptron().fit(wide, y), Perceptron().fit(X, y)
    assert clf.verdict_ is narrow.verdict_ is Verdict.INSEPARABLE
    assert clf.certificate_.verify(wide, y)
    decision = decide(wide, y)
    assert decision.verdict is Verdict.INSEPARABLE
    assert decision.certificate.verify(wide, y)
    assert decision.weights.shape == (2**16 + 1,)


@pytest.mark.parametrize("classes", [2, 3])
def test_separators_of_few_columns_among_many_are_of_all(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X @ rng.normal(size=(5, classes))).argmax(axis=1)
    wide = sparse.csr_array(
        (X.ravel(), np.tile(np.arange(5) * 7 + 3, 60), np.arange(0, 301, 5)), shape=(60, 50)
    )
    for clf in (Perceptron().fit(wide, y), Perceptron(certify=True).fit(wide, y)):
        assert clf.verdict_ is Verdict.SEPARABLE
        assert clf.certificate_.verify(wide, y)
    decision = decide(wide, y)
    assert decision.verdict is Verdict.SEPARABLE
    assert decision.certificate.verify(wide, y)


def passes(of, mistakes, looks):
    """What the arbiter answers to passes of so many mistakes and looks."""
    total, answers = 0, []
    for made in mistakes:
        total += looks
        answers.append(of.after_pass(Pass(made, total, 1.0, np.nan, np.nan, 0.0)))
    return answers


def made(monkeypatch, *, patient=False, rows=1000, width=300):
    """An arbiter of some rows whose searches never find anything, and the budgets they had."""
    budgets = []

    def decide(self, budget=None):
        budgets.append(budget)
        self.in_vain = max(self.in_vain, budget)

    monkeypatch.setattr(Arbiter, "decide", decide)
    place = SimpleNamespace(
        size=lambda: Size(rows, width, 0, 300.0),
        passes_before=0,
        at_hand=True,
        constraints=lambda: Constraints(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), 2),
    )
    return Arbiter("auto", place, None, patient=patient), budgets


def test_many_mistakes_lead_to_one_search_and_the_end(monkeypatch):
    of, budgets = made(monkeypatch)
    answers = passes(of, [2000, 1500, 1490, 1480], looks=5000)
    assert len(budgets) == 1
    assert answers == [None, None, None, Stop.COSTLY]


def test_a_separator_that_a_search_finds_sooner_than_passes_cost_is_found():
    # The first search had a fifth of what it takes, and passes then cost as much again, in vain.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 300))
    y = X @ rng.normal(size=300) > 0
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(X, y) == 1


def test_rows_that_are_hardly_more_than_columns_are_given_passes_first(monkeypatch):
    of, budgets = made(monkeypatch, width=700)
    assert not any(passes(of, [2000, 1500, 1490, 1480], looks=5000))
    assert budgets == []
    passes(of, [1480] * 30, looks=5000)
    assert len(budgets) == 1


def test_a_row_under_two_labels_is_found_among_many_columns():
    X = sparse.random_array((60, 100_000), density=1e-4, format="csr", rng=0)
    X, y = sparse.vstack([X, X[[0]]]).tocsr(), np.append(np.arange(60) % 2, 1)
    assert Perceptron().fit(X, y).verdict_ is Verdict.INSEPARABLE


def test_a_row_under_two_labels_is_found_before_many_passes():
    """Passes went on for as long as few mistakes gave hope: 60 of them."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((1500, 5000), density=0.005, format="csr", rng=rng)
    y = (X @ rng.normal(size=(5000, 20))).argmax(axis=1)
    assert Perceptron().fit(X, y).verdict_ is Verdict.SEPARABLE
    X, y = sparse.vstack([X, X[[0]]]).tocsr(), np.append(y, (y[0] + 1) % 20)
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.INSEPARABLE
    assert clf.n_iter_ - clf.run_.averaged <= 3
    assert sorted(clf.certificate_.rows) == [0, 1500]
    assert clf.certificate_.verify(X, y)


@pytest.mark.parametrize("patient", [False, True])
def test_equal_rows_are_looked_for_once_and_not_in_a_textbook_order(monkeypatch, patient):
    looked, contradict = [], Arbiter.contradict
    monkeypatch.setattr(Arbiter, "contradict", lambda self: looked.append(1) or contradict(self))
    of, _ = made(monkeypatch, patient=patient)
    assert not any(passes(of, [300] * 30, looks=5000))
    assert len(looked) == (0 if patient else 1)


def test_passes_that_make_fewer_and_fewer_mistakes_go_on(monkeypatch):
    of, _ = made(monkeypatch)
    answers = passes(of, [2000, 1700, 1400, 1200, 1000, 800], looks=5000)
    assert not any(answers)


def test_few_mistakes_are_given_many_passes_and_growing_searches(monkeypatch):
    of, budgets = made(monkeypatch)
    answers = passes(of, [300] * 200, looks=5000)
    end = answers.index(Stop.COSTLY)
    assert end > 30
    assert budgets == sorted(budgets)
    assert len(budgets) >= 1


def test_mistakes_that_fall_put_a_search_off_for_as_long_again(monkeypatch):
    """Images of 2 and 7 were three passes from a separator when a search for one began."""
    first = []
    for share in (1.0, 0.89):
        of, budgets = made(monkeypatch, rows=12_000, width=800)
        count = 0
        while not budgets:
            count += 1
            mistakes = 5000 * share**count
            of.after_pass(Pass(mistakes, 60_000 * count, 1.0, np.nan, np.nan, 0.0))
        first.append(count)
    level, falling = first
    assert 1.9 * level <= falling <= 2.1 * level


def test_a_textbook_order_spends_all_its_passes(monkeypatch):
    of, _ = made(monkeypatch, patient=True)
    assert not any(passes(of, [2000] * 50, looks=5000))
