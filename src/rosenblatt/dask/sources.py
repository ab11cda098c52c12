"""Conversion of users' data to partitions: Dask collections, delayed pairs, files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.places.cluster.raw import RawPartition
from rosenblatt.places.cluster.shards import Shards


def sources_of(X: Any, y: Any = None, sample_weight: Any = None) -> list[Any]:
    """The pieces of a collection, each a `Shard` or a delayed `RawPartition`.

    Parameters
    ----------
    X : dask array, dask data frame, list of delayed (X, y), or Shards
    y : dask array or series, array, or the name of the label column
    sample_weight : like y, or None
    """
    if isinstance(X, Shards):
        if y is not None or sample_weight is not None:
            raise InputError(
                "shards of files have their labels with them, and no weights of points: leave y "
                "and sample_weight out, or read the files into a dask data frame."
            )
        return list(X.shards)
    if isinstance(X, (list, tuple)):
        return _of_list(X, y, sample_weight)
    if hasattr(X, "to_delayed") and hasattr(X, "chunks"):
        return _of_array(X, y, sample_weight)
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return _of_frame(X, y, sample_weight)
    raise InputTypeError(
        f"X must be a dask array, a dask data frame, a list of delayed (X, y) or shards of "
        f"files, got a {type(X).__name__}. Data in memory needs no cluster: use "
        "rosenblatt.Perceptron, or dask.array.from_array(X, chunks=...)."
    )


def _of_list(parts: Sequence[Any], y: Any, sample_weight: Any) -> list[Any]:
    beside = y is not None or sample_weight is not None
    if beside or not parts or not all(hasattr(part, "dask") for part in parts):
        raise InputError(
            "a list must hold delayed pairs (X, y) or triples (X, y, sample_weight), one for each "
            "partition, with nothing beside it."
        )
    return list(parts)


def _of_array(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    if y is None:
        raise InputError("requires y to be passed: a dask array or array of labels.")
    if X.ndim != 2:
        raise InputError(f"X must have two dimensions, got shape {X.shape}.")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    rows = np.ravel(X.to_delayed())
    labels, weights = _beside(X, y, "labels"), _beside(X, sample_weight, "weights")
    return _together(rows, labels, weights)


def _beside(X: Any, values: Any, what: str) -> Any:
    """The pieces of values in the chunks of X; None as it is."""
    import dask.array as da

    if values is None:
        return None
    if not hasattr(values, "to_delayed"):
        values = np.asarray(values)
        _check_length(X, values, what)
        values = da.from_array(values, chunks=(X.chunks[0], *values.shape[1:]))  # type: ignore
    shape = getattr(values, "shape", (math.nan,))
    if hasattr(values, "chunks") and not math.isnan(X.shape[0] + shape[0]):
        _check_length(X, values, what)
        if values.chunks[0] != X.chunks[0]:
            values = values.rechunk({0: X.chunks[0]})
    return np.ravel(values.to_delayed())


def _check_length(X: Any, values: Any, what: str) -> None:
    if math.isnan(X.shape[0]):
        raise InputError(
            f"X is in chunks of unknown length, so its rows cannot be told apart for {what} in one "
            f"piece: give the {what} as a dask array in the same chunks, or call "
            "X.compute_chunk_sizes() before."
        )
    if values.shape[:1] != X.shape[:1]:
        raise InputError(
            f"X and y have inconsistent numbers of samples: {X.shape[0]} rows, "
            f"{values.shape[0] if values.ndim else 'no'} {what}."
        )


def _of_frame(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    if y is None:
        raise InputError("name the label column: fit(frame, 'label').")
    rows = X.to_delayed()
    return _together(rows, _column(X, y, len(rows)), _column(X, sample_weight, len(rows)))


def _column(X: Any, values: Any, pieces: int) -> Any:
    """The name of a column once for each piece, or the pieces of a series."""
    if values is None:
        return None
    if isinstance(values, str):
        if values not in X.columns:
            there = ", ".join(map(str, X.columns))
            raise InputError(f"there is no column {values!r}; there are {there}.")
        return [values] * pieces
    if not hasattr(values, "to_delayed"):
        raise InputTypeError(
            "beside a dask data frame, labels and weights are names of its columns or dask "
            f"series, got a {type(values).__name__}."
        )
    return np.ravel(values.to_delayed())


def _together(rows: Any, labels: Any, weights: Any) -> list[Any]:
    from dask.delayed import delayed

    weights = [None] * len(rows) if weights is None else weights
    if not len(rows) == len(labels) == len(weights):
        raise InputError(
            "X, y and sample_weight must come in the same partitions, got "
            f"{len(rows)}, {len(labels)} and {len(weights)}."
        )
    return [delayed(RawPartition)(a, b, c) for a, b, c in zip(rows, labels, weights, strict=True)]
