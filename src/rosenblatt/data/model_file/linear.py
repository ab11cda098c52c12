"""The estimators with weights, as plain values and back. Imports ``runs`` and the estimators."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.data.model_file.runs import (
    accounts_of_rule,
    history_of,
    kept_of,
    kept_values,
    rule_of,
    run_of,
    run_values,
)
from rosenblatt.data.model_file.values import NUMBERS, Fields, require
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.fit.conclusion import exact_weights
from rosenblatt.fit.one_vs import together
from rosenblatt.fit.parameters import check_kinds
from rosenblatt.fit.problem import parts_of
from rosenblatt.fit.settings import KEPT, check_choices
from rosenblatt.proof.certificate import Certificate

# What a fitted model has besides weights and classes, and what it must be.
COUNTS: dict[str, Any] = {"n_iter_": int, "stop_": Stop}
PARTS = (np.ndarray, tuple, list)
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Perceptron": COUNTS
    | dict.fromkeys(("mistakes_", "updates_", "looks_"), int)
    | dict.fromkeys(("radius_", "mistake_bound_"), NUMBERS)
    | {"margin_": Bracket, "verdict_": Verdict, "history_": tuple, "_validated": bool}
    | {"certificate_": (Certificate, type(None)), "certificates_": tuple},
    "PassiveAggressive": COUNTS | dict.fromkeys(("updates_", "looks_", "t_"), int),
    "MaxMargin": {"n_iter_": int, "gap_": NUMBERS, "bracket_": (Bracket, list)}
    | dict.fromkeys(("margin_", "slab_width_"), (*NUMBERS, np.ndarray))
    | dict.fromkeys(("support_", "dual_coef_"), PARTS),
    "BatchPerceptron": COUNTS | {"history_": PARTS},
}


def linear_values(model: Any) -> dict[str, Any]:
    """A fitted estimator as plain values."""
    kind = type(model).__name__
    is_sparse = sparse.issparse(model.coef_)
    values: dict[str, Any] = {
        "coef_": model.coef_.toarray() if is_sparse else model.coef_,
        "sparse": is_sparse,
        "intercept_": model.intercept_,
        "classes_": model.classes_,
    }
    values |= {name: getattr(model, name) for name in ATTRIBUTES[kind]}
    if kind == "MaxMargin":
        values["_n_rows"] = model._n_rows
    if hasattr(model, "runs_"):
        values["runs"] = [run_values(run) for run in model.runs_]
    if kind == "Perceptron":
        values["kept"] = [kept_values(kept) for kept in model.kept_]
        values["accounts"] = [accounts_of_rule(rule) for rule in model._rules]
    return values


def restore_linear(model: Any, values: Any) -> None:
    """Give an estimator what it had learned, once all of it is checked."""
    fields = Fields(values, "the model")
    kind = type(model).__name__
    if kind == "Perceptron":
        check_choices(model)
    check_kinds(model)
    coef, intercept = fields.array("coef_", "f", None, None), fields.array("intercept_", "f", None)
    model.classes_ = classes_of(fields)
    multiclass = getattr(model, "multiclass", "ovr")
    _check_shapes(coef, intercept, len(model.classes_), multiclass)
    overflow = fields.values.get("stop_") is Stop.OVERFLOW
    finite = np.isfinite(coef).all() and np.isfinite(intercept).all()
    require(finite or overflow, "a weight is not a finite number")
    is_sparse = fields.take("sparse", bool)
    model.coef_, model.intercept_ = sparse.csr_matrix(coef) if is_sparse else coef, intercept
    model.n_features_in_ = coef.shape[1]
    for name, wanted in ATTRIBUTES[kind].items():
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        setattr(model, name, fields.take(name, *kinds))
    if kind == "MaxMargin" and "_n_rows" in fields.values:  # older files do not hold it
        model._n_rows = fields.count("_n_rows")
    if kind == "Perceptron":
        history_of(fields, "history_")
        _restore_runs(model, fields, parts_of(len(model.classes_), multiclass))
        _restore_kept(model, fields)
    elif kind == "PassiveAggressive":
        _restore_runs(model, fields, parts_of(len(model.classes_), multiclass))


def classes_of(fields: Fields) -> np.ndarray:
    """The labels, which are sorted and different."""
    classes = fields.take("classes_", np.ndarray)
    require(classes.ndim == 1 and len(classes) >= 2, "expected at least two classes")
    labels = classes.tolist()
    require(all(a < b for a, b in pairwise(labels)), "classes must be sorted and different")
    return classes


def _check_shapes(coef: np.ndarray, intercept: np.ndarray, k: int, multiclass: Any) -> None:
    require(coef.shape[1] > 0, f"weights have shape {coef.shape}")
    pairs = k * (k - 1) // 2 if multiclass == "ovo" else k
    require(len(coef) == (1 if k == 2 else pairs), f"{len(coef)} weight vectors for {k} classes")
    require(len(intercept) == len(coef), "expected one bias for each weight vector")


def _restore_runs(model: Any, fields: Fields, parts: list[Any]) -> None:
    """The runs; one that has no part is of all classes at once."""
    runs, (rows, d) = fields.take("runs", list), model.coef_.shape
    require(len(runs) == len(parts), f"{len(runs)} runs, but {len(parts)} are needed")
    shapes = [(rows, d + 1) if part is None else (d + 1,) for part in parts]
    model.runs_ = tuple(run_of(run, shape) for run, shape in zip(runs, shapes, strict=True))


def _restore_kept(model: Any, fields: Fields) -> None:
    kept, accounts = fields.take("kept", list), fields.take("accounts", list)
    many = len(model.runs_)
    require(len(kept) == len(accounts) == len(model.certificates_) == many, "a run lacks a part")
    proofs = (*model.certificates_, model.certificate_)
    require(all(p is None or isinstance(p, Certificate) for p in proofs), "bad certificates")
    shapes = [run.state.weights.shape for run in model.runs_]
    model.kept_ = tuple(kept_of(k, shape) for k, shape in zip(kept, shapes, strict=True))
    asked = {model.solution} & set(KEPT)
    require(all(asked <= set(k) for k in model.kept_), f"the {model.solution} is missing")
    model._rules = tuple(rule_of(a, model, r) for a, r in zip(accounts, model.runs_, strict=True))
    model.run_ = together(model.runs_)
    model._pairs = model.multiclass == "ovo" and len(model.classes_) > 2
    model._exact = exact_weights(
        model.certificates_, np.asarray(fields.values["coef_"]), model.intercept_, model.radius_
    )
    voted = model.solution == "vote"
    require(not voted or all(len(k["vote"]) for k in model.kept_), "there is nobody to vote")
    model._voters = tuple(k["vote"] for k in model.kept_) if voted else None
