"""Rows in memory: a training set, or the rows of a binary problem among its classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.averaging import (
    by_content,
    corrections,
    scaled_corrections,
    scaled_mean_passes,
)
from rosenblatt.engine.loop import learn
from rosenblatt.engine.orders import Permutations, shuffles
from rosenblatt.engine.penalised import PenalisedSweep
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import Points, as_rows, count, make_points, stored, width
from rosenblatt.engine.progress import tried
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.scaling import ScaledColumns
from rosenblatt.engine.solutions import KeepingSweep, weighted_error
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep, resumed, zero_state
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.places.lockstep import InStep, Turns
from rosenblatt.places.pairs import ClassRows, CopiedColumns, PairSweep
from rosenblatt.places.parts import REST, Part
from rosenblatt.places.place import Size, Watch, refutation_by_rows
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, Separation, fingerprint
from rosenblatt.proof.certificate.data import sides
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
    everyone : ndarray of int
        The rows in play.
    radius : float
        R.
    squares : ndarray
        ‖(x, 1)‖² of each row.
    columns : ScaledColumns
        The rows as a matrix, whose columns are scaled on first use.
    by_class : ClassRows
        The rows of each class, found on first use by a pair of classes.
    turns : Turns, optional
        Of runs over the same rows that are kept in step.
    used : UsedColumns, optional
        These columns among all that the rows came with, if the others are empty.
    mixed : bool
        Whether the rows in play come in a random order.
    step : float, optional
        The step of every row, if all have the same.
    """

    classes: np.ndarray
    codes: np.ndarray
    points: Points
    everyone: np.ndarray
    radius: float
    squares: np.ndarray
    columns: ScaledColumns
    by_class: ClassRows
    turns: Turns | None = None
    used: UsedColumns | None = None
    mixed: bool = False
    step: float | None = None

    again = True
    many_passes = True
    at_hand = True
    mean_goes_on = True
    certifies_all = True
    passes_before = 0

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

        points = make_points(X, codes, fit_intercept=fit_intercept, steps=steps)
        radius, squares = check_squares(points, names)
        step = steps if isinstance(steps, float) else None
        everyone = np.flatnonzero(points.steps > 0) if step is None else np.arange(len(codes))
        columns = ScaledColumns(X, fit_intercept, everyone if len(everyone) < len(codes) else None)
        by_class = ClassRows(codes, len(classes))
        given = classes, codes, points, everyone, radius, squares, columns, by_class
        return cls(*given, step=step)

    @property
    def X(self) -> Any:
        """The rows as a matrix; rows of two classes among many are copied on first use."""
        return self.columns.X

    @property
    def rows(self) -> int:
        """Rows in play."""
        return len(self.everyone)

    @property
    def entries(self) -> int:
        """Stored entries of all rows."""
        return stored(self.points)

    @property
    def d(self) -> int:
        """Features."""
        return width(self.points)

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return len(self.classes) if len(self.classes) > 2 else 0

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
        return self.points.bias != 0

    @property
    def whole(self) -> bool:
        """Whether all rows are in play."""
        return len(self.everyone) == len(self.codes)

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        if self.step is not None:
            return self.step, self.step
        own = self.points.steps if self.whole else self.points.steps[self.everyone]
        return float(own.min()), float(own.max())

    @property
    def all_alike(self) -> bool:
        """Whether all rows in play have the same step."""
        least, largest = self.steps
        return least == largest

    @property
    def rows_alike(self) -> float:
        """Effective sample size: the number of rows of equal weight worth as much as those in play.

        The sum over classes of (Σ c)²/Σ c², c being the steps of the rows of a class.

        Notes
        -----
        L. Kish, Survey Sampling (1965).
        """
        steps, codes = self.points.steps[self.everyone], self.codes[self.everyone]
        steps = steps / steps.max()
        sums, squares = (np.bincount(codes, steps**power) for power in (1, 2))
        return float(np.sum(sums**2 / np.where(squares > 0, squares, 1)))

    def narrow(self) -> Memory:
        """The same rows without their empty columns, where most of many columns are empty.

        Weights are then short, and close together in memory; certificates are still about all
        columns.
        """
        wide = self.d >= max(WIDE, self.entries / SPARSE)
        if not wide or self.columns.in_use is None:
            return self
        used = UsedColumns(self.columns.in_use, self.d)
        X = used.rows(self.X)
        points = self.points._replace(rows=as_rows(X))
        in_play = None if self.whole else self.everyone
        columns = ScaledColumns(X, self.fit_intercept, in_play)
        by_class = ClassRows(self.codes, len(self.classes))
        return self._replace(points=points, columns=columns, by_class=by_class, used=used)

    def shuffled(self, seed: int) -> Memory:
        """The same with rows in a random order, which does not depend on how they came."""
        order = by_content(self.points, self.everyone)
        return self._replace(everyone=order[shuffles(len(order), seed)[0]], mixed=True)

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
        """The same with the rows of two classes only."""
        pair = self.by_class.pair(part, self.points.steps, self.squares)
        rows = self.by_class.chosen(part, self.points, pair)
        everyone = np.arange(len(pair.rows))
        if not self.whole:  # some are held out, or of weight 0
            of = self.codes[self.everyone]
            in_play = self.everyone[(of == part.positive) | (of == part.negative)]
            everyone = np.searchsorted(pair.rows, in_play)
        return self._replace(
            classes=self.classes[[part.negative, part.positive]],
            codes=pair.codes,
            points=Points(rows, pair.signs, pair.steps, self.points.bias),
            everyone=everyone,
            squares=pair.squares,
            columns=CopiedColumns(rows, self.X, self.fit_intercept, self.by_class.room),
        )

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        if earlier is not None:
            return resumed(earlier, self.points)
        return zero_state(self.points, self.vectors)

    def counts_from_zero(self, state: State) -> bool:
        """Whether the state has weights of 0."""
        return not state.weights.any()

    def bounded(self, run: Run) -> float:
        """All updates of the run."""
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
        held_out: tuple[Points, np.ndarray] | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Run:
        """Pass over the rows in play until there is reason to stop."""
        return learn(
            self._sweep(rule, state, kept or {}),
            order=order,
            budget=budget,
            validation=held_out,
            rng=Permutations(seed),
            watch=watch,
            judge=judge,
        )

    def _sweep(self, rule: Any, state: State, kept: dict[str, Any]) -> CompiledSweep:
        given = self.points, rule, state, self.everyone, self.squares, self.mixed
        if isinstance(self.columns, CopiedColumns):
            if not (rule.owes_penalty or kept):
                return PairSweep(self.columns, *given)
            given = self.points._replace(rows=as_rows(self.X)), *given[1:]
        if rule.owes_penalty:
            return PenalisedSweep(*given)
        if kept:
            return KeepingSweep(tuple(kept.values()), *given)
        return CompiledSweep(*given) if self.turns is None else InStep(self.turns, *given)

    def mean_run(self, rule: Any, state: State, budget: Budget, seed: int) -> Run:
        """Full passes in random orders, which do not depend on how the rows came."""
        given = self.points, rule, state, self.everyone, budget, seed
        return scaled_mean_passes(*given, self.columns)

    def corrected(self, rule: Any, weights: np.ndarray, seed: int) -> Run:
        """Passes over scaled columns that start and end near these weights."""
        state, order = self._near(weights, seed)
        return scaled_corrections(self.points, rule, state, order, self.columns)

    def corrected_by(self, points: Points, rule: Any, weights: np.ndarray, seed: int) -> Run:
        """Passes over these points, of the same rows, that start and end near these weights."""
        return corrections(points, rule, *self._near(weights, seed))

    def _near(self, weights: np.ndarray, seed: int) -> tuple[State, np.ndarray]:
        """A state at these weights, and the rows in the order of `shuffled`."""
        state, mixed = self.start(), self if self.mixed else self.shuffled(seed)
        state.weights[...] = weights
        return state, mixed.everyone

    def least_margin(self, rule: Any, run: Run) -> float:
        """The least margin, from the run or by one look at all rows in play."""
        if not math.isnan(run.least):
            return run.least
        return float(all_margins(self.points, rule, run.state, self.everyone).min())

    def errors(
        self,
        rule: Any,
        candidates: Sequence[np.ndarray],
        held_out: tuple[Points, np.ndarray] | None = None,
    ) -> np.ndarray:
        """The weighted share of errors on the rows in play, or of those held out."""
        points, chosen = held_out or (self.points, self.everyone)
        if held_out is not None:
            points = points._replace(steps=np.ones(count(points)))
        state = zero_state(points, self.vectors)
        return np.array(
            [weighted_error(points, rule, state._replace(weights=w), chosen) for w in candidates]
        )

    def some_entries(self) -> np.ndarray:
        """Entries that are not 0, and perhaps others, of some of the rows in play."""
        rows = self.X[self.everyone[tried(self.rows)]]
        return rows.data if hasattr(rows, "indptr") else np.ravel(rows)

    def size(self) -> Size:
        """Size of the rows in play and the columns in use."""
        wide = UsedColumns(self.columns.in_use, self.d).count
        per_row = self.entries / count(self.points)
        return Size(self.rows, wide, self.vectors, per_row)

    def constraints(self) -> Constraints:
        """The rows in play as linear constraints, on the columns in use."""
        X, codes, used = self.X, self.codes, UsedColumns(self.columns.in_use, self.d)
        if not self.whole:
            X, codes = X[self.everyone], codes[self.everyone]
        return Constraints(used.rows(X), codes, len(self.classes), self.fit_intercept, used)

    def touched(self, state: State) -> np.ndarray:
        """The dual form, of the rows in play."""
        return state.dual if self.whole else state.dual[self.everyone]

    def sure_margin(self, weights: np.ndarray) -> float:
        """A proved margin, by a rounding bound for each row, whatever the scales of the columns."""
        chosen = self.everyone
        given = self.X[chosen], sides(self.codes[chosen], tuple(self.classes)), weights
        _, left_open = exact.signs_of_requirements(*given)
        return -math.inf if left_open else exact.margin_floor(*given)

    def separation(self, weights: np.ndarray, upper: float, bind: bool) -> Separation:
        """Certificate of all rows, in play or not, and all columns."""
        mark = self._mark() if bind else ""
        how = {"fit_intercept": self.fit_intercept, "upper": upper, "fingerprint": mark}
        proof = Separation.of(self.X, self.classes[self.codes], weights, **how)
        return proof if self.used is None else proof.among(self.used)

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """Certificate of rows in play, by their numbers among all rows."""

        def fetch(ids: np.ndarray) -> tuple[Any, np.ndarray]:
            return self._with_all_columns(self.X[ids]), self.codes[ids]

        if not self.whole:
            found = found._replace(points=self.everyone[found.points])
        return refutation_by_rows(self, found, fetch, self._mark() if bind else "")

    def _with_all_columns(self, X: Any) -> Any:
        """Rows with all the columns that they came with."""
        return X if self.used is None else self.used.all_of(X)

    def _mark(self) -> str:
        """The fingerprint of all rows as they came."""
        return fingerprint(self._with_all_columns(self.X), self.classes[self.codes])
