"""Parameters of every estimator: a wrong one is refused by name, with what was expected."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from expected import OUT_OF_PASSES
from rosenblatt.engine import rules
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.randomness import check_random_state
from rosenblatt.errors import InputError, NotSeparableError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.fit.parameters import PARAMETERS

ESTIMATORS = (Perceptron, PassiveAggressive, MaxMargin, BatchPerceptron, KernelPerceptron)
PAIRS = [(kind, name) for kind in ESTIMATORS for name in kind().get_params()]
X = np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.0], [3.0, 1.0], [2.5, 0.5], [-3.0, 0.0]])
Y = np.array([0, 0, 1, 1, 1, 0])
ODD = ["a", "", 1.5, -1, 0, -0.5, float("nan"), float("inf"), 10**30, 3 + 1j, None, True, b"x"]
ODD += [[1], (), {}, {"a": 1}, object(), np.zeros(2), np.float32(2.5), np.int8(3), len]


def refusal(kind, name, value):
    """The error that a fit with that value ends in, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        options = {} if name == "max_iter" or kind is MaxMargin else {"max_iter": 20}
        try:
            kind(**options, **{name: value}).fit(X, Y)
        except NotSeparableError:
            return None
        except ValueError as error:
            return error
    return None


def test_every_parameter_has_a_kind():
    assert {name for _, name in PAIRS} == set(PARAMETERS)


@pytest.mark.parametrize(("kind", "name"), PAIRS, ids=lambda part: getattr(part, "__name__", part))
def test_odd_values_work_or_are_refused_by_name(kind, name):
    odd = ODD if name != "kernel" else ODD[:-1]  # any function may be a kernel
    refused = {repr(value): refusal(kind, name, value) for value in odd}
    errors = {value: error for value, error in refused.items() if error is not None}
    assert len(errors) >= 5
    for value, error in errors.items():
        assert isinstance(error, InputError), value
        assert name in str(error) or name == "init", (value, str(error))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eta0": "a"}, "eta0 must be a number, got 'a' (a str)."),
        ({"tol": "a"}, "tol must be a number of at least 0, 'auto' or None, got 'a' (a str)."),
        (
            {"max_iter": 1.5},
            "max_iter must be a whole number below 2⁶³, got 1.5 (a float).",
        ),
        (
            {"order": 3},
            "order must be a name (a string) or a sequence of row numbers, got 3 (an int).",
        ),
        ({"keep": 5}, "keep must be a tuple of names, got 5 (an int)."),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no' (a str)."),
        (
            {"n_jobs": "all"},
            "n_jobs must be a whole number other than 0 or None, got 'all' (a str).",
        ),
    ],
)
def test_messages(parameters, message):
    for learn in (
        lambda clf: clf.fit(X, Y),
        lambda clf: clf.partial_fit(X, Y, classes=[0, 1]),
    ):
        with pytest.raises(InputError) as error:
            learn(Perceptron(**parameters))
        assert str(error.value) == message


def test_a_loss_has_no_tolerance_but_a_number():
    with pytest.raises(InputError, match="tol must be a number of at least 0 or None, got 'auto'"):
        PassiveAggressive(tol="auto").fit(X, Y)


@pytest.mark.parametrize(
    ("name", "expected", "values"),
    [
        ("validation_fraction", "a number between 0 and 1", [0, 1, 2, -0.5, np.nan, np.inf]),
        ("tol", "a number of at least 0", [-1, -1e-300, -np.inf, np.nan]),
        ("weight_tol", "a number of at least 0", [-1, -np.inf, np.nan]),
        ("coef0", "a finite number", [np.inf, -np.inf, np.nan]),
    ],
)
def test_what_a_fit_need_not_use_is_checked_all_the_same(name, expected, values):
    for kind in (kind for kind, has in PAIRS if has == name):
        for value in values:
            assert f"{name} must be {expected}" in str(refusal(kind, name, value)), (kind, value)
            assert f"got {value!r} (" in str(refusal(kind, name, value))


@pytest.mark.parametrize("seed", [0, 7, np.int64(12), 2**32 - 1])
def test_a_seed_draws_what_a_random_state_draws(seed):
    np.testing.assert_array_equal(
        check_random_state(seed).randint(2**31, size=1000),
        np.random.RandomState(seed).randint(2**31, size=1000),
    )


def test_a_second_fit_forgets_the_names_of_the_first():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 3.0]})
    clf = Perceptron().fit(frame, [0, 1])
    clf.fit(np.eye(3), [0, 0, 1])
    assert clf.n_features_in_ == 3
    assert not hasattr(clf, "feature_names_in_")
    with pytest.raises(ValueError, match="3 features"):
        clf.partial_fit(np.eye(2), [0, 1])


@OUT_OF_PASSES
def test_what_was_right_once_does_not_excuse_its_equal():
    Perceptron(max_iter=1, certify=False).fit(X, Y)
    with pytest.raises(InputError, match="max_iter"):
        Perceptron(max_iter=True, certify=False).fit(X, Y)
    with pytest.raises(InputError, match="max_iter"):
        Perceptron(max_iter=1.0, certify=False).fit(X, Y)


@pytest.mark.parametrize("order", ["active", "cyclic"])
def test_numpys_whole_numbers_need_no_machine_code_of_their_own(order):
    how = {"order": order, "certify": False}
    Perceptron(max_iter=5, max_updates=9, **how).fit(X, Y)
    kernel = dispatcher(rules.cycle)
    before = kernel.versions
    Perceptron(max_iter=np.int8(5), max_updates=np.int16(9), **how).fit(X, Y)
    assert kernel.versions == before


@pytest.mark.parametrize("most", [np.int8(127), np.uint8(200)])
def test_numpys_whole_numbers_do_not_overflow(most):
    """A kernel's passes are multiplied by rows."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    with warnings.catch_warnings(action="error"):
        clf = KernelPerceptron(max_iter=most, max_updates=np.int8(100)).fit(rows, labels)
    plain = KernelPerceptron(max_iter=int(most), max_updates=100).fit(rows, labels)
    np.testing.assert_array_equal(clf.decision_function(rows), plain.decision_function(rows))
