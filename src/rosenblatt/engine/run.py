"""`Run`, the result of a run of the loop, and its history."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.engine.progress import Recent
from rosenblatt.engine.rules import NO_LOOKS, Tally
from rosenblatt.engine.stopping import CUT_SHORT, WEIGHTS, Stop
from rosenblatt.lazy import cached_property
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.engine.costs import RunCost
    from rosenblatt.engine.rules import State
    from rosenblatt.engine.used_columns import UsedColumns


class Pass(NamedTuple):
    """One row of a run's history.

    Mistakes are those made while the weights were changing; the training error is that of the
    weights at the end of the pass, and NaN where nothing asked for it (it costs a pass of its own).
    """

    mistakes: int
    looks: int
    norm: float
    training_error: float
    validation_error: float
    seconds: float


@dataclass(frozen=True)
class Run:
    """What was learned, what it took, and why it ended.

    Attributes
    ----------
    weights : ndarray of shape (d + 1,) or (K, d + 1)
        The last weights, the bias last; after early stopping, the best on validation data.
    average : ndarray like weights
        The mean of the weights over all looks that could change them.
    state : State
        All that another call of `learn` needs to go on, the dual form included.
    mistakes, updates, passes, looks : int
        Counted apart: mistakes met, changes of the weights, full sweeps, rows evaluated.
    history : tuple of Pass
        One entry for each pass.
    stop : Stop
        Why it ended.
    clean : bool
        Whether the last full look over the points met no mistake.
    seconds : float
        Wall-clock time of the loop, compilation left out.
    cost : RunCost
        Operations done, counted.
    tally : Tally
        Looks and updates, and the entries they read and changed.
    least : float
        The least margin of all points by the separator, where it is known; else NaN.
    moved : float
        The sum of all steps made.
    best : ndarray like weights, or None
        With ``solution="auto"``, the weights to predict with: the mean over shuffled passes, or a
        separator near it (see `rosenblatt.fit.choose`). None where the last weights predict if they
        separate, else their mean over all looks.
    missed : int
        Rows in play that the weights which predict have on the wrong side, or on the boundary; 0 of
        several runs together, each of which has its own.
    averaged : int
        Passes made for the mean; they are not in the history.
    proof_seconds : float
        Estimated seconds of a proof either way, where the run ended without one and
        ``certify="auto"`` found it too costly; else 0. An order of magnitude: mostly right to
        within a factor of five, computed from rows, columns in use and classes.
    recent : Recent
        After batches: recent errors of the mean and of the last weights, on rows before these were
        learned from.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> run = rb.Perceptron(order="cyclic").fit([[1.0], [-1.0]], [1, 0]).run_
    >>> run.stop, run.updates, run.passes
    (Stop.SEPARATED, 2, 2)
    """

    weights: Any
    average: Any
    state: State
    mistakes: int
    updates: int
    passes: int
    looks: int
    history: tuple[Pass, ...]
    stop: Stop
    clean: bool
    seconds: float
    cost: RunCost
    tally: Tally = NO_LOOKS
    least: float = math.nan
    moved: float = 0.0
    best: Any = None
    missed: int = 0
    averaged: int = 0
    proof_seconds: float = 0.0
    recent: Recent = Recent()  # noqa: RUF009  (a tuple)

    def but(self, **values: Any) -> Run:
        """The same with other values, in a tenth of the time of `dataclasses.replace`."""
        changed = object.__new__(type(self))
        changed.__dict__.update(vars(self), **values)
        return changed

    @property
    def separator(self) -> Any:
        """The weights that separate, of a clean run: those that predict, if they do, or the last.

        Examples
        --------
        >>> import rosenblatt as rb
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> run = rb.Perceptron().fit(X, y == 0).run_
        >>> run.separator is run.best, run.missed
        (True, 0)
        """
        overfit = self.missed or self.stop is Stop.SEPARATED_OVERFIT
        return self.weights if self.best is None or overfit else self.best

    def column(self, name: str) -> np.ndarray:
        """One column of the history as an array, such as ``"mistakes"`` or ``"norm"``."""
        return np.array([getattr(row, name) for row in self.history])

    def after(self, earlier: Run) -> Run:
        """The run as the continuation of an earlier one: counts, costs and history add up."""
        return self.but(
            mistakes=earlier.mistakes + self.mistakes,
            updates=earlier.updates + self.updates,
            passes=earlier.passes + self.passes,
            looks=earlier.looks + self.looks,
            history=earlier.history + self.history,
            seconds=earlier.seconds + self.seconds,
            cost=self.cost.after(earlier.cost),
            tally=Tally(*map(add, earlier.tally, self.tally)),
            moved=earlier.moved + self.moved,
        )

    def widened(self, columns: UsedColumns) -> WideRun:
        """The run on the columns in use as a run on all columns."""
        wide = object.__new__(WideRun)
        wide.__dict__.update(vars(self), narrow=self, columns=columns)
        for name in WIDE:
            del wide.__dict__[name]
        return wide

    @property
    def why(self) -> str:
        """Why the run ended, in the sentence of its stop, with its own numbers.

        Examples
        --------
        >>> import rosenblatt as rb
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> run = rb.Perceptron().fit(X, y).run_
        >>> run.missed, f"which get {run.missed} of them wrong" in run.why
        (10, True)
        """
        return self.stop.told(self.missed, self.proof_seconds, self.predicting)

    @property
    def predicting(self) -> str:
        """The name of the weights that predict where no separator does."""
        if self.best is None or (self.clean and self.separator is self.best):
            return WEIGHTS
        usual = any(np.array_equal(self.best, known) for known in (self.average, self.weights))
        return WEIGHTS if usual else "the least-squares weights"

    def of_batch(self) -> Run:
        """The run over a batch of a stream: what ended it is the batch, unless it was cut short."""
        cut_short = self.stop in (*CUT_SHORT, Stop.UPDATES)
        return self if cut_short else self.but(stop=Stop.BATCH)

    def __str__(self) -> str:
        updates, passes = plural(self.updates, "update"), plural(self.passes, "pass")
        return (
            f"{self.why}\n{updates} in {passes} "
            f"({plural(self.looks, 'look')}), {self.seconds:.3g} s"
        )


# Fields with a value for each column.
WIDE = ("weights", "average", "state", "best")


class WideRun(Run):
    """A run on the columns in use, with weights for all columns, which are made when read.

    With a quarter of a million columns and twenty classes, each takes as long as many passes.

    Attributes
    ----------
    narrow : Run
        The run on the columns in use.
    columns : UsedColumns
        Its columns among all.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from scipy import sparse
    >>> X = sparse.csr_array(([1.0, 2.0], [3, 7], [0, 1, 2]), shape=(2, 2**15))
    >>> run = rb.Perceptron().fit(X, [0, 1]).run_
    >>> run.narrow.weights.shape, run.weights.shape
    ((3,), (32769,))
    """

    narrow: Run
    columns: UsedColumns

    def but(self, **values: Any) -> WideRun:
        """The same with other values of fields that have no value for each column."""
        return self.narrow.but(**values).widened(self.columns)

    @cached_property
    def weights(self) -> Any:  # type: ignore[override]
        """The last weights; the state's array if that is so in the narrow run."""
        if self.narrow.weights is self.narrow.state.weights:
            return self.state.weights
        return self.columns.widened(self.narrow.weights)

    @cached_property
    def average(self) -> Any:  # type: ignore[override]
        """The mean of the weights over all looks."""
        return self.columns.widened(self.narrow.average)

    @cached_property
    def best(self) -> Any:  # type: ignore[override]
        """The weights to predict with, or None."""
        return None if self.narrow.best is None else self.columns.widened(self.narrow.best)

    @cached_property
    def state(self) -> State:  # type: ignore[override]
        """The state from which another run goes on."""
        state, wide = self.narrow.state, self.columns.widened
        return state._replace(weights=wide(state.weights), drift=wide(state.drift))
