"""The classifier of data that no hyperplane separates: in any order of the rows, the same."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from expected import OUT_OF_PASSES
from rosenblatt import Perceptron, Stop, Verdict, decide, load, save
from rosenblatt.engine.column_sums import add_up, sums
from rosenblatt.engine.orders import by_content
from rosenblatt.engine.points import make_points
from rosenblatt.engine.scaling import ScaledColumns, scale_of
from rosenblatt.engine.sweep import zero_state
from rosenblatt.fit import choose

pytestmark = OUT_OF_PASSES


def noisy(n=400, d=6, classes=2, seed=0):
    return make_classification(
        n, d, n_informative=d - 1, n_redundant=0, n_classes=classes, flip_y=0.2, random_state=seed
    )


def orders(X, y):
    """The rows as they come, backwards, by label, by a feature, and by a model's margin."""
    margin = Perceptron(solution="average", order="shuffled", max_iter=5).fit(X, y)
    scores = margin.decision_function(X)
    if scores.ndim > 1:
        scores = scores[np.arange(len(y)), np.searchsorted(margin.classes_, y)]
    else:
        scores = scores * np.where(y == margin.classes_[1], 1, -1)
    backwards = np.arange(len(y))[::-1]
    return [backwards, np.argsort(y), np.argsort(X[:, 0]), np.argsort(scores), np.argsort(-scores)]


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("multiclass", ["native", "ovr", "ovo"])
def test_the_default_is_the_same_in_whatever_order_the_rows_come(classes, multiclass):
    X, y = noisy(classes=classes)
    as_they_come = Perceptron(multiclass=multiclass).fit(X, y)
    assert as_they_come.verdict_ is Verdict.INSEPARABLE
    for order in orders(X, y):
        clf = Perceptron(multiclass=multiclass).fit(X[order], y[order])
        # The mean itself is summed in the order of the rows, and rounded so.
        np.testing.assert_allclose(clf.coef_, as_they_come.coef_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(clf.intercept_, as_they_come.intercept_, rtol=1e-8, atol=1e-10)


def test_rows_by_margin_worst_first_predict_as_well_as_any():
    X, y = noisy(3000, 10, seed=1)
    there, X_test, labels, y_test = train_test_split(X, y, random_state=0)
    plain = Perceptron(order="shuffled", solution="average", certify=False, max_iter=10)
    wanted = plain.fit(there, labels).score(X_test, y_test)
    for order in orders(there, labels):
        score = Perceptron().fit(there[order], labels[order]).score(X_test, y_test)
        assert score > wanted - 0.01


def test_columns_of_very_different_size_count_alike():
    X, y = noisy(1000, 6)
    units = np.array([1.0, 1e-6, 1e6, 1.0, 1e3, 1e-3])
    wanted = Perceptron().fit(X, y).score(X, y)
    assert Perceptron().fit(X * units, y).score(X * units, y) > wanted - 0.02


def test_dense_and_sparse_rows_of_whole_numbers_learn_the_same():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 8)) * (rng.random((300, 8)) < 0.4) * np.array([1, 64] * 4)
    y = rng.integers(2, size=300)
    dense, csr = (Perceptron().fit(rows, y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.coef_, csr.coef_)
    np.testing.assert_array_equal(dense.intercept_, csr.intercept_)


@pytest.mark.parametrize("classes", [2, 3])
def test_dense_and_sparse_rows_that_passes_separate_differ_in_the_last_digit_at_most(classes):
    """Of whole numbers passes are equal to the bit; their mean, which predicts, has fractions."""
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(40, 3)) * 20)
        y = np.argmax(X @ rng.normal(size=(3, classes)), axis=1)
        dense, csr = (Perceptron().fit(rows, y) for rows in (X, sparse.csr_array(X)))
        assert [row[:3] for row in dense.history_] == [row[:3] for row in csr.history_]
        if dense.history_[-1].mistakes:
            continue  # a search found the separator
        compared += dense.run_.averaged > 0
        np.testing.assert_array_equal(dense.run_.weights, csr.run_.weights)
        near = 1e-14 * np.abs(dense.coef_).max()
        np.testing.assert_allclose(dense.coef_, csr.coef_, rtol=0, atol=near)
        np.testing.assert_allclose(dense.intercept_, csr.intercept_, rtol=0, atol=20 * near)
    assert compared > 3


@pytest.mark.parametrize(
    "textbook",
    [
        {"order": "cyclic"},
        {"solution": "last"},
        {"solution": "average", "order": "shuffled"},
        {"solution": "average", "certify": False},
        {"certify": False},
    ],
)
def test_textbook_runs_stay_the_textbooks(textbook):
    X, y = noisy(100, 3)
    clf = Perceptron(max_iter=7, **textbook).fit(X, y)
    assert clf.run_.averaged == 0
    assert clf.run_.best is None


@pytest.mark.parametrize("classes", [2, 3])
def test_the_average_is_that_of_shuffled_passes_although_a_search_separates(classes):
    kinds = {"n_classes": classes, "n_clusters_per_class": 1}
    X, y = make_classification(900, 60, n_informative=20, flip_y=0.05, random_state=2, **kinds)
    train, test = slice(300), slice(300, 900)
    order = np.random.default_rng(0).permutation(300)
    clf = Perceptron(solution="average").fit(X[train], y[train])
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.stop_ is Stop.SEPARATED  # of the last weights
    assert clf.mistakes_ <= clf.mistake_bound_
    assert clf.run_.averaged == 10
    assert clf.with_solution("last").score(X[train], y[train]) == 1.0
    assert clf.certificate_.verify(X[train], y[train])
    separator = Perceptron(solution="last").fit(X[train], y[train])
    assert clf.score(X[test], y[test]) > separator.score(X[test], y[test]) + 0.03
    again = clone(clf).fit(X[train][order], y[train][order])
    np.testing.assert_allclose(again.coef_, clf.coef_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
@pytest.mark.parametrize("solution", ["average", "last"])
def test_a_row_that_changes_nothing_leaves_the_average_as_it_was(load, solution):
    X, y = load(return_X_y=True)
    clf = Perceptron(solution=solution, warm_start=True).fit(X, y)
    mean = clf.with_solution("average")
    right = np.flatnonzero(clf.with_solution("last").predict(X) == y)[:1]
    coef, score = mean.coef_.copy(), mean.score(X, y)
    updates = clf.updates_
    clf.partial_fit(X[right], y[right])
    assert clf.updates_ == updates
    again = clf.with_solution("average")
    # One look more among thousands.
    np.testing.assert_allclose(again.coef_, coef, atol=0.01 * np.abs(coef).max())
    assert abs(again.score(X, y) - score) < 0.01
    assert clf.fit(X, y).with_solution("average").score(X, y) > score - 0.05


def test_the_average_is_that_of_shuffled_passes_with_validation_too():
    X, y = load_wine(return_X_y=True)
    clf = Perceptron(solution="average", early_stopping=True).fit(X, y)
    assert clf.run_.averaged > 0
    assert clf.score(X, y) > 0.9
    clf = Perceptron(solution="average", multiclass="ovr").fit(X, y)
    assert clf.run_.averaged == max(run.averaged for run in clf.runs_) == 10


def test_the_average_of_overlapping_classes_is_that_of_the_default():
    X, y = noisy(400, 5)
    clf = Perceptron(solution="average").fit(X, y)
    np.testing.assert_array_equal(clf.coef_, Perceptron().fit(X, y).with_solution("average").coef_)
    assert (clf.verdict_, clf.run_.averaged) == (Verdict.INSEPARABLE, 10)


def test_a_budget_bounds_the_mean_too():
    X, y = noisy(100, 3)
    clf = Perceptron(max_iter=2).fit(X, y)
    assert clf.run_.averaged <= 2
    clf = Perceptron(max_updates=5).fit(X, y)
    assert clf.updates_ <= 10


def test_a_second_interrupt_ends_the_mean_as_well(monkeypatch):
    from rosenblatt.places import memory

    def pressed(*given, **how):
        raise KeyboardInterrupt

    X, y = noisy(500, 5)
    monkeypatch.setattr(memory.Memory, "scaled", pressed)
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.INTERRUPTED
    assert np.isfinite(clf.coef_).all()


def test_validation_rows_choose_where_there_are_any():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(n_iter_no_change=2)
    clf.fit(X[:1200], y[:1200] == 8, eval_set=(X[1200:], y[1200:] == 8))
    last = clf.with_solution("last").score(X[1200:], y[1200:] == 8)
    assert clf.score(X[1200:], y[1200:] == 8) >= last


def test_goes_on_after_a_proof_and_after_saving(tmp_path):
    X, y = noisy(300, 4)
    clf = Perceptron().fit(X, y)
    save(clf, tmp_path / "model.safetensors")
    back = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(back.with_solution("auto").coef_, clf.coef_)
    assert back.run_.averaged == clf.run_.averaged
    found = clf.run_.best
    for model in (clf, back):
        model.partial_fit(X, y)
        np.testing.assert_array_equal(model.run_.best, found)
        assert model.run_.recent.rows == 300
    np.testing.assert_array_equal(back.coef_, clf.coef_)
    np.testing.assert_array_equal(
        back.with_solution("average").coef_, clf.with_solution("average").coef_
    )
    assert clf.score(X, y) > 0.6


def test_rows_held_out_are_predicted_better_near_the_mean():
    """Labels of which some are wrong: a separator has to learn them, and should little else."""
    rng, gains = np.random.default_rng(2), []
    for seed in range(8):
        X = rng.normal(size=(600, 60))
        truth = X[:, :20].sum(axis=1) > 0
        y = truth[:200] ^ (rng.random(200) < 0.04)
        clf = Perceptron(random_state=seed).fit(X[:200], y)
        plain = decide(X[:200], y)
        assert clf.verdict_ is Verdict.SEPARABLE
        found = X[200:] @ plain.weights[:-1] + plain.weights[-1] > 0
        gains.append(clf.score(X[200:], truth[200:]) - (found == truth[200:]).mean())
    assert np.mean(gains) > 0.02


def noisy_classes(seed, classes=4):
    """200 rows to learn from and 400 others: some labels of the former are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 60))
    truth = (X[:, :20] @ rng.normal(size=(20, classes))).argmax(axis=1)
    y = truth[:200].copy()
    wrong = rng.random(200) < 0.04
    y[wrong] = rng.integers(classes, size=wrong.sum())
    return X[:200], y, X[200:], truth[200:]


def turned(a, b):
    """The angle between the weights of two classifiers, those of many classes from their mean."""
    a, b = (np.c_[model.coef_, model.intercept_] for model in (a, b))
    if len(a) > 1:
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    a, b = a.ravel(), b.ravel()
    return np.arccos(min(1.0, a @ b / np.linalg.norm(a) / np.linalg.norm(b)))


def test_many_classes_near_the_mean_do_not_depend_on_the_order_of_rows():
    X, y, new, _ = noisy_classes(1)
    rng, first = np.random.default_rng(0), Perceptron().fit(X, y)
    for _ in range(4):
        order = rng.permutation(len(y))
        again = Perceptron().fit(X[order], y[order])
        assert turned(first, again) < 0.02
        assert np.mean(first.predict(new) == again.predict(new)) > 0.99


def some_digits(classes, rows, seed=0):
    """Small images, standardised, that passes separate; and others."""
    X, y = load_digits(return_X_y=True)
    chosen = np.flatnonzero(y < classes)
    order = np.random.default_rng(seed).permutation(chosen)
    X = StandardScaler().fit_transform(X)[order]
    return X[:rows], y[order][:rows], X[rows:], y[order][rows:]


def many_columns():
    """Two classes in more columns than rows, and new rows."""
    X = np.random.default_rng(5).normal(size=(600, 400))
    y = X[:, :20].sum(axis=1) > 0
    return X[:300], y[:300], X[300:], y[300:]


@pytest.mark.parametrize("load", [many_columns, lambda: some_digits(10, rows=700)])
def test_what_passes_separate_is_separated_near_the_mean_in_any_order(load):
    X, y, new, _ = load()
    clf, mean = (Perceptron(solution=which).fit(X, y) for which in ("auto", "average"))
    assert clf.stop_ is Stop.SEPARATED
    assert clf.certificate_.verify(X, y)
    np.testing.assert_array_equal(
        np.squeeze(clf.certificate_.weights), np.squeeze(np.c_[clf.coef_, clf.intercept_])
    )
    assert turned(clf, mean) < 0.2
    for order in (np.argsort(y, kind="stable"), np.argsort(X @ X[0])):
        again = Perceptron().fit(X[order], y[order])
        assert again.score(X, y) == 1
        assert turned(clf, again) < 1e-6
        np.testing.assert_array_equal(clf.predict(new), again.predict(new))


def test_an_interrupt_while_a_mean_is_corrected(monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    X, y, *_ = some_digits(10, rows=700)
    monkeypatch.setattr(choose, "corrected_mean", interrupted)
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.INTERRUPTED
    assert clf.score(X, y) == 1


def test_the_order_of_sparse_rows_of_many_classes_hardly_matters():
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(3_000, 0.05), size=4)
    y = rng.integers(4, size=800)
    X = sparse.csr_matrix([rng.multinomial(60, topics[k]) * 0.1 for k in y])
    X, new = X[:400], X[400:]
    clf = Perceptron().fit(X, y[:400])
    assert clf.stop_ is Stop.SEPARATED
    for order in (np.argsort(y[:400], kind="stable"), rng.permutation(400)):
        again = Perceptron().fit(X[order], y[:400][order])
        assert np.mean(clf.predict(new) == again.predict(new)) > 0.98


def rare_text(n):
    """Short texts, one in ten of a rare class; some of their words tell the classes apart."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(int)
    telling = rng.random((n, 40)) < 0.2
    words = np.where(telling, rng.integers(100, size=(n, 40)) + 50 * y[:, None], 0)
    words = np.where(telling, words, rng.integers(200, 20_000, size=(n, 40)))
    starts = np.arange(0, words.size + 1, 40)
    return sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (n, 20_000)), y


def test_a_rare_class_is_not_crowded_out_by_the_mean():
    X, y = rare_text(1000)
    train, held_out = slice(500), slice(500, 1000)
    clf = Perceptron().fit(X[train], y[train])
    assert clf.run_.averaged > 0
    np.testing.assert_equal(clf.score(X[train], y[train]), 1.0)
    assert clf.certificate_.verify(X[train], y[train])
    of_rare = y[held_out] == 1
    clf = Perceptron(class_weight="balanced").fit(X[train], y[train])
    np.testing.assert_array_less(0.8, np.mean(clf.predict(X[held_out])[of_rare]))
    np.testing.assert_array_less(0.95, clf.score(X[held_out], y[held_out]))


def test_the_order_by_content_knows_rows_labels_and_steps():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 3)).astype(float), rng.choice([-1.0, 1.0], 60)
    steps = rng.integers(1, 3, 60).astype(float)
    order = rng.permutation(60)
    one = by_content(make_points(X, y, steps=steps), np.arange(60))
    other = order[by_content(make_points(X[order], y[order], steps=steps[order]), np.arange(60))]
    for values in (X, y, steps):
        np.testing.assert_array_equal(values[one], values[other])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centre", [True, False])
def test_columns_are_made_alike_and_back(kind, dtype, centre):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)).astype(dtype) * np.array([1e-20, 1e20, 1, 1], dtype=dtype)
    X[:, 2] = rng.random(50) < 0.2
    X[:, 3] += 1000
    scale, rows, _ = ScaledColumns(kind(X), centre).scaled()
    if kind is np.asarray:
        scaled = rows.values
    else:
        scaled = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=X.shape).toarray()
    assert scaled.dtype == dtype
    exponents, centres = scale
    assert centres[2] == 0
    assert centre == (900 < centres[3] < 1100)
    np.testing.assert_allclose(np.ldexp(scaled, exponents) + centres, X, rtol=1e-3, atol=1e-25)
    assert np.all(np.abs(scaled[scaled != 0]).mean() < 4)
    state = zero_state(make_points(X, np.ones(50)))
    state.weights[...] = state.drift[...] = weights = np.array([1e20, 1e-20, 3.0, 4.0, 5.0])
    scale.into(state)
    there = scaled.astype(float) @ state.weights[:-1] + state.weights[-1]
    np.testing.assert_allclose(there, X.astype(float) @ weights[:-1] + 5.0, rtol=1e-3)
    scale.back(state)
    np.testing.assert_allclose(state.weights, weights, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(state.drift, weights, rtol=1e-12, atol=1e-9)


def test_sparse_rows_are_scaled_as_dense_ones_are_whatever_the_order_of_their_entries():
    """They keep the type of their indices: one of twice the size is read and compiled anew."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 6)) < [0.1, 0.3, 0.9, 1.0, 0.7, 0.0], rng.normal(5, 3, (40, 6)), 0)
    X *= [1.0, 1e6, 1.0, 1e-6, 1.0, 1.0]
    rows = sparse.csr_matrix(X)
    for i in range(40):  # from right to left, and the last entry, if any, in two parts
        own = slice(*rows.indptr[i : i + 2])
        rows.indices[own], rows.data[own] = rows.indices[own][::-1].copy(), rows.data[own][::-1]
    data, indices = np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2)
    twice = sparse.csr_matrix((data, indices, 2 * rows.indptr), shape=X.shape)
    for kind in (rows, twice):
        scaled, dense = (ScaledColumns(table, centre=True).scaled() for table in (kind, X))
        assert np.count_nonzero(dense.scale.centres) >= 2
        found = scaled.scale.rows(kind)
        assert found.indices.dtype == kind.indices.dtype
        table = sparse.csr_matrix((found.data, found.indices, found.indptr), shape=X.shape)
        expected = dense.scale.rows(X).values if kind is rows else scaled.scale.rows(X).values
        np.testing.assert_allclose(table.toarray(), expected, rtol=1e-14)


def scaled_by(X):
    """The scale of centred columns by all rows."""
    return scale_of(partial(sums, X), True)


def test_the_scale_of_rows_in_pieces_is_that_of_all():
    X = np.random.default_rng(0).normal(size=(60, 5)) * np.array([1, 10, 100, 1e-3, 1]) + 3
    pieces = np.array_split(X, 4)
    parts = scale_of(lambda centres: add_up(sums(piece, centres) for piece in pieces), True)
    whole = scaled_by(X)
    np.testing.assert_array_equal(whole.exponents, parts.exponents)
    np.testing.assert_array_equal(whole.centres, parts.centres)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rare", [0.5, 0.1, 0.03, 0.001])
def test_a_column_that_is_nearly_always_1_is_treated_like_its_complement(kind, rare):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (5000, 6)).astype(float)
    X[:, 0] = np.arange(5000) >= 5000 * rare
    X[:, 1] = 1 - X[:, 0]
    exponents, _ = scaled_by(kind(X))
    np.testing.assert_array_equal(exponents, exponents[0])


def test_a_column_whose_ordinary_entries_are_large_is_made_smaller_whatever_its_tail():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    X[:, 0] *= 100
    X[:, 1] = np.exp(2 * X[:, 1])
    X[:, 2] /= 100
    scale = scaled_by(X)
    np.testing.assert_array_equal(scale.exponents - scale.exponents[3], [6, 3, -6, 0, 0])


def test_flags_that_are_mostly_set_do_not_drown_the_other_columns():
    # Two in a hundred rows lack a flag that says nothing; a wrong label here and there.
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(1000, 5)), rng.random((1000, 3)) > 0.02])
    y = (X[:, :5].sum(axis=1) > 0) ^ (rng.random(1000) < 0.05)
    plain = Perceptron().fit(X[:, :5], y).score(X[:, :5], y)
    assert Perceptron().fit(X, y).score(X, y) > plain - 0.005


def test_columns_that_are_empty_or_constant_do_no_harm():
    X = np.column_stack([np.zeros(6), np.full(6, 7.0), np.arange(6.0)])
    clf = Perceptron().fit(X, [0, 1, 0, 1, 0, 1])
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert np.isfinite(clf.coef_).all()


def test_columns_of_extreme_size_do_no_harm():
    X = np.array([[1e150, 5e-324], [1e150, 0.0], [-1e150, 5e-324], [1e150, 5e-324]])
    clf = Perceptron(max_iter=50).fit(X, [0, 1, 1, 1])
    assert np.isfinite(clf.coef_).all()


def test_a_batch_without_a_mistake_changes_nothing():
    X, y = noisy(500, 8, classes=4)
    clf = Perceptron().fit(X, y)
    coef, right = clf.coef_.copy(), np.flatnonzero(clf.with_solution("last").predict(X) == y)[:1]
    clf.partial_fit(X[right], y[right])
    np.testing.assert_array_equal(clf.coef_, coef)


def test_rows_of_weight_0_take_no_part_in_the_proof():
    X, y = noisy(300, 5)
    weights = np.ones(300)
    weights[:7] = 0
    clf = Perceptron().fit(X, y, sample_weight=weights)
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert clf.certificate_.verify(X, y)
    assert np.all(clf.certificate_.rows >= 7)
    # All that is noisy has no weight: the others are separated, and the whole is undecided.
    rows, labels = np.array([[-2.0], [-1.0], [1.0], [2.0], [5.0]]), [0, 0, 1, 1, 0]
    clf = Perceptron().fit(rows, labels, sample_weight=[1, 1, 1, 1, 0])
    assert (clf.stop_, clf.verdict_) == (Stop.SEPARATED_IN_PLAY, Verdict.UNDECIDED)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e170, 1e300])
def test_columns_are_scaled_where_their_squares_leave_the_range_of_floats(size):
    X = np.array([[1.0, 5.0, 4.0], [3.0, 1.0, 2.0], [2.0, 3.0, 0.0]]) * [size, 1.0, 1.0]
    exponents, _ = scale = scaled_by(X)
    np.testing.assert_array_equal(exponents[1:], 1)
    away = round(np.log2(np.abs(X[:, 0] - X[:, 0].mean()).mean()))
    np.testing.assert_array_equal(exponents[0], 1 if size == 1.0 else max(-400, min(400, away)))
    assert np.isfinite(scale.rows(X).values).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_a_full_matrix_is_learned_from_alike_however_it_is_stored(classes):
    """Passes that separate are the same; so is what is made of their separator."""
    rng = np.random.default_rng(classes)
    X = np.round(8 * rng.normal(size=(200, 400)))
    y = (X @ rng.normal(size=(400, classes))).argmax(axis=1)
    dense, csr = (Perceptron().fit(rows, y) for rows in (X, sparse.csr_array(X)))
    assert dense.run_.averaged == csr.run_.averaged > 0
    np.testing.assert_allclose(csr.coef_, dense.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("always", [-0.0236, 0.1, 1000 / 3, 0.5])
def test_a_column_that_is_always_the_same_says_nothing_of_rows_where_it_differs(
    noise, classes, always
):
    """Its mean is rounded, so that its differences from it are not 0: they are no size."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 30))
    y = (X @ rng.normal(size=(30, classes))).argmax(axis=1)
    wrong = rng.random(600) < noise
    y[wrong] = rng.integers(classes, size=wrong.sum())
    wide = np.c_[X, np.full(600, always)]
    wide[300:, -1] += rng.normal(size=300)
    for solution in ("auto", "average"):
        clf = Perceptron(solution=solution)
        without = clf.fit(X[:300], y[:300]).score(X[300:], y[300:])
        beside = clf.fit(wide[:300], y[:300]).score(wide[300:], y[300:])
        assert beside > without - 0.06
        assert np.abs(clf.coef_[:, -1]).max() < np.abs(clf.coef_).max()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("rows", [7, 1000])
def test_a_column_that_is_always_the_same_is_not_enlarged(kind, rows):
    X = np.c_[
        np.random.default_rng(0).normal(size=rows), np.full(rows, 0.1), np.full(rows, 1e9 / 3)
    ]
    exponents, _ = scaled_by(kind(X))
    np.testing.assert_array_equal(exponents, exponents[0])
    # One that differs by more than its mean is rounded has a size, and is scaled by it.
    X[::2, 1] += 1e-9
    exponents, _ = scaled_by(kind(X))
    assert exponents[1] < -25


def with_strangers(seed):
    """Labelled rows, three more of weight 0, and new rows."""
    rng = np.random.default_rng(seed)
    n, d, classes = rng.integers(20, 60), rng.integers(2, 8), 2 + seed % 2
    X, weights = rng.normal(size=(n, d)), rng.normal(size=(d, classes))
    y = (X @ weights).argmax(axis=1)
    wrong = rng.random(n) < rng.choice([0, 0.1])
    y[wrong] = rng.integers(classes, size=wrong.sum())
    strangers = 10 * rng.normal(size=(3, d)), rng.choice(y, 3)
    return X, y, strangers, rng.normal(size=(300, d))


NEARLY = {
    "one unit in the last place": lambda rng, n: np.where(rng.random(n) < 0.5, 0.3, 0.3 + 2**-54),
    "one row": lambda rng, n: 1e-9 * (np.arange(n) == 7),
    "a few rows": lambda rng, n: 0.001 * (np.arange(n) < n // 80),
}


@pytest.mark.parametrize(
    ("kind", "overlap"),
    [*((kind, 1.2) for kind in NEARLY), ("one unit in the last place", 0.0), ("one row", 0.0)],
)
@pytest.mark.parametrize("rows", [400, 800])
def test_a_column_that_is_nearly_always_the_same_says_nothing_either(kind, overlap, rows):
    scores, column = [], NEARLY[kind]
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rows + 2000, 10))
        noise = overlap * rng.normal(size=len(X))
        y = X[:, :9] @ rng.normal(size=9) + noise > 0
        X[:rows, 9] = column(rng, rows)
        clf = Perceptron().fit(X[:rows], y[:rows])
        without = Perceptron().fit(X[:rows, :9], y[:rows])
        scores.append([clf.score(X[rows:], y[rows:]), without.score(X[rows:, :9], y[rows:])])
    ours, without = np.mean(scores, axis=0)
    assert ours > without - 0.02


def test_rows_of_weight_0_change_nothing_that_is_predicted():
    """Neither the scale of columns, nor the usual step, nor whether a separator is improved on."""
    same, stops = [], set()
    for seed in range(60):
        X, y, (others, labels), new = with_strangers(seed)
        alone = Perceptron().fit(X, y, sample_weight=np.ones(len(y)))
        weights = np.r_[np.ones(len(y)), np.zeros(3)]
        beside = Perceptron().fit(np.r_[X, others], np.r_[y, labels], sample_weight=weights)
        same.append(np.array_equal(alone.predict(new), beside.predict(new)))
        stops.add(beside.stop_)
        assert beside.updates_ == alone.updates_
    assert np.mean(same) > 0.95  # ties of rounding
    assert {Stop.SEPARATED_IN_PLAY, Stop.INSEPARABLE} <= stops


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("longer", [1e2, 1e4, 1e8])
def test_columns_are_scaled_as_rows_are_that_are_not_very_long(kind, longer):
    X = np.random.default_rng(0).normal(size=(200, 4)) * np.array([1.0, 20.0, 0.05, 1.0])
    with_long = X.copy()
    with_long[:3] *= longer
    there, usual = (ScaledColumns(kind(rows), True).scaled() for rows in (with_long, X[3:]))
    np.testing.assert_array_equal(there.scale.exponents, usual.scale.exponents)
    np.testing.assert_array_equal(there.scale.centres, usual.scale.centres)
    values = there.scale.rows(with_long)[0]
    np.testing.assert_allclose(there.squares, np.sum(values**2, axis=1), rtol=1e-12)


@pytest.mark.parametrize("X", [np.zeros((3, 2)), np.array([[5.0]]), np.array([[0.0], [1.0]])])
def test_rows_of_zeros_have_no_usual_length(X):
    scale, rows, _ = ScaledColumns(X, centre=False).scaled()
    np.testing.assert_array_equal(rows.values, scale.rows(X).values)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_few_long_rows_do_not_decide_what_is_predicted(classes, kind):
    X, y = make_classification(
        2000, 8, n_informative=5, n_redundant=0, n_classes=classes, class_sep=1.5, random_state=1
    )
    train, new = slice(0, 500), slice(500, None)
    usual = Perceptron().fit(kind(X[train]), y[train])
    assert usual.verdict_ is Verdict.INSEPARABLE
    there = X.copy()
    there[:5] *= 1e4
    clf = Perceptron().fit(kind(there[train]), y[train])
    assert clf.score(kind(X[new]), y[new]) > usual.score(kind(X[new]), y[new]) - 0.03


def test_rows_of_very_different_lengths_are_learned_from_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=2000) > 0
    lengths = np.exp(3 * rng.normal(size=(2000, 1)))
    usual = Perceptron().fit(X[:500], y[:500]).score(X[500:], y[500:])
    clf = Perceptron().fit((X * lengths)[:500], y[:500])
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert clf.score((X * lengths)[500:], y[500:]) > usual - 0.08


def random_walks(seed, rows, columns=40):
    """Columns that differ little from their neighbours, and labels by the differences; new rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows + 1000, columns)).cumsum(axis=1)
    z = np.diff(X, axis=1) @ rng.normal(size=columns - 1)
    y = z / z.std() + 0.3 * rng.normal(size=len(z)) > 0
    return X[:rows], y[:rows], X[rows:], y[rows:]


@pytest.mark.parametrize("rows", [500, 2000])
def test_correlated_columns_are_learned_from(rows):
    scores = []
    for seed in range(3):
        X, y, new, known = random_walks(seed, rows)
        models = Perceptron(), Perceptron(solution="average"), LinearSVC()
        scores.append([model.fit(X, y).score(new, known) for model in models])
    ours, mean, machine = np.mean(scores, axis=0)
    assert ours > machine - 0.02
    assert ours > mean


@pytest.mark.parametrize("power", [-100, -300, -400])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solution", ["auto", "average"])
def test_tiny_columns_are_learned_from_as_others_are(power, convert, solution):
    """Scaling by a power of two is exact; the squares of such columns are 0 in floats."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0.2) ^ (rng.random(300) < 0.05)
    clf = Perceptron(solution=solution).fit(convert(np.ldexp(X, power)), y)
    usual = Perceptron(solution=solution).fit(convert(X), y)
    assert clf.score(np.ldexp(X, power), y) >= usual.score(X, y) - 0.02
    assert np.isfinite(clf.coef_).all()
    one = np.ldexp(X, [0, power, 0])
    assert Perceptron(solution=solution).fit(one, y).score(one, y) >= usual.score(X, y) - 0.02


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_next_to_nothing_say_nothing_of_sizes(seed):
    """Kernels of points far from every landmark: 1e-30 beside 1."""
    rng = np.random.default_rng(seed)
    rare = np.exp(rng.uniform(-6, -2, size=300))
    X = (rng.random((600, 300)) < rare) / np.sqrt(rare)
    y = rng.random(600) < 0.03
    maps = Nystroem(gamma=0.05, n_components=80, random_state=seed).fit(X[:300])
    clf = Perceptron().fit(maps.transform(X[:300]), y[:300])
    assert clf.score(maps.transform(X[300:]), y[300:]) > 0.93
