"""Rows in a file: each question is answered by a pass over its chunks."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.data.checkpoint import CheckpointError, check_place
from rosenblatt.engine.averaging import Alike, with_margin
from rosenblatt.engine.loop import learn, mean_weights
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import Points
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.scaling import UsualRows, scale_of
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import resumed, zero_state
from rosenblatt.errors import InputError
from rosenblatt.places.file.checkpoint import Checkpoint
from rosenblatt.places.file.constraints import FileConstraints
from rosenblatt.places.file.rows import MEMORY, FileRows, Piece
from rosenblatt.places.file.sweep import (
    FileProgress,
    FileStanding,
    FileSweep,
    margins_of,
    order_named,
)
from rosenblatt.places.place import Size, Watch, refutation_by_rows
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
        self.scale = scale_of(lambda: map(usual.of, rows.tables()), rows.fit_intercept)
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
    >>> place.learn(PerceptronRule(), place.start()).weights
    array([2., 0.])
    """

    many_passes = True
    at_hand = False
    mean_goes_on = True
    whole = True
    certifies_all = True
    used = None

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
        self.again = not rows.once
        self.classes, self.d, self.vectors = rows.classes, rows.d, rows.vectors
        self.fit_intercept = rows.fit_intercept
        of_classes = rows.steps(np.arange(len(rows.classes)))
        self.steps = float(of_classes.min()), float(of_classes.max())
        # The run that the next one goes on from, then the state and passes of the last one made.
        self.earlier: tuple[FileStanding, list[Pass]] | None = None
        self.standing: FileStanding | None = None
        self.history: list[Pass] = []
        if saved is not None and saved.resume:
            self.earlier = saved.search.load()

    @property
    def radius(self) -> float:
        """The longest row met so far."""
        return self.file.radius

    @property
    def rows(self) -> int:
        """Rows of the file."""
        return self.file.n or 0

    @property
    def entries(self) -> int:
        """Stored entries; 0 before the end of the first pass."""
        return self.file.entries

    @property
    def passes_before(self) -> int:
        """Passes of the run that the checkpoint holds."""
        return 0 if self.earlier is None else len(self.earlier[1])

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        if earlier is not None:
            return resumed(earlier, self.file.none)
        return zero_state(self.file.none, self.vectors)

    def counts_from_zero(self, state: State) -> bool:
        """Whether the state has weights of 0."""
        return not state.weights.any()

    def bounded(self, run: Run) -> float:
        """All updates."""
        return run.updates

    def learn(
        self,
        rule: Any,
        state: State,
        *,
        order: str = "active",
        budget: Budget | None = None,
        seed: int = 0,
        watch: Watch | None = None,
        judge: Watch | None = None,
        held_out: Any = None,
        kept: dict[str, Any] | None = None,
    ) -> Run:
        """Pass over the rows until there is reason to stop; ``worst`` is no order of a file."""
        if self.file.once and (budget is None or budget.passes != 1):
            raise InputError(
                f"{self.file.label} can be read only once: allow one pass (max_iter=1), or save it "
                "to a file for more."
            )
        checkpoint = None if self.saved is None else self.saved.search
        how = {"order": order, "budget": budget or Budget(), "seed": seed}
        how |= {"watch": watch, "judge": judge}
        standing, self.history = self.earlier or (None, [])
        if checkpoint is not None and standing is not None:
            checkpoint.refuse_spent(len(self.history), how["budget"].passes)
        self.earlier = None
        run, self.standing = self._passes(
            self.file, rule, state, checkpoint, standing, self.history, self.progress, **how
        )
        return run

    def _passes(
        self,
        rows: FileRows,
        rule: Any,
        state: State,
        checkpoint: Checkpoint | None,
        standing: FileStanding | None,
        history: list[Pass],
        progress: Callable[[FileProgress], None] | None,
        *,
        order: str,
        budget: Budget,
        seed: int,
        watch: Watch | None = None,
        judge: Watch | None = None,
    ) -> tuple[Run, FileStanding]:
        """A run with a checkpoint, from where an earlier one was left or from the state."""
        if standing is not None and np.shape(standing.weights) != state.weights.shape:
            raise CheckpointError(
                f"the checkpoint's weights have shape {np.shape(standing.weights)}, these rows "
                f"need {state.weights.shape}; remove the file to start again"
            )

        def after_step(sweep: FileSweep) -> None:
            if progress is not None:
                progress(sweep.progress())
            if checkpoint is not None and checkpoint.due():
                checkpoint.save(sweep.standing(), history)

        def after_pass(row: Pass) -> Stop | None:
            history.append(row)
            # A search starts from the rows that have moved the weights so far.
            self.standing = sweep.standing()
            return None if watch is None else watch(row)

        sweep = FileSweep(
            rows,
            rule,
            state,
            seed=seed,
            room=self.memory // PART,
            standing=standing,
            remember=budget.weight_tol is not None,
            watch=after_step,
        )
        run = learn(
            sweep,
            order=order_named(order),
            budget=budget,
            watch=after_pass,
            judge=judge,
            earlier=tuple(history),
        )
        if checkpoint is not None and run.stop is Stop.INTERRUPTED:
            checkpoint.save(sweep.standing(), history)
        return run, sweep.standing()

    def mean_run(self, rule: Any, state: State, budget: Budget, seed: int) -> Run:
        """Full passes over scaled columns, with rows mixed through a pool in memory."""
        checkpoint, standing, history = None, None, []
        if self.saved is not None:
            # If these passes are interrupted, a resumed fit does not repeat the search.
            assert self.standing is not None
            self.saved.search.save(self.standing, self.history)
            checkpoint = self.saved.mean
            if checkpoint.exists():
                standing, history = checkpoint.load()
        rows = ScaledRows(self.file)
        scale = rows.scale
        search, progress = self.standing, self._after_search()
        scale.into(state)
        run, _ = self._passes(
            *(rows, with_margin(rule, rows.first), state, checkpoint, standing, history, progress),
            order="shuffled",
            budget=budget,
            seed=seed,
        )
        self.standing = search
        scale.back(state)
        return replace(run, average=mean_weights(state))

    def _after_search(self) -> Callable[[FileProgress], None] | None:
        """A progress callback whose counts continue those of the search for a separator."""
        progress, standing = self.progress, self.standing
        if progress is None or standing is None:
            return progress
        passes, done = len(self.history), standing.total

        def tell(made: FileProgress) -> None:
            progress(
                made._replace(
                    passes=passes + made.passes,
                    looks=done.looks + made.looks,
                    mistakes=done.updates + made.mistakes,
                )
            )

        return tell

    def least_margin(self, rule: Any, run: Run) -> float:
        """By one pass."""
        return min(float(some.min()) for some in margins_of(self.file, rule, run.state))

    def errors(
        self, rule: Any, candidates: Sequence[np.ndarray], held_out: Any = None
    ) -> np.ndarray:
        """The weighted share of errors of each candidate, in one pass."""
        errors, state = np.zeros(len(candidates)), self.start()
        for piece in self.file.pieces():
            points = self.file.points(piece)
            everyone = np.arange(len(piece.ids))
            for at, weights in enumerate(candidates):
                margins = all_margins(points, rule, state._replace(weights=weights), everyone)
                errors[at] += points.steps[~(margins > 0)].sum()
        return errors

    def size(self) -> Size:
        """Size of all rows and the columns in use, which takes a pass to find."""
        used = np.zeros(self.d, dtype=bool)
        for X in self.file.tables():
            used[X.indices if hasattr(X, "indptr") else slice(None)] = True
        return Size(self.rows, int(used.sum()), self.vectors, self.entries / self.rows)

    def constraints(self) -> FileConstraints:
        """The rows of the file as linear constraints."""
        return FileConstraints(self.file)

    def touched(self, state: State) -> np.ndarray:
        """1 for the rows of the working set: a file has too many rows for a dual form."""
        dual = np.zeros(self.rows)
        if self.standing is not None:
            dual[self.standing.kept] = 1.0
        return dual

    def sure_margin(self, weights: np.ndarray) -> float:
        """Not computed: `separation` proves the margin of the rows in play."""
        return -math.inf

    def separation(self, weights: np.ndarray, upper: float, bind: bool) -> Separation:
        """The certificate, with the margin proved in exact arithmetic."""
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
        return refutation_by_rows(self, found, fetch, mark)


def fingerprint_of(rows: FileRows) -> str:
    """The fingerprint that the same rows have in memory."""
    assert rows.n is not None
    growing = Fingerprint((rows.n, rows.d), classes_of(rows.classes)[0])
    for piece in rows.pieces():
        growing.add(piece.X, piece.codes)
    return growing.done()
