"""A fit that says Separated has its proof, and predicts its rows as it separated them."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs

import rosenblatt as rb
from expected import OUT_OF_PASSES, SHORT_OF_RTOL, WITHOUT_NAMES
from rosenblatt import Perceptron, Stop, Verdict

pytestmark = WITHOUT_NAMES

ULP = 2.0**-52
NEAR = ([[1.0], [1 - ULP / 2]], [1, 0])
SIX = (
    [[3 + 2 * ULP], [3.0], [3 + 2 * ULP], [3 + 4 * ULP], [3.0], [3 + 2 * ULP]],
    [1, 0, 1, 1, 0, 1],
)
FORMS = {
    "dense": np.asarray,
    "columns": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}
SPARSE = (sparse.csr_array, sparse.csc_array)


@st.composite
def nearly_coincident(draw, classes=(2, 3)):
    """Rows within four units in the last place of each other, and labels along a direction."""
    kind = draw(st.sampled_from([np.float64, np.float32]))
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, 7))
    centres = st.sampled_from([1.0, 3.0, -0.1, 1 / 3, 1e5, -7.7, 1e-3])
    centre = np.array(draw(st.lists(centres, min_size=d, max_size=d)), dtype=kind)
    cells = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    ulps = np.array(draw(st.lists(cells, min_size=n, max_size=n)))
    X = (centre + ulps * np.spacing(np.abs(centre))).astype(kind)
    direction = np.array(draw(st.lists(st.integers(-2, 2), min_size=d, max_size=d)))
    ranks = np.argsort(np.argsort(ulps @ direction, kind="stable"), kind="stable")
    y = ranks * draw(st.sampled_from(classes)) // n
    return X, (y if len(set(y.tolist())) > 1 else np.arange(n) % 2)


OPTIONS = st.sampled_from(
    [
        *({}, {"certify": True}, {"certify": False}, {"order": "cyclic"}, {"threshold": 1.0}),
        *({"solution": "last"}, {"solution": "pocket"}, {"fit_intercept": False}),
        *({"multiclass": "ovr"}, {"multiclass": "ovo"}, {"certify": False, "order": "cyclic"}),
        *({"margin": 0.5}, {"margin": 0.9, "certify": True}, {"margin": 0.5, "certify": False}),
    ]
)


def fitted(options, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Perceptron(**{"max_iter": 100, **options}).fit(X, y, **more)


def check(clf, X, y):
    """What Separated, and the verdict, promise of the training rows."""
    assert (clf.stop_ is not Stop.SEPARATED) or clf.verdict_ is Verdict.SEPARABLE
    if clf.verdict_ is not Verdict.SEPARABLE:
        return
    if clf.stop_ is Stop.SEPARATED_OVERFIT:
        clf = clf.with_solution("separator")
    np.testing.assert_array_equal(clf.predict(X), y)
    np.testing.assert_array_equal(clf.predict(sparse.csr_array(X)), y)
    if clf.certificate_ is not None:
        assert clf.certificate_.verify(X, y)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@given(data=nearly_coincident(), options=OPTIONS)
def test_at_gaps_of_ulps(form, data, options):
    X, y = data
    if form in SPARSE and {"margin", "multiclass"} & options.keys():
        X = X.astype(np.float64)  # sparse float32 rows are those of the other options
    clf = fitted(options, form(X), y)
    check(clf, X, y)
    if options == {}:
        assert clf.verdict_ is rb.decide(X, y).verdict is not Verdict.UNDECIDED


@given(data=nearly_coincident(classes=(2,)), options=OPTIONS, seed=st.integers(0, 99))
def test_rows_of_weight_0_are_not_meant(data, options, seed):
    X, y = data
    weights = np.random.default_rng(seed).integers(0, 2, size=len(y)).astype(float)
    if len(set(y[weights > 0])) < 2:
        return
    clf = fitted(options, X, y, sample_weight=weights)
    check(clf, X, y)
    if clf.stop_ is Stop.SEPARATED_IN_PLAY:
        assert clf.verdict_ is Verdict.UNDECIDED
        in_play = weights > 0
        np.testing.assert_array_equal(clf.predict(X[in_play]), y[in_play])


@pytest.mark.parametrize("multiclass", ["native", "ovr", "ovo"])
@pytest.mark.parametrize("certify", ["auto", True, False])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_sentence_and_the_verdict_speak_of_the_same_rows(classes, certify, multiclass):
    """Held out, or of weight 0 (in one case all but one class), some rows are on the wrong side."""
    options, seen = {"multiclass": multiclass, "certify": certify}, set()
    for seed in range(6):
        X, y, *_ = make_blobs(60, centers=classes, cluster_std=2.0, random_state=seed)
        odd, one = np.arange(60) % 2.0, np.where(y == 0, 1.0, 0.0)
        cases = [({"early_stopping": True}, None), ({}, odd), ({}, one)]
        for more, weights in cases:
            clf = fitted({**options, **more, "random_state": seed}, X, y, sample_weight=weights)
            check(clf, X, y)
            seen.add(clf.stop_)
            if clf.stop_ is Stop.SEPARATED_IN_PLAY and weights is not None:
                rows = np.flatnonzero(weights)
                assert clf.score(X[rows], y[rows]) == 1.0
                assert clf.score(X, y) < 1.0
    assert Stop.SEPARATED_IN_PLAY in seen


@OUT_OF_PASSES
@settings(max_examples=settings().max_examples // 3)  # each writes a file and reads it many times
@given(
    data=nearly_coincident(),
    options=st.sampled_from([{}, {"certify": True}, {"certify": False}, {"order": "cyclic"}]),
)
def test_streams_too(data, options):
    X, y = data
    X = X.astype(np.float64)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        names = ",".join(f"x{j}" for j in range(X.shape[1]))
        lines = [
            f"{','.join(map(repr, row))},{label}" for row, label in zip(X.tolist(), y, strict=True)
        ]
        path.write_text("\n".join([f"{names},y", *lines, ""]))
        clf = Perceptron(max_iter=100, **options).fit_stream(path)
        check(clf, X, y)
        if clf.certificate_ is not None:
            assert rb.verify_stream(clf.certificate_, path)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(("X", "y"), [NEAR, SIX], ids=["one ulp", "six rows"])
def test_the_reported_rows(form, X, y):
    clf = Perceptron().fit(form(X), y)
    assert clf.stop_ in (Stop.SEPARATED, Stop.SEPARATED_OVERFIT)
    assert clf.verdict_ is Verdict.SEPARABLE
    check(clf, np.array(X), np.array(y))


# Rows some units in the last place off (0.8, 1.1) and (−1.7, −2.3).
BEYOND = (
    np.array([0.8, 1.1]) + ULP * np.array([[0.5, 0], [0.5, 0], [1, 1], [0.5, 3], [0.5, 1], [0, 2]]),
    [0, 0, 1, 0, 0, 0],
)
OPEN = (
    np.array([-1.7, -2.3]) + ULP * np.array([[2, 4], [3, 2], [3, 4], [1, 0], [0, 6]]),
    [0, 1, 1, 0, 0],
)


@pytest.mark.parametrize(("X", "y"), [BEYOND, OPEN], ids=["beyond", "open"])
@pytest.mark.parametrize("certify", ["auto", True])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_margin_run_that_rounding_ended_takes_the_separator_found(X, y, certify, share):
    clf = fitted({"margin": share, "certify": certify}, X, y)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.certificate_.verify(X, y)
    np.testing.assert_array_equal(clf.predict(X), y)


# Of products with the least of all doubles, 0.6 is rounded up and −0.4 to 0, in whatever order they
# are summed: by floats the first row's score is positive, exactly it is negative.
LEAST = 5e-324
UNDERFLOW = np.array([[LEAST, LEAST, LEAST], [-1.0, 0.0, 0.0]]), np.array([1, 0]), [0.6, -0.4, -0.4]


@pytest.mark.parametrize(
    "options",
    [{"certify": False, "order": "cyclic"}, {"certify": False}, {"penalty": "l2", "alpha": 0.0}],
)
def test_a_run_that_rounding_ended_says_so(options):
    X, y, weights = UNDERFLOW
    clf = Perceptron(fit_intercept=False, **options).fit(X, y, coef_init=weights)
    assert (clf.stop_, clf.verdict_) == (Stop.ROUNDING, Verdict.UNDECIDED)
    assert "certify=True" in str(clf.stop_)


def test_it_is_decided_where_a_proof_is_wanted():
    X, y, weights = UNDERFLOW
    clf = Perceptron(fit_intercept=False).fit(X, y, coef_init=weights)
    assert (clf.stop_, clf.verdict_) == (Stop.SEPARATED, Verdict.SEPARABLE)
    check(clf, X, y)


def test_a_point_on_the_boundary_is_not_separated_whatever_ties_say():
    clf = Perceptron(ties="positive", fit_intercept=False).fit([[0.0], [-1.0]], [1, 0])
    assert (clf.stop_, clf.verdict_) == (Stop.ROUNDING, Verdict.UNDECIDED)
    assert "on the boundary" in str(clf.stop_)
    with pytest.raises(rb.InputError, match="on the boundary"):
        clf.with_solution("separator")


def test_a_threshold_that_no_finite_weights_reach_is_no_error():
    X = np.array([[1e150, 1e-300], [1e150, 1e-300], [1e150, 1e-300]])
    X += np.array([[-3, 3], [4, 0], [4, 2]]) * np.spacing(X)
    clf = Perceptron(threshold=1.0).fit(X, [0, 1, 0])
    assert np.isfinite(clf.coef_).all()
    check(clf, X, np.array([0, 1, 0]))


@pytest.mark.parametrize("seed", range(8))
def test_rows_held_out_leave_no_doubt_about_those_learned_from(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 20))
    y = (X @ rng.normal(size=20) + rng.normal(size=40) * 0.5 > 0) ^ (rng.random(40) < 0.1)
    clf = rb.Perceptron(early_stopping=True, random_state=0).fit(X, y)
    assert clf.stop_ in (
        Stop.VALIDATION_ERROR,
        Stop.SEPARATED,
        Stop.SEPARATED_IN_PLAY,
        Stop.SEPARATED_OVERFIT,
    )
    assert (clf.stop_ is Stop.SEPARATED) <= (clf.score(X, y) == 1.0)


@SHORT_OF_RTOL
@pytest.mark.parametrize("seed", range(12))
def test_columns_of_any_scale_leave_no_doubt_about_rows_in_play(seed):
    rng = np.random.default_rng(seed)
    n, d = 20, 3
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-12, 12, size=d)
    y = (X @ (rng.normal(size=d) / np.abs(X).max(axis=0)) > 0).astype(int)
    weights = (np.arange(n) % 3 > 0).astype(float)
    clf = fitted({}, X, np.where(weights > 0, y, 1 - y), sample_weight=weights)
    assert clf.stop_ is Stop.SEPARATED_IN_PLAY
    in_play = weights > 0
    np.testing.assert_array_equal(clf.predict(X[in_play]), y[in_play])
    assert 0 < clf.margin_.lower <= rb.margin(X[in_play], y[in_play]).upper


def test_the_advice_beside_rows_of_weight_0_gives_an_exact_answer():
    """Of rows an ulp apart no float score is sure, and the rows of weight 0 are inseparable."""
    X, y = np.array([*NEAR[0], *NEAR[0]]), np.array([*NEAR[1], *NEAR[1][::-1]])
    weights = np.array([1.0, 1.0, 0.0, 0.0])
    clf = Perceptron(certify=True).fit(X, y, sample_weight=weights)
    assert clf.stop_ is Stop.ROUNDING
    assert "leave out rows of weight 0" in str(clf.stop_)
    count = weights > 0
    alone = Perceptron(certify=True).fit(X[count], y[count])
    assert alone.verdict_ is Verdict.SEPARABLE
    assert alone.certificate_.verify(X[count], y[count])
    assert alone.with_solution("separator").score(X[count], y[count]) == 1
    assert rb.decide(X[count], y[count]).verdict is Verdict.SEPARABLE


def test_a_kernel_says_what_was_held_out_or_had_no_weight():
    X, y = np.random.default_rng(0).normal(size=(8, 2)), [0, 1] * 4
    clf = rb.KernelPerceptron(early_stopping=True, validation_fraction=0.5).fit(X, y)
    assert (clf.stop_, clf.runs_[0].stop) == (Stop.SEPARATED_IN_PLAY,) * 2
    assert clf.score(X, y) < 1
    X, y, weights = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0], [1, 1, 1, 0]
    for how in ({}, {"solution": "average"}, {"solution": "vote"}):
        clf = rb.KernelPerceptron(**how).fit(X, y, sample_weight=weights)
        assert clf.stop_ is Stop.SEPARATED_IN_PLAY
        assert clf.margin_.lower > 0
    clf = rb.KernelPerceptron().fit(X, y, sample_weight=[1, 1, 1, 1])
    assert clf.stop_ is Stop.SEPARATED


def test_a_kernel_says_of_each_class_what_was_in_play():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 0])
    clf = rb.KernelPerceptron(multiclass="ovr").fit(X, y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert clf.stop_ is Stop.SEPARATED_IN_PLAY
    assert Stop.SEPARATED in {run.stop for run in clf.runs_}


def test_a_kernel_whose_rounding_differs_in_predictions_says_so():
    """Far from 0, the distances of a Gaussian kernel are rounded more than they differ."""
    Z = np.random.default_rng(0).normal(size=(80, 2))
    cases = [
        (Z + 1e7, (np.hypot(*Z.T) > 1).astype(int)),
        (np.array([[7.1], [7.1], [7.1], *[[7.1]] * 3]), np.array([1, 0, 0, 1, 1, 1])),
    ]
    cases[1][0][[0, 3, 4, 5]] += 4 * ULP
    cases[1][0][1] -= 4 * ULP
    for X, y in cases:
        clf = rb.KernelPerceptron().fit(X, y)
        assert clf.stop_ is Stop.ROUNDING
        assert clf.score(X, y) < 1
        assert (clf.margin_.lower, clf.mistake_bound_) == (0, np.inf)


@pytest.mark.parametrize("model", [rb.PassiveAggressive(tol=None), rb.BatchPerceptron()])
@pytest.mark.parametrize("classes", [2, 3])
def test_other_estimators_say_what_was_in_play(model, classes):
    X, y = np.array([[-1.0, -1], [2, 0.5], [0.3, 3], [9, 9]]), np.array([0, 1, classes - 1, 0])
    clf = model.fit(X, y, sample_weight=[1, 1, 1, 0])
    assert clf.stop_ is Stop.SEPARATED_IN_PLAY
    assert clf.score(X, y) == 0.75
    clf = model.fit(X[:3], y[:3])
    assert clf.stop_ is Stop.SEPARATED


def test_passive_aggressive_steps_that_underflow_separate_nothing():
    X, y = [[1e-200], [2e-200], [-1e-200]], [1, 1, 0]
    clf = rb.PassiveAggressive().fit(X, y)
    assert clf.stop_ is Stop.ROUNDING
    assert clf.score(X, y) < 1


@pytest.mark.parametrize("sparse_rows", [False, True])
def test_rows_of_0_that_no_passive_aggressive_step_can_mend_are_not_called_right(sparse_rows):
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), [0, 0, 1, 1]
    clf = rb.PassiveAggressive().fit(sparse.csr_array(X) if sparse_rows else X, y)
    assert clf.stop_ is Stop.SETTLED
    assert clf.score(X, y) == 0.5


@pytest.mark.parametrize("kind", [Perceptron, rb.PassiveAggressive, rb.KernelPerceptron])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_a_batch_says_nothing_of_the_rows_of_others(kind, multiclass):
    X = np.random.default_rng(0).normal(size=(90, 2))
    y = np.arange(90) % 3
    model = kind(multiclass=multiclass).partial_fit(X, y, classes=[0, 1, 2])
    assert model.stop_ is Stop.BATCH
    for _ in range(30):  # until it has this row right
        model.partial_fit(X[:1], y[:1])
    assert model.stop_ is Stop.BATCH
    assert model.score(X, y) < 1
    if isinstance(model, Perceptron):
        with pytest.raises(rb.InputError, match="One pass over a batch"):
            model.with_solution("separator")


def test_passive_aggressive_is_separated_where_every_class_is():
    X, y = [[3, 1], [1, 2], [-2, -1], [-2, -3], [0, 1], [3, -2]], [0, 0, 1, 1, 2, 2]
    clf = rb.PassiveAggressive(n_iter_no_change=2).fit(X, y)
    longest = max(clf.runs_, key=lambda run: run.passes)
    assert (longest.stop, clf.stop_) == (Stop.SEPARATED, Stop.TRAINING_ERROR)


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_a_validated_penalised_fit_that_is_separated_has_its_rows_right(penalty):
    seen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rng.integers(10, 60), rng.integers(1, 5)))
        y = X.sum(axis=1) > 0.3
        if min(y.sum(), (~y).sum()) < 3:
            continue
        clf = rb.Perceptron(penalty=penalty, early_stopping=True).fit(X, y)
        if clf.stop_ is rb.Stop.SEPARATED:
            seen += 1
            assert clf.score(X, y) == 1
    assert seen > 10


@pytest.mark.parametrize("how", [{}, {"early_stopping": True}, {"multiclass": "ovr"}])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_that_are_mostly_0_without_a_bias_make_finite_weights(form, how):
    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 1)) < 0.3).astype(float), rng.integers(2, size=60)
    clf = rb.Perceptron(fit_intercept=False, **how).fit(form(X), y)
    assert np.isfinite(clf.coef_).all()
    np.testing.assert_array_equal(clf.intercept_, 0)


@pytest.mark.parametrize("power", [-1000, -1040, -1060])
def test_no_threshold_makes_weights_of_tiny_rows_infinite(power):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 2.0, -1.0] > 0
    X = np.ldexp(X, power)
    clf = Perceptron(threshold=1e100, fit_intercept=False).fit(X, y)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert np.isfinite(clf.coef_).all()
    assert clf.certificate_.verify(X, y)
