"""Linear classifiers as plain values and back: a `Fitted`, and estimators of other kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.data.lossless import is_sparse
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
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import CertificateError, ModelFileError
from rosenblatt.fit.conclusion import Conclusion
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.parameters import check_kinds
from rosenblatt.fit.settings import KEPT, Settings, check_choices
from rosenblatt.places.parts import parts_of
from rosenblatt.proof.certificate import Certificate, require_proof
from rosenblatt.proof.certificate.fields import as_weights, plain

# What a fitted model has besides weights and classes, and what it must be.
COUNTS: dict[str, Any] = {"n_iter_": int, "stop_": Stop}
PARTS = (np.ndarray, tuple, list)
OF_FITTED: dict[str, Any] = (
    COUNTS
    | dict.fromkeys(("mistakes_", "updates_", "looks_"), int)
    | dict.fromkeys(("radius_", "mistake_bound_"), NUMBERS)
    | {"margin_": Bracket, "verdict_": Verdict, "history_": tuple, "_validated": bool}
    | {"certificate_": (Certificate, type(None)), "certificates_": tuple}
)
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "PassiveAggressive": COUNTS | dict.fromkeys(("updates_", "looks_", "t_"), int),
    "MaxMargin": {"n_iter_": int, "gap_": NUMBERS, "bracket_": (Bracket, list)}
    | dict.fromkeys(("margin_", "slab_width_"), (*NUMBERS, np.ndarray))
    | dict.fromkeys(("support_", "dual_coef_"), PARTS),
    "BatchPerceptron": COUNTS | {"history_": PARTS},
}


def fitted_values(fitted: Fitted) -> dict[str, Any]:
    """What was fitted as plain values."""
    run = fitted.run
    known = {
        "n_iter_": run.passes,
        "stop_": run.stop,
        **{f"{name}_": getattr(run, name) for name in ("mistakes", "updates", "looks")},
        "radius_": fitted.radius,
        "mistake_bound_": fitted.mistake_bound,
        "margin_": fitted.margin,
        "verdict_": fitted.verdict,
        "history_": run.history,
        "_validated": fitted.validated,
        "certificate_": fitted.certificate,
        "certificates_": fitted.certificates,
    }
    return {
        **_weights_values(fitted.coef, fitted.intercept, fitted.classes),
        **known,
        "runs": [run_values(run) for run in fitted.runs],
        "kept": [kept_values(kept) for kept in fitted.kept],
        "accounts": [accounts_of_rule(rule) for rule in fitted.rules],
    }


def estimator_values(model: Any) -> dict[str, Any]:
    """A fitted estimator of another kind as plain values."""
    kind = type(model).__name__
    coef, intercept = model._planes()
    values = _weights_values(coef, intercept, model.classes_)
    values |= {name: getattr(model, name) for name in ATTRIBUTES[kind]}
    if kind == "MaxMargin":
        values["_n_rows"] = model._n_rows
        if getattr(model, "_exact", None) is not None:
            values["_exact"] = plain(model._exact)
    if hasattr(model, "runs_"):
        values["runs"] = [run_values(run) for run in model.runs_]
    return values


def _weights_values(coef: Any, intercept: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    thin = is_sparse(coef)
    return {
        "coef_": coef.toarray() if thin else coef,
        "sparse": thin,
        "intercept_": intercept,
        "classes_": classes,
    }


def fitted_of(settings: Settings, values: Any) -> Fitted:
    """What `fitted_values` wrote, once all of it is checked."""
    fields = Fields(values, "the model")
    check_choices(settings)
    coef, intercept, classes = _weights_of(fields, settings.multiclass)
    known = {name: fields.take(name, *_kinds(kind)) for name, kind in OF_FITTED.items()}
    history_of(fields, "history_")
    runs = _runs_of(fields, parts_of(len(classes), settings.multiclass), coef.shape)
    kept, accounts = fields.take("kept", list), fields.take("accounts", list)
    proofs = known["certificates_"]
    require(len(kept) == len(accounts) == len(proofs) == len(runs), "a run lacks a part")
    require(all(p is None or isinstance(p, Certificate) for p in proofs), "bad certificates")
    _check_verdict(known["verdict_"], known["certificate_"], proofs, coef.shape[1])
    shapes = [run.state.weights.shape for run in runs]
    tracked = tuple(kept_of(k, shape) for k, shape in zip(kept, shapes, strict=True))
    solution = settings.solution
    asked = {solution} & set(KEPT)
    require(all(asked <= set(k) for k in tracked), f"the {solution} is missing")
    voted = solution == "vote"
    require(not voted or all(len(k["vote"]) for k in tracked), "there is nobody to vote")
    return Fitted(
        settings=settings,
        classes=classes,
        coef=_as_kept(coef, fields),
        intercept=intercept,
        runs=runs,
        kept=tracked,
        rules=tuple(rule_of(a, settings, r) for a, r in zip(accounts, runs, strict=True)),
        certificates=proofs,
        margin=known["margin_"],
        mistake_bound=known["mistake_bound_"],
        verdict=known["verdict_"],
        certificate=known["certificate_"],
        radius=known["radius_"],
        validated=known["_validated"],
    )


def _check_verdict(verdict: Verdict, whole: Any, proofs: Sequence[Any], d: int) -> None:
    """Refuse a verdict without its certificate, and certificates about other features."""
    try:
        require_proof(verdict, whole, [Conclusion() if p is None else p for p in proofs])
    except CertificateError as error:
        raise ModelFileError(str(error)) from None
    for proof in (whole, *proofs):
        fits = getattr(proof, "features", d) == d
        require(fits, f"a certificate is not about {d} features")


def restore_estimator(model: Any, values: Any) -> None:
    """Give an estimator of another kind what it had learned, once all of it is checked."""
    fields = Fields(values, "the model")
    kind = type(model).__name__
    check_kinds(model)
    coef, intercept, classes = _weights_of(fields, getattr(model, "multiclass", "ovr"))
    model.classes_, model.intercept_ = classes, intercept
    model.coef_ = _as_kept(coef, fields)
    model.n_features_in_ = coef.shape[1]
    for name, wanted in ATTRIBUTES[kind].items():
        setattr(model, name, fields.take(name, *_kinds(wanted)))
    if kind == "MaxMargin" and "_n_rows" in fields.values:  # older files do not hold it
        model._n_rows = fields.count("_n_rows")
    if kind == "MaxMargin":
        model._exact = _exact_of(fields, (coef.shape[0], coef.shape[1] + 1))
    if kind == "PassiveAggressive":
        parts = parts_of(len(classes), model.multiclass)
        model.runs_ = _runs_of(fields, parts, coef.shape)


def _exact_of(fields: Fields, shape: tuple[int, int]) -> np.ndarray | None:
    """Exact weights, as a certificate has them; None if floats are exact enough to separate."""
    if "_exact" not in fields.values:
        return None
    try:
        weights = as_weights(fields.take("_exact", list))
    except CertificateError as error:
        raise ModelFileError(str(error)) from None
    require(weights.shape == shape, f"_exact has shape {weights.shape}")
    return weights


def _as_kept(coef: np.ndarray, fields: Fields) -> Any:
    """The weights, in a sparse matrix if they were."""
    if not fields.take("sparse", bool):
        return coef
    from scipy.sparse import csr_matrix

    return csr_matrix(coef)


def _kinds(wanted: Any) -> tuple[Any, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def _weights_of(fields: Fields, multiclass: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The weights, biases and classes, which fit together."""
    coef, intercept = fields.array("coef_", "f", None, None), fields.array("intercept_", "f", None)
    classes = classes_of(fields)
    _check_shapes(coef, intercept, len(classes), multiclass)
    overflow = fields.values.get("stop_") is Stop.OVERFLOW
    finite = np.isfinite(coef).all() and np.isfinite(intercept).all()
    require(finite or overflow, "a weight is not a finite number")
    return coef, intercept, classes


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


def _runs_of(fields: Fields, parts: list[Any], shape: Any) -> tuple[Run, ...]:
    """The runs; one that has no part is of all classes at once."""
    runs, (rows, d) = fields.take("runs", list), shape
    require(len(runs) == len(parts), f"{len(runs)} runs, but {len(parts)} are needed")
    shapes = [(rows, d + 1) if part is None else (d + 1,) for part in parts]
    return tuple(run_of(run, shape) for run, shape in zip(runs, shapes, strict=True))
