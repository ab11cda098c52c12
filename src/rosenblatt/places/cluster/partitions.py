"""Data in pieces on a cluster: a function of ``work`` runs on every piece where it lies."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.data.labels import check_discrete, distinct, known_classes, listed
from rosenblatt.engine.averaging import Alike
from rosenblatt.engine.column_sums import add_up
from rosenblatt.engine.points import DenseRows, Points, SparseRows
from rosenblatt.engine.scaling import UsualRows, scale_of_sums
from rosenblatt.errors import InputError, users_line
from rosenblatt.places.cluster import mixing, work
from rosenblatt.places.cluster.cluster import memory_of, reported, sent, workers_of
from rosenblatt.places.cluster.shards import Shard
from rosenblatt.places.cluster.sources import sources_of
from rosenblatt.places.cluster.work import PartitionFacts, Survey

# Share of the workers' memory that blocks may take; if they need more, they are read every round.
MEMORY_SHARE = 0.4
# Size of the sample by which the usual length of rows is estimated: rows, and their entries.
SOME_ROWS, SOME_ENTRIES = 4096, 2**22
# Bytes of weights up to which they are sent with each task, which is cheaper than a message.
SMALL = 2**16


class Partitions:
    """A data set in pieces on a cluster.

    Parameters
    ----------
    client : Client
    X, y, sample_weight
        As for `sources_of`.
    persist : {"auto", True, False}
        Whether the workers keep the pieces in memory between rounds, or read them again.
    fit_intercept, held_out, seed
        As for `work.PartitionFacts`.
    classes : array, optional
        All labels there may be; by default those that are found.
    like : PartitionFacts, optional
        Of earlier data that these must agree with.
    """

    def __init__(
        self,
        client: Any,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        persist: Any = "auto",
        fit_intercept: bool = True,
        held_out: float = 0.0,
        seed: int = 0,
        classes: Any = None,
        like: PartitionFacts | None = None,
    ):
        if persist not in ("auto", True, False):
            raise InputError(f"persist must be 'auto', True or False, got {persist!r}.")
        self.client, self.which, self.positive = client, "train", None
        self.alike: Alike | None = None
        self.sources, self.labels = sources_of(X, y, sample_weight)
        self.blocks: list[Any] | None = None
        if not workers_of(client):
            warnings.warn(
                "the cluster has no workers yet: the fit waits for some, such as those of "
                f"`dask worker {client.scheduler.address}`.",
                stacklevel=users_line(),
            )
        surveys = self._surveyed(fit_intercept)
        self.workers = len(workers_of(client))
        self.facts = _facts(surveys, self.labels, classes, like)._replace(
            fit_intercept=fit_intercept, held_out=held_out, seed=seed
        )
        # The facts by which pieces are read, and those by which questions are asked.
        self.read_as, self.surveys = self.facts, surveys
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
                [self.read_as] * len(self.sources),
                range(len(self.sources)),
                self.labels,
                pure=False,
                key="block",
            )

    @property
    def none(self) -> Points:
        """An empty set of points of the right kind and width."""
        rows: DenseRows | SparseRows
        if any(s.sparse for s in self.surveys):
            rows = SparseRows(np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int32), self.d)
        else:
            rows = DenseRows(np.empty((0, self.d), f"f{self.surveys[0].itemsize or 8}"))
        return Points(rows, np.empty(0), np.empty(0), 1.0 if self.facts.fit_intercept else 0.0)

    @property
    def reach(self) -> float:
        """The farthest that a step of 1 moves the weights; with K classes it moves two vectors."""
        return self.radius * math.sqrt(2 if len(self.facts.classes) > 2 else 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names, if they have any."""
        return next(s.names for s in self.surveys if s.rows)

    @property
    def counts(self) -> np.ndarray:
        """How many rows of weight above 0 each class has."""
        found = dict.fromkeys(listed(self.facts.classes), 0)
        for s in self.surveys:
            for label, count in zip(listed(s.classes), s.counts.tolist(), strict=True):
                if label in found:
                    found[label] += count
        return np.array([*found.values()], dtype=np.int64)

    @property
    def whole(self) -> bool:
        """Whether all rows are learned from: none held out, none of weight 0."""
        return not (self.facts.held_out or any(s.idle for s in self.surveys))

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest weight of a point in play."""
        least, largest = zip(*(s.spread for s in self.surveys if s.rows), strict=True)
        return min(least), max(largest)

    def held(self) -> Partitions:
        """The same pieces, with the rows held out as the rows in question."""
        return self._seen(which="held")

    def against_rest(self, positive: int) -> Partitions:
        """The same pieces with two classes: one of their own (True), and all others."""
        two = self.facts._replace(classes=np.array([False, True]))
        return self._seen(facts=two, positive=positive)

    def scaled(self, pace: mixing.Pace) -> tuple[Partitions, float]:
        """The same pieces with scaled columns and limited steps, and the mean of η‖x‖².

        The usual length of rows is estimated from a sample of all pieces.
        """
        some, centre = self._some_rows(pace.seed), self.facts.fit_intercept
        usual = UsualRows.told_by(some, centre)
        found = [part for part in self.ask(mixing.sums_of, None, usual) if part.rows]
        scale = scale_of_sums(
            add_up(found),
            centre,
            lambda means: np.sum(self.ask(mixing.spread_of, means, usual), axis=0),
        )
        alike = Alike.by(scale, some, self.none.bias)
        largest, total, rows = zip(*self.ask(mixing.lengths_of, None, pace, alike), strict=True)
        return self._seen(alike=alike, radius=max(largest)), sum(total) / max(1.0, sum(rows))

    def _some_rows(self, seed: int) -> Any:
        """Some of the rows to learn from: of each piece a share, of none more than have room."""
        entries = sum(s.nbytes // s.itemsize for s in self.surveys if s.rows)
        share = min(1.0, SOME_ROWS / self.n, SOME_ENTRIES / max(1, entries))
        parts = [part for part in self.ask(mixing.some_of, None, share, seed) if part.shape[0]]
        thin = any(s.sparse for s in self.surveys)
        return sparse.vstack(parts, format="csr") if thin else np.concatenate(parts)

    def _seen(self, **otherwise: Any) -> Partitions:
        other = object.__new__(Partitions)
        other.__dict__.update(self.__dict__, **otherwise)
        return other

    def each(self, function: Callable[..., Any], weights: Any, *args: Any) -> list[Any]:
        """Futures of ``function(block, index, weights, *args)`` for every piece."""
        sources = self._fresh() if self.blocks is None else self.blocks
        return self.client.map(
            work.on_block,
            sources,
            range(len(sources)),
            self.labels,
            facts=self.read_as,
            positive=self.positive,
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
            futures = self.each(mixing.one_pass, self._spread(weights), pace, number, self.alike)
            mixed = self._waited(futures, mixing.tree(futures, self._added).result)
        return mixed, weights.nbytes * self.workers + mixed.moved + mixed.nbytes

    def _added(self, futures: list[Any]) -> Any:
        return self.client.submit(mixing.add_up, futures, pure=False)

    def errors(self, weights: np.ndarray, pace: mixing.Pace | None) -> tuple[float, float]:
        """Points on the wrong side, and how many there are; by their steps, if a pace is given."""
        found = np.array(self.ask(mixing.wrong, weights, self.which, pace))
        return float(found[:, 0].sum()), float(found[:, 1].sum())


def _facts(
    surveys: list[Survey], labels: list[str], classes: Any, like: PartitionFacts | None
) -> PartitionFacts:
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
    found = _all_classes(filled) if classes is None else known_classes(classes)
    if len(found) < 2:
        raise InputError(
            f"all {sum(s.rows for s, _ in filled):,} rows are of one class, {found.tolist()[0]!r}: "
            "a classifier needs at least two. Check the label column."
        )
    return PartitionFacts(width, first, found)


def _like(like: PartitionFacts, first: int, width: int) -> PartitionFacts:
    if first < like.first or width + first > like.width + like.first:
        raise InputError(f"these partitions have {width} columns, earlier ones {like.width}.")
    return like


def _all_classes(filled: list[tuple[Survey, str]]) -> np.ndarray:
    kinds = {"text" if s.classes.dtype.kind in "UO" else "numbers": name for s, name in filled}
    if len(kinds) > 1:
        raise InputError(
            f"labels must be of one kind: {kinds['text']} has text, {kinds['numbers']} numbers."
        )
    found = distinct(np.concatenate([s.classes for s, _ in filled]))[0]
    check_discrete(found)
    return found
