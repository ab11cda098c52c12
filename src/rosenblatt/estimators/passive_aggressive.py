"""`PassiveAggressive`: a home for scikit-learn's class."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.arguments import TOLERANCE, optional, refuse_others
from rosenblatt.data.labels import check_same_classes, classes_of_stream, codes_among
from rosenblatt.data.weights import sample_steps
from rosenblatt.engine.machine.interrupts import Listening
from rosenblatt.engine.machine.threads import side_by_side, threads_for
from rosenblatt.engine.rules import State
from rosenblatt.engine.rules.passive_aggressive import make_passive_aggressive
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls
from rosenblatt.engine.sweep import zero_state
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear import (
    LinearClassifier,
    SparseWeights,
    attributes_of,
    warn_if_spent,
    warn_of_overflow,
)
from rosenblatt.estimators.reshuffling import LARGEST_SEED, Reshuffle
from rosenblatt.estimators.validation import check_labels, check_rows
from rosenblatt.fit import procedure
from rosenblatt.fit.one_vs import PRESSING, check_same_runs, worth_threads
from rosenblatt.fit.parameters import check_kinds, check_streaming
from rosenblatt.fit.plan import Plan, Task
from rosenblatt.fit.settings import set_start
from rosenblatt.fit.validation import Validation, hold_out
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import parts_of
from rosenblatt.places.place import Place


class PassiveAggressive(SparseWeights, LinearClassifier):
    """Passive-aggressive classifier: after each look, the least change that ends the loss.

    Where y·score is at least 1 nothing changes; elsewhere w moves by τ·y·x, with τ just enough to
    bring the score to 1, tempered by C (the rule `PassiveAggressive` has the theorems).
    The parameters, and on dense double-precision data the results, are those of scikit-learn's
    ``PassiveAggressiveClassifier``, which its version 1.10 removes. It differs where that class is
    in doubt: sparse rows give the model of their dense copy, early stopping keeps the weights that
    were best on the validation data, and a pass without loss ends the run.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the most a step may be (PA-I), or what softens it (PA-II). Infinity gives
        the original PA.
    fit_intercept : bool, default=True
        Whether to learn a bias.
    max_iter : int, default=1000
        The most passes over the data.
    tol : float or None, default=1e-3
        Stop when the mean hinge loss suffered during a pass has not fallen by more than this for
        ``n_iter_no_change`` passes; None goes on to ``max_iter``.
    early_stopping : bool, default=False
        Hold out part of the training data, stop when its error no longer falls, keep the weights
        that were best on it.
    validation_fraction : float, default=0.1
        The part to hold out, between 0 and 1.
    n_iter_no_change : int, default=5
        How many passes without progress to allow.
    shuffle : bool, default=True
        Whether each pass is in a random order; the one of scikit-learn for the same seed.
    verbose : int, default=0
        1 prints each run's end.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    n_jobs : int, optional
        Threads for the classes of a one-against-rest fit; runs too short to gain by them are made
        one after the other.
    random_state : int, RandomState or None, default=0
        Seed of the orders and of the validation split.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last fit.
    class_weight : dict, "balanced" or None
        Multiplies the steps of a class's points.
    average : bool or int, default=False
        Keep the mean of the weights over all looks; an integer starts at that look.
    padded : bool, default=False
        Whether the bias coordinate counts in ‖x‖². True is the paper's algorithm on the points
        (x, 1), with its bounds; False is scikit-learn's, whose steps overshoot on short rows.
    multiclass : {"ovr", "native"}, default="ovr"
        How three classes or more are told apart: each against the rest, as in scikit-learn, or by
        one rule for all that moves the true class and its strongest rival (the paper's bounds then
        hold with 2R² for R²).

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, sorted; of two, the second is the positive one, whatever it is called.
    coef_ : ndarray of shape (1, d) or (K, d)
    intercept_ : ndarray of shape (1,) or (K,)
    runs_ : tuple of Run
        One, or with ``multiclass="ovr"`` one for each of K > 2 classes.
    stop_ : Stop
        Why they ended, the most pressing reason of several runs; SEPARATED where the last weights
        have every training row on its right side.
    n_iter_ : int
        Passes of the longest.
    updates_, looks_ : int
        Of all runs together.
    t_ : int
        Looks of one run, plus 1 (scikit-learn's count).

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, JMLR 7, 2006.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PassiveAggressive(random_state=0).fit(X, y)
    >>> clf.coef_.shape, clf.n_iter_
    ((3, 4), 18)
    >>> round(clf.score(X, y), 3)
    0.96
    """

    classes_: np.ndarray

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "hinge",
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        average: bool | int = False,
        padded: bool = False,
        multiclass: str = "ovr",
    ):
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average
        self.padded = padded
        self.multiclass = multiclass

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> PassiveAggressive:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.
        coef_init, intercept_init : array, optional
            Where to start; by default at 0.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step.

        Returns
        -------
        self : PassiveAggressive
        """
        self._check_parameters()
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        given = coef_init is not None or intercept_init is not None
        before = None
        if self.warm_start and hasattr(self, "runs_") and not given:
            check_same_classes(classes, self.classes_)
            before = self.runs_
        place, plain = self._place(X, classes, codes, sample_weight)
        states = self._states(place, before, coef_init, intercept_init)
        validation = None
        if self.early_stopping:
            place, validation = hold_out(place, self.validation_fraction, self.random_state)
        runs = self._learn(place, plain, states, self.max_iter, validation)
        self._keep(runs, classes)
        if self.tol is not None:
            warn_if_spent(self.stop_)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> PassiveAggressive:
        """Make one pass over a batch, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Labels, all among ``classes``.
        classes : array, optional
            Every label there will ever be; needed in the first call.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step.

        Returns
        -------
        self : PassiveAggressive
        """
        self._check_parameters()
        check_streaming(self)
        before = getattr(self, "runs_", None)
        X = check_rows(self, X, reset=before is None)
        known = classes_of_stream(classes, None if before is None else self.classes_)
        codes = codes_among(known, y, X.shape[0])
        place, plain = self._place(X, known, codes, sample_weight)
        runs = [run.of_batch() for run in self._learn(place, plain, self._states(place, before), 1)]
        if before is not None:
            runs = [run.after(old) for run, old in zip(runs, before, strict=True)]
        self._keep(runs, known)
        return self

    def _check_parameters(self) -> None:
        refuse_others({"tol": optional(TOLERANCE)}, [("tol", self.tol)])  # there is no 'auto' here
        check_kinds(self)
        if self.multiclass not in ("ovr", "native"):
            raise InputError(f"multiclass must be 'ovr' or 'native', got {self.multiclass!r}.")
        if self.average < 0 or self.average != int(self.average):
            raise InputError(f"average must be a bool or a count of looks, got {self.average!r}.")

    def _place(
        self, X: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: Any
    ) -> tuple[Memory, np.ndarray]:
        """The data as the engine wants it, and the steps without the weights of the classes."""
        steps = sample_steps(1.0, X, codes, classes, sample_weight, self.class_weight)
        plain = sample_steps(1.0, X, codes, classes, sample_weight, None)
        names = getattr(self, "feature_names_in_", None)
        how = {"fit_intercept": self.fit_intercept, "steps": steps, "names": names}
        return Memory.of(X, classes, codes, **how), plain

    def _states(
        self,
        place: Memory,
        before: Sequence[Run] | None,
        coef: Any = None,
        intercept: Any = None,
    ) -> list[State]:
        """Where each run starts: at its earlier state, at given weights, or at 0."""
        parts = parts_of(len(place.classes), self.multiclass)
        if before is not None:
            check_same_runs(before, self.multiclass, len(parts))
            return [run.state for run in before]
        start = zero_state(place.points, place.size.vectors)
        set_start(start, coef, intercept, self.fit_intercept)
        start.clock[0] = min(0, 1 - self.average)
        if len(parts) == 1:
            return [start]
        states = [zero_state(place.points) for _ in parts]
        for state, weights in zip(states, start.weights, strict=True):
            state.weights[...], state.clock[0] = weights, start.clock[0]
        return states

    def _learn(
        self,
        place: Memory,
        plain: np.ndarray,
        states: list[State],
        passes: int,
        validation: Validation | None = None,
    ) -> list[Run]:
        """One run for each part, side by side."""
        parts = parts_of(len(place.classes), self.multiclass)
        rng = check_random_state(self.random_state)
        seeds = [rng] if len(parts) == 1 else rng.randint(LARGEST_SEED, size=len(parts))
        interrupted = threading.Event()

        def make(task: Task) -> Run:
            own, held_out = place.part(task.part), validation and validation.part(task.part)
            if len(parts) > 1:
                # As in scikit-learn, a class's weight is that of its points as positives only.
                steps = np.where(own.codes == 1, own.points.steps, plain)
                own = own._replace(points=own.points._replace(steps=steps))
            plan = self._plan(own.size.rows, passes, held_out is not None)
            return procedure.fit(own, task, plan, held_out=held_out, interrupted=interrupted).run

        tasks = [
            Task(part, state, Reshuffle(seed), {})
            for part, state, seed in zip(parts, states, seeds, strict=True)
        ]
        worth = worth_threads(parts, place.size.entries, len(place.classes), proofs=False)
        jobs = threads_for(self.n_jobs) if worth else 1
        with Listening() as heard:
            runs = side_by_side(make, tasks, min(len(tasks), jobs), interrupted)
        return [run.but(stop=Stop.INTERRUPTED) for run in runs] if heard.ended() else runs

    def _plan(self, rows: int, passes: int, validated: bool) -> Plan:
        """How each run is made; without validation rows it ends by the mean loss of its passes."""

        def rule(place: Place, state: State, earlier: Any) -> Any:
            classes = max(2, place.size.vectors)
            return make_passive_aggressive(classes, self.C, self.loss, padded=self.padded)

        def callback_of(state: State, rule: Any) -> Callable[[Pass], Stop | None]:
            tol, losses = self.tol, list[float]()

            def watch(_: Pass) -> Stop | None:
                losses.append(rule.suffered[0] / rows)
                rule.suffered[0] = 0.0
                ends = tol is not None and no_longer_falls(losses, tol, self.n_iter_no_change)
                return Stop.TRAINING_ERROR if ends else None

            return watch

        return Plan(
            order="shuffled" if self.shuffle else "cyclic",
            budget=Budget(passes=passes, patience=self.n_iter_no_change),
            rule=rule,
            certify=False,
            solution="last",
            callback_of=None if validated else callback_of,
        )

    def _keep(self, runs: list[Run], classes: np.ndarray) -> None:
        """Set what was learned and what it took as attributes."""
        weights = np.vstack([run.average if self.average else run.weights for run in runs])
        for name, value in attributes_of(weights, classes).items():
            setattr(self, name, value)
        longest = max(runs, key=lambda run: run.passes)
        self.runs_, self.n_iter_ = tuple(runs), longest.passes
        self.stop_ = min((run.stop for run in runs), key=PRESSING.index)
        self.updates_ = sum(run.updates for run in runs)
        self.looks_ = sum(run.looks for run in runs)
        self.t_ = longest.looks + 1
        warn_of_overflow(self.stop_)
        if self.verbose:
            print(*runs, sep="\n")
