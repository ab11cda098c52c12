"""Data in batches, wherever they lie: a function of ``work`` runs on every batch there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.data.labels import (
    check_discrete,
    distinct,
    known_classes,
    listed,
    read_labels,
    remark_alike,
)
from rosenblatt.engine.column_sums import add_up
from rosenblatt.engine.points import DenseRows, Points, SparseRows
from rosenblatt.engine.scaling import Alike, UsualRows, scale_of
from rosenblatt.errors import InputError, users_line
from rosenblatt.places.cluster import mixing, work
from rosenblatt.places.cluster.batches import Batches
from rosenblatt.places.cluster.work import PartitionFacts, Survey

# Size of the sample by which the usual length of rows is estimated: rows, and their entries.
SOME_ROWS, SOME_ENTRIES = 4096, 2**22
# The least share, of what it is of all rows, that pairs of rows of different classes may be within
# partitions (measured, a9a and MNIST: below it accuracy falls by 0.2 points and soon by 10).
LEAST_MIXED = 0.75


class Partitions:
    """A data set in batches: its facts, and the questions that are asked of it.

    Parameters
    ----------
    batches : Batches
        They, and their executor.
    persist : {"auto", True, False}
        Whether the workers keep the batches in memory between rounds, or read them again.
    fit_intercept, held_out, seed
        As for `work.PartitionFacts`.
    classes : array, optional
        All labels there may be; by default those that are found.
    like : PartitionFacts, optional
        Of earlier data that these must agree with.
    """

    def __init__(
        self,
        batches: Batches,
        *,
        persist: Any = False,
        fit_intercept: bool = True,
        held_out: float = 0.0,
        seed: int = 0,
        classes: Any = None,
        like: PartitionFacts | None = None,
    ):
        if persist not in ("auto", True, False):
            raise InputError(f"persist must be 'auto', True or False, got {persist!r}.")
        self.batches, self.persist = batches, persist
        self.which, self.positive, self.dealt = "train", None, False
        self.alike: Alike | None = None
        surveys = batches.ask(work.survey, fit_intercept=fit_intercept)
        if not surveys:
            raise InputError("there is no batch to learn from: the executor returned no answer.")
        self.facts = _facts(surveys, classes, like)._replace(
            fit_intercept=fit_intercept, held_out=held_out, seed=seed
        )
        # The facts by which batches are read, and those by which questions are asked.
        self.read_as, self.surveys = self.facts, surveys
        self.offsets = np.concatenate([[0], np.cumsum([s.rows for s in surveys])])
        self.n, self.d = int(self.offsets[-1]), self.facts.width
        self.radius = max(s.radius for s in surveys)
        self.nbytes = sum(s.nbytes for s in surveys)
        self.kept = self._may_keep(1)
        if self.kept:
            batches.keep(work.prepare, facts=self.read_as)

    def _may_keep(self, copies: int) -> bool:
        fits = self.persist == "auto" and self.batches.has_room(copies * self.nbytes)
        return self.persist is True or fits

    def mix_rows(self) -> None:
        """Deal rows out anew if the partitions' classes differ, or warn where there is no room.

        Passes over partitions of one class move all weights towards it, and the mean of such
        weights predicts badly, whatever the shares.
        """
        if not self.mixed < LEAST_MIXED:
            return
        if self.kept and self._may_keep(2):
            at = np.arange(len(self.facts.classes))
            found = [np.average(at, weights=k) if k.any() else 0.0 for k in self._counts]
            self.batches.deal(np.argsort(found, kind="stable").tolist(), self.facts.seed)
            self.dealt = True
            return
        warnings.warn(
            "the partitions differ in their classes, as those of rows sorted by label do: two rows "
            f"of one partition are of different classes {self.mixed:.2g} times as often as any two "
            "rows. Weights learned so predict badly. Shuffle the rows across partitions first; a "
            "cluster does where twice the data fits into its workers' memory (persist=True).",
            stacklevel=users_line(),
        )

    @property
    def mixed(self) -> float:
        """How often two rows of a partition differ in class, against any two rows.

        It is 1 in the mean for rows in random order, however few there are in a partition, and 0
        for partitions of one class each (Goodman and Kruskal's τ is 1 less it).
        """
        parts = [k for k in self._counts if k.sum() > 1]
        whole = self.counts
        if not parts or np.count_nonzero(whole) < 2:
            return 1.0
        rows = [int(k.sum()) for k in parts]
        return float(np.average([_differ(k) for k in parts], weights=rows) / _differ(whole))

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
        return sum(self._counts, np.zeros(len(self.facts.classes), dtype=np.int64))

    @property
    def _counts(self) -> Iterator[np.ndarray]:
        """The same, partition by partition."""
        codes = {label: code for code, label in enumerate(listed(self.facts.classes))}
        for s in self.surveys:
            counts = np.zeros(len(codes), dtype=np.int64)
            for label, count in zip(listed(s.classes), s.counts.tolist(), strict=True):
                if label in codes:
                    counts[codes[label]] += count
            yield counts

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
        """The same batches, with the rows held out as the rows in question."""
        return self._seen(which="held")

    def against_rest(self, positive: int) -> Partitions:
        """The same batches with two classes: one of their own (True), and all others."""
        two = self.facts._replace(classes=np.array([False, True]))
        return self._seen(facts=two, positive=positive)

    def scaled(self, pace: mixing.Pace) -> tuple[Partitions, float]:
        """The same batches with scaled columns and limited steps, and the mean of η‖x‖².

        The usual length of rows is estimated from a sample of all pieces.
        """
        some, centre = self._some_rows(pace.seed), self.facts.fit_intercept
        usual = UsualRows.told_by(some, centre)
        scale = scale_of(
            lambda centres: add_up(
                part for part in self.ask(mixing.sums_of, centres, usual) if part.rows
            ),
            centre,
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

    def ask(self, function: Callable[..., Any], weights: Any, *args: Any) -> list[Any]:
        """The answers of ``function(block, index, weights, *args)`` for every batch."""
        return self.batches.ask(work.on_block, weights, **self._how(function, args))

    def _how(self, function: Callable[..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
        known = {"facts": self.read_as, "positive": self.positive}
        return known | {"question": function, "args": args}

    def mix(self, weights: np.ndarray, pace: mixing.Pace, number: int) -> tuple[mixing.Mixed, int]:
        """One round of mixing, and the bytes of weights that it moved at most."""
        how = self._how(mixing.one_pass, (pace, number, self.alike))
        mixed = self.batches.combined(mixing.combine, work.on_block, weights, **how)
        return mixed, weights.nbytes * self.batches.workers + mixed.moved + mixed.nbytes

    def errors(self, weights: np.ndarray, pace: mixing.Pace | None) -> tuple[float, float]:
        """Points on the wrong side, and how many there are; by their steps, if a pace is given."""
        found = np.array(self.ask(mixing.wrong, weights, self.which, pace))
        return float(found[:, 0].sum()), float(found[:, 1].sum())


def _differ(counts: np.ndarray) -> float:
    """How often two different rows drawn from these classes are of different classes.

    Examples
    --------
    >>> _differ(np.array([2, 2])), _differ(np.array([5, 0]))
    (0.6666666666666667, 0.0)
    """
    n = float(counts.sum())
    return 1 - float(counts @ (counts - 1.0)) / (n * (n - 1))


def _facts(surveys: list[Survey], classes: Any, like: PartitionFacts | None) -> PartitionFacts:
    """What the batches have in common; refuses batches that do not go together."""
    filled = [s for s in surveys if s.rows]
    if not filled:
        raise InputError("There is no point to learn from: every partition is empty.")
    first = min(s.first for s in filled)
    widest = max(filled, key=lambda s: s.width + s.first)
    width = widest.width + widest.first - first
    for s in filled:
        if not s.sparse and s.width != width:
            raise InputError(f"{s.name} has {s.width} columns, {widest.name} has {width}.")
        if s.names != filled[0].names:
            raise InputError(f"{s.name} has other columns than {filled[0].name}.")
    if like is not None:
        return _like(like, first, width)
    found = _all_classes(filled) if classes is None else known_classes(classes)
    if len(found) < 2:
        raise InputError(
            f"all {sum(s.rows for s in filled):,} rows are of one class, {found.tolist()[0]!r}: "
            "a classifier needs at least two. Check the label column."
        )
    return PartitionFacts(width, first, found)


def _like(like: PartitionFacts, first: int, width: int) -> PartitionFacts:
    if first < like.first or width + first > like.width + like.first:
        raise InputError(f"these partitions have {width} columns, earlier ones {like.width}.")
    return like


def _all_classes(filled: list[Survey]) -> np.ndarray:
    kinds = {"text" if s.classes.dtype.kind in "UO" else "numbers": s.name for s in filled}
    if len(kinds) > 1:
        raise InputError(
            f"labels must be of one kind: {kinds['text']} has text, {kinds['numbers']} numbers."
        )
    found = distinct(read_labels([label for s in filled for label in listed(s.classes)]))[0]
    check_discrete(found)
    remark_alike(found)
    return found
