"""Model files: a fitted estimator as one safetensors file, which cannot execute code.

Arrays are tensors; everything else is JSON in the file's metadata. What is read is checked before
anything is made of it. Imports the estimators, and ``tables`` for its columns.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt import __version__
from rosenblatt.data.files import write
from rosenblatt.data.model_file.container import UNSOUND, packed, unpacked
from rosenblatt.data.model_file.linear import linear_values, restore_linear
from rosenblatt.data.model_file.values import CONTROL, Tensors, decoded, encoded, require
from rosenblatt.data.tables.columns import Columns
from rosenblatt.errors import InputError, ModelFileError, RosenblattError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron

__all__ = ["ModelFileError", "Stored", "load", "load_columns", "read", "save"]

KINDS = {
    kind.__name__: kind
    for kind in (Perceptron, PassiveAggressive, MaxMargin, BatchPerceptron, KernelPerceptron)
}


class Stored(NamedTuple):
    """What a model file holds.

    Attributes
    ----------
    model : estimator
    columns : dict or None
        How raw columns become its features.
    fingerprint : str
        Of the rows and labels learned from; empty if nobody said.
    library : str
        The version that wrote it.
    """

    model: Any
    columns: dict[str, Any] | None
    fingerprint: str
    library: str


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    columns: dict[str, Any] | None = None,
    fingerprint: str = "",
) -> None:
    """Write a fitted model to a ``.safetensors`` file; the file is complete or not touched at all.

    What is loaded predicts the same to the bit, knows the same, and goes on learning where it
    stopped: `partial_fit` and ``warm_start`` continue as they would have. Only the record of each
    row's part in a run (``run_.state.dual``), and the ``path_`` of a BatchPerceptron, are not kept.

    Parameters
    ----------
    model : Perceptron, PassiveAggressive, MaxMargin, BatchPerceptron or KernelPerceptron
        Fitted. For other estimators, pipelines among them, use joblib or skops.
    path : str or path
    columns : dict, optional
        How raw columns become features: plain JSON, as the command line's
        `rosenblatt.data.tables.columns.Columns.to_dict` writes it.
    fingerprint : str, optional
        Of the rows and labels learned from: `rosenblatt.certificate.fingerprint`. By default the
        one of the model's certificate, where that has one.

    Examples
    --------
    >>> import tempfile, rosenblatt as rb
    >>> model = rb.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors").predict([[0.2], [2.0]]).tolist()
    ['no', 'yes']
    """
    kind = type(model).__name__
    if KINDS.get(kind) is not type(model):
        raise InputError(
            f"a model file holds {', '.join(KINDS)}, not a {kind}; pickle or joblib.dump keeps "
            "any estimator (load those only from people you trust)"
        )
    check_is_fitted(model)
    if columns is not None:
        Columns.from_dict(columns)
    tensors: Tensors = {}
    names = np.asarray(getattr(model, "feature_names_in_", ()), dtype=object)
    bound = getattr(getattr(model, "certificate_", None), "fingerprint", "")
    content = {
        "kind": kind,
        "library": __version__,
        "fingerprint": fingerprint or bound,
        "params": {k: encoded(v, tensors, k) for k, v in model.get_params(deep=False).items()},
        "fitted": {k: encoded(v, tensors, k) for k, v in _values(model).items()},
        "names": encoded(names, tensors, "feature names")["text"],
        "columns": columns,
    }
    write(path, packed(content, tensors))


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model in a file that `save` or the command line wrote.

    ``feature_names_in_`` are the names of the features as the estimator saw them, where the file
    knows them: scikit-learn then refuses frames whose columns are others, or in another order.

    Raises
    ------
    ModelFileError
        An `InputError`: the file is not there, or not what `save` writes.

    Warns
    -----
    UserWarning
        The command line made the features of raw columns: scaled, or one-hot encoded. The model
        wants them so, and `load_columns` makes them.

    Examples
    --------
    >>> load("no/such/file.safetensors")
    Traceback (most recent call last):
    rosenblatt.errors.ModelFileError: no/such/file.safetensors: no such file
    """
    stored = read(path)
    columns = _columns(stored, path)
    if columns is not None and len(columns.names) == stored.model.n_features_in_:
        stored.model.feature_names_in_ = np.array(columns.names, dtype=object)
    if columns is not None and columns.changed:
        warnings.warn(
            f"{path}: the model wants features scaled or one-hot encoded as `rosenblatt predict` "
            f"makes them of raw columns: rosenblatt.load_columns({os.fspath(path)!r})."
            "features_of(frame) makes them of a frame, and `rosenblatt export` to ONNX scales too.",
            stacklevel=2,
        )
    return stored.model


def load_columns(path: str | os.PathLike[str]) -> Columns:
    """How the model that the command line wrote to a file makes features of raw columns.

    Its ``features_of(frame)`` are the features of a pandas frame, ``labels(y)`` the labels as the
    model knows them and ``words(predictions)`` its predictions in the words of the raw labels:
    these differ where one class was told from all others.

    Raises
    ------
    ModelFileError
        As `load` does; and where the model was saved from Python, so that its columns are its own.

    Examples
    --------
    >>> import tempfile, warnings, pandas as pd, rosenblatt as rb
    >>> from rosenblatt.data.tables.columns import Columns
    >>> model = rb.Perceptron().fit([[-1.0], [1.0]], ["short", "long"])
    >>> columns = Columns([["cm", "numeric"]], "name", 1, ["cm"], {}, mean=[150.0], scale=[50.0])
    >>> path = f"{tempfile.mkdtemp()}/model.safetensors"
    >>> rb.save(model, path, columns=columns.to_dict())
    >>> with warnings.catch_warnings(action="ignore"):
    ...     model = rb.load(path)
    >>> model.predict(rb.load_columns(path).features_of(pd.DataFrame({"cm": [190, 110]}))).tolist()
    ['long', 'short']
    """
    columns = _columns(read(path), path)
    if columns is None:
        raise ModelFileError(f"{path}: the model was saved without columns; its features are raw")
    return columns


def _columns(stored: Stored, path: str | os.PathLike[str]) -> Columns | None:
    try:
        return None if stored.columns is None else Columns.from_dict(stored.columns)
    except InputError as error:
        raise ModelFileError(f"{path}: {error}") from None


def read(path: str | os.PathLike[str]) -> Stored:
    """Return all that a model file holds; raises as `load` does."""
    path = Path(path)
    try:
        if not path.is_file():
            raise ModelFileError("is a folder" if path.is_dir() else "no such file")
        return _restored(*unpacked(path))
    except (RosenblattError, OSError, ValueError) as error:
        raise ModelFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _values(model: Any) -> dict[str, Any]:
    if isinstance(model, KernelPerceptron):
        from rosenblatt.data.model_file.kernel import kernel_values

        return kernel_values(model)
    return linear_values(model)


def _restored(content: dict[str, Any], tensors: Tensors) -> Stored:
    try:
        return _made(content, tensors)
    except UNSOUND as error:
        if isinstance(error, RosenblattError):
            raise
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ModelFileError(f"not a sound model ({problem[:200]})") from None


def _made(content: dict[str, Any], tensors: Tensors) -> Stored:
    kind, params, fitted = content["kind"], content["params"], content["fitted"]
    require(isinstance(kind, str) and kind in KINDS, f"unknown kind of model {str(kind)[:40]!r}")
    require(isinstance(params, dict), "params must be an object")
    require(isinstance(fitted, dict), "what was fitted must be an object")
    model: Any = KINDS[kind](**{name: decoded(v, tensors) for name, v in params.items()})
    values = {name: decoded(v, tensors) for name, v in fitted.items()}
    if kind == "KernelPerceptron":
        from rosenblatt.data.model_file.kernel import restore_kernel

        restore_kernel(model, values)
    else:
        restore_linear(model, values)
    names = content["names"]
    require(isinstance(names, list) and all(isinstance(n, str) for n in names), "bad names")
    if names:
        require(len(names) == model.n_features_in_, "expected one name for each feature")
        require(not any(map(CONTROL.search, names)), "a name holds a control character")
        model.feature_names_in_ = np.array(names, dtype=object)
    columns, library, print_ = content["columns"], content["library"], content["fingerprint"]
    require(columns is None or isinstance(columns, dict), "columns must be an object")
    require(isinstance(library, str) and not CONTROL.search(library), "library must be text")
    digest = isinstance(print_, str) and re.fullmatch("([0-9a-f]{64})?", print_)
    require(digest, "the fingerprint must be 64 hexadecimal digits, or empty")
    return Stored(model, columns, print_, library)
