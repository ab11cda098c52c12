"""Data in pieces: from what users have to partitions that answer questions.

A dask array, a dask data frame, a list of delayed pairs or `Shards` become `Partitions`, which run
a function of ``work`` on every piece where it lies. Imports ``cluster``, ``mixing`` and ``work``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.dask import mixing, work
from rosenblatt.dask.cluster import memory_of, reported, sent, workers_of
from rosenblatt.dask.shards import Shard, Shards
from rosenblatt.dask.work import Facts, Raw, Survey
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.points import DenseRows, SparseRows

# Blocks may take this share of the workers' memory; beyond, they are read again each round.
MEMORY_SHARE = 0.4
# Weights of so few bytes travel with each task: that is cheaper than a message of their own.
SMALL = 2**16


def sources_of(X: Any, y: Any = None) -> tuple[list[Any], list[str]]:
    """The pieces of a collection, each a `Shard` or a delayed `Raw`, and their names.

    Parameters
    ----------
    X : dask array, dask data frame, list of delayed (X, y), or Shards
    y : dask array or series, array, or the name of the label column
    """
    if isinstance(X, Shards):
        if y is not None:
            raise InputError("shards of files have their labels with them: leave y out.")
        return list(X.shards), [shard.path for shard in X.shards]
    if isinstance(X, (list, tuple)):
        return _of_list(X, y)
    if hasattr(X, "to_delayed") and hasattr(X, "chunks"):
        sources = _of_array(X, y)
    elif hasattr(X, "to_delayed") and hasattr(X, "columns"):
        sources = _of_frame(X, y)
    else:
        raise InputTypeError(
            f"X must be a dask array, a dask data frame, a list of delayed (X, y) or shards of "
            f"files, got a {type(X).__name__}. Data in memory needs no cluster: use "
            "rosenblatt.Perceptron, or dask.array.from_array(X, chunks=...)."
        )
    return sources, [f"partition {at}" for at in range(len(sources))]


def _of_list(parts: Sequence[Any], y: Any) -> tuple[list[Any], list[str]]:
    if y is not None or not parts or not all(hasattr(part, "dask") for part in parts):
        raise InputError(
            "a list must hold delayed pairs (X, y), one for each partition, with no y beside it."
        )
    return list(parts), [f"partition {at}" for at in range(len(parts))]


def _of_array(X: Any, y: Any) -> list[Any]:
    import dask.array as da
    from dask.delayed import delayed

    if y is None:
        raise InputError("requires y to be passed: a dask array or array of labels.")
    if X.ndim != 2:
        raise InputError(f"X must have two dimensions, got shape {X.shape}.")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if not hasattr(y, "to_delayed"):
        y = np.asarray(y)
        if y.shape[:1] != X.shape[:1]:
            raise InputError(
                f"X and y have inconsistent numbers of samples: {X.shape[0]} rows, {len(y)} labels."
            )
        y = da.from_array(y, chunks=(X.chunks[0],))  # type: ignore[arg-type]
    labels = np.ravel(y.to_delayed())
    known = not any(map(math.isnan, (*X.shape[:1], *getattr(y, "shape", (0,))[:1])))
    if known and getattr(y, "chunks", X.chunks)[0] != X.chunks[0]:
        if y.shape[0] != X.shape[0]:
            raise InputError(
                f"X and y have inconsistent numbers of samples: {X.shape[0]} rows, "
                f"{y.shape[0]} labels."
            )
        labels = np.ravel(y.rechunk((X.chunks[0],)).to_delayed())
    rows = np.ravel(X.to_delayed())
    if len(rows) != len(labels):
        raise InputError(
            f"X and y must come in the same partitions, got {len(rows)} and {len(labels)}."
        )
    return [delayed(Raw)(a, b) for a, b in zip(rows, labels, strict=True)]


def _of_frame(X: Any, y: Any) -> list[Any]:
    from dask.delayed import delayed

    if y is None:
        raise InputError("name the label column: fit(frame, 'label').")
    if isinstance(y, str) and y not in X.columns:
        raise InputError(f"there is no column {y!r}; there are {', '.join(map(str, X.columns))}.")
    rows = X.to_delayed()
    labels = [y] * len(rows) if isinstance(y, str) else np.ravel(y.to_delayed())
    if len(rows) != len(labels):
        raise InputError(
            f"X and y must come in the same partitions, got {len(rows)} and {len(labels)}."
        )
    return [delayed(Raw)(a, b) for a, b in zip(rows, labels, strict=True)]


class Partitions:
    """A data set in pieces on a cluster. To ``learn`` it looks like points of which none is here.

    Parameters
    ----------
    client : Client
    X, y
        As for `sources_of`.
    persist : {"auto", True, False}
        Whether the workers keep the pieces in memory between rounds, or read them again.
    fit_intercept, held_out, seed
        As for `work.Facts`.
    classes : array, optional
        All labels there may be; by default those that are found.
    like : Facts, optional
        Of the data that these must be like.
    """

    def __init__(
        self,
        client: Any,
        X: Any,
        y: Any = None,
        *,
        persist: Any = "auto",
        fit_intercept: bool = True,
        held_out: float = 0.0,
        seed: int = 0,
        classes: Any = None,
        like: Facts | None = None,
    ):
        if persist not in ("auto", True, False):
            raise InputError(f"persist must be 'auto', True or False, got {persist!r}.")
        self.client, self.which = client, "train"
        self.workers = len(workers_of(client))
        self.sources, self.labels = sources_of(X, y)
        self.blocks: list[Any] | None = None
        surveys = self._surveyed(fit_intercept)
        self.facts = _facts(surveys, self.labels, classes, like)._replace(
            fit_intercept=fit_intercept, held_out=held_out, seed=seed
        )
        self.surveys = surveys
        self.offsets = np.concatenate([[0], np.cumsum([s.rows for s in surveys])])
        self.n, self.d = int(self.offsets[-1]), self.facts.width
        self.radius = max(s.radius for s in surveys)
        self.nbytes = sum(s.nbytes for s in surveys)
        if persist is True or (persist == "auto" and self._fits()):
            self._persist()

    def _surveyed(self, fit_intercept: bool) -> list[Survey]:
        with reported(self.client):
            futures = self.client.map(
                work.survey,
                self._fresh(),
                self.labels,
                fit_intercept=fit_intercept,
                pure=False,
                key="survey",
            )
            return self.client.gather(futures)

    def _fresh(self) -> list[Any]:
        """The pieces as arguments of a task: shards are read in it, delayed ones before it."""
        if isinstance(self.sources[0], Shard):
            return self.sources
        return self.client.compute(self.sources)

    def _fits(self) -> bool:
        return self.nbytes <= MEMORY_SHARE * memory_of(self.client)

    def _persist(self) -> None:
        with reported(self.client):
            self.blocks = self.client.map(
                work.prepare,
                self._fresh(),
                [self.facts] * len(self.sources),
                range(len(self.sources)),
                self.labels,
                pure=False,
                key="block",
            )

    @property
    def rows(self) -> DenseRows | SparseRows:
        """Rows of the right kind and width, none of which is here."""
        itemsize = self.surveys[0].itemsize
        if not any(s.sparse for s in self.surveys):
            return DenseRows(np.empty((0, self.d), dtype=f"f{itemsize}" if itemsize else "f8"))
        return SparseRows(np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int32), self.d)

    @property
    def y(self) -> tuple[()]:
        """No label is here."""
        return ()

    @property
    def reach(self) -> float:
        """The furthest that a step of 1 moves the weights: two vectors of them with K classes."""
        return self.radius * math.sqrt(2 if len(self.facts.classes) > 2 else 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names, if they have any."""
        return next(s.names for s in self.surveys if s.rows)

    def held(self) -> Partitions:
        """The same pieces, of which the rows held out are asked about."""
        other = object.__new__(Partitions)
        other.__dict__.update(self.__dict__, which="held")
        return other

    def each(self, function: Callable[..., Any], weights: Any, *args: Any) -> list[Any]:
        """Futures of ``function(block, index, weights, *args)`` for every piece."""
        sources = self._fresh() if self.blocks is None else self.blocks
        return self.client.map(
            work.on_block,
            sources,
            range(len(sources)),
            self.labels,
            facts=self.facts,
            function=function,
            weights=weights,
            args=args,
            pure=False,
            key=function.__name__,
        )

    def ask(self, function: Callable[..., Any], weights: Any, *args: Any) -> list[Any]:
        """The same, answered."""
        with reported(self.client):
            futures = self.each(function, self._spread(weights), *args)
            return self._waited(futures, lambda: self.client.gather(futures))

    def _waited(self, futures: list[Any], answer: Callable[[], Any]) -> Any:
        """The answer; after a Ctrl-C nothing goes on."""
        try:
            return answer()
        except KeyboardInterrupt:
            self.client.cancel(futures)
            raise

    def _spread(self, weights: Any) -> Any:
        """The weights as an argument of tasks: wide ones are sent once, from worker to worker."""
        if weights is None or weights.nbytes <= SMALL:
            return weights
        return sent(self.client, weights)

    def mix(self, weights: np.ndarray, pace: mixing.Pace, number: int) -> tuple[mixing.Mixed, int]:
        """One round of mixing, and the bytes of weights that it moved at most."""
        with reported(self.client):
            futures = self.each(mixing.one_pass, self._spread(weights), pace, number)
            mixed = self._waited(futures, mixing.tree(futures, self._added).result)
        return mixed, weights.nbytes * self.workers + mixed.moved + mixed.nbytes

    def _added(self, futures: list[Any]) -> Any:
        return self.client.submit(mixing.add_up, futures, pure=False)

    def errors(self, weights: np.ndarray) -> tuple[int, int]:
        """Points on the wrong side, and how many there are."""
        found = np.array(self.ask(mixing.wrong, weights, self.which))
        return int(found[:, 0].sum()), int(found[:, 1].sum())


def _facts(surveys: list[Survey], labels: list[str], classes: Any, like: Facts | None) -> Facts:
    """What the pieces have in common; refuses pieces that do not go together."""
    filled = [(s, name) for s, name in zip(surveys, labels, strict=True) if s.rows]
    if not filled:
        raise InputError("There is no point to learn from: every partition is empty.")
    first = min(s.first for s, _ in filled)
    width = max(s.width + s.first - first for s, _ in filled)
    for s, name in filled:
        if not s.sparse and s.width != width:
            raise InputError(f"{name} has {s.width} columns, {filled[0][1]} has {width}.")
        if s.names != filled[0][0].names:
            raise InputError(f"{name} has other columns than {filled[0][1]}.")
    if like is not None:
        return _like(like, first, width)
    found = _all_classes(filled) if classes is None else np.unique(np.asarray(classes))
    if len(found) < 2:
        raise InputError(
            f"all {sum(s.rows for s, _ in filled):,} rows are of one class, {found.tolist()[0]!r}: "
            "a classifier needs at least two. Check the label column."
        )
    return Facts(width, first, found)


def _like(like: Facts, first: int, width: int) -> Facts:
    if first < like.first or width + first > like.width + like.first:
        raise InputError(f"these partitions have {width} columns, earlier ones {like.width}.")
    return like


def _all_classes(filled: list[tuple[Survey, str]]) -> np.ndarray:
    kinds = {"text" if s.classes.dtype.kind in "UO" else "numbers": name for s, name in filled}
    if len(kinds) > 1:
        raise InputError(
            f"labels must be of one kind: {kinds['text']} has text, {kinds['numbers']} numbers."
        )
    return np.unique(np.concatenate([s.classes for s, _ in filled]))
