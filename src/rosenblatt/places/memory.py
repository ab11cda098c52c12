"""Rows in memory: a training set, or the rows of a binary problem among its classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.loop import Learning
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.orders import Permutations, by_content, permutations_of
from rosenblatt.engine.penalised import PenalisedSweep
from rosenblatt.engine.pieces import mean_step
from rosenblatt.engine.points import Points, as_rows, make_points
from rosenblatt.engine.progress import tried
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.scaling import ScaledColumns, longest, shortened
from rosenblatt.engine.solutions import KeepingSweep
from rosenblatt.engine.sweep import CompiledSweep, resumed, zero_state
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.places.parts import REST, Part
from rosenblatt.places.place import Scaled, Schedule, Size, refutation_by_rows
from rosenblatt.proof.certificate import Inseparability, Separation, fingerprint
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.search import Refutation

# Columns from which on most may be empty (hashed text has 2^18 and more), and entries per column up
# to which the length of the weights matters for the time.
WIDE, SPARSE = 2**14, 4


class Memory(NamedTuple):
    """Labelled rows in memory.

    Attributes
    ----------
    classes, codes : ndarray
        The sorted labels, and the code of each row.
    points : Points
        The rows as the engine reads them.
    in_play : ndarray of int
        The rows in play.
    radius : float
        R.
    squares : ndarray
        ‖(x, 1)‖² of each row.
    columns : ScaledColumns
        The rows as a matrix, whose columns are scaled on first use.
    used : UsedColumns, optional
        These columns among all that the rows came with, if the others are empty.
    mixed : bool
        Whether the rows in play come in a random order, whatever the order they came in.
    step : float, optional
        The step of every row, if all have the same.
    """

    classes: np.ndarray
    codes: np.ndarray
    points: Points
    in_play: np.ndarray
    radius: float
    squares: np.ndarray
    columns: ScaledColumns
    used: UsedColumns | None = None
    mixed: bool = False
    step: float | None = None

    rereadable = True

    @classmethod
    def of(
        cls,
        X: Any,
        classes: np.ndarray,
        codes: np.ndarray,
        *,
        fit_intercept: bool = True,
        steps: Any = 1.0,
        names: Any = None,
    ) -> Memory:
        """The place of checked rows and class codes; refuses rows too long to square."""
        from rosenblatt.data.checks import check_squares
        from rosenblatt.data.room import check_room

        check_room(X.shape[1], len(classes) if len(classes) > 2 else 1, X)
        points = make_points(X, codes, fit_intercept=fit_intercept, steps=steps)
        radius, squares = check_squares(points, names)
        step = steps if isinstance(steps, float) else None
        in_play = np.flatnonzero(points.steps > 0) if step is None else np.arange(len(codes))
        columns = ScaledColumns(X, fit_intercept, in_play if len(in_play) < len(codes) else None)
        return cls(classes, codes, points, in_play, radius, squares, columns, step=step)

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
        return self.points.bias != 0

    @property
    def size(self) -> Size:
        """Rows in play, columns, entries of all rows, and weight vectors."""
        X, vectors = self.columns.X, len(self.classes) if len(self.classes) > 2 else 0
        return Size(len(self.in_play), X.shape[1], X.size, vectors)

    @property
    def all_in_play(self) -> bool:
        """Whether no row was held out or has the weight 0."""
        return len(self.in_play) == len(self.codes)

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        if self.step is not None:
            return self.step, self.step
        own = self.points.steps if self.all_in_play else self.points.steps[self.in_play]
        return float(own.min()), float(own.max())

    def narrow(self) -> Memory:
        """The same rows without their empty columns, where most of many columns are empty.

        Weights are then short, and close together in memory; certificates are still about all
        columns.
        """
        size = self.size
        wide = size.columns >= max(WIDE, size.entries / SPARSE)
        if not wide or self.columns.in_use is None:
            return self
        used = UsedColumns(self.columns.in_use, size.columns)
        X = used.rows(self.columns.X)
        points = self.points._replace(rows=as_rows(X))
        in_play = None if self.all_in_play else self.in_play
        columns = ScaledColumns(X, self.fit_intercept, in_play)
        return self._replace(points=points, columns=columns, used=used)

    def part(self, part: Part | None) -> Memory:
        """The rows of that part."""
        if part is None:
            return self
        if len(self.classes) == 2:
            signs = self.codes * 2.0
            signs -= 1.0
            return self._replace(points=self.points._replace(y=signs))
        if part.negative != REST:
            return self._pair(part)
        signs = part.signs(self.codes)
        return self._replace(
            classes=np.array([False, True]),
            codes=(signs > 0).astype(np.intp),
            points=self.points._replace(y=signs),
        )

    def _pair(self, part: Part) -> Memory:
        """A copy of the rows of two classes."""
        signs = part.signs(self.codes)
        rows = signs.nonzero()[0]
        in_play = np.searchsorted(rows, self.in_play[signs[self.in_play] != 0])
        X, points = self.columns.X[rows], self.points
        some = None if len(in_play) == len(rows) else in_play
        return self._replace(
            classes=self.classes[[part.negative, part.positive]],
            codes=(signs[rows] > 0).astype(np.intp),
            points=Points(as_rows(X), signs[rows], points.steps[rows], points.bias),
            in_play=in_play,
            squares=self.squares[rows],
            columns=ScaledColumns(X, self.fit_intercept, some),
        )

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        if earlier is not None:
            return resumed(earlier, self.points)
        return zero_state(self.points, self.size.vectors)

    def bounded(self, run: Run) -> float:
        """All updates of the run."""
        return run.updates

    def passes(self, rule: Any, state: State, schedule: Schedule) -> Learning:
        """Passes over the rows in play."""
        return Learning(
            self._sweep(rule, state, schedule.kept or {}),
            order=schedule.order,
            budget=schedule.budget,
            validation=schedule.held_out,
            rng=permutations_of(schedule.seed),
        )

    def _sweep(self, rule: Any, state: State, kept: dict[str, Any]) -> CompiledSweep:
        given = self.points, rule, state, self.in_play, self.squares, self.mixed
        if rule.owes_penalty:
            return PenalisedSweep(*given)
        return KeepingSweep(tuple(kept.values()), *given) if kept else CompiledSweep(*given)

    def scaled(self, seed: int) -> Scaled:
        """The same rows, columns made alike, in an order that does not depend on how they came."""
        (scale, rows, squares), points = self.columns.scaled(), self.points
        squares = squares + points.bias**2
        steps = shortened(points.steps, squares, longest(squares[self.in_play]))
        points = points._replace(rows=rows, steps=steps)
        in_play = by_content(points, self.in_play)
        in_play = Permutations(seed).permutation(in_play)
        place = self._replace(points=points, in_play=in_play, squares=squares, mixed=True)
        return Scaled(place, scale, mean_step(points, squares))

    def ask(
        self,
        question: Callable[..., Any],
        *given: Any,
        held_out: tuple[Points, np.ndarray] | None = None,
    ) -> list[Any]:
        """The answer of the rows in play, or of those held out."""
        points, chosen = held_out or (self.points, self.in_play)
        return [question(points, chosen, self.size.vectors, *given)]

    def some_entries(self) -> np.ndarray:
        """Entries that are not 0, and perhaps others, of some of the rows in play."""
        rows = self.columns.X[self.in_play[tried(len(self.in_play))]]
        return rows.data if hasattr(rows, "indptr") else np.ravel(rows)

    def constraints(self) -> Constraints:
        """The rows in play as linear constraints, on the columns in use."""
        X, codes = self.columns.X, self.codes
        used = UsedColumns(self.columns.in_use, X.shape[1])
        if not self.all_in_play:
            X, codes = X[self.in_play], codes[self.in_play]
        return Constraints(used.rows(X), codes, len(self.classes), self.fit_intercept, used)

    def dual(self, state: State) -> np.ndarray:
        """The dual form, of the rows in play."""
        return state.dual if self.all_in_play else state.dual[self.in_play]

    def separation(self, weights: np.ndarray, lower: float, upper: float, bind: bool) -> Separation:
        """Certificate of all rows, in play or not, and all columns."""
        if self.all_in_play and lower > 0 and not bind:
            bracket, names = Bracket(lower, max(lower, upper)), tuple(self.classes)
            return Separation.proved(weights, names, self.fit_intercept, bracket, self.used)
        mark = self._mark() if bind else ""
        how = {"fit_intercept": self.fit_intercept, "upper": upper, "fingerprint": mark}
        proof = Separation.of(self.columns.X, self.classes[self.codes], weights, **how)
        return proof if self.used is None else proof.among(self.used)

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """Certificate of rows in play, by their numbers among all rows."""

        def fetch(ids: np.ndarray) -> tuple[Any, np.ndarray]:
            return self._with_all_columns(self.columns.X[ids]), self.codes[ids]

        if not self.all_in_play:
            found = found._replace(points=self.in_play[found.points])
        mark = self._mark() if bind else ""
        return refutation_by_rows(self.classes, self.fit_intercept, found, fetch, mark)

    def _with_all_columns(self, X: Any) -> Any:
        """Rows with all the columns that they came with."""
        return X if self.used is None else self.used.all_of(X)

    def _mark(self) -> str:
        """The fingerprint of all rows as they came."""
        return fingerprint(self._with_all_columns(self.columns.X), self.classes[self.codes])
