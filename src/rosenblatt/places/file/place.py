"""Rows in a file: each question is answered by a pass over its chunks."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.data.checkpoint import CheckpointError, check_place
from rosenblatt.engine.column_sums import Sums, add_up, sums
from rosenblatt.engine.loop import Learning
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.pieces import mean_step, squares_of
from rosenblatt.engine.points import Points
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.scaling import Alike, UsualRows, scale_of
from rosenblatt.engine.stopping import Stop
from rosenblatt.engine.sweep import resumed, zero_state
from rosenblatt.errors import InputError
from rosenblatt.places.file.checkpoint import Checkpoint
from rosenblatt.places.file.constraints import FileConstraints
from rosenblatt.places.file.rows import MEMORY, FileRows, Piece
from rosenblatt.places.file.sweep import (
    FileProgress,
    FileStanding,
    FileSweep,
    order_named,
)
from rosenblatt.places.place import Scaled, Schedule, Size, refutation_by_rows
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, Separation, classes_of
from rosenblatt.proof.certificate.data import Fingerprint, sides
from rosenblatt.solve.search import Refutation

# Rows held between chunks may take one part in so many of the memory allowed; joining them takes as
# much again, and the chunks being read and parsed the rest.
PART = 4
LEAST = 1 << 20
# Suffix of the checkpoint of the passes for the mean.
MEAN = ".mean"


class ScaledRows(FileRows):
    """The rows of a file, with scaled columns, and with the steps of long rows shortened.

    The usual length of rows is estimated from the first rows of the file.
    """

    def __init__(self, rows: FileRows):
        vars(self).update(vars(rows))
        self._opened = None
        first = next(rows.pieces())
        usual = UsualRows.told_by(first.X, rows.fit_intercept)

        def sums_around(centres: np.ndarray | None) -> Sums:
            return add_up(sums(usual.of(X), centres) for X in rows.tables())

        self.scale = scale_of(sums_around, rows.fit_intercept)
        self._alike = Alike.by(self.scale, first.X, rows.none.bias)
        self.first = self.points(first)

    def points(self, piece: Piece) -> Points:
        """The scaled rows as the engine reads them."""
        return self._alike.points(super().points(piece), piece.X)


class Saved:
    """Where a run over a file is saved: the search for a separator, and the passes for the mean.

    Parameters
    ----------
    path : str or path
        The checkpoint.
    about : dict
        What a run must share with it to go on from it.
    every : float
        Seconds between two saves.
    resume : bool
        Whether to go on from what is there.
    """

    def __init__(self, path: Any, about: dict[str, Any], every: float, resume: bool):
        self.resume = resume
        self.search = Checkpoint(path, about, every)
        self.mean = Checkpoint(os.fspath(path) + MEAN, about | {"part": MEAN}, every)
        if not resume:
            self.search.refuse_to_lose()
            check_place(os.fspath(path) + MEAN)
            self.mean.remove()

    def remove(self) -> None:
        """Remove the files, since the fit has ended."""
        self.search.remove()
        self.mean.remove()


class FileLearning(Learning):
    """Passes over a file, saved every so often, and where they end.

    Parameters
    ----------
    place : File
    rule, state, schedule
        As for `File.passes`.
    checkpoint : Checkpoint, optional
        Where the run is saved.
    standing, history
        Where an earlier run was left, and its passes.
    """

    def __init__(
        self,
        place: File,
        rule: Any,
        state: State,
        schedule: Schedule,
        checkpoint: Checkpoint | None,
        standing: FileStanding | None,
        history: list[Pass],
    ):
        if standing is not None and np.shape(standing.weights) != state.weights.shape:
            raise CheckpointError(
                f"the checkpoint's weights have shape {np.shape(standing.weights)}, these rows "
                f"need {state.weights.shape}; remove the file to start again"
            )
        self.place, self.checkpoint = place, checkpoint
        sweep = FileSweep(
            place.file,
            rule,
            state,
            seed=schedule.seed,
            room=place.memory // PART,
            standing=standing,
            remember=schedule.budget.weight_tol is not None,
            watch=self._after_step,
        )
        order = order_named(schedule.order)
        super().__init__(sweep, order=order, budget=schedule.budget, earlier=history)

    def _after_step(self, sweep: FileSweep) -> None:
        if self.place.progress is not None:
            self.place.progress(sweep.progress())
        if self.checkpoint is not None and self.checkpoint.due():
            self.checkpoint.save(sweep.standing(), self.history)

    def end(self, stop: Stop | None = None) -> Run:
        """What was learned, saved if the run was interrupted."""
        run = super().end(stop)
        if self.checkpoint is not None and run.stop is Stop.INTERRUPTED:
            self.save()
        return run

    def save(self) -> None:
        """Save where the run is."""
        assert self.checkpoint is not None
        self.checkpoint.save(self.standing(), self.history)

    def standing(self) -> FileStanding:
        """Where the run is."""
        sweep: Any = self.sweep
        return sweep.standing()


class File:
    """The rows of a file as a place to learn and decide.

    Parameters
    ----------
    rows : FileRows
        Its rows.
    memory : int
        Bytes that rows may take, those being read included.
    saved : Saved, optional
        Where to save runs every so often, and when they are interrupted.
    progress : callable, optional
        Sees the `FileProgress` after each step.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.readers import open_reader
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> path = pathlib.Path(tempfile.mkdtemp(), "rows.csv")
    >>> _ = path.write_text("x,y" + chr(10) + "1,1" + chr(10) + "-1,0" + chr(10))
    >>> place = File(FileRows(open_reader(path)))
    >>> place.passes(PerceptronRule(), place.start(), Schedule()).all().weights
    array([2., 0.])
    """

    all_in_play = True

    def __init__(
        self,
        rows: FileRows,
        *,
        memory: int = MEMORY,
        saved: Saved | None = None,
        progress: Callable[[FileProgress], None] | None = None,
    ):
        if memory < LEAST:
            raise InputError(f"memory must be at least {LEAST:,} bytes, got {memory!r}.")
        self.file, self.memory, self.saved, self.progress = rows, memory, saved, progress
        self.rereadable = not rows.once
        self.classes, self.d, self.vectors = rows.classes, rows.d, rows.vectors
        self.fit_intercept = rows.fit_intercept
        of_classes = rows.steps(np.arange(len(rows.classes)))
        self.steps = float(of_classes.min()), float(of_classes.max())
        self.checkpoint = None if saved is None else saved.search
        # The run that the next one goes on from; and the last one made.
        self.earlier: tuple[FileStanding, list[Pass]] | None = None
        self.learning: FileLearning | None = None
        if saved is not None and saved.resume:
            self.earlier = saved.search.load()

    @property
    def radius(self) -> float:
        """The longest row met so far."""
        return self.file.radius

    @property
    def size(self) -> Size:
        """Rows, columns, entries and weight vectors; no rows or entries before the first pass."""
        return Size(self.file.n or 0, self.d, self.file.entries, self.vectors)

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        if earlier is not None:
            return resumed(earlier, self.file.none)
        return zero_state(self.file.none, self.vectors)

    def bounded(self, run: Run) -> float:
        """All updates."""
        return run.updates

    def passes(self, rule: Any, state: State, schedule: Schedule) -> FileLearning:
        """Passes over the rows; ``worst`` is no order of a file."""
        if self.file.once and schedule.budget.passes != 1:
            raise InputError(
                f"{self.file.label} can be read only once: allow one pass (max_iter=1), or save it "
                "to a file for more."
            )
        standing, history = self.earlier or (None, [])
        if self.checkpoint is not None and standing is not None:
            self.checkpoint.refuse_spent(len(history), schedule.budget.passes)
        given = self.checkpoint, standing, history
        # What is learned after this run is not what the checkpoint holds.
        self.earlier = self.checkpoint = None
        self.learning = FileLearning(self, rule, state, schedule, *given)
        return self.learning

    def scaled(self, seed: int) -> Scaled:
        """The same rows with columns made alike, to be mixed through a pool in memory."""
        view = copy.copy(self)
        if self.saved is not None:
            # If these passes are interrupted, a resumed fit does not repeat the search.
            if self.learning is not None and self.learning.checkpoint is not None:
                self.learning.save()
            view.checkpoint = self.saved.mean
            view.earlier = view.checkpoint.load() if view.checkpoint.exists() else None
        view.file = rows = ScaledRows(self.file)
        view.progress = self._after_search()
        return Scaled(view, rows.scale, mean_step(rows.first, squares_of(rows.first)))

    def _after_search(self) -> Callable[[FileProgress], None] | None:
        """A progress callback whose counts continue those of the search for a separator."""
        progress = self.progress
        if progress is None or self.learning is None:
            return progress
        passes, done = len(self.learning.history), self.learning.standing().total

        def tell(made: FileProgress) -> None:
            progress(
                made._replace(
                    passes=passes + made.passes,
                    looks=done.looks + made.looks,
                    mistakes=done.updates + made.mistakes,
                )
            )

        return tell

    def ask(self, question: Callable[..., Any], *given: Any, held_out: Any = None) -> list[Any]:
        """The answer of each chunk, in one pass."""
        return [
            question(self.file.points(piece), np.arange(len(piece.ids)), self.vectors, *given)
            for piece in self.file.pieces()
        ]

    def constraints(self) -> FileConstraints:
        """The rows of the file as linear constraints."""
        return FileConstraints(self.file)

    def dual(self, state: State) -> np.ndarray:
        """1 for the rows of the working set: a file has too many rows for a dual form."""
        dual = np.zeros(self.size.rows)
        if self.learning is not None:
            dual[self.learning.standing().kept] = 1.0
        return dual

    def separation(self, weights: np.ndarray, lower: float, upper: float, bind: bool) -> Separation:
        """The certificate, with the margin proved in exact arithmetic if it is not known."""
        if lower > 0 and not bind:
            bracket, names = Bracket(lower, max(lower, upper)), tuple(self.classes)
            return Separation.proved(weights, names, self.fit_intercept, bracket)
        classes = classes_of(self.classes)[0]
        lower, weights = math.inf, np.array(weights, order="C")
        for piece in self.file.pieces():
            own = sides(piece.codes, classes)
            lower = min(lower, exact.margin_floor(piece.X, own, weights))
        mark = fingerprint_of(self.file) if bind else ""
        return Separation.reaching(lower, weights, classes, self.fit_intercept, upper, mark)

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """The certificate, with row numbers of the file; binding it takes another pass."""

        def fetch(ids: np.ndarray) -> tuple[Any, Any]:
            piece = self.file.gather(ids)
            return piece.X, piece.codes

        mark = fingerprint_of(self.file) if bind else ""
        return refutation_by_rows(self.classes, self.fit_intercept, found, fetch, mark)


def fingerprint_of(rows: FileRows) -> str:
    """The fingerprint that the same rows have in memory."""
    assert rows.n is not None
    growing = Fingerprint((rows.n, rows.d), classes_of(rows.classes)[0])
    for piece in rows.pieces():
        growing.add(piece.X, piece.codes)
    return growing.done()
