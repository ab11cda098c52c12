"""`KernelPerceptron` as plain values and back. Brings numba along, so import this late.

The compiled loops trust their indices, so every one that is read is checked here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.data.model_file.linear import classes_of
from rosenblatt.data.model_file.runs import history_of, run_of, run_values
from rosenblatt.data.model_file.values import NUMBERS, Fields, require
from rosenblatt.engine.kernels import Dual, Kernel
from rosenblatt.engine.loop import mean_weights
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.fit.kernel_settings import check_parameters
from rosenblatt.fit.support_vectors import SupportVectors
from rosenblatt.places.parts import parts_of

COUNTS = ("mistakes_", "updates_", "n_iter_", "looks_", "kernel_values_")


def kernel_values(model: Any) -> dict[str, Any]:
    """A fitted estimator as plain values."""
    if callable(model.kernel):
        raise InputError("kernel is a function, which a model file cannot hold; use joblib")
    return {
        "classes_": model.classes_,
        "width": model.n_features_in_,
        "kernel": dict(model._kernel.params),
        "parts": [
            _part_values(model, kept, run, mean)
            for kept, run, mean in zip(model._kept, model.runs_, model._means, strict=True)
        ],
        "dual_coef_": model.dual_coef_,
        "intercept_": model.intercept_,
        "stop_": model.stop_,
        "history_": model.history_,
        "radius_": model.radius_,
        "margin_": model.margin_,
        "mistake_bound_": model.mistake_bound_,
        **{name: getattr(model, name) for name in COUNTS},
    }


def _part_values(model: Any, kept: SupportVectors, run: Run, mean: bool) -> dict[str, Any]:
    """What a run left behind for the next to go on from."""
    return {
        "run": run_values(run),
        "mean": bool(mean),
        "average": kept.average,
        "late": kept.state.pending,
        "coefficients": kept.state.dual,
        # A Gram matrix is not needed again.
        "X": None if model.kernel == "precomputed" else kept.X,
        "codes": kept.codes,
        "steps": kept.dual.steps,
        "places": kept.places,
        "seen": kept.seen,
        "dual": {name: getattr(kept.dual, name) for name in ("scores", "log", "queue", "share")},
        "ledger": kept.dual.ledger,
        "ends": kept.dual.ends,
    }


def restore_kernel(model: Any, values: Any) -> None:
    """Give an estimator what it had learned, once all of it is checked."""
    check_parameters(model)
    require(not callable(model.kernel), "a kernel must be a name")
    fields = Fields(values, "the model")
    model.classes_ = classes_of(fields)
    model.n_features_in_ = fields.count("width")
    params = fields.take("kernel", dict)
    require(all(isinstance(name, str) for name in params), "bad parameters of the kernel")
    model._kernel = Kernel(model.kernel, params)
    # Files before multiclass="ovr" hold the one run among the values of the model.
    found = fields.take("parts", list) if "parts" in fields.values else [fields.values]
    wanted = parts_of(len(model.classes_), model.multiclass)
    require(len(found) == len(wanted), f"{len(found)} runs, but {len(wanted)} are needed")
    parts = [
        _part(model, Fields(own, "a run"), 2 if part else len(model.classes_))
        for own, part in zip(found, wanted, strict=True)
    ]
    model._kept, model.runs_, model._means = map(tuple, zip(*parts, strict=True))
    model._choose()
    vectors, support = model.dual_coef_.shape
    model.dual_coef_ = fields.array("dual_coef_", "f", vectors, support)
    model.intercept_ = fields.array("intercept_", "f", vectors)
    finite = np.isfinite(model.dual_coef_).all() and np.isfinite(model.intercept_).all()
    model.stop_ = fields.take("stop_", Stop)
    require(finite or model.stop_ is Stop.OVERFLOW, "a coefficient is not a finite number")
    model.history_ = history_of(fields, "history_")
    model.radius_, model.mistake_bound_ = (
        float(fields.take(name, *NUMBERS)) for name in ("radius_", "mistake_bound_")
    )
    model.margin_ = fields.take("margin_", Bracket)
    for name in COUNTS:
        setattr(model, name, fields.count(name))


def _part(model: Any, fields: Fields, classes: int) -> tuple[SupportVectors, Run, bool]:
    """One run, and what it goes on from."""
    vectors = classes if classes > 2 else 1
    places = fields.array("places", "i", None)
    kept = _kept(model, fields, classes, vectors, len(places))
    run = run_of(fields.take("run", dict), (vectors, len(places)))
    state = _state(fields, run.state, len(places))
    if "average" in fields.values:
        average = fields.array("average", "f", *state.weights.shape)
        mean = fields.take("mean", bool)
    else:  # older files leave the mean to the state, and the choice to the coefficients
        average, mean = mean_weights(state), not run.clean and model.budget is None
        if model.solution == "auto":
            chosen = fields.array("dual_coef_", "f", *state.weights.shape)
            mean = not np.array_equal(chosen, state.weights)
    run = replace(run, state=state, weights=state.weights, average=average)
    return kept._replace(state=state, average=average), run, mean


def _state(fields: Fields, state: Any, support: int) -> Any:
    classes = len(state.weights) if len(state.weights) > 1 else 0
    return state._replace(
        dual=fields.array("coefficients", "f", support),
        pending=fields.array("late", "f", support),
        buffer=np.zeros(classes),
    )


def _kept(model: Any, fields: Fields, classes: int, vectors: int, support: int) -> SupportVectors:
    """The support vectors and all that speaks of them."""
    places, codes = fields.array("places", "i", None), fields.array("codes", "i", support)
    seen = fields.count("seen")
    require(((places >= 0) & (places < max(1, seen))).all(), "a support vector is out of range")
    require(((codes >= 0) & (codes < classes)).all(), "a class is out of range")
    require((np.diff(places) > 0).all(), "support vectors must be sorted and different")
    X = None
    if model.kernel == "precomputed":
        require((places < model.n_features_in_).all(), "a support vector is out of range")
    else:
        X = _rows(fields, support, model.n_features_in_)
    dual = _dual(model, fields, codes, vectors)
    return SupportVectors(X, codes, places, None, dual, seen, None)  # type: ignore[arg-type]


def _rows(fields: Fields, n: int, d: int) -> Any:
    X = fields.take("X", np.ndarray, sparse.csr_array)
    require(X.dtype in (np.float64, np.float32) and X.shape == (n, d), "bad support vectors")
    numbers = X.data if sparse.issparse(X) else X
    require(np.isfinite(numbers).all(), "a support vector is not finite")
    return X


def _dual(model: Any, fields: Fields, codes: np.ndarray, vectors: int) -> Dual:
    parts = Fields(fields.take("dual", dict), "the dual form")
    support, entries = len(codes), 0 if model.budget is None else int(model.budget) + 1
    log, queue = parts.array("log", "i", None, 3), parts.array("queue", "i", entries, 2)
    ends = fields.array("ends", "i", 3)
    used, oldest, filled = map(int, ends)
    require(0 <= used <= len(log) and 0 <= oldest < max(1, entries), "the dual form is not sound")
    require(0 <= filled <= entries, "the dual form is not sound")
    require(not (model.solution == "vote" and used == 0), "there is nobody to vote")
    # Unused places hold row numbers of earlier steps: they are checked as well.
    for table in (log, queue):
        points, rivals = table[:, 0], table[:, 1]
        within = ((points >= 0) & (points < max(1, support))).all()
        lowest, highest = (-1, 0) if vectors == 1 else (0, vectors)
        rival = ((lowest <= rivals) & (rivals < max(1, highest))).all()
        require(within and rival, "the dual form speaks of rows or classes that are not there")
    require(support > 0 or used == filled == 0, "the dual form is not sound")
    times = np.append(log[:used, 2], fields.take("run", dict)["clock"])
    require((np.diff(times) >= 0).all() and (times >= 0).all(), "the log runs backwards")
    steps = np.ones(support)
    if "steps" in fields.values:  # older files know of none
        steps = fields.array("steps", "f", support)
        require(((steps > 0) & np.isfinite(steps)).all(), "a step is not a positive number")
    return Dual(
        scores=parts.array("scores", "f", vectors, support),
        codes=codes,
        steps=steps,
        log=log,
        queue=queue,
        share=parts.array("share", "f", entries),
        ledger=fields.array("ledger", "f", 2),
        ends=ends,
    )
