"""Work on one partition, in plain functions, which run anywhere, on a cluster or not.

A source becomes a `PartitionBlock` (checked rows, class codes); functions of a block return small
answers.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import codes_among, distinct
from rosenblatt.engine.points import Points, make_points
from rosenblatt.errors import InputError
from rosenblatt.places.cluster.raw import RawRows, checked, loaded, name_of, named, widened

# Distinct labels of one partition above which they are refused as classes.
MANY_CLASSES = 10_000


class Survey(NamedTuple):
    """Facts about a partition that learning needs.

    Attributes
    ----------
    name : str
        What errors call it.
    rows, width, first : int
        Its size, and `RawPartition.first`.
    classes, counts : ndarray
        Its different labels, sorted, and how many rows of weight above 0 have each.
    spread : tuple of float
        The least weight of a point that is not 0, and the largest; 1 and 1 without weights.
    idle : int
        Rows of weight 0.
    radius : float
        R of its rows, bias included.
    nbytes : int
        Memory of the rows.
    itemsize : int
        Bytes of a stored entry.
    sparse : bool
    names : tuple of str
        The features', if they have any.
    checksum : int
        Of all its numbers and labels.
    """

    name: str
    rows: int
    width: int
    first: int
    classes: np.ndarray
    counts: np.ndarray
    spread: tuple[float, float]
    idle: int
    radius: float
    nbytes: int
    itemsize: int
    sparse: bool
    names: tuple[str, ...]
    checksum: int


class PartitionFacts(NamedTuple):
    """Facts that all partitions share, known after the survey.

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

    Examples
    --------
    >>> PartitionFacts(width=3, first=0, classes=np.array(["no", "yes"])).fit_intercept
    True
    """

    width: int
    first: int
    classes: np.ndarray
    fit_intercept: bool = True
    held_out: float = 0.0
    seed: int = 0


class PartitionBlock(NamedTuple):
    """A partition ready to be learned from.

    Attributes
    ----------
    X : ndarray or CSR matrix
    codes : ndarray of int
    weights : ndarray or None
        Of the points.
    train, held : ndarray of int
        Rows to learn from, and rows to validate on.
    fit_intercept : bool
    classes : int
        K.
    """

    X: Any
    codes: np.ndarray
    weights: np.ndarray | None
    train: np.ndarray
    held: np.ndarray
    fit_intercept: bool
    classes: int

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return self.classes if self.classes > 2 else 0

    @property
    def rows_to_learn(self) -> Any:
        """The rows to learn from; those of X itself where all are."""
        return self.X if len(self.train) == self.X.shape[0] else self.X[self.train]

    def points(self, steps: float | np.ndarray = 1.0) -> Points:
        """The rows as the engine reads them; nothing is copied."""
        y = self.codes if self.vectors else 2.0 * self.codes - 1.0
        return make_points(self.X, y, fit_intercept=self.fit_intercept, steps=steps)

    def against_rest(self, positive: int) -> PartitionBlock:
        """The block with two classes: one of its own, and all others."""
        return self._replace(codes=(self.codes == positive).astype(np.intp), classes=2)


def survey(source: Any, index: int, weights: None = None, fit_intercept: bool = True) -> Survey:
    """Load a partition once, and survey it."""
    name = name_of(source, index)
    raw = named(name, loaded, source)
    rows: RawRows = named(name, checked, raw)
    X, y = rows.X, rows.y
    classes, codes = distinct(y)
    busy = codes if rows.weights is None else codes[rows.weights > 0]
    counts = np.bincount(busy, minlength=len(classes))
    if len(classes) > MANY_CLASSES:
        raise InputError(f"{name}: {len(classes):,} different labels are no classes")
    radius = 0.0
    if len(y):
        points = make_points(X, np.zeros(len(y), dtype=np.intp), fit_intercept=fit_intercept)
        radius = named(name, check_finite, points, rows.names or None)
    thin = hasattr(X, "indptr")
    stored = (X.data, X.indices, X.indptr) if thin else (np.asarray(X),)
    heavy = np.ones(1) if rows.weights is None else rows.weights[rows.weights > 0]
    return Survey(
        name=name,
        rows=len(y),
        width=int(X.shape[1]),
        first=raw.first,
        classes=classes,
        counts=counts,
        spread=(float(heavy.min()), float(heavy.max())) if len(heavy) else (np.inf, 0.0),
        idle=0 if rows.weights is None else len(y) - len(heavy),
        radius=radius,
        nbytes=sum(array.nbytes for array in stored) + 8 * len(y),
        itemsize=sum(array.itemsize for array in stored[:2]),
        sparse=thin,
        names=rows.names,
        checksum=_checksum(*stored, y, rows.weights),
    )


def _checksum(*arrays: np.ndarray | None) -> int:
    """A checksum of arrays; arrays of objects are converted to text first."""
    found = 0
    for array in arrays:
        if array is not None:
            plain = array.astype(str) if array.dtype.kind == "O" else array
            found = zlib.crc32(np.ascontiguousarray(plain).view(np.uint8).data, found)
    return found


def prepare(
    source: Any, index: int, weights: None = None, *, facts: PartitionFacts
) -> PartitionBlock:
    """A source as a block; a block as it is.

    Parameters
    ----------
    source : (X, y), (X, y, sample_weight), or what reads itself
    index : int
        The number of the batch.
    weights : None
        Not needed.
    facts : PartitionFacts
        What all batches have in common.

    Examples
    --------
    >>> facts = PartitionFacts(2, 0, np.array(["a", "b"]))
    >>> prepare((np.eye(2), ["b", "a"]), 0, facts=facts).codes
    array([1, 0])
    """
    if isinstance(source, PartitionBlock):
        return source
    return named(name_of(source, index), _prepared, source, facts, index)


def _prepared(source: Any, facts: PartitionFacts, index: int) -> PartitionBlock:
    raw = loaded(source)
    X, y, weights, _ = checked(raw)
    if hasattr(X, "indptr"):
        X = widened(X, raw.first - facts.first, facts.width)
    if X.shape[0] and X.shape[1] != facts.width:
        raise InputError(f"it has {X.shape[1]} columns, other partitions {facts.width}")
    codes = np.zeros(0, np.intp)
    if X.shape[0]:
        codes = codes_among(facts.classes, y, X.shape[0])
    in_play = np.arange(len(codes)) if weights is None else np.flatnonzero(weights)
    held = in_play[:0]
    if facts.held_out:
        rng = np.random.default_rng([facts.seed, index])
        held = np.sort(rng.permutation(in_play)[: round(facts.held_out * len(in_play))])
        in_play = np.setdiff1d(in_play, held, assume_unique=True)
    return PartitionBlock(X, codes, weights, in_play, held, facts.fit_intercept, len(facts.classes))


def shares(
    block: PartitionBlock, index: int, weights: None, pieces: int, seed: int
) -> list[PartitionBlock]:
    """The rows to learn from, dealt at random into so many shares."""
    dealt = np.random.default_rng([seed, index]).permutation(block.train)
    return [_some(block, np.sort(dealt[k::pieces])) for k in range(pieces)]


def _some(block: PartitionBlock, rows: np.ndarray) -> PartitionBlock:
    """Those rows, all to learn from."""
    weights = None if block.weights is None else block.weights[rows]
    in_play = np.arange(len(rows))
    return block._replace(
        X=block.X[rows], codes=block.codes[rows], weights=weights, train=in_play, held=rows[:0]
    )


def joined(parts: Sequence[PartitionBlock]) -> PartitionBlock:
    """One block of the rows of shares."""
    filled = [part for part in parts if len(part.codes)]
    if not filled:
        return parts[0]
    thin = any(hasattr(part.X, "indptr") for part in filled)
    tables = [part.X for part in filled]
    codes = np.concatenate([part.codes for part in filled])
    weights = None
    if any(part.weights is not None for part in filled):
        whole = [np.ones(len(p.codes)) if p.weights is None else p.weights for p in filled]
        weights = np.concatenate(whole)
    X: Any = sparse.vstack(tables, format="csr") if thin else np.concatenate(tables)
    return filled[0]._replace(X=X, codes=codes, weights=weights, train=np.arange(len(codes)))


def on_block(
    source: Any,
    index: int,
    weights: Any,
    *,
    facts: PartitionFacts,
    positive: int | None,
    question: Any,
    args: Any,
) -> Any:
    """The answer to ``question(block, index, weights, *args)`` of a partition.

    ``positive`` is the class to separate from all others, if there is one.
    """
    block = prepare(source, index, facts=facts)
    if positive is not None:
        block = block.against_rest(positive)
    return question(block, index, weights, *args)
