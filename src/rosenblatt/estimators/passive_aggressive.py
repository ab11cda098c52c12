"""`PassiveAggressive`: a home for scikit-learn's class. Imports the engine and ``family``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rosenblatt.data.checks import check_finite, check_labels, check_rows, codes_among, sample_steps
from rosenblatt.engine.loop import learn, resumed, zero_state
from rosenblatt.engine.points import Points, make_points
from rosenblatt.engine.rules import State
from rosenblatt.engine.rules.family import make_passive_aggressive
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.perceptron import _classifier, _set_start
from rosenblatt.fit.parameters import check_kinds

LARGEST = np.iinfo(np.int32).max


class PassiveAggressive(LinearClassifier):
    """Passive-aggressive classifier: after each look, the least change that ends the loss.

    Where y·score is at least 1 nothing changes; elsewhere w moves by τ·y·x, with τ just enough to
    bring the score to 1, tempered by C (`rosenblatt.engine.rules.family.PassiveAggressive` has the theorems).
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
        The part to hold out.
    n_iter_no_change : int, default=5
        Passes without progress that are borne.
    shuffle : bool, default=True
        Whether each pass is in a random order; the one of scikit-learn for the same seed.
    verbose : int, default=0
        1 prints each run's end.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    n_jobs : int, optional
        Threads for the classes of a one-against-rest fit.
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

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (1, d) or (K, d)
    intercept_ : ndarray of shape (1,) or (K,)
    runs_ : tuple of Run
        One, or with K > 2 classes one for each class against the rest.
    stop_ : Stop
        Why the longest of them ended.
    n_iter_ : int
        Its passes.
    updates_, looks_ : int
        Of all runs together.
    t_ : int
        Looks of one run, plus 1 (scikit-learn's count).

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, JMLR 7, 2006.

    Examples
    --------
    >>> from rosenblatt.estimators.passive_aggressive import PassiveAggressive
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
        check_kinds(self)
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        given = coef_init is not None or intercept_init is not None
        before = None
        if self.warm_start and hasattr(self, "runs_") and not given:
            self._check_same_classes(classes)
            before = self.runs_
        problems = self._problems(X, classes, codes, sample_weight)
        states = self._states(problems, before, coef_init, intercept_init)
        held_out = self._held_out(codes, problems[0].steps)
        self._keep(self._learn(problems, states, self.max_iter, held_out), classes)
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
        check_kinds(self)
        before = getattr(self, "runs_", None)
        X = check_rows(self, X, reset=before is None)
        if before is None and classes is None:
            raise InputError(
                "classes must be passed on the first call to partial_fit: every label there will "
                "ever be, for example classes=[0, 1]."
            )
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            if before is not None:
                self._check_same_classes(classes)
        known = np.asarray(classes) if before is None else self.classes_
        if len(known) < 2:
            raise InputError(f"classes must name at least two classes, got {known.tolist()}.")
        codes = codes_among(known, y, X.shape[0])
        problems = self._problems(X, known, codes, sample_weight)
        runs = self._learn(problems, self._states(problems, before), 1)
        if before is not None:
            runs = tuple(run.after(old) for run, old in zip(runs, before, strict=True))
        self._keep(runs, known)
        return self

    def _problems(
        self, X: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: Any
    ) -> list[Points]:
        """The points of two classes, or of each class against the rest, over the same rows."""
        weights = sample_steps(1.0, X, codes, classes, sample_weight, self.class_weight)
        signs = 2.0 * codes - 1.0
        points = make_points(X, signs, fit_intercept=self.fit_intercept, steps=weights)
        check_finite(points, getattr(self, "feature_names_in_", None))
        if len(classes) == 2:
            return [points]
        # As in scikit-learn, a class's weight is that of its points as positives only.
        plain = sample_steps(1.0, X, codes, classes, sample_weight, None)
        return [
            points._replace(
                y=np.where(codes == k, 1.0, -1.0), steps=np.where(codes == k, weights, plain)
            )
            for k in range(len(classes))
        ]

    def _states(
        self,
        problems: list[Points],
        before: tuple[Run, ...] | None,
        coef: Any = None,
        intercept: Any = None,
    ) -> list[State]:
        """Where each run starts: at its earlier state, at given weights, or at 0."""
        if before is not None:
            return [resumed(run.state, p) for run, p in zip(before, problems, strict=True)]
        if self.average < 0 or self.average != int(self.average):
            raise InputError(f"average must be a bool or a count of looks, got {self.average!r}.")
        many = len(problems)
        start = zero_state(problems[0], many if many > 1 else 0)
        _set_start(start, coef, intercept, self.fit_intercept)
        states = [zero_state(points) for points in problems]
        for state, weights in zip(states, np.atleast_2d(start.weights), strict=True):
            state.weights[...] = weights
            state.clock[0] = min(0, 1 - self.average)
        return states

    def _learn(
        self,
        problems: list[Points],
        states: list[State],
        passes: int,
        held_out: np.ndarray | None = None,
    ) -> tuple[Run, ...]:
        """One run for each problem, in parallel threads."""
        everyone = np.flatnonzero(problems[0].steps > 0)
        if held_out is not None:
            everyone = np.setdiff1d(everyone, held_out)
        rng = check_random_state(self.random_state)
        seeds = [rng] if len(problems) == 1 else rng.randint(LARGEST, size=len(problems))
        runs: Any = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._run)(points, state, everyone, held_out, passes, Reshuffle(seed))
            for points, state, seed in zip(problems, states, seeds, strict=True)
        )
        return tuple(runs)

    def _run(
        self,
        points: Points,
        state: State,
        everyone: np.ndarray,
        held_out: np.ndarray | None,
        passes: int,
        rng: Any,
    ) -> Run:
        rule = make_passive_aggressive(2, self.C, self.loss, padded=self.padded)
        losses: list[float] = []

        def watch(_: Pass) -> Stop | None:
            losses.append(rule.suffered[0] / len(everyone))
            rule.suffered[0] = 0.0
            if self.tol is None or held_out is not None:
                return None
            stale = no_longer_falls(losses, self.tol, self.n_iter_no_change)
            return Stop.TRAINING_ERROR if stale else None

        return learn(
            points,
            rule,
            order="shuffled" if self.shuffle else "cyclic",
            state=state,
            everyone=everyone,
            budget=Budget(passes=passes, patience=self.n_iter_no_change),
            validation=None if held_out is None else (points, held_out),
            rng=rng,
            watch=watch,
        )

    def _held_out(self, codes: np.ndarray, steps: np.ndarray) -> np.ndarray | None:
        """Validation rows, in equal class proportions where that is possible."""
        if not self.early_stopping:
            return None
        from sklearn.model_selection import train_test_split

        everyone = np.flatnonzero(steps > 0)
        counts = np.bincount(codes[everyone])
        stratify = codes[everyone] if counts[counts > 0].min() >= 2 else None
        try:
            rows = train_test_split(
                everyone,
                test_size=self.validation_fraction,
                random_state=self.random_state,
                stratify=stratify,
            )
        except ValueError as error:
            raise InputError(
                f"early_stopping=True with validation_fraction={self.validation_fraction!r} of "
                f"{len(everyone)} rows: {error}"
            ) from error
        return np.sort(rows[1])

    def _keep(self, runs: tuple[Run, ...], classes: np.ndarray) -> None:
        """Set what was learned and what it took as attributes."""
        weights = np.vstack([run.average if self.average else run.weights for run in runs])
        for name, value in _classifier(weights, classes).items():
            setattr(self, name, value)
        longest = max(runs, key=lambda run: run.passes)
        self.runs_, self.stop_, self.n_iter_ = runs, longest.stop, longest.passes
        self.updates_ = sum(run.updates for run in runs)
        self.looks_ = sum(run.looks for run in runs)
        self.t_ = longest.looks + 1
        if any(run.stop is Stop.OVERFLOW for run in runs):
            warnings.warn(str(Stop.OVERFLOW), ConvergenceWarning, stacklevel=3)
        if self.verbose:
            print(*runs, sep="\n")


class Reshuffle:
    """scikit-learn's orders: each pass reshuffles the last one's, by the same 32-bit xorshift.

    Stands where `learn` wants a generator, so that one seed gives the same orders in both.

    Parameters
    ----------
    source : int or RandomState
        Where the seed is drawn from, as scikit-learn draws it.

    Examples
    --------
    >>> Reshuffle(0).permutation(np.arange(5)).tolist()
    [2, 4, 1, 3, 0]
    """

    def __init__(self, source: Any):
        rng = check_random_state(source)
        rng.randint(1, LARGEST)  # scikit-learn seeds its data set first
        self.seed = rng.randint(LARGEST)
        self.order: np.ndarray | None = None

    def permutation(self, everyone: np.ndarray) -> np.ndarray:
        """The next order of those points."""
        from rosenblatt.engine.machine.compiled import compiled

        if self.order is None:
            self.order = everyone.copy()
        compiled(reshuffle)(self.order, self.seed or 1)
        return self.order


def reshuffle(order: Any, seed: int) -> None:
    """Fisher and Yates's shuffle in place, fed by Marsaglia's xorshift (13, 17, 5)."""
    n = len(order)
    for i in range(n - 1):
        seed ^= (seed << 13) & 0xFFFFFFFF
        seed ^= seed >> 17
        seed ^= (seed << 5) & 0xFFFFFFFF
        j = i + (seed & 0x7FFFFFFF) % (n - i)
        order[i], order[j] = order[j], order[i]
