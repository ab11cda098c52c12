"""What a worker does with one partition. Plain functions: they run anywhere, cluster or not.

A source becomes a `Block` (checked rows, class codes), and a function of a block answers a
question with something small. Imports the engine, ``checks``, ``requirements`` and ``exact``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.checks import check_finite, check_rows, codes_among
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.points import Points, make_points

# Labels of one partition beyond which they are no classes.
MANY_CLASSES = 10_000


class Raw(NamedTuple):
    """Rows and labels as they come.

    Attributes
    ----------
    X : array, sparse matrix or data frame
    y : array, or the name of the label column
    first : int
        The number that the first column has in the file: 0 or 1 for svmlight, else 0.
    """

    X: Any
    y: Any
    first: int = 0


class Survey(NamedTuple):
    """What must be known of a partition before learning.

    Attributes
    ----------
    rows, width, first : int
        Its size, and `Raw.first`.
    classes : ndarray
        Its different labels, sorted.
    radius : float
        R of its rows, bias included.
    nbytes : int
        Memory of the rows.
    itemsize : int
        Bytes of a stored entry.
    sparse : bool
    names : tuple of str
        The features', if they have any.
    """

    rows: int
    width: int
    first: int
    classes: np.ndarray
    radius: float
    nbytes: int
    itemsize: int
    sparse: bool
    names: tuple[str, ...]


class Facts(NamedTuple):
    """What all partitions have in common, once surveyed.

    Attributes
    ----------
    width, first : int
        Columns, and the number of the first.
    classes : ndarray
    fit_intercept : bool
    held_out : float
        The share of each partition's rows that is kept for validation.
    seed : int
        Draws them.
    """

    width: int
    first: int
    classes: np.ndarray
    fit_intercept: bool = True
    held_out: float = 0.0
    seed: int = 0


class Block(NamedTuple):
    """A partition ready to be learned from.

    Attributes
    ----------
    X : ndarray or CSR matrix
    codes : ndarray of int
    train, held : ndarray of int
        Rows to learn from, and rows to validate on.
    fit_intercept : bool
    classes : int
        K.
    """

    X: Any
    codes: np.ndarray
    train: np.ndarray
    held: np.ndarray
    fit_intercept: bool
    classes: int

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return self.classes if self.classes > 2 else 0

    def points(self, step: float = 1.0) -> Points:
        """The rows as the engine reads them; nothing is copied."""
        y = self.codes if self.vectors else 2.0 * self.codes - 1.0
        return make_points(self.X, y, fit_intercept=self.fit_intercept, steps=step)


def named(name: str, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function; what goes wrong with a partition names it."""
    try:
        return function(*args)
    except RosenblattError as error:
        text = str(error)
        raise InputError(text if name in text else f"{name}: {text}") from None
    except (ValueError, TypeError, OSError, EOFError, LookupError) as error:
        raise InputError(
            f"{name}: cannot be read as points ({type(error).__name__}: {error})"
        ) from error


def loaded(source: Any) -> Raw:
    """The rows of a source: a pair (X, y), or something that reads itself."""
    if isinstance(source, Raw):
        return source
    if hasattr(source, "read"):
        return source.read()
    if isinstance(source, (tuple, list)) and len(source) == 2:
        return Raw(*source)
    raise InputError(
        f"a delayed partition must be a pair (X, y) of rows and labels, got a "
        f"{type(source).__name__}"
    )


def checked(raw: Raw) -> tuple[Any, np.ndarray, tuple[str, ...]]:
    """Rows as a float array or CSR matrix, labels, and the names of the columns."""
    X, y = raw.X, raw.y
    if isinstance(y, str):
        if y not in X.columns:
            raise InputError(f"there is no column {y!r}; there are {', '.join(map(str, X))}")
        X, y = X.drop(columns=[y]), X[y]
    names: tuple[str, ...] = ()
    if hasattr(X, "columns"):
        names = tuple(map(str, X.columns))
        X = _of_frame(X)
    elif hasattr(X, "tocsr"):
        X = X.tocsr()
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if np.ndim(X) != 2 or y.shape != (X.shape[0],):
        raise InputError(
            f"a partition needs rows of shape (n, d) and n labels, got {np.shape(X)} and {y.shape}"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        at = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(f"label {y[at]} at row {at} is no label")
    if X.shape[0]:
        X = check_rows(None, X)
    return X, _plain(y), names


def _of_frame(X: Any) -> np.ndarray:
    texts = [str(name) for name, dtype in X.dtypes.items() if dtype.kind not in "biuf"]
    if texts:
        raise InputError(
            f"column {texts[0]!r} is not numeric; make features of it first, or leave it out"
        )
    dtypes = set(X.dtypes)
    return X.to_numpy(dtype=np.float32 if dtypes == {np.dtype("f4")} else np.float64)


def _plain(y: np.ndarray) -> np.ndarray:
    """Text labels as numpy's own, so that partitions compare."""
    if y.dtype.kind in "OT" and all(isinstance(label, str) for label in y):
        return y.astype(str) if len(y) else np.zeros(0, dtype="U1")
    return y


def survey(source: Any, name: str, fit_intercept: bool) -> Survey:
    """Load a partition once, and say what must be known of it."""
    raw = named(name, loaded, source)
    X, y, names = named(name, checked, raw)
    sparse = hasattr(X, "indptr")
    classes = np.unique(y)
    if len(classes) > MANY_CLASSES:
        raise InputError(f"{name}: {len(classes):,} different labels are no classes")
    radius = 0.0
    if len(y):
        codes = np.zeros(len(y), dtype=np.intp)
        points = make_points(X, codes, fit_intercept=fit_intercept)
        radius = named(name, check_finite, points, names or None)
    stored = (X.data, X.indices, X.indptr) if sparse else (np.asarray(X),)
    return Survey(
        rows=len(y),
        width=int(X.shape[1]),
        first=raw.first,
        classes=classes,
        radius=radius,
        nbytes=sum(array.nbytes for array in stored) + 8 * len(y),
        itemsize=sum(array.itemsize for array in stored[:2]),
        sparse=sparse,
        names=names,
    )


def prepare(source: Any, facts: Facts, index: int, name: str) -> Block:
    """A source as a block; a block as it is."""
    return source if isinstance(source, Block) else named(name, _prepared, source, facts, index)


def _prepared(source: Any, facts: Facts, index: int) -> Block:
    raw = loaded(source)
    X, y, _ = checked(raw)
    if hasattr(X, "indptr"):
        X = widened(X, raw.first - facts.first, facts.width)
    if X.shape[0] and X.shape[1] != facts.width:
        raise InputError(f"it has {X.shape[1]} columns, other partitions {facts.width}")
    codes = np.zeros(0, np.intp)
    if X.shape[0]:
        codes = codes_among(facts.classes, y, X.shape[0])
    everyone = np.arange(len(codes))
    held = everyone[:0]
    if facts.held_out:
        rng = np.random.default_rng([facts.seed, index])
        held = np.sort(rng.permutation(everyone)[: round(facts.held_out * len(everyone))])
        everyone = np.setdiff1d(everyone, held, assume_unique=True)
    return Block(X, codes, everyone, held, facts.fit_intercept, len(facts.classes))


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


def on_block(
    source: Any, index: int, name: str, *, facts: Facts, function: Any, weights: Any, args: Any
) -> Any:
    """What a function finds of a partition: ``function(block, index, weights, *args)``."""
    return function(prepare(source, facts, index, name), index, weights, *args)
