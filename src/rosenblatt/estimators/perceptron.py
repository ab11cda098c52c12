"""`Perceptron`: scikit-learn's face of the engine. Imports the engine and ``checks``."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
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
from rosenblatt.estimators.arbiter import Arbiter
from rosenblatt.estimators.callbacks import Announcer, CallbackSupportMixin, with_callbacks
from rosenblatt.estimators.conclusion import (
    Conclusion,
    Problem,
    conclude,
    sandwich,
    with_separator,
)
from rosenblatt.learn import learn, resumed, zero_state
from rosenblatt.points import make_points
from rosenblatt.requirements import Requirements
from rosenblatt.rules import State, make_rule
from rosenblatt.run import Pass, Run
from rosenblatt.stopping import Budget, Stop

CHOICES = {"solution": ("auto", "average", "last"), "certify": ("auto", True, False)}


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
    certify : {"auto", True, False}, default="auto"
        Whether to settle separability by proof. "auto" goes on passing until the passes have cost
        as much as deciding would, then decides: the fit ends with a separator or with a proof that
        there is none, instead of burning its budget. True decides after the first pass that makes
        a mistake, and binds the certificate to the data by a fingerprint. False never decides.
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
        What is known of the rows learned from: separable, inseparable or undecided.
    certificate_ : Separation, Inseparability or None
        The proof of the verdict; ``clf.certificate_.verify(X, y)`` checks it in exact arithmetic.
        None while undecided, and where rows were held out or had weight 0.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, rows evaluated.
    radius_ : float
        R, the largest norm of a row with its bias coordinate.
    margin_ : Bracket
        lower ≤ γ ≤ upper for the best margin γ of unit weights, bias included. The lower end is
        what the weights reach; the upper end needs a run that started at 0.
    mistake_bound_ : float
        The most updates that any run from 0 can make on this data, by the lower end of
        ``margin_``; infinite while that is 0.
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

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    run_: Run
    radius_: float

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
        certify: Any = "auto",
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
        self.certify = certify
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
        problem = self._problem(X, classes, codes, sample_weight)
        state = self._start(problem, coef_init, intercept_init)
        from_zero = not state.weights.any()
        rng = check_random_state(self.random_state)
        problem, held_out = self._hold_out(problem, rng)
        whole = len(problem.everyone) == len(codes)
        goal = Requirements(X, codes, len(classes), self.fit_intercept)
        arbiter = Arbiter(self.certify if whole else False, goal, problem.points, state)
        announcer = Announcer(
            self,
            {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}},
            lambda: _classifier(state.weights, classes),
        )
        run = learn(
            problem.points,
            problem.rule,
            order=self._order(),
            state=state,
            everyone=problem.everyone,
            budget=self._budget(self.max_iter),
            validation=held_out,
            rng=np.random.default_rng(rng.randint(2**31)),
            watch=self._watch(arbiter, announcer),
        )
        upper = sandwich(run) if from_zero else math.inf
        run = with_separator(problem, run, arbiter)
        conclusion = conclude(problem, run, upper, arbiter, bind=self.certify is True)
        self._keep(problem, run, conclusion)
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
        known = np.asarray(classes) if first else self.classes_
        codes = codes_among(known, y, X.shape[0])
        problem = self._problem(X, known, codes, sample_weight)
        if first:
            state = self._start(problem, None, None)
        else:
            state = resumed(self.run_.state, problem.points)
            problem = problem._replace(radius=max(problem.radius, self.radius_))
        run = learn(
            problem.points,
            problem.rule,
            order="shuffled" if self._order() == "shuffled" else "cyclic",
            state=state,
            everyone=problem.everyone,
            budget=self._budget(passes=1),
            rng=np.random.default_rng(check_random_state(self.random_state).randint(2**31)),
        )
        self._keep(problem, run if first else run.after(self.run_), Conclusion())
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

    def _problem(
        self, X: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: Any
    ) -> Problem:
        """The checked parameters and data as the engine wants them."""
        if not (self.eta0 > 0 and math.isfinite(self.eta0)):
            raise InputError(f"eta0 must be a positive finite number, got {self.eta0!r}.")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"{name} must be one of {', '.join(map(repr, allowed))}, "
                    f"got {getattr(self, name)!r}."
                )
        rule = make_rule(len(classes), float(self.threshold), self.ties)
        steps = sample_steps(self.eta0, X, codes, classes, sample_weight, self.class_weight)
        signs_or_codes = codes if len(classes) > 2 else 2.0 * codes - 1.0
        points = make_points(X, signs_or_codes, fit_intercept=self.fit_intercept, steps=steps)
        radius = check_finite(points, getattr(self, "feature_names_in_", None))
        everyone = np.flatnonzero(steps > 0)
        return Problem(X, classes, codes, points, rule, everyone, radius, self.eta0)

    def _start(self, problem: Problem, coef: Any, intercept: Any) -> State:
        """Where to start: at an earlier fit's state, at given weights, or at 0."""
        if self.warm_start and hasattr(self, "run_") and coef is None and intercept is None:
            self._check_same_classes(problem.classes)
            return resumed(self.run_.state, problem.points)
        state = zero_state(problem.points, problem.vectors)
        _set_start(state, coef, intercept, self.fit_intercept)
        if self.ties == "correct" and not state.weights.any():
            raise InputError(
                "ties='correct' never moves from weights of 0: give fit a coef_init that is not "
                "0, or use ties='mistake'."
            )
        return state

    def _hold_out(self, problem: Problem, rng: Any) -> tuple[Problem, Any]:
        """Set validation rows aside, in equal class proportions where that is possible."""
        if not self.early_stopping:
            return problem, None
        from sklearn.model_selection import train_test_split

        codes = problem.codes[problem.everyone]
        counts = np.bincount(codes)
        stratify = codes if counts[counts > 0].min() >= 2 else None
        train, held_out = train_test_split(
            problem.everyone,
            test_size=self.validation_fraction,
            random_state=rng,
            stratify=stratify,
        )
        return problem._replace(everyone=np.sort(train)), (problem.points, np.sort(held_out))

    def _watch(self, arbiter: Arbiter, announcer: Announcer) -> Any:
        def watch(row: Pass) -> Stop | None:
            if self.verbose >= 2:
                print(f"{row.seconds:8.3f} s  {row.mistakes:,} mistakes  norm {row.norm:.4g}")
            return announcer.after_pass(row) or arbiter.after_pass(row)

        return watch

    def _check_same_classes(self, classes: np.ndarray) -> None:
        if not np.array_equal(classes, self.classes_):
            raise InputError(
                f"classes={classes.tolist()} is not the same as on the last call to fit or "
                f"partial_fit, which was {self.classes_.tolist()}."
            )

    def _keep(self, problem: Problem, run: Run, conclusion: Conclusion) -> None:
        """Set what was learned, what it took, and what is known as attributes."""
        solution = self.solution
        if solution == "auto":
            solution = "last" if run.clean or self.early_stopping else "average"
        weights = run.weights if solution == "last" else run.average
        for name, value in _classifier(weights, problem.classes).items():
            setattr(self, name, value)
        self.run_, self.stop_, self.history_ = run, run.stop, run.history
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.n_iter_, self.looks_ = run.passes, run.looks
        self.radius_ = problem.radius
        self.margin_, self.mistake_bound_, self.verdict_, self.certificate_ = conclusion
        if run.stop is Stop.OVERFLOW:
            warnings.warn(str(run.stop), ConvergenceWarning, stacklevel=3)
        if self.verbose:
            print(run)


def _classifier(weights: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """The attributes that make these weights a classifier."""
    weights = np.atleast_2d(weights)
    return {
        "classes_": classes,
        "coef_": np.array(weights[:, :-1], order="C"),
        "intercept_": np.array(weights[:, -1]),
    }


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
