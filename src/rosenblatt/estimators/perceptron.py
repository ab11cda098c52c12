"""`Perceptron`: scikit-learn's face of the engine. Imports the engine and ``checks``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.checks import (
    FLOATS,
    check_finite,
    check_labels,
    check_rows,
    codes_among,
    sample_steps,
)
from rosenblatt.errors import InputError
from rosenblatt.estimators.callbacks import Announcer, CallbackSupportMixin, with_callbacks
from rosenblatt.learn import all_margins, learn, length, resumed, zero_state
from rosenblatt.margins import Bracket, mistake_bound
from rosenblatt.points import Points, make_points
from rosenblatt.rules import State, make_rule
from rosenblatt.run import Pass, Run
from rosenblatt.stopping import Budget, Stop, Verdict

SOLUTIONS = ("auto", "average", "last")
UNKNOWN = Bracket(0.0, math.inf)


class Perceptron(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """A perceptron that says why it stopped.

    Learns a linear classifier of two or more classes, on dense or CSR data, and reports how many
    mistakes it took, against which bound, and what is known of the margin. Changing the import
    from ``sklearn.linear_model`` is enough to use it.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to learn a bias: an appended coordinate that is always 1.
    max_iter : int, default=1000
        The most passes over the data.
    max_updates : int, optional
        The most changes of the weights.
    tol : float, optional
        Stop when the training error has not fallen by more than this for ``n_iter_no_change``
        passes. Measuring the error costs a look at every point after each pass, so it is off.
    n_iter_no_change : int, default=5
        Passes without progress that are borne, of training and of validation error.
    weight_tol : float, optional
        Stop when a pass changes the weights by no more than this fraction of their length.
    early_stopping : bool, default=False
        Hold out part of the training data, stop when its error no longer falls, keep the weights
        that were best on it.
    validation_fraction : float, default=0.1
        The part to hold out, drawn with equal class proportions where possible.
    eta0 : float, default=1.0
        The step η. From a start at 0 without threshold it only rescales the weights.
    threshold : float, default=0.0
        δ ≥ 0: a point is a mistake while y·score ≤ δ; with K classes, while the true class leads
        its best rival by no more than δ.
    order : {"active", "cyclic", "shuffled", "worst"}, default="active"
        Which point is looked at next. All obey the same mistake bound; ``active`` returns to the
        points mistaken before, and needs several times fewer looks.
    shuffle : bool, optional
        scikit-learn's name: True is ``order="shuffled"``, False is ``order="cyclic"``.
    ties : {"mistake", "positive", "negative", "correct"}, default="mistake"
        What a score exactly on the boundary is in training: always a mistake, a positive or a
        negative prediction, or never a mistake (which needs a non-zero start). Predictions on the
        boundary are always the positive class.
    solution : {"auto", "last", "average"}, default="auto"
        Which weights become ``coef_``: the last, the mean over all looks, or (auto) the last if
        they separate the data or were chosen by validation, and the mean otherwise.
    class_weight : dict or "balanced", optional
        Multiplies the step of each class.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the state that an earlier ``fit`` left.
    random_state : int, RandomState or None, default=0
        Seeds permutations and the validation split.
    n_jobs : int, optional
        Accepted for compatibility: one run uses one core.
    verbose : int, default=0
        1 prints a line when the fit ends, 2 also one for each pass.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        Shapes (1, d) and (1,) for two classes, (K, d) and (K,) for K.
    classes_ : ndarray
        The labels; of two, the second is the positive one.
    stop_ : Stop
        Why the run ended; ``print(clf.stop_)`` names the next action.
    verdict_ : Verdict
        What is known of the data: separable, inseparable or undecided.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, rows evaluated.
    radius_ : float
        R, the largest norm of a row with its bias coordinate.
    margin_ : Bracket
        lower ≤ γ ≤ upper for the best margin γ, known from a run that started at 0.
    mistake_bound_ : float
        The most updates any such run can make, from the lower end of ``margin_``.
    history_ : tuple of Pass
        Mistakes, norm, errors and seconds, pass by pass.
    run_ : Run
        The whole record, ``run_.cost`` included.

    References
    ----------
    Rosenblatt 1958; Novikoff 1962; Freund and Schapire 1999; Crammer and Singer 2003.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = Perceptron().fit(X, y == 0)
    >>> clf.stop_, clf.score(X, y == 0)
    (Stop.SEPARATED, 1.0)
    >>> clf.mistakes_ <= clf.mistake_bound_
    True
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        max_updates: int | None = None,
        tol: float | None = None,
        n_iter_no_change: int = 5,
        weight_tol: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        eta0: float = 1.0,
        threshold: float = 0.0,
        order: str = "active",
        shuffle: bool | None = None,
        ties: str = "mistake",
        solution: str = "auto",
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.weight_tol = weight_tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eta0 = eta0
        self.threshold = threshold
        self.order = order
        self.shuffle = shuffle
        self.ties = ties
        self.solution = solution
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Perceptron:
        """Learn from labelled rows until there is reason to stop.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.
        coef_init, intercept_init : array, optional
            Where to start; by default at 0.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step; points of weight 0 are never looked at.

        Returns
        -------
        self : Perceptron
            The fitted estimator.
        """
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        points, everyone = self._points(X, codes, classes, sample_weight)
        rule = make_rule(len(classes), self.threshold, self.ties)
        if self.warm_start and hasattr(self, "run_"):
            self._check_same_classes(classes)
            state = resumed(self.run_.state, points)
        else:
            state = zero_state(points, _vectors(classes))
            _set_start(state, coef_init, intercept_init, self.fit_intercept)
        from_zero = not state.weights.any()
        if from_zero and self.ties == "correct":
            raise InputError(
                "ties='correct' never moves from weights of 0: give fit a coef_init that is not "
                "0, or use ties='mistake'."
            )
        radius = check_finite(points, getattr(self, "feature_names_in_", None))
        rng = check_random_state(self.random_state)
        train, held_out = self._split(everyone, codes, rng)
        announcer = Announcer(
            self,
            {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}},
            lambda: self._fitted_by(state.weights, classes),
        )
        run = learn(
            points,
            rule,
            order=self._order(),
            state=state,
            everyone=train,
            budget=self._budget(self.max_iter),
            validation=None if held_out is None else (points, held_out),
            rng=np.random.default_rng(rng.randint(2**31)),
            watch=self._watch(announcer),
        )
        self.radius_ = radius
        self._keep(run, classes, _bracket(run, points, rule, train, from_zero))
        announcer.end()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Perceptron:
        """Make one pass over a batch, from where the last call ended.

        The batch is looked at in its own order (or, with ``order="shuffled"``, in a random one),
        so that batch after batch equals one cyclic pass over all of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels, all among ``classes``.
        classes : array, optional
            Every label there will ever be; needed in the first call.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step.

        Returns
        -------
        self : Perceptron
            The estimator, learning on.
        """
        first = not hasattr(self, "run_")
        X = check_rows(self, X, reset=first)
        if first and classes is None:
            raise InputError(
                "classes must be passed on the first call to partial_fit: every label there will "
                "ever be, for example classes=[0, 1]."
            )
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            if len(classes) < 2:
                raise InputError(f"classes must name at least two classes, got {classes.tolist()}.")
            if not first:
                self._check_same_classes(classes)
        known = classes if first else self.classes_
        codes = codes_among(known, y, X.shape[0])
        points, everyone = self._points(X, codes, known, sample_weight)
        radius = check_finite(points, getattr(self, "feature_names_in_", None))
        state = zero_state(points, _vectors(known)) if first else resumed(self.run_.state, points)
        if self.ties == "correct" and not state.weights.any():
            raise InputError(
                "ties='correct' never moves from weights of 0: call fit with a coef_init first, "
                "or use ties='mistake'."
            )
        rng = check_random_state(self.random_state)
        run = learn(
            points,
            make_rule(len(known), self.threshold, self.ties),
            order="shuffled" if self._order() == "shuffled" else "cyclic",
            state=state,
            everyone=everyone,
            budget=self._budget(passes=1),
            rng=np.random.default_rng(rng.randint(2**31)),
        )
        if not first:
            run = run.after(self.run_)
            radius = max(radius, self.radius_)
        self.radius_ = radius
        self._keep(run, known, UNKNOWN)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores w·x + b: one for each row, or one for each row and class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n,) or (n, K)
            Of two classes, positive on the side of ``classes_[1]``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; on the boundary, the positive one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n,)
            Entries of ``classes_``.
        """
        scores = self.decision_function(X)
        codes = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _order(self) -> str:
        if self.shuffle is None:
            return self.order
        return "shuffled" if self.shuffle else "cyclic"

    def _budget(self, passes: int) -> Budget:
        return Budget(
            passes=passes,
            updates=self.max_updates,
            tol=self.tol,
            patience=self.n_iter_no_change,
            weight_tol=self.weight_tol,
        )

    def _points(
        self, X: Any, codes: np.ndarray, classes: np.ndarray, sample_weight: Any
    ) -> tuple[Points, np.ndarray]:
        """The points, and the indices of those with a weight."""
        if not (self.eta0 > 0 and math.isfinite(self.eta0)):
            raise InputError(f"eta0 must be a positive finite number, got {self.eta0!r}.")
        if self.solution not in SOLUTIONS:
            raise InputError(
                f"solution must be one of {', '.join(map(repr, SOLUTIONS))}, got {self.solution!r}."
            )
        steps = sample_steps(self.eta0, X, codes, classes, sample_weight, self.class_weight)
        y = codes if len(classes) > 2 else 2.0 * codes - 1.0
        points = make_points(X, y, fit_intercept=self.fit_intercept, steps=steps)
        return points, np.flatnonzero(steps > 0)

    def _split(
        self, everyone: np.ndarray, codes: np.ndarray, rng: Any
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Training and held-out indices, in equal class proportions where that is possible."""
        if not self.early_stopping:
            return everyone, None
        counts = np.bincount(codes[everyone])
        stratify = codes[everyone] if counts[counts > 0].min() >= 2 else None
        train, held_out = train_test_split(
            everyone, test_size=self.validation_fraction, random_state=rng, stratify=stratify
        )
        return np.sort(train), np.sort(held_out)

    def _watch(self, announcer: Announcer) -> Any:
        def watch(row: Pass) -> Stop | None:
            if self.verbose >= 2:
                print(f"{row.seconds:8.3f} s  {row.mistakes:,} mistakes  norm {row.norm:.4g}")
            return announcer.after_pass(row)

        return watch

    def _check_same_classes(self, classes: np.ndarray) -> None:
        if not np.array_equal(classes, self.classes_):
            raise InputError(
                f"classes={classes.tolist()} is not the same as on the last call to fit or "
                f"partial_fit, which was {self.classes_.tolist()}."
            )

    def _keep(self, run: Run, classes: np.ndarray, bracket: Bracket) -> None:
        """Set what was learned as attributes."""
        solution = self.solution
        if solution == "auto":
            solution = "last" if run.clean or self.early_stopping else "average"
        weights = run.weights if solution == "last" else run.average
        for name, value in self._fitted_by(weights, classes).items():
            setattr(self, name, value)
        self.run_ = run
        self.stop_ = run.stop
        self.history_ = run.history
        self.n_iter_ = run.passes
        self.mistakes_, self.updates_, self.looks_ = run.mistakes, run.updates, run.looks
        self.margin_ = bracket
        self.mistake_bound_ = math.inf
        if bracket.lower > 0:
            # With K classes an update moves two weight vectors, so ‖Δ‖² is 2‖x‖².
            reach = self.radius_ * math.sqrt(2 if len(classes) > 2 else 1)
            self.mistake_bound_ = mistake_bound(reach, bracket.lower, self.threshold, self.eta0)
        self.verdict_ = Verdict.SEPARABLE if bracket.lower > 0 else Verdict.UNDECIDED
        if self.verbose:
            print(run)

    def _fitted_by(self, weights: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
        """The attributes that make these weights a classifier."""
        weights = np.atleast_2d(np.array(weights, order="C"))
        return {
            "classes_": classes,
            "coef_": weights[:, :-1].copy(),
            "intercept_": weights[:, -1].copy(),
        }


def _vectors(classes: np.ndarray) -> int:
    """Weight vectors beyond one: K for K > 2 classes, 0 for two."""
    return len(classes) if len(classes) > 2 else 0


def _set_start(state: State, coef: Any, intercept: Any, fit_intercept: bool) -> None:
    """Start at the given weights instead of at 0."""
    weights = state.weights
    for name, value, part in (
        ("coef_init", coef, weights[..., :-1]),
        ("intercept_init", intercept, weights[..., -1:]),
    ):
        if value is None:
            continue
        value = np.asarray(value, dtype=np.float64)
        if value.size != part.size:
            raise InputError(f"{name} must have {part.size} entries, got shape {value.shape}.")
        if not np.isfinite(value).all():
            raise InputError(f"{name} must hold finite numbers, got {value.ravel()[:5]}.")
        part[...] = value.reshape(part.shape)
    if intercept is not None and not fit_intercept and np.any(weights[..., -1]):
        raise InputError("intercept_init needs fit_intercept=True.")


def _bracket(run: Run, points: Points, rule: Any, train: np.ndarray, from_zero: bool) -> Bracket:
    """What the run tells of the best margin: min y·score/‖w‖ ≤ γ ≤ ‖w‖/Σ steps.

    The right side is the sandwich read backwards: from a start at 0, w·u ≥ γ·Σ steps for the best
    unit vector u.
    """
    norm = length(run.weights)
    lower, upper = 0.0, math.inf
    if run.clean and 0 < norm < math.inf:
        lower = max(0.0, float(all_margins(points, rule, run.state, train).min()) / norm)
    moved = float(run.state.dual.sum())
    if from_zero and moved > 0:
        upper = norm / moved
    return Bracket(lower, upper)
