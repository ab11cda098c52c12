"""Predictions on collections, lazily: nothing is computed until it is asked for."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.lossless import names_of, refuse_other_names
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.places.cluster.raw import RawRows, checked, loaded, named, widened
from rosenblatt.places.cluster.shards import Shard, Shards
from rosenblatt.places.cluster.sources import sources_of


class LazyClassifier(ClassifierMixin, BaseEstimator):
    """What predicts where the rows are, by the estimator of one machine that it holds."""

    _local: Any
    client: Any

    def __sklearn_clone__(self) -> Any:
        """The same parameters, unfitted; a client is shared, for it cannot be copied."""
        given = self.get_params(deep=False)
        client = given.pop("client")
        made: Any = type(self)
        return made(client, **{name: clone(v, safe=False) for name, v in given.items()})

    def __getstate__(self) -> Any:
        """What is pickled; of a client, the address of its scheduler."""
        address = self.client
        if hasattr(address, "scheduler"):
            address = address.scheduler.address
        state: Any = super().__getstate__()
        return {**state, "client": address}

    def to_local(self) -> Any:
        """The same model as an ordinary estimator of one machine, which saves as one.

        Returns
        -------
        rosenblatt.Perceptron or rosenblatt.MaxMargin
        """
        check_is_fitted(self)
        return copy.copy(self._local)

    def decision_function(self, X: Any) -> Any:
        """The scores w·x + b, lazily: a collection like X, or a dask array.

        Parameters
        ----------
        X : dask array, dask data frame, list of delayed, Shards, or array
            Rows; of a list or shards, the labels are left aside.
        """
        check_is_fitted(self)
        return decision_function(self._local, X)

    def predict(self, X: Any) -> Any:
        """The class of each row, lazily: a collection like X, or a dask array.

        Parameters
        ----------
        X
            As for `decision_function`.
        """
        check_is_fitted(self)
        return predict(self._local, X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The share of rows predicted right, lazily: ``float(clf.score(X, y))`` computes it.

        Parameters
        ----------
        X, y
            As for `fit`.
        sample_weight : like y, optional
            How much each row counts.
        """
        check_is_fitted(self)
        return score(self._local, X, y, sample_weight)


class Weights(LinearClassifier):
    """What predicts, without the record of how it was learned.

    Parameters
    ----------
    model : estimator
        Fitted.
    """

    def __init__(self, model: Any):
        for name in ("coef_", "intercept_", "classes_", "n_features_in_"):
            setattr(self, name, getattr(model, name))
        # Where the columns of the svmlight files learned from start.
        self.first = getattr(model, "_first", 0)
        # Not scikit-learn's attribute: rows are arrays by the time that they are scored.
        self.names = getattr(model, "feature_names_in_", None)

    def fit(self, X: Any, y: Any) -> Any:
        """Weights are what was learned."""
        raise NotImplementedError


def _as_array(X: Any) -> Any:
    """The rows of a frame as an array; other rows as they are."""
    return X.to_numpy(dtype=np.float64) if hasattr(X, "columns") else X


def _answers(X: Any, model: Any, method: str) -> np.ndarray:
    """A method's answers on rows in memory, of which there may be none."""
    X = _as_array(X)
    if X.shape[0] == 0:
        empty = getattr(model, method)(np.zeros((1, len(model.coef_[0]))))
        return empty[:0]
    return getattr(model, method)(X)


def decision_function(model: Any, X: Any) -> Any:
    """Scores like X."""
    classes = len(model.classes_)
    return _mapped(model, X, "decision_function", np.dtype(float), classes if classes > 2 else 0)


def predict(model: Any, X: Any) -> Any:
    """Labels like X."""
    return _mapped(model, X, "predict", model.classes_.dtype, 0)


def _mapped(model: Any, X: Any, method: str, dtype: np.dtype, columns: int) -> Any:
    bare = Weights(model)
    if isinstance(X, (Shards, list, tuple)):
        return _of_sources(bare, X, method, dtype, columns)
    refuse_other_names(bare.names, names_of(X))
    if hasattr(X, "map_partitions"):
        return _of_frame(bare, X, method, dtype, columns)
    if not hasattr(X, "map_blocks"):
        return _answers(X, bare, method)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    shape: dict[str, Any] = {"drop_axis": 1}
    if columns:
        shape = {"chunks": (X.chunks[0], (columns,))}
    meta = np.empty((0, columns) if columns else (0,), dtype=dtype)
    return X.map_blocks(_answers, model=bare, method=method, dtype=dtype, meta=meta, **shape)


def _of_frame(bare: Any, X: Any, method: str, dtype: np.dtype, columns: int) -> Any:
    import pandas as pd

    if columns:
        meta: Any = pd.DataFrame({k: np.empty(0) for k in bare.classes_.tolist()})
    else:
        meta = pd.Series(np.empty(0, dtype=dtype), name=method)
    return X.map_partitions(_framed, bare, method, meta=meta)


def _framed(X: Any, model: Any, method: str) -> Any:
    import pandas as pd

    answers = _answers(X, model, method)
    if answers.ndim == 2:
        return pd.DataFrame(answers, index=X.index, columns=model.classes_.tolist())
    return pd.Series(answers, index=X.index, name=method)


def _of_sources(bare: Any, X: Any, method: str, dtype: np.dtype, columns: int) -> Any:
    import dask.array as da
    from dask.delayed import delayed

    sources, names = sources_of(X)
    model = delayed(bare)
    answer = delayed(_of_source)
    shape = (np.nan, columns) if columns else (np.nan,)
    pieces = [
        da.from_delayed(answer(_delayed(s), name, model, method), shape=shape, dtype=dtype)
        for s, name in zip(sources, names, strict=True)
    ]
    return da.concatenate(pieces, allow_unknown_chunksizes=True)


def _delayed(source: Any) -> Any:
    """A shard as one argument of a task: not taken apart, not read before."""
    from dask.delayed import delayed

    return delayed(source, traverse=False) if isinstance(source, Shard) else source


def _rows_of(source: Any, name: str, model: Any) -> RawRows:
    """Rows of a source, as wide as the model knows them."""
    raw = named(name, loaded, source)
    rows: RawRows = named(name, checked, raw)
    named(name, refuse_other_names, model.names, list(rows.names) or None)
    if not hasattr(rows.X, "indptr"):
        return rows
    width = len(model.coef_[0])
    return rows._replace(X=named(name, widened, rows.X, raw.first - model.first, width))


def _of_source(source: Any, name: str, model: Any, method: str) -> np.ndarray:
    return _answers(_rows_of(source, name, model).X, model, method)


def score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """The share of right predictions, as a dask array of one number."""
    import dask.array as da
    from dask.delayed import delayed

    weights = Weights(model)
    if not (isinstance(X, (Shards, list, tuple)) or hasattr(X, "to_delayed")):
        refuse_other_names(weights.names, names_of(X))
        return weights.score(_as_array(X), y, sample_weight)
    sources, names = sources_of(X, y, sample_weight)
    bare, counted = delayed(weights), delayed(_right)
    counts = [counted(_delayed(s), name, bare) for s, name in zip(sources, names, strict=True)]
    return da.from_delayed(delayed(_share)(counts), shape=(), dtype=float)


def _right(source: Any, name: str, model: Any) -> tuple[float, float]:
    X, y, weights, _ = _rows_of(source, name, model)
    right = _answers(X, model, "predict") == y
    weights = np.ones(len(y)) if weights is None else weights
    return float(weights[right].sum()), float(weights.sum())


def _share(counts: list[tuple[float, float]]) -> np.ndarray:
    right, rows = np.array(counts).sum(axis=0)
    return np.array(right / rows)


def confusion(model: Any, X: Any, y: Any = None) -> Any:
    """How often each class is taken for each, as a delayed K × K matrix: true by predicted."""
    from dask.delayed import delayed

    sources, names = sources_of(X, y)
    weights, counted = delayed(Weights(model)), delayed(_confused)
    counts = [counted(_delayed(s), name, weights) for s, name in zip(sources, names, strict=True)]
    return delayed(sum)(counts)


def _confused(source: Any, name: str, model: Any) -> np.ndarray:
    from sklearn.metrics import confusion_matrix

    X, y, *_ = _rows_of(source, name, model)
    if not len(y):
        return np.zeros((len(model.classes_), len(model.classes_)), dtype=np.int64)
    return confusion_matrix(y, _answers(X, model, "predict"), labels=model.classes_)
