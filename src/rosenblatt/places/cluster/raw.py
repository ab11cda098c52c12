"""A partition as it is loaded, and as checked rows. Plain functions, which run on any worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_rows
from rosenblatt.data.labels import read_labels
from rosenblatt.errors import InputError, RosenblattError


class RawPartition(NamedTuple):
    """Rows and labels as they come.

    Attributes
    ----------
    X : array, sparse matrix or data frame
    y : array, or the name of the label column
    weights : array, the name of a column, or None
        Of the points.
    first : int
        The number that the first column has in the file: 0 or 1 for svmlight, else 0.
    """

    X: Any
    y: Any
    weights: Any = None
    first: int = 0


class RawRows(NamedTuple):
    """Checked rows.

    Attributes
    ----------
    X : ndarray or CSR matrix of floats
    y : ndarray
        Labels.
    weights : ndarray or None
        Of the points, none negative.
    names : tuple of str
        Of the columns, if they have any.
    """

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    names: tuple[str, ...]


def name_of(source: Any, index: int) -> str:
    """What errors call a partition: the file that it is read from, or its number."""
    path = getattr(source, "path", None)
    return path if isinstance(path, str) else f"partition {index}"


def named(name: str, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function; its errors are given the name of the partition."""
    try:
        return function(*args)
    except RosenblattError as error:
        text = str(error)
        raise InputError(text if name in text else f"{name}: {text}") from None
    except (ValueError, TypeError, OSError, EOFError, LookupError) as error:
        raise InputError(
            f"{name}: cannot be read as points ({type(error).__name__}: {error})"
        ) from error


def loaded(source: Any) -> RawPartition:
    """The rows of a source: (X, y), (X, y, weights), or something that reads itself."""
    if isinstance(source, RawPartition):
        return source
    if hasattr(source, "read"):
        return source.read()
    if isinstance(source, (tuple, list)) and len(source) in (2, 3):
        return RawPartition(*source)
    raise InputError(
        "a delayed partition must be a pair (X, y) of rows and labels, or a triple with the "
        f"points' weights, got a {type(source).__name__}"
    )


def checked(raw: RawPartition) -> RawRows:
    """The rows of a piece, fit to be learned from."""
    X, y, weights = raw.X, raw.y, raw.weights
    X, y = _column(X, y)
    X, weights = _column(X, weights)
    names: tuple[str, ...] = ()
    if hasattr(X, "columns"):
        names = tuple(map(str, X.columns))
        X = _of_frame(X)
    elif hasattr(X, "tocsr"):
        X = X.tocsr()
    else:
        X = np.asarray(X)
    shape = np.shape(y)
    if len(shape) == 2 and shape[1] == 1:
        y, shape = np.asarray(y)[:, 0], shape[:1]
    if np.ndim(X) != 2 or shape != (X.shape[0],):
        raise InputError(
            f"a partition needs rows of shape (n, d) and n labels, got {np.shape(X)} and {shape}"
        )
    y = read_labels(y)
    if X.shape[0]:
        X = check_rows(X)
    return RawRows(X, _plain(y), None if weights is None else _weights(weights, len(y)), names)


def _column(X: Any, values: Any) -> tuple[Any, Any]:
    """A data frame and a column taken out of it by name; other values as they are."""
    if not isinstance(values, str):
        return X, values
    if values not in X.columns:
        raise InputError(f"there is no column {values!r}; there are {', '.join(map(str, X))}")
    return X.drop(columns=[values]), X[values]


def _weights(weights: Any, n: int) -> np.ndarray:
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (n,):
        raise InputError(f"sample_weight must have one entry a row, got {found.shape} for {n}")
    bad = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if len(bad):
        raise InputError(
            f"sample_weight must be finite and not negative, got {found[bad[0]]} at row {bad[0]}"
        )
    return found


def _of_frame(X: Any) -> np.ndarray:
    texts = [str(name) for name, dtype in X.dtypes.items() if dtype.kind not in "biuf"]
    if texts:
        raise InputError(
            f"column {texts[0]!r} is not numeric; make features of it first, or leave it out"
        )
    dtypes = set(X.dtypes)
    return X.to_numpy(dtype=np.float32 if dtypes == {np.dtype("f4")} else np.float64)


def _plain(y: np.ndarray) -> np.ndarray:
    """Text labels as numpy's own, so that partitions compare, unless it drops NULs at their end."""
    if y.dtype.kind == "O" and all(isinstance(label, str) for label in y):
        plain = y.astype(str) if len(y) else np.zeros(0, dtype="U1")
        return plain if plain.tolist() == y.tolist() else y
    return y


def widened(X: Any, shift: int, width: int) -> Any:
    """A CSR matrix with its columns counted as all partitions do, and as wide as the widest."""
    if X.shape[1] == width and not shift:
        return X
    from scipy.sparse import csr_array

    if X.shape[1] + shift > width:
        raise InputError(f"it has {X.shape[1] + shift} columns, other partitions {width}")
    wide = csr_array(
        (X.data, X.indices + shift if shift else X.indices, X.indptr), shape=(X.shape[0], width)
    )
    wide.has_canonical_format = True
    return wide
