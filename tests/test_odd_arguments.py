"""Every parameter of every public function: an odd value works, or is refused by name."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cost, datasets, generalisation, margins, online, readers, risk
from rosenblatt.errors import RosenblattError

X = [[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.0], [3.0, 1.0]]
Y = [0, 0, 1, 1]
SIGNS = [-1, -1, 1, 1]
W = [1.0, 0.0, 0.0]
ODD = ["a", 1.5, -1, 0, float("nan"), float("inf"), 10**30, 3 + 1j, None, True, b"x", [1], (), {}]
ODD += [{"a": 1}, object(), np.zeros(2), [None], [["x"]], np.datetime64("2020-01-01")]
ODD += [10**400, [10**400]]


class Call(NamedTuple):
    """A call that works; its parameters are then made odd one by one.

    ``free`` are those that may be anything, or whose refusals name what they hold.
    """

    function: Any
    arguments: dict[str, Any]
    free: tuple[str, ...] = ()


# Refusals of values, as opposed to kinds, that name what an estimator calls the parameter.
ALSO = {
    "passes": ["max_iter"],
    "patience": ["n_iter_no_change"],
    "alphas": ["alpha must"],
    "epsilons": ["epsilon must"],
    "init": ["weights of 0"],
    "y": ["there are no rows", "label"],
    "X": ["there are no rows", "feature"],
    **{name: ["column"] for name in ("columns", "ignore", "text", "delimiter")},
    **{name: ["a: ", "no file"] for name in ("path", "source", "reader")},
    "name": ["data set"],
    "classes": ["label"],
    "zero_based": ["svmlight"],
    "width": ["svmlight"],
}
MODEL = rb.Perceptron()
PROOF = rb.certificate.Separation.of(np.array(X), np.array(Y), W)
DATA = {"X": X, "y": Y}
SIGNED = {"X": X, "y": SIGNS}
CALLS = {
    "decide": Call(rb.decide, DATA),
    "pairs": Call(rb.pairs, DATA),
    "margin": Call(rb.margin, DATA),
    "separation_kind": Call(rb.separation_kind, DATA),
    "fewest_errors": Call(rb.fewest_errors, DATA),
    "sparsity_path": Call(rb.sparsity_path, {**DATA, "max_iter": 2}),
    "trace": Call(rb.trace, {**DATA, "max_passes": 3}),
    "Budget": Call(rb.Budget, {}),
    "risk.criterion": Call(risk.criterion, {**SIGNED, "weights": W}),
    "risk.gradient": Call(risk.gradient, {**SIGNED, "weights": W}),
    "risk.line_search": Call(risk.line_search, {**SIGNED, "weights": W, "direction": W}),
    "risk.descend": Call(risk.descend, {**SIGNED, "max_iter": 3}),
    "risk.study": Call(risk.study, {**SIGNED, "epsilons": [1.0]}),
    "risk.step_bound": Call(
        risk.step_bound, {"n": 4, "radius": 2.0, "margin": 0.5, "start": 1.0, "epsilon": 1.0}
    ),
    "point_margins": Call(margins.point_margins, {**SIGNED, "weights": W}),
    "set_margin": Call(margins.set_margin, {**SIGNED, "weights": W}),
    "signed_rows": Call(margins.signed_rows, SIGNED),
    "radius": Call(margins.radius, {"X": X}),
    "mistake_bound": Call(margins.mistake_bound, {"radius": 2.0, "margin": 0.5}),
    "mistake_bound_for": Call(margins.mistake_bound_for, {**SIGNED, "weights": W}),
    "hinge_bound": Call(margins.hinge_bound, {**SIGNED, "weights": W, "rho": 1.0}),
    "freund_schapire_bound": Call(
        margins.freund_schapire_bound, {**SIGNED, "weights": W, "gamma": 0.5}
    ),
    "held_out": Call(generalisation.held_out, {"errors": 1, "n": 10}),
    "online_to_batch": Call(generalisation.online_to_batch, {"n": 10, "mistakes": 1}),
    "sample_compression": Call(generalisation.sample_compression, {"n": 10, "kept": 2}),
    "uniform": Call(generalisation.uniform, {"n": 10, "d": 2}),
    "tail_inversion": Call(
        generalisation.tail_inversion, {"errors": 1, "n": 10, "log_delta": -3.0}
    ),
    "datasets.gaussian": Call(datasets.gaussian, {"n": 10, "d": 2, "margin": 0.1}),
    "datasets.flipped": Call(datasets.flipped, {"n": 10, "d": 2, "margin": 0.1}),
    "datasets.separable": Call(datasets.separable, {"n": 10, "d": 2, "margin": 0.1}),
    "datasets.mixture": Call(datasets.mixture, {"n": 10}),
    "datasets.touching": Call(datasets.touching, {"n": 10, "d": 2}),
    "datasets.load": Call(datasets.load, {"name": "iris"}),
    "datasets.with_product": Call(datasets.with_product, {"X": X}),
    "dot_cost": Call(cost.dot_cost, {"d": 3}),
    "norm_cost": Call(cost.norm_cost, {"d": 3}),
    "matvec_cost": Call(cost.matvec_cost, {"n": 3, "d": 3}),
    "matmul_cost": Call(cost.matmul_cost, {"n": 3, "d": 3, "m": 3}),
    "frobenius_cost": Call(cost.frobenius_cost, {"n": 3, "d": 3}),
    "search_cost": Call(cost.search_cost, {"n": 3}),
    "binary_search_cost": Call(cost.binary_search_cost, {"n": 3}),
    "look_cost": Call(cost.look_cost, {"d": 3}),
    "update_cost": Call(cost.update_cost, {"d": 3}),
    "pass_cost": Call(cost.pass_cost, {"n": 3, "d": 3}),
    "learning_cost": Call(cost.learning_cost, {"looks": 3, "read": 9}),
    "growth_exponent": Call(cost.growth_exponent, {"sizes": [1, 2, 4], "costs": [1, 4, 16]}),
    "growth_class": Call(cost.growth_class, {"sizes": [1, 2, 4], "costs": [1, 4, 16]}),
    "fingerprint": Call(rb.certificate.fingerprint, DATA),
    "online.Perceptron": Call(online.Perceptron, {"classes": [0, 1]}),
    "Perceptron.fit": Call(rb.Perceptron().fit, DATA),
    "Perceptron.partial_fit": Call(rb.Perceptron().partial_fit, {**DATA, "classes": [0, 1]}),
    "predict": Call(MODEL.predict, {"X": X}),
    "decision_function": Call(MODEL.decision_function, {"X": X}),
    "with_solution": Call(MODEL.with_solution, {"solution": "last"}),
    "narrow_margin": Call(MODEL.narrow_margin, DATA),
    "KernelPerceptron.fit": Call(rb.KernelPerceptron(max_iter=5).fit, DATA),
    "MaxMargin.fit": Call(rb.MaxMargin().fit, DATA),
    "BatchPerceptron.fit": Call(rb.BatchPerceptron(max_iter=5).fit, DATA),
    "PassiveAggressive.fit": Call(rb.PassiveAggressive(max_iter=5).fit, DATA),
    "load": Call(rb.load, {"path": "model.safetensors"}),
    "load_columns": Call(rb.load_columns, {"path": "model.safetensors"}),
    "save": Call(rb.save, {"model": MODEL, "path": "other.safetensors"}),
    "open_reader": Call(readers.open_reader, {"source": "rows.csv"}),
    "decide_stream": Call(rb.decide_stream, {"reader": "rows.csv"}),
    "verify_stream": Call(rb.verify_stream, {"certificate": PROOF, "reader": "rows.csv"}),
}
FUNCTIONS = {
    *(name for name, home in rb._HOME.items() if inspect.isfunction(getattr(rb, name)) and home),
}
PARAMETERS = [
    (name, parameter)
    for name, call in CALLS.items()
    for parameter, about in inspect.signature(call.function).parameters.items()
    if about.kind is not about.VAR_KEYWORD and parameter not in call.free
]


@pytest.fixture(scope="module", autouse=True)
def _fitted():
    MODEL.fit(X, Y)


def test_every_public_function_is_called_here():
    assert set(CALLS) >= FUNCTIONS


def refusal(function, arguments):
    """The error that the call ends in, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(**arguments)
        except Exception as error:
            return error
    return None


def mentions(message, parameter):
    """Whether a message says which parameter it is about."""
    said = {*ALSO.get(parameter, ()), parameter, parameter.replace("_", " ")}
    return any(word.lower() in message.lower() for word in said)


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_odd_values_work_or_are_refused_by_name(name, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("x,y\n1,1\n-1,0\n")
    rb.save(MODEL, "model.safetensors")
    call = CALLS[name]
    for value in ODD:
        error = refusal(call.function, {**call.arguments, parameter: value})
        if isinstance(error, RosenblattError):
            assert mentions(str(error), parameter), (value, str(error))
        elif error is not None:
            # Of X scikit-learn's estimators say what scikit-learn says.
            assert parameter == "X", (value, error)
            assert isinstance(error, ValueError), (value, error)
