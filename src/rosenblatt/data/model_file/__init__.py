"""Model files: a fitted model as one safetensors file, which cannot execute code.

Arrays are tensors; everything else is JSON in the file's metadata. What is read is checked before
anything is made of it.
"""

from __future__ import annotations

import importlib
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import __version__
from rosenblatt.arguments import TEXT, checked
from rosenblatt.data.files import write
from rosenblatt.data.model_file.container import UNSOUND, packed, unpacked
from rosenblatt.data.model_file.linear import (
    estimator_values,
    fitted_of,
    fitted_values,
    restore_estimator,
)
from rosenblatt.data.model_file.values import CONTROL, Tensors, decoded, encoded, require
from rosenblatt.data.tables.columns import Columns
from rosenblatt.errors import InputError, ModelFileError, RosenblattError, users_line
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.settings import Settings

__all__ = ["ModelFileError", "StoredModel", "load", "load_columns", "read", "read_fitted", "save"]

# The estimators that a file may hold, and where they are: importing them takes scikit-learn.
KINDS = {
    "Perceptron": "estimators.perceptron",
    "PassiveAggressive": "estimators.passive_aggressive",
    "MaxMargin": "estimators.max_margin",
    "BatchPerceptron": "estimators.batch",
    "KernelPerceptron": "estimators.kernel",
    "online.Perceptron": "online.learner",
}


class Estimated(NamedTuple):
    """An estimator of another kind than Perceptron, to be used as a `Fitted` is.

    Rows come as an array, their columns in the order of the features.
    """

    estimator: Any

    @property
    def classes(self) -> np.ndarray:
        """The labels."""
        return self.estimator.classes_

    @property
    def features(self) -> int:
        """How many."""
        return self.estimator.n_features_in_

    @property
    def names(self) -> Any:
        """Of the features, where they have some."""
        return getattr(self.estimator, "feature_names_in_", None)

    @property
    def certificate(self) -> Any:
        """The proof of a verdict, where there is one."""
        return getattr(self.estimator, "certificate_", None)

    def scores(self, X: Any) -> np.ndarray:
        """One for each row, or one for each row and class."""
        return in_order(self.estimator.decision_function, X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return in_order(self.estimator.predict, X)

    def named(self, names: Any) -> Any:
        """The estimator, with names for its features if there are some."""
        if len(names):
            self.estimator.feature_names_in_ = np.array(names, dtype=object)
        return self.estimator


def in_order(question: Callable[[Any], np.ndarray], X: Any) -> np.ndarray:
    """An estimator's answer for an array whose columns are in the order of its features.

    scikit-learn warns that such an array has no names; here whoever made it has seen to the order.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return question(X)


class StoredModel(NamedTuple):
    """What a model file holds.

    Attributes
    ----------
    model : estimator, or Fitted or Estimated, or online learner
    columns : dict or None
        How raw columns become its features.
    fingerprint : str
        Of the rows and labels learned from; empty if unknown.
    library : str
        The version that wrote it.
    """

    model: Any
    columns: dict[str, Any] | None
    fingerprint: str
    library: str


@checked(fingerprint=TEXT)
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
    row's part in a run (``run_.state.dual``), the ``path_`` of a BatchPerceptron, and how many
    seconds anything took are not kept: two equal fits write equal bytes.

    Parameters
    ----------
    model : Perceptron, PassiveAggressive, MaxMargin, BatchPerceptron or KernelPerceptron
        Fitted, or what `Perceptron.fitted_` is; or an `online.Perceptron`, whose labels and names
        of features are text, numbers, booleans or tuples of them. For other estimators, pipelines
        among them, use joblib or skops.
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
    found = _of_fitted(model) if isinstance(model, Fitted) else _of_estimator(model)
    if columns is not None:
        if found.kind == "online.Perceptron":
            raise InputError("columns are of no use to an online learner, which has names")
        Columns.from_dict(columns)
    tensors: Tensors = {}
    names = np.asarray(() if found.names is None else found.names, dtype=object)
    content = {
        "kind": found.kind,
        "library": __version__,
        "fingerprint": fingerprint or getattr(found.certificate, "fingerprint", ""),
        "params": {k: encoded(v, tensors, k) for k, v in found.params.items()},
        "fitted": {k: encoded(v, tensors, k) for k, v in found.values.items()},
        "names": encoded(names, tensors, "feature names")["text"],
        "columns": columns,
    }
    write(path, packed(content, tensors))


class _Content(NamedTuple):
    """What there is of a model to be written."""

    kind: str
    params: dict[str, Any]
    values: dict[str, Any]
    names: Any
    certificate: Any


def _of_fitted(model: Fitted) -> _Content:
    params, values = model.settings.asdict(), fitted_values(model)
    return _Content("Perceptron", params, values, model.names, model.certificate)


def _of_estimator(model: Any) -> _Content:
    home = type(model).__module__.removeprefix("rosenblatt.")
    name = type(model).__qualname__
    kind = next((kind for kind, place in KINDS.items() if place == home), None)
    if kind is None or type(model) is not _estimator(kind):
        raise InputError(
            f"a model file holds {', '.join(KINDS)}, not a {name}; pickle or joblib.dump keeps "
            "any estimator (load those only from people you trust)"
        )
    if kind == "online.Perceptron":
        from rosenblatt.data.model_file.online import online_values

        return _Content(kind, model._get_params(), online_values(model), None, None)
    if kind == "Perceptron" and hasattr(model, "_fitted"):
        # Parameters may have been changed since the fit.
        return _of_fitted(model.fitted_)._replace(params=model.get_params(deep=False))
    from rosenblatt.estimators.validation import check_is_fitted

    check_is_fitted(model)
    names = getattr(model, "feature_names_in_", None)
    certificate = getattr(model, "certificate_", None)
    if kind == "KernelPerceptron":
        from rosenblatt.data.model_file.kernel import kernel_values

        values = kernel_values(model)
    else:
        values = estimator_values(model)
    return _Content(kind, model.get_params(deep=False), values, names, certificate)


def _estimator(kind: str) -> Any:
    home = importlib.import_module(f"rosenblatt.{KINDS[kind]}")
    return getattr(home, kind.rpartition(".")[2])


@checked()
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
            stacklevel=users_line(),
        )
    return stored.model


@checked()
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


def _columns(stored: StoredModel, path: str | os.PathLike[str]) -> Columns | None:
    try:
        return None if stored.columns is None else Columns.from_dict(stored.columns)
    except InputError as error:
        raise ModelFileError(f"{path}: {error}") from None


def read(path: str | os.PathLike[str]) -> StoredModel:
    """Return all that a model file holds, with its model as an estimator; raises as `load` does."""
    stored = _stored(path)
    if isinstance(stored.model, Estimated):
        return stored._replace(model=stored.model.estimator)
    if not isinstance(stored.model, Fitted):
        return stored
    from rosenblatt.estimators.perceptron import Perceptron

    return stored._replace(model=Perceptron.of(stored.model))


def read_fitted(path: str | os.PathLike[str]) -> StoredModel:
    """The same with a model that is used as a `Fitted` is; one that is needs no scikit-learn."""
    stored = _stored(path)
    if not isinstance(stored.model, (Fitted, Estimated)):
        raise ModelFileError(
            f"{path}: holds an online learner, which has names instead of columns; use it from "
            f"Python: rosenblatt.load({os.fspath(path)!r}).predict_one({{...}})"
        )
    return stored


def _stored(path: str | os.PathLike[str]) -> StoredModel:
    path = Path(path)
    try:
        if not path.is_file():
            raise ModelFileError("is a folder" if path.is_dir() else "no such file")
        return _restored(*unpacked(path))
    except (RosenblattError, OSError, ValueError) as error:
        raise ModelFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _restored(content: dict[str, Any], tensors: Tensors) -> StoredModel:
    try:
        return _made(content, tensors)
    except UNSOUND as error:
        if isinstance(error, RosenblattError):
            raise
        problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ModelFileError(f"not a sound model ({problem[:200]})") from None


def _made(content: dict[str, Any], tensors: Tensors) -> StoredModel:
    kind, params, fitted = content["kind"], content["params"], content["fitted"]
    require(isinstance(kind, str) and kind in KINDS, f"unknown kind of model {str(kind)[:40]!r}")
    require(isinstance(params, dict), "params must be an object")
    require(isinstance(fitted, dict), "what was fitted must be an object")
    params = {name: decoded(v, tensors) for name, v in params.items()}
    values = {name: decoded(v, tensors) for name, v in fitted.items()}
    if kind == "online.Perceptron":
        from rosenblatt.data.model_file.online import online_of

        model: Any = online_of(params, values)
    elif kind == "Perceptron":
        model = fitted_of(Settings(**params), values)
        model = replace(model, names=_names(content["names"], model.features))
    else:
        model = _estimator(kind)(**params)
        _restore(model, values)
        names = _names(content["names"], model.n_features_in_)
        if names is not None:
            model.feature_names_in_ = names
    columns, library, print_ = content["columns"], content["library"], content["fingerprint"]
    require(columns is None or isinstance(columns, dict), "columns must be an object")
    require(columns is None or kind != "online.Perceptron", "an online learner has no columns")
    require(isinstance(library, str) and not CONTROL.search(library), "library must be text")
    digest = isinstance(print_, str) and re.fullmatch("([0-9a-f]{64})?", print_)
    require(digest, "the fingerprint must be 64 hexadecimal digits, or empty")
    if not isinstance(model, Fitted) and kind != "online.Perceptron":
        model = Estimated(model)
    return StoredModel(model, columns, print_, library)


def _restore(model: Any, values: dict[str, Any]) -> None:
    if type(model).__name__ != "KernelPerceptron":
        restore_estimator(model, values)
        return
    from rosenblatt.data.model_file.kernel import restore_kernel

    restore_kernel(model, values)


def _names(names: Any, features: int) -> np.ndarray | None:
    """The names of the features, if there are any."""
    require(isinstance(names, list) and all(isinstance(n, str) for n in names), "bad names")
    if not names:
        return None
    require(len(names) == features, "expected one name for each feature")
    require(not any(map(CONTROL.search, names)), "a name holds a control character")
    return np.array(names, dtype=object)
