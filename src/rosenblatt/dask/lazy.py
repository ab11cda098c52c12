"""Predictions on collections, lazily: nothing is computed until it is asked for."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from rosenblatt.dask.sources import sources_of
from rosenblatt.data.checks import check_rows
from rosenblatt.data.lossless import names_of, refuse_other_names
from rosenblatt.errors import InputError
from rosenblatt.fit.fitted import codes_of, plane_scores
from rosenblatt.fit.planes import as_planes
from rosenblatt.places.cluster.raw import RawRows, checked, loaded, name_of, named, widened
from rosenblatt.places.cluster.shards import Shard, Shards


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
        return _mapped(self._local, X, "decision_function")

    def predict(self, X: Any) -> Any:
        """The class of each row, lazily: a collection like X, or a dask array.

        Parameters
        ----------
        X
            As for `decision_function`.
        """
        check_is_fitted(self)
        return _mapped(self._local, X, "predict")

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
        return _score(self._local, X, y, sample_weight)


class Weights(NamedTuple):
    """What predicts, without the record of how it was learned: plain values, which Dask names.

    Attributes
    ----------
    coef, intercept, classes : ndarray
    names : tuple of str or None
        The features', if they have any.
    first : int
        The number of the first column in the svmlight files learned from.

    Examples
    --------
    >>> weights = Weights(np.array([[1.0, -1.0]]), np.array([0.5]), np.array(["a", "b"]))
    >>> weights.decision_function(np.array([[1.0, 3.0], [2.0, 0.0]]))
    array([-1.5,  2.5])
    >>> weights.predict(np.array([[1.0, 3.0], [2.0, 0.0]]))
    array(['a', 'b'], dtype='<U1')
    """

    coef: np.ndarray
    intercept: np.ndarray
    classes: np.ndarray
    names: tuple[str, ...] | None = None
    first: int = 0

    @classmethod
    def of(cls, model: Any) -> Weights:
        """Those of a fitted estimator of one machine."""
        names = getattr(model, "feature_names_in_", None)
        return cls(
            *as_planes(model.coef_, model.intercept_, len(model.classes_), model.n_features_in_),
            model.classes_,
            None if names is None else tuple(names),
            getattr(model, "_first", 0),
        )

    @property
    def width(self) -> int:
        """How many features there are."""
        return self.coef.shape[1]

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of rows in memory, of which there may be none."""
        if not X.shape[0]:
            return np.zeros((0, len(self.coef)) if len(self.coef) > 1 else 0)
        if X.shape[1] != self.width:
            raise InputError(
                f"X has {X.shape[1]} features, but the model is expecting {self.width}."
            )
        scores = plane_scores(check_rows(X), self.coef, self.intercept)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The classes of rows in memory."""
        return self.classes[codes_of(self.decision_function(X))]


def _answers(X: Any, weights: Weights, method: str) -> np.ndarray:
    """A method's answers on a block of rows, by position where it is a frame."""
    X = X.to_numpy(dtype=np.float64) if hasattr(X, "columns") else X
    return getattr(weights, method)(X)


def _mapped(model: Any, X: Any, method: str) -> Any:
    """A method's answers, lazily: a collection like X, or a dask array."""
    bare = Weights.of(model)
    by_class = method == "decision_function" and len(bare.classes) > 2
    dtype = np.dtype(float) if method == "decision_function" else bare.classes.dtype
    columns = len(bare.classes) if by_class else 0
    if isinstance(X, (Shards, list, tuple)):
        return _of_sources(bare, X, method, dtype, columns)
    refuse_other_names(bare.names, names_of(X))
    if hasattr(X, "map_partitions"):
        return _of_frame(bare, X, method, dtype, columns)
    if not hasattr(X, "map_blocks"):
        return getattr(model, method)(X)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    shape: dict[str, Any] = {"drop_axis": 1}
    if columns:
        shape = {"chunks": (X.chunks[0], (columns,))}
    meta = np.empty((0, columns) if columns else (0,), dtype=dtype)
    return X.map_blocks(_answers, weights=bare, method=method, dtype=dtype, meta=meta, **shape)


def _of_frame(bare: Weights, X: Any, method: str, dtype: np.dtype, columns: int) -> Any:
    import pandas as pd

    if columns:
        meta: Any = pd.DataFrame({k: np.empty(0) for k in bare.classes.tolist()})
    else:
        meta = pd.Series(np.empty(0, dtype=dtype), name=method)
    return X.map_partitions(_framed, bare, method, meta=meta)


def _framed(X: Any, weights: Weights, method: str) -> Any:
    import pandas as pd

    answers = _answers(X, weights, method)
    if answers.ndim == 2:
        return pd.DataFrame(answers, index=X.index, columns=weights.classes.tolist())
    return pd.Series(answers, index=X.index, name=method)


def _of_sources(bare: Weights, X: Any, method: str, dtype: np.dtype, columns: int) -> Any:
    import dask.array as da

    shape = (np.nan, columns) if columns else (np.nan,)
    pieces = [
        da.from_delayed(piece, shape=shape, dtype=dtype)
        for piece in _of_each(_of_source, bare, sources_of(X), method)
    ]
    return da.concatenate(pieces, allow_unknown_chunksizes=True)


def _of_each(function: Callable[..., Any], bare: Weights, sources: Any, *args: Any) -> list[Any]:
    """``function(source, index, weights, *args)`` of each source, delayed."""
    from dask.delayed import delayed

    work, weights = delayed(function), delayed(bare, traverse=False)
    # A shard is one argument of a task: not taken apart, not read before.
    whole = [delayed(s, traverse=False) if isinstance(s, Shard) else s for s in sources]
    return [work(source, index, weights, *args) for index, source in enumerate(whole)]


def _rows_of(source: Any, index: int, weights: Weights) -> RawRows:
    """Rows of a source, as wide as the weights."""
    name = name_of(source, index)
    raw = named(name, loaded, source)
    rows: RawRows = named(name, checked, raw)
    named(name, refuse_other_names, weights.names, list(rows.names) or None)
    if not hasattr(rows.X, "indptr"):
        return rows
    return rows._replace(X=named(name, widened, rows.X, raw.first - weights.first, weights.width))


def _of_source(source: Any, index: int, weights: Weights, method: str) -> np.ndarray:
    return _answers(_rows_of(source, index, weights).X, weights, method)


def _score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """The share of right predictions, as a dask array of one number."""
    import dask.array as da
    from dask.delayed import delayed

    if not (isinstance(X, (Shards, list, tuple)) or hasattr(X, "to_delayed")):
        refuse_other_names(getattr(model, "feature_names_in_", None), names_of(X))
        return model.score(X, y, sample_weight)
    counts = _of_each(_right, Weights.of(model), sources_of(X, y, sample_weight))
    return da.from_delayed(delayed(_share)(counts), shape=(), dtype=float)


def _right(source: Any, index: int, weights: Weights) -> tuple[float, float]:
    X, y, counted, _ = _rows_of(source, index, weights)
    right = _answers(X, weights, "predict") == y
    counted = np.ones(len(y)) if counted is None else counted
    return float(counted[right].sum()), float(counted.sum())


def _share(counts: list[tuple[float, float]]) -> np.ndarray:
    right, rows = np.array(counts).sum(axis=0)
    return np.array(right / rows)


def confusion(model: Any, X: Any, y: Any = None) -> Any:
    """How often each class is taken for each, as a delayed K × K matrix: true by predicted."""
    from dask.delayed import delayed

    return delayed(sum)(_of_each(_confused, Weights.of(model), sources_of(X, y)))


def _confused(source: Any, index: int, weights: Weights) -> np.ndarray:
    from sklearn.metrics import confusion_matrix

    X, y, *_ = _rows_of(source, index, weights)
    if not len(y):
        return np.zeros((len(weights.classes), len(weights.classes)), dtype=np.int64)
    return confusion_matrix(y, _answers(X, weights, "predict"), labels=weights.classes)
