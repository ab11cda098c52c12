"""Model files: a fitted linear classifier as one safetensors file, which cannot execute code.

Arrays are tensors; everything else is JSON in the file's metadata, as plain values and a few
tagged ones. What is read is checked before anything is made of it. Imports the estimators.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rosenblatt import __version__
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.margins import Bracket
from rosenblatt.run import Pass
from rosenblatt.solutions import Voters
from rosenblatt.stopping import Stop, Verdict

FORMAT, VERSION = "rosenblatt-model", 1
LARGEST_JSON = 90_000_000  # safetensors refuses headers of 100 MB
LONGEST_LABEL = 10_000
# What Python and numpy raise on values that are not what they should be.
UNSOUND = (
    *(ValueError, TypeError, LookupError, AttributeError, ImportError),
    *(ArithmeticError, RecursionError, MemoryError),
)

KINDS = {k.__name__: k for k in (Perceptron, PassiveAggressive, MaxMargin, BatchPerceptron)}
Number = (int, float, np.number)
# What a fitted model has besides weights and classes, and what it must be.
COUNTS: dict[str, Any] = {"n_iter_": int, "stop_": Stop}
PARTS = (np.ndarray, tuple, list)
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Perceptron": COUNTS
    | dict.fromkeys(("mistakes_", "updates_", "looks_"), int)
    | dict.fromkeys(("radius_", "mistake_bound_"), Number)
    | {"margin_": Bracket, "verdict_": Verdict, "history_": tuple, "_validated": bool}
    | {"certificate_": (Certificate, type(None)), "certificates_": tuple},
    "PassiveAggressive": COUNTS | dict.fromkeys(("updates_", "looks_", "t_"), int),
    "MaxMargin": {"n_iter_": int, "gap_": Number, "bracket_": (Bracket, list)}
    | dict.fromkeys(("margin_", "slab_width_"), (*Number, np.ndarray))
    | dict.fromkeys(("support_", "dual_coef_"), PARTS),
    "BatchPerceptron": COUNTS | {"history_": PARTS},
}


class ModelFileError(InputError):
    """A model file cannot be read: malformed, truncated, hostile, or of an unknown version."""


class Stored(NamedTuple):
    """What a model file holds: the model, how raw columns become its features, who wrote it."""

    model: Any
    columns: dict[str, Any] | None
    library: str


def save(
    model: Any, path: str | os.PathLike[str], *, columns: dict[str, Any] | None = None
) -> None:
    """Write a fitted model to a ``.safetensors`` file; the file is complete or not touched at all.

    Parameters
    ----------
    model : Perceptron, PassiveAggressive, MaxMargin or BatchPerceptron
        Fitted. What predicts and what was found out is kept; what it takes to go on learning
        (``runs_``, ``kept_``, ``path_``) is not: for that, and for other estimators, use joblib.
    path : str or path
    columns : dict, optional
        How raw columns become features, as the command line notes it: plain JSON.

    Examples
    --------
    >>> import tempfile, rosenblatt as rb
    >>> model = rb.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors").predict([[0.2], [2.0]]).tolist()
    ['no', 'yes']
    """
    from safetensors.numpy import save as to_bytes

    kind = type(model).__name__
    if KINDS.get(kind) is not type(model):
        raise InputError(
            f"a model file holds {', '.join(KINDS)}, not a {kind}; pickle or joblib.dump keeps "
            "any estimator (load those only from people you trust)"
        )
    check_is_fitted(model)
    tensors: dict[str, np.ndarray] = {}
    voters = getattr(model, "_voters", None) or ()
    is_sparse = sparse.issparse(model.coef_)
    content = {
        "kind": kind,
        "library": __version__,
        "params": {k: _encoded(v, tensors, k) for k, v in model.get_params(deep=False).items()},
        "attributes": {
            name: _encoded(getattr(model, name), tensors, name) for name in ATTRIBUTES[kind]
        },
        "coef": _encoded(model.coef_.toarray() if is_sparse else model.coef_, tensors, "coef_"),
        "sparse": is_sparse,
        "intercept": _encoded(model.intercept_, tensors, "intercept_"),
        "classes": _encoded(model.classes_, tensors, "classes_"),
        "names": np.asarray(getattr(model, "feature_names_in_", ())).tolist(),
        "voters": [_encoded((v.weights, v.votes, v.dropped), tensors, "vote") for v in voters],
        "columns": columns,
    }
    text = json.dumps(content, allow_nan=False)
    if len(text) > LARGEST_JSON:
        raise InputError("the model's certificate is too large for a model file; use joblib")
    head = {"format": FORMAT, "version": str(VERSION), "model": text}
    write_whole(Path(path), to_bytes(tensors, metadata=head))


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model in a file that `save` wrote.

    Raises
    ------
    ModelFileError
        An `InputError`: the file is not there, or not what `save` writes.

    Examples
    --------
    >>> load("no/such/file.safetensors")
    Traceback (most recent call last):
    rosenblatt.model_file.ModelFileError: no/such/file.safetensors: no such file
    """
    return read(path).model


def read(path: str | os.PathLike[str]) -> Stored:
    """Return all that a model file holds; raises as `load` does."""
    path = Path(path)
    try:
        if not path.is_file():
            raise ModelFileError("is a folder" if path.is_dir() else "no such file")
        return _restored(*_opened(path))
    except (RosenblattError, OSError) as error:
        raise ModelFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def write_whole(target: Path, content: bytes) -> None:
    """Write to a temporary name beside the target, then rename."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _encoded(value: Any, tensors: dict[str, np.ndarray], name: str) -> Any:
    """A value as JSON: plain, or a dict with one tag; arrays of numbers go to the tensors."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (Stop, Verdict)):
        return {type(value).__name__: value.name}
    if isinstance(value, Certificate):
        return {"certificate": value.to_dict()}
    if isinstance(value, (np.ndarray, np.generic)):
        return _encoded_array(np.asarray(value), isinstance(value, np.generic), tensors, name)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple) and value and all(isinstance(v, Pass) for v in value):
        return {"history": _encoded(np.array(value, dtype=np.float64), tensors, name)}
    if isinstance(value, dict):
        pairs = [[_encoded(part, tensors, name) for part in pair] for pair in value.items()]
        return {"dict": pairs}
    if isinstance(value, (list, tuple)):
        tag = "bracket" if isinstance(value, Bracket) else type(value).__name__
        if tag in ("list", "tuple", "bracket"):
            return {tag: [_encoded(part, tensors, name) for part in value]}
    raise InputError(
        f"{name}={value!r} cannot be kept in a model file, which holds only plain values; for "
        "random_state use a whole number, for anything else joblib"
    )


def _encoded_array(value: np.ndarray, scalar: bool, tensors: dict[str, np.ndarray], name: str):
    if value.dtype.kind in "biuf" and value.dtype.isnative and value.dtype.itemsize <= 8:
        key = f"{name}.{len(tensors)}"
        tensors[key] = np.ascontiguousarray(value)
        return {"scalar" if scalar else "tensor": key}
    words = value.ravel().tolist()
    if value.dtype.kind not in "UO" or not all(isinstance(word, str) for word in words):
        raise InputError(f"{name} holds {value.dtype}, which a model file cannot; use joblib")
    dtype = "object" if value.dtype == object else value.dtype.str
    return {"text": words, "dtype": dtype, "scalar": scalar}


def _opened(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The JSON and the tensors of a file, both still to be checked."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            head = file.metadata() or {}
            _require(head.get("format") == FORMAT, "not a rosenblatt model")
            version = head.get("version", "")
            _require(
                version == str(VERSION),
                f"version {version[:20]!r} is unknown; this library reads {VERSION}",
            )
            content = json.loads(head.get("model", ""))
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, *UNSOUND) as e:
        if isinstance(e, ModelFileError):
            raise
        raise ModelFileError(f"not a model file, or damaged ({str(e)[:200]})") from None
    _require(isinstance(content, dict), "expected a JSON object")
    return content, tensors


def _restored(content: dict[str, Any], tensors: dict[str, np.ndarray]) -> Stored:
    try:
        return _made(content, tensors)
    except UNSOUND as error:
        if isinstance(error, RosenblattError):
            raise
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ModelFileError(f"not a sound model ({problem[:200]})") from None


def _made(content: dict[str, Any], tensors: dict[str, np.ndarray]) -> Stored:
    kind, params = content["kind"], content["params"]
    _require(isinstance(kind, str) and kind in KINDS, f"unknown kind of model {str(kind)[:40]!r}")
    _require(isinstance(params, dict), "params must be an object")
    model: Any = KINDS[kind](**{name: _decoded(v, tensors) for name, v in params.items()})
    coef, intercept, classes = (
        _decoded(content[name], tensors) for name in ("coef", "intercept", "classes")
    )
    _check_classifier(coef, intercept, classes, getattr(model, "multiclass", ""))
    model.coef_, model.intercept_, model.classes_ = coef, intercept, classes
    model.n_features_in_ = coef.shape[1]
    names = content["names"]
    _require(isinstance(names, list) and all(isinstance(n, str) for n in names), "bad names")
    if names:
        _require(len(names) == coef.shape[1], "expected one name for each feature")
        model.feature_names_in_ = np.array(names, dtype=object)
    for name, wanted in ATTRIBUTES[kind].items():
        value = _decoded(content["attributes"][name], tensors)
        plain = not isinstance(value, bool) or wanted is bool
        _require(isinstance(value, wanted) and plain, f"{name} is a {type(value).__name__}")
        setattr(model, name, value)
    if kind == "Perceptron":
        model._pairs = model.multiclass == "ovo" and len(classes) > 2
        model._voters = _voters([_decoded(v, tensors) for v in content["voters"]], model)
    if content["sparse"] is True:
        model.coef_ = sparse.csr_matrix(coef)
    columns, library = content["columns"], content["library"]
    _require(columns is None or isinstance(columns, dict), "columns must be an object")
    _require(isinstance(library, str), "library must be text")
    return Stored(model, columns, library)


def _check_classifier(coef: Any, intercept: Any, classes: Any, multiclass: Any) -> None:
    arrays = all(isinstance(a, np.ndarray) for a in (coef, intercept, classes))
    _require(arrays, "weights and classes must be arrays")
    _require(coef.dtype == intercept.dtype == np.float64, "weights must be float64")
    _require(coef.ndim == 2 and coef.shape[1] > 0, f"weights have shape {coef.shape}")
    _require(classes.ndim == 1 and len(classes) >= 2, "expected at least two classes")
    k = len(classes)
    pairs = k * (k - 1) // 2 if multiclass == "ovo" else k
    _require(len(coef) == (1 if k == 2 else pairs), f"{len(coef)} weight vectors for {k} classes")
    _require(intercept.shape == (len(coef),), "expected one bias for each weight vector")
    labels = classes.tolist()
    _require(all(a < b for a, b in pairwise(labels)), "classes must be sorted and different")


def _voters(stored: list[Any], model: Any) -> tuple[Voters, ...] | None:
    """The hyperplanes that vote, if they do: one panel for each run."""
    rows, d = model.coef_.shape
    native = model.multiclass == "native" and rows > 1
    runs = 1 if native else rows
    _require(len(stored) == (runs if model.solution == "vote" else 0), "voters are missing")
    panels = []
    for weights, votes, dropped in stored:
        shape = (len(votes), rows, d + 1) if native else (len(votes), d + 1)
        numbers = weights.dtype == np.float64 and votes.dtype == np.int64
        _require(weights.shape == shape and votes.ndim == 1 and numbers, "voters are not sound")
        panel = Voters(max(len(votes), int(model.max_voters)))
        for hyperplane, count in zip(weights, votes.tolist(), strict=True):
            panel.add(hyperplane, count)
        _require(isinstance(dropped, int), "voters are not sound")
        panel.dropped = dropped
        panels.append(panel)
    return tuple(panels) or None


def _decoded(value: Any, tensors: dict[str, np.ndarray]) -> Any:
    """The value that `_encoded` wrote."""
    if not isinstance(value, (dict, list)):
        return value
    if not isinstance(value, dict) or not value:
        raise ModelFileError("a value has no tag")
    tag, inner = next(iter(value.items()))
    if tag in ("tensor", "scalar"):
        array = tensors[inner]
        return array if tag == "tensor" else array.reshape(())[()]
    if tag == "text":
        return _text(**value)
    if tag == "history":
        table = _decoded(inner, tensors)
        _require(table.ndim == 2 and table.shape[1] == len(Pass._fields), "bad history")
        return tuple(Pass(int(m), int(k), *rest) for m, k, *rest in table.tolist())
    if tag == "float":
        return float(inner)
    if tag == "certificate":
        return Certificate.from_dict(inner)
    if tag in ("Stop", "Verdict"):
        return (Stop if tag == "Stop" else Verdict)[inner]
    _require(tag in ("dict", "list", "tuple", "bracket"), f"unknown tag {tag[:40]!r}")
    if tag == "dict":
        return {_decoded(k, tensors): _decoded(v, tensors) for k, v in inner}
    parts = [_decoded(part, tensors) for part in inner]
    if tag == "bracket":
        _require(len(parts) == 2 and all(isinstance(p, Number) for p in parts), "bad bracket")
        return Bracket(*parts)
    return parts if tag == "list" else tuple(parts)


def _text(text: Any, dtype: Any, scalar: Any) -> Any:
    known = isinstance(text, list) and all(isinstance(word, str) for word in text)
    _require(known and isinstance(dtype, str), "bad text")
    wide = re.fullmatch("[<>]U([0-9]{1,5})", dtype)
    _require(dtype == "object" or (wide and int(wide[1]) <= LONGEST_LABEL), "bad type of text")
    longest = max(map(len, text), default=0)
    _require(not wide or longest <= max(1, int(wide[1])), "text is longer than it should be")
    array = np.array(text, dtype=dtype)
    return array.reshape(())[()] if scalar is True else array


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise ModelFileError(message)
