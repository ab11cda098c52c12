"""Online learning: one by one, in batches, by the protocol; against the engine and the bounds."""

import copy
import json
import math
import pickle

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt
from rosenblatt import InputError, online
from rosenblatt.engine.margins import mistake_bound
from rosenblatt.solve.wolfe import min_norm_point

quick = settings(max_examples=50, deadline=None)
ONE = np.full((1, 1), -9.0)
TWICE = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])


@st.composite
def labelled(draw, classes=4):
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 6, (n, d)), rng.integers(0, draw(st.integers(1, classes)), n)


@st.composite
def separable(draw):
    """A repeated stream of dicts and booleans, and the exact γ and R of its points."""
    X, _ = draw(labelled())
    u = np.array(draw(st.lists(st.integers(-4, 4), min_size=X.shape[1] + 1, max_size=5)))
    scores = X @ u[: X.shape[1]] + u[-1]
    X, y = X[scores != 0], scores[scores != 0] > 0
    assume(len(X))
    A = np.where(y, 1, -1)[:, None] * np.column_stack([X, np.ones(len(X), dtype=int)])
    return dicts(X), y.tolist(), min_norm_point(A), np.linalg.norm(A, axis=1).max()


def dicts(X):
    return [dict(enumerate(row)) for row in np.asarray(X).tolist()]


def looped(X, y, **parameters):
    """A learner that was asked something after every example, so that none had to wait."""
    learner = online.Perceptron(**parameters)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        assert learner.looks > 0
    return learner


# --- The same learner, however it is fed --------------------------------------------------------


@quick
@given(labelled(), st.booleans())
def test_dicts_arrays_sparse_rows_batches_and_waiting_examples_agree_to_the_bit(data, intercept):
    X, y = data
    wanted = looped(dicts(X), y, fit_intercept=intercept).to_dict()
    for rows in (X, X.astype(float), [sparse.csr_array(row[None]) for row in X], X.tolist()):
        got = looped(rows, y, fit_intercept=intercept)
        if sparse.issparse(rows[0]):  # whose zeros are no features until they have a value
            got.learn_many(X[:0], y[:0])
            assert (got.looks, got.updates) == (wanted["looks"], wanted["updates"])
            assert got.score_one(X[0]) == online.Perceptron.from_dict(wanted).score_one(X[0])
        else:
            assert got.to_dict() == wanted
    for matrix in (X, sparse.csr_array(X.astype(float)), pd.DataFrame(X), dicts(X)):
        learner = online.Perceptron(fit_intercept=intercept)
        learner.learn_many(matrix, y)
        assert learner.to_dict() == wanted
    waited = online.Perceptron(fit_intercept=intercept)
    for x, label in zip(dicts(X), y, strict=True):
        waited.learn_one(x, label)
    assert waited.to_dict() == wanted


def test_long_queues_are_learned_from_in_pieces():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 10, (3000, 30)), rng.integers(0, 3, 3000)
    waiting = online.Perceptron()
    for x, label in zip(dicts(X), y, strict=True):
        waiting.learn_one(x, label)
    batch = online.Perceptron()
    batch.learn_many(X, y)
    assert waiting.to_dict() == batch.to_dict()


@quick
@given(labelled(classes=2))
def test_two_known_classes_are_the_batch_perceptron(data):
    X, y = data
    learner = online.Perceptron(classes=[0, 1]).partial_fit(X, y)
    batch = rosenblatt.Perceptron(solution="last").partial_fit(X, y, classes=[0, 1])
    assert list(learner.weights.values()) == batch.coef_[0].tolist()
    assert learner.bias == batch.intercept_[0]
    assert learner.updates == batch.updates_
    batch = rosenblatt.Perceptron(solution="average").partial_fit(X, y, classes=[0, 1])
    averaged = online.Perceptron(classes=[0, 1], average=True).partial_fit(X, y)
    scores = [averaged.score_one(x) for x in X]
    np.testing.assert_allclose(scores, batch.decision_function(X), atol=1e-9)


@quick
@given(labelled())
def test_known_classes_are_the_native_multiclass_perceptron(data):
    X, y = data
    learner = online.Perceptron(classes=range(4)).partial_fit(X, y)
    batch = rosenblatt.Perceptron(solution="last").partial_fit(X, y, classes=range(4))
    assert [list(w.values()) for w in learner.weights.values()] == batch.coef_.tolist()
    assert [learner.predict_one(x) for x in X] == batch.predict(X).tolist()


@quick
@given(labelled(classes=2))
def test_two_classes_are_the_multiclass_rule_with_opposite_vectors(data):
    X, y = data
    two = online.Perceptron(classes=[0, 1]).partial_fit(X, y)
    weights, updates, scores = two.to_dict()["weights"][0], two.updates, two.score_one(X[0])
    two.learn_one(np.zeros(X.shape[1]), "third")
    rows = np.array(two.to_dict()["weights"])
    assert two.classes == [0, 1, "third"]
    if two.updates == updates:
        assert rows[1].tolist() == weights
        assert rows[0].tolist() == [-w for w in weights]
        assert two.score_one(X[0])[1] == scores


@quick
@given(labelled(), st.sampled_from([0.0, 1.0, 7.5]), st.booleans())
def test_weights_and_thresholds_are_those_of_the_batch_perceptron(data, threshold, known):
    X, y = data
    w = np.resize([1.0, 0.5, 3.0, 0.0, 1.0], len(y))
    learner = online.Perceptron(classes=range(4), threshold=threshold)
    learner.learn_many(dicts(X), y, w if known else w.tolist())
    many = online.Perceptron(classes=range(4), threshold=threshold)
    many.learn_many(pd.DataFrame(X), y, w)
    assert many.to_dict() == learner.to_dict()
    batch = rosenblatt.Perceptron(solution="last", threshold=threshold)
    batch.partial_fit(X, y, classes=range(4), sample_weight=w if w.any() else None)
    assert [list(v.values()) for v in learner.weights.values()] == batch.coef_.tolist()
    assert learner.updates == batch.updates_


@quick
@given(labelled(classes=2), st.sampled_from([0.0, 2.0]))
def test_waiting_examples_know_the_threshold(data, threshold):
    X, y = data
    waited = online.Perceptron(classes=[0, 1], threshold=threshold)
    for x, label in zip(dicts(X) * 5, y.tolist() * 5, strict=True):
        waited.learn_one(x, label)
    wanted = looped(dicts(X) * 5, y.tolist() * 5, classes=[0, 1], threshold=threshold)
    waited.threshold = 99.0  # for what comes from now on
    waited.threshold = threshold
    assert waited.to_dict() == wanted.to_dict()
    if waited.updates == wanted.clone().partial_fit(dicts(X) * 4, y.tolist() * 4).updates:
        assert all(waited.score_one(x) * (2 * c - 1) > threshold for x, c in zip(X, y, strict=True))


def test_an_example_of_weight_zero_is_looked_at_and_changes_nothing():
    learner = online.Perceptron()
    learner.learn_one({"a": 1.0}, True, w=0)
    assert (learner.looks, learner.updates, learner.weights) == (1, 0, {"a": 0.0})
    learner.learn_many(np.ones((2, 1)), [True, False], w=0.0)
    assert (learner.looks, learner.updates) == (3, 0)


# --- Predictions --------------------------------------------------------------------------------


@quick
@given(labelled(), st.booleans(), st.booleans())
def test_many_predictions_are_those_of_one(data, average, intercept):
    X, y = data
    learner = online.Perceptron(average=average, fit_intercept=intercept)
    learner.learn_many(X, y)
    labels = [learner.predict_one(x) for x in X]
    chances = [learner.predict_proba_one(x) for x in X]
    for matrix in (X, sparse.csr_array(X.astype(float)), pd.DataFrame(X), dicts(X), X.tolist()):
        found = np.asarray(learner.predict_proba_many(matrix))
        assert found.shape == (len(X), len(learner.classes))
        np.testing.assert_allclose(found, [list(p.values()) for p in chances], rtol=1e-9)
        if not average:  # whose means are rounded in different orders
            assert learner.predict_many(matrix).tolist() == labels
    for label, chance in zip(labels, chances, strict=True):
        assert list(chance) == learner.classes
        assert sum(chance.values()) == pytest.approx(1)
        assert chance[label] == pytest.approx(max(chance.values()))


@quick
@given(labelled(classes=2))
def test_probabilities_rank_as_scores_do_whatever_the_units(data):
    X, y = data
    learner = online.Perceptron(classes=[0, 1], fit_intercept=False).partial_fit(X, y)
    scaled = online.Perceptron(classes=[0, 1], fit_intercept=False).partial_fit(1024 * X, y)
    scores = np.array([learner.score_one(x) for x in X])
    chances = learner.predict_proba_many(X)[:, 1]
    np.testing.assert_array_equal(chances, scaled.predict_proba_many(1024 * X)[:, 1])
    order = np.argsort(scores)
    assert (np.diff(chances[order]) >= 0).all()
    assert ((chances > 0.5) == (scores > 0)).all()
    w, R = np.array(list(learner.weights.values())), learner.radius
    if w.any():
        np.testing.assert_allclose(chances, 1 / (1 + np.exp(-4 * scores / (np.linalg.norm(w) * R))))
    learner.average = True
    mean = [learner.score_one(row) for row in np.eye(X.shape[1])]
    if (longest := np.linalg.norm(mean)) > 1e-6:
        shares = X @ mean / (longest * R)
        chances = learner.predict_proba_many(X)[:, 1]
        np.testing.assert_allclose(chances, 1 / (1 + np.exp(-4 * shares)), rtol=1e-7)


@quick
@given(labelled(classes=2))
def test_a_third_class_leaves_the_odds_of_two_as_they_were(data):
    X, y = data
    learner = online.Perceptron(classes=[0, 1]).partial_fit(X, y)
    before = learner.predict_proba_many(X)
    learner.partial_fit(X[:0], y[:0], classes=["third"])
    after = learner.predict_proba_many(X)
    odds = after[:, 1] / after[:, 0]
    np.testing.assert_allclose(odds, before[:, 1] / before[:, 0], rtol=1e-9)


def test_columns_that_were_never_met_count_for_nothing():
    learner = online.Perceptron()
    learner.learn_many(pd.DataFrame({"a": [1.0, -1.0], "b": [2.0, 0.0]}), ["up", "down"])
    frame = pd.DataFrame({"new": [9.0, 9.0], "b": [1.0, -4.0]}, index=["p", "q"])
    assert learner.predict_many(frame).to_dict() == {
        "p": learner.predict_one({"b": 1.0}),
        "q": learner.predict_one({"b": -4.0}),
    }
    assert len(learner.predict_many(frame[:0])) == 0
    assert learner.predict_proba_many(frame[:0]).shape == (0, 2)


def test_labels_of_several_kinds_stay_what_they_are():
    learner = online.Perceptron()
    labels = [1, "1", (1, 2), 2.5]
    X = [{label: 1.0} for label in labels]
    learner.learn_many(5 * X, 5 * labels)
    assert learner.predict_many(X).tolist() == labels
    assert [type(label) for label in learner.predict_many(X)] == [int, str, tuple, float]
    assert learner.predict_many([]).tolist() == []
    pairs = online.Perceptron([("a", 1), ("b", 2)])
    assert pairs.predict_many(X[:2]).tolist() == [("b", 2), ("b", 2)]


def test_the_average_is_the_mean_over_all_looks():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    learner = online.Perceptron(classes=range(3), average=True)
    total = np.zeros((3, 4))
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        total += learner.to_dict()["weights"]
    mean = total / 60
    scores = mean[:, 1:] @ X[0] + mean[:, 0]
    np.testing.assert_allclose(list(learner.score_one(X[0]).values()), scores)


def test_features_and_classes_join_as_they_come():
    learner = online.Perceptron()
    assert learner.predict_one({"a": 1}) is None
    learner.learn_one({"a": 1}, "x")
    assert learner.predict_one({"b": 1}) == "x"
    learner.learn_one({"b": 2, "a": 1}, "y")
    learner.learn_one({"c": -1.5}, "z")
    assert learner.features == ["a", "b", "c"]
    assert learner.classes == ["x", "y", "z"]
    assert set(learner.weights) == {"x", "y", "z"}
    assert learner.predict_one({"never": 3.0}) in learner.classes
    assert "3 classes, 3 features" in repr(learner)


def test_a_dict_that_changes_after_it_was_learned_changes_nothing():
    a, b = online.Perceptron(), online.Perceptron()
    x = {"u": 1.0, "v": 0.0}
    for k in range(30):
        x["u"], x["v"] = float(k % 7 - 3), float(k % 5 - 2)
        a.learn_one(x, k % 3 == 0)
        b.learn_one(dict(x), k % 3 == 0)
        assert b.looks == k + 1
    assert a.to_dict() == b.to_dict()


def test_copies_go_on_alike():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-3, 4, (40, 3)), rng.integers(0, 3, 40)
    learner = online.Perceptron(average=True).partial_fit(X[:20], y[:20])
    twins = [
        pickle.loads(pickle.dumps(learner)),
        copy.deepcopy(learner),
        online.Perceptron.from_dict(json.loads(json.dumps(learner.to_dict()))),
    ]
    learner.partial_fit(X[20:], y[20:])
    for twin in twins:
        for x, label in zip(dicts(X[20:]), y[20:], strict=True):
            twin.learn_one(x, label)
        assert twin.to_dict() == learner.to_dict()
    assert learner.clone().to_dict() == online.Perceptron(average=True).to_dict()


# --- The protocol ------------------------------------------------------------------------------


@quick
@given(separable(), st.integers(1, 4), st.sampled_from([0.5, 3.0, 40.0]))
def test_a_threshold_adds_twice_itself_to_the_bound(problem, times, threshold):
    X, y, nearest, R = problem
    gamma = math.sqrt(nearest.squared_norm)
    learner = online.Perceptron(threshold=threshold)
    rounds = list(learner.protocol(list(zip(X, y, strict=True)) * times))
    assert all(r.updates <= r.bound * (1 + 1e-9) for r in rounds)
    assert all(r.margin.lower <= r.margin.upper for r in rounds)
    assert rounds[-1].margin.upper >= gamma * (1 - 1e-9)
    assert learner.updates <= (R**2 + 2 * threshold) / gamma**2 * (1 + 1e-9)
    assert rounds[-1].bound <= 4 * (R**2 + 2 * threshold) / gamma**2 * (1 + 1e-6)


@quick
@given(separable(), st.sampled_from([0.0, 3.0]), st.integers(0, 99))
def test_weights_stretch_the_bound_by_how_much_they_differ(problem, threshold, seed):
    X, y, nearest, R = problem
    w = np.random.default_rng(seed).choice([0.5, 1.0, 4.0], 3 * len(X))
    learner = online.Perceptron(threshold=threshold)
    learner.learn_many(3 * X, 3 * y, w)
    bound = mistake_bound(R, math.sqrt(nearest.squared_norm), threshold, 4.0, spread=8.0)
    assert learner.updates <= bound * (1 + 1e-9)


@quick
@given(separable(), st.integers(1, 4), st.sampled_from([1, 3, 1000]))
def test_updates_stay_under_the_bound_in_hindsight(problem, times, remember):
    X, y, nearest, R = problem
    gamma = math.sqrt(nearest.squared_norm)
    learner = online.Perceptron()
    stream = list(zip(X, y, strict=True)) * times
    rounds = list(learner.protocol(iter(stream), remember=remember))
    assert len(rounds) == len(stream) == learner.looks
    for r in rounds:
        assert r.updates <= r.bound * (1 + 1e-9)
        assert r.margin.lower <= r.margin.upper
        assert r.margin.upper >= gamma * (1 - 1e-9)
        assert r.mistakes <= r.updates + 1
    assert learner.updates <= R**2 / gamma**2 * (1 + 1e-9)
    if remember == 1000:
        assert rounds[-1].bound <= 4 * R**2 / gamma**2 * (1 + 1e-6)


@quick
@given(labelled(classes=2), st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_updates_stay_under_the_comparators_bound_separable_or_not(data, z):
    X, y = data
    z = np.array(z[: X.shape[1] + 1]) / 4
    assume(z.any())
    named = {**dict(enumerate(z[:-1].tolist())), None: z[-1]}
    for threshold in (0.0, 5.0):
        rounds = [
            list(learner.protocol(zip(X, y, strict=True), comparator=c))
            for c in (z, named)
            for learner in [online.Perceptron([0, 1], threshold=threshold)]
        ]
        assert rounds[0] == rounds[1]
        assert all(r.mistakes <= r.updates <= r.bound * (1 + 1e-9) for r in rounds[0])


@quick
@given(labelled(), st.integers(1, 3))
def test_updates_of_several_classes_stay_under_the_bound(data, times):
    X, y = data
    stream = list(zip(dicts(X), y.tolist(), strict=True)) * times
    for r in online.protocol(online.Perceptron(), stream):
        assert r.updates <= r.bound * (1 + 1e-9)


def test_xor_ends_without_a_bound():
    stream = [({"a": a, "b": b}, a == b) for a in (-1, 1) for b in (-1, 1)] * 5
    rounds = list(online.Perceptron().protocol(stream))
    assert rounds[-1].bound == math.inf
    assert rounds[-1].margin.lower == 0


def test_the_game_needs_a_new_learner():
    learner = online.Perceptron()
    learner.learn_one([1.0], True)
    with pytest.raises(InputError, match="new learner"):
        next(learner.protocol([]))
    assert list(learner.clone().protocol([])) == []


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": math.nan}, "feature 'a' must be a finite number, got nan"),
        ({"a": 1.0, "b": -math.inf}, "feature 'b' must be a finite number, got -inf"),
        ({"a": "3"}, "feature 'a' must be a number, got '3'"),
        ({"a": None}, "feature 'a' must be a number, got None"),
        ({"a": 10**400}, "feature 'a' must be a number"),
        ({"a": 1e200}, "too long"),
        (np.zeros((2, 2)), "one dimension"),
        (["a", "b"], "array of numbers"),
        (sparse.csr_array(np.eye(2)), "one sparse row"),
        (np.array([1.0, math.nan]), "feature 1 must be a finite number"),
    ],
)
def test_bad_examples_are_refused_and_leave_no_trace(x, message):
    learner = online.Perceptron()
    learner.learn_one({"c": 1.0}, True)
    before = learner.to_dict()
    with pytest.raises(InputError, match=message):
        learner.learn_one(x, False)
    assert learner.to_dict() == before


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e200])
def test_values_that_are_not_finite_are_refused_without_a_warning(value, classes):
    learner = online.Perceptron(classes)
    learner.learn_one({"a": 0.0, "b": 1.0}, 1)
    before = learner.to_dict()
    with pytest.raises(InputError, match=r"finite number|too long"):
        learner.learn_one({"b": -1.0, "a": value}, 1)
    if abs(value) != 1e200:
        with pytest.raises(InputError, match="finite number"):
            learner.predict_one({"a": value})
    assert learner.to_dict() == before


def test_an_example_that_is_too_long_is_refused_though_it_is_right():
    learner = online.Perceptron([0, 1])
    learner.learn_one([1.0], 1)
    before = learner.to_dict()
    for learn in (
        lambda: learner.learn_one([1e200], 1),
        lambda: learner.learn_one([1e100], 1, w=1e100),
        lambda: learner.learn_many([[1e200]], [1]),
        lambda: learner.learn_many(np.array([[1e200]]), [1]),
    ):
        with pytest.raises(InputError, match=r"too (long|large)"):
            learn()
    assert learner.to_dict() == before


@pytest.mark.parametrize("many", [3, 100])
def test_a_bad_example_among_others_is_told_of_and_left_out(many):
    learner, clean = online.Perceptron(), online.Perceptron()
    for k in range(many):
        x, y = {"a": float(k % 5 - 2), "b": 1.0}, k % 2 == 0
        clean.learn_one(x, y)
        learner.learn_one(x, y)
        if k == 1:
            with pytest.raises(InputError, match="'a' must be a number, got 'x'"):
                learner.learn_one({"a": "x", "b": 1.0}, True)
    learner.learn_one({"a": math.nan, "b": 1.0}, True)
    assert "waiting" in repr(learner)  # and does not raise
    left_out = r"1 of \d+ examples that waited were left out. The first: feature 'a' must be"
    with pytest.raises(InputError, match=f"{left_out} a finite number, got nan"):
        _ = learner.looks
    assert learner.to_dict() == clean.to_dict()


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (None, "equals itself"),
        (math.nan, "equals itself"),
        (pd.NA, "equals itself.*Leave out examples without a label"),
        ([1], "hashable"),
    ],
)
def test_bad_labels_are_refused_and_leave_no_trace(label, message):
    learner = online.Perceptron(classes=[0, 1])
    learner.learn_one({"a": 1}, 0)
    before = learner.to_dict()
    with pytest.raises(InputError, match=message):
        learner.learn_one({"a": 1, "new": 2}, label)
    with pytest.raises(InputError, match=message):
        learner.learn_many(np.ones((3, 2)), [0, 1, label])
    with pytest.raises(InputError, match=message):
        learner.partial_fit(np.ones((1, 2)), [0], classes=[0, 2, label])
    assert learner.to_dict() == before
    with pytest.raises(InputError, match=message):
        online.Perceptron(classes=[0, label])


@pytest.mark.parametrize("w", [-1, math.nan, math.inf, None, "2", 1e300])
def test_bad_weights_are_refused_and_leave_no_trace(w):
    learner = online.Perceptron()
    learner.learn_one({0: 1.0}, True)
    before = learner.to_dict()
    for refused in (
        lambda: learner.learn_one({0: -9.0}, True, w),
        lambda: learner.learn_many(ONE, [True], w),
    ):
        with pytest.raises(InputError, match=r"weight|1D array or scalar"):
            refused()
    assert learner.to_dict() == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": -1}, "at least 0"),
        ({"threshold": math.nan}, "at least 0"),
        ({"threshold": "1"}, "threshold must be a number, got '1'"),
        ({"average": "yes"}, "average must be True or False"),
        ({"fit_intercept": 1}, "fit_intercept must be True or False"),
        ({"classes": 5}, "classes must be labels"),
        ({"classes": "ab"}, "classes must be labels, such as .'no', 'yes'., got 'ab'"),
        ({"classes": b"ab"}, "classes must be labels"),
        ({"classes": {"a": 1, "b": 2}}, "classes must be labels"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        online.Perceptron(**parameters)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.learn_many([{"a": 1}], [True, False]), r"equally long, got lengths \[1, 2\]"),
        (lambda m: m.learn_many([{"a": 1}], [True], [1, 2]), "equally long"),
        (lambda m: m.learn_many({"a": 1}, [True]), "For a single example there are learn_one"),
        (lambda m: m.learn_many(None, [True]), "iterable of examples; got NoneType"),
        (lambda m: m.predict_many(3), "iterable of examples; got int"),
        (lambda m: m.predict_many({"a": 1}), "For a single example"),
        (lambda m: m.learn_many(TWICE, [True]), "'a' is there twice"),
        (lambda m: m.predict_many(TWICE), "'a' is there twice"),
        (lambda m: m.predict_many(pd.DataFrame({"a": [1.0, None]})), "NaN at row 1, column 0"),
        (lambda m: m.predict_proba_one({"a": math.nan}), "Leave it out"),
        (lambda m: m.predict_proba_one({"a": "red"}), "OneHotEncoder"),
        (lambda m: online.Perceptron.from_dict({"known": None}), "classes, drift, .* missing"),
    ],
)
def test_misuse_is_told_and_leaves_no_trace(call, message):
    learner = online.Perceptron()
    learner.learn_one({"a": 1.0}, True)
    before = learner.to_dict()
    with pytest.raises(InputError, match=message):
        call(learner)
    assert learner.to_dict() == before


def test_bad_batches_are_refused():
    learner = online.Perceptron()
    with pytest.raises(InputError, match="same number of rows"):
        learner.learn_many(np.zeros((3, 2)), [0, 1])
    with pytest.raises(InputError, match=r"NaN at row 1, column 0 \(0\)"):
        learner.learn_many(np.array([[0.0], [math.nan]]), [0, 1])
    with pytest.raises(InputError, match="two different labels"):
        online.Perceptron(classes=[1, 1])
    with pytest.raises(InputError, match="not all 0"):
        next(learner.protocol([], comparator=[0.0, 0.0]))
    with pytest.raises(InputError, match="a third has appeared"):
        list(learner.protocol([([1.0], k) for k in range(3)], comparator=[1.0, 0.0]))
    with pytest.raises(InputError, match="remember"):
        next(learner.clone().protocol([], remember=0))


# --- river -------------------------------------------------------------------------------------


def test_it_is_a_classifier_in_river():
    pytest.importorskip("river")
    from river import datasets, evaluate, linear_model, metrics, preprocessing

    def accuracy(model):
        stream = datasets.Phishing()
        return evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()

    scaled = accuracy(preprocessing.StandardScaler() | online.Perceptron())
    assert scaled == pytest.approx(
        accuracy(preprocessing.StandardScaler() | linear_model.Perceptron()), abs=0.02
    )
    assert accuracy(online.Perceptron(average=True)) > 0.85
    stream = datasets.ImageSegments().take(500)
    macro = evaluate.progressive_val_score(stream, online.Perceptron(), metrics.MacroF1())
    assert macro.get() > 0.35  # of seven classes


def test_masked_entries_are_not_read_under_their_masks():
    X, known = np.ma.masked_array([[0.0, 1.0], [1.0, 9.0]], mask=[[0, 0], [0, 1]]), [False, True]
    weights = np.ma.masked_array([1.0, 1.0], mask=[0, 1])
    labels = np.ma.masked_array([0, 1], mask=[0, 1])
    for ask in (
        lambda learner: learner.learn_one(X[1], True),
        lambda learner: learner.predict_one(X[1]),
        lambda learner: learner.predict_proba_one(X[1]),
        lambda learner: learner.learn_many(X.data, known, weights),
        lambda learner: learner.learn_many(X, known),
        lambda learner: learner.learn_many(list(X), known),
        lambda learner: learner.learn_many(list(X.data), known, weights),
        lambda learner: learner.learn_many(X.data, labels),
        lambda learner: learner.learn_many(list(X.data), labels),
        lambda learner: learner.learn_one(X.data[1], labels[1]),
        lambda learner: learner.partial_fit(X.data, known, sample_weight=weights),
        lambda learner: list(learner.protocol(zip(X, known, strict=True))),
        lambda learner: list(
            learner.protocol(zip(X.data, known, strict=True), comparator=np.ma.append(X[1], 0.0))
        ),
    ):
        with pytest.raises(InputError, match="1 masked entry"):
            ask(online.Perceptron())


class Tensor:
    """A label as PyTorch has it: an array without dimensions that is found by identity."""

    ndim = 0

    def __init__(self, value):
        self.value = np.array(value)

    def __dlpack__(self, **how):
        return self.value.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()


@pytest.mark.parametrize("label", [Tensor, array_api_strict.asarray, np.array, np.int64])
def test_a_label_in_an_array_is_its_value(label):
    X, y = [[1.0, 2.0], [3.0, -1.0], [1.0, 1.0], [2.0, -2.0]], [0, 1, 0, 1]
    plain, wrapped, many = (online.Perceptron() for _ in range(3))
    for x, own in zip(X, y, strict=True):
        plain.learn_one(x, own)
        wrapped.learn_one(x, label(own))
    many.learn_many(X, list(map(label, y)))
    assert wrapped.classes == many.classes == [0, 1]
    assert wrapped.to_dict() == many.to_dict() == plain.to_dict()
    game = list(online.Perceptron().protocol((x, label(own)) for x, own in zip(X, y, strict=True)))
    assert [r.label for r in game] == y
    known = online.Perceptron(classes=map(label, (0, 1))).partial_fit(X, y, classes=[label(2)])
    assert known.classes == [0, 1, 2]


def test_the_positive_of_two_classes_is_named():
    learner = online.Perceptron(classes=["fail", "pass"])
    assert "2 classes ('pass' positive), 0 features" in repr(learner)
    learner.learn_one([1.0], "honours")
    assert "3 classes, 1 feature," in repr(learner)
    with pytest.raises(InputError, match="classes must be labels"):
        online.Perceptron().partial_fit([[1.0]], ["a"], classes="ab")
