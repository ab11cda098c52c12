"""When a fit looks for a proof, what it may cost, and what it says where it does not."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, make_classification

from expected import OUT_OF_PASSES
from rosenblatt import Perceptron, Stop, Verdict, decide
from rosenblatt.data.readers import open_reader
from rosenblatt.datasets import gaussian
from rosenblatt.engine.column_sums import columns_in_use
from rosenblatt.engine.run import Pass
from rosenblatt.fit.constants import FLOOR
from rosenblatt.fit.when import SkiRental
from rosenblatt.places.place import Size

PATIENCE = Perceptron().n_iter_no_change


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
    assert clf.n_iter_ <= 3 * PATIENCE
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
    assert "would take about" in clf.run_.why
    assert clf.n_iter_ < 30
    proved = Perceptron(certify=True).fit(X, y)
    assert proved.verdict_ is Verdict.INSEPARABLE
    np.testing.assert_array_equal(proved.run_.proof_seconds, 0)


@OUT_OF_PASSES
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


def test_a_separator_that_a_search_finds_sooner_than_passes_cost_is_found():
    # The first search had a fifth of what it takes, and passes then cost as much again, in vain.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 300))
    y = X @ rng.normal(size=300) > 0
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(X, y) == 1


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
    assert clf.n_iter_ <= 3 * PATIENCE
    assert sorted(clf.certificate_.rows) == [0, 1500]
    assert clf.certificate_.verify(X, y)


def rental(certify="auto", *, patience=PATIENCE):
    """Over 1,000 rows of 300 entries."""
    place = SimpleNamespace(size=Size(rows=1000, columns=300, entries=300_000, vectors=0))
    return SkiRental(certify, place, patience)


def budgets(of, mistakes, looks=5000):
    """What searches may cost after passes of so many mistakes and looks, and when the run ends."""
    found = []
    for count, wrong in enumerate(mistakes, start=1):
        found.append(of.budget(Pass(wrong, looks * count, 1.0, np.nan, np.nan, 0.0)))
        if of.hopeless is not None:
            break
    return found


def test_no_search_while_passes_are_cheap_and_mistakes_fall():
    of = rental()
    cost = of.cost(5000)
    many = int(FLOOR / cost)
    assert not any(budgets(of, range(1000, 1001 - many, -1)))
    assert of.budget(Pass(1, 5000 * (many + 2), 1.0, np.nan, np.nan, 0.0)) >= FLOOR


def test_a_search_costs_what_the_passes_have_and_again_when_that_has_doubled():
    of = rental()
    made = budgets(of, range(2000, 0, -1))
    searches = [(count, units) for count, units in enumerate(made, start=1) if units]
    assert len(searches) >= 3
    for count, units in searches:
        assert units == max(FLOOR, of.cost(5000 * count))
    for (_, first), (_, second) in pairwise(searches):
        assert second >= 2 * first


def test_the_first_search_comes_when_mistakes_no_longer_fall():
    assert budgets(rental(), [20, 10, 10]) == [0, 0, FLOOR]


def test_a_run_ends_where_a_search_has_failed_and_passes_no_longer_learn():
    of = rental()
    made = budgets(of, [20, 10] + [10] * 50)
    assert made == [0, 0, FLOOR, *[0] * (PATIENCE - 1)]
    assert of.hopeless is Stop.COSTLY
    assert of.seconds > 0


def test_a_user_says_how_many_passes_in_vain_are_enough():
    X, y = noisy(2000, 390)
    short, usual = Perceptron(n_iter_no_change=1).fit(X, y), Perceptron().fit(X, y)
    assert short.stop_ is usual.stop_ is Stop.COSTLY
    assert short.n_iter_ < usual.n_iter_


def test_a_textbook_order_makes_all_its_passes():
    of = rental(patience=None)
    made = budgets(of, [2000] * 50)
    assert len(made) == 50
    assert of.hopeless is None
    assert sum(units > 0 for units in made) < 6


def test_a_proof_that_was_asked_for_costs_what_it_takes_and_none_otherwise():
    assert budgets(rental(True), [7]) == [np.inf]
    assert not any(budgets(rental(False), [7] * 20))


@pytest.mark.parametrize("budget", [{"max_iter": 1}, {"max_updates": 3}, {"weight_tol": 1e9}])
def test_a_proof_that_was_asked_for_is_made_though_a_budget_is_spent(budget):
    clf = Perceptron(certify=True, **budget).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    assert (clf.stop_, clf.verdict_) == (Stop.INSEPARABLE, Verdict.INSEPARABLE)
    X, y = load_breast_cancer(return_X_y=True)
    assert Perceptron(certify=True, **budget).fit(X, y).verdict_ is Verdict.SEPARABLE


@pytest.mark.parametrize("classes", [2, 4])
def test_shuffles_of_a_set_have_the_same_verdict(classes):
    X, y = noisy(400, 12, classes, 0.05)
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(y))
        assert Perceptron().fit(X[order], y[order]).verdict_ is Verdict.INSEPARABLE


@pytest.mark.parametrize("digit", [8, 9])
def test_the_order_of_digits_does_not_leave_a_short_proof_out(digit):
    """Some hundredths of a second, for which passes may not have been enough in some orders."""
    X, y = load_digits(return_X_y=True)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(y))
        assert Perceptron().fit(X[order], y[order] == digit).verdict_ is Verdict.INSEPARABLE


@pytest.mark.parametrize("digit", [1, 8])
def test_a_file_is_decided_as_the_same_rows_in_memory_are(digit, tmp_path):
    """Its passes are others, and what they have cost is not to decide about a short proof."""
    X, y = load_digits(return_X_y=True)
    path = tmp_path / "digits.csv"
    np.savetxt(path, np.column_stack([X, y == digit]), delimiter=",", fmt="%g")
    streamed = Perceptron().fit_stream(open_reader(path, header=False))
    assert streamed.verdict_ is Perceptron().fit(X, y == digit).verdict_ is not Verdict.UNDECIDED
