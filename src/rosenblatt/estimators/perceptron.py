"""`Perceptron`: scikit-learn's face of the engine. Imports the engine and ``checks``."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.checks import (
    check_finite,
    check_labels,
    check_rows,
    codes_among,
    random_seeds,
    random_source,
    sample_steps,
)
from rosenblatt.engine.margins import Bracket, mistake_bound
from rosenblatt.engine.points import make_points, width
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.scaling import Columns
from rosenblatt.engine.solutions import make_keepers
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.callbacks import Announcer, CallbackSupportMixin, with_callbacks
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.validation import Validation, hold_out, own_validation
from rosenblatt.fit import expected
from rosenblatt.fit.conclusion import Conclusion, exact_weights
from rosenblatt.fit.fitting import Task, fit_all
from rosenblatt.fit.one_vs import Outcome, jointly, pair_scores, together
from rosenblatt.fit.problem import Part, Problem, parts_of
from rosenblatt.fit.settings import KEPT, check_choices, order_of, plan_of
from rosenblatt.fit.settings import classifier as _classifier
from rosenblatt.fit.settings import set_start as _set_start
from rosenblatt.proof import exact
from rosenblatt.proof.generalisation import ErrorBound


class Perceptron(CallbackSupportMixin, LinearClassifier):
    """A perceptron that says why it stopped.

    Learns a linear classifier of two or more classes, on dense or CSR data, and reports how many
    mistakes it took, against which bound, and what is known of the margin. Changing the import
    from ``sklearn.linear_model`` is enough to use it.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to learn a bias: an appended coordinate that is always 1.
    max_iter : int, default=1000
        The most passes over the data. Where they do not separate, up to ten more follow for the
        mean that predicts (``solution="auto"``), never more than this.
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
    margin : float, default=0.0
        The share of the best margin to reach, from 0 to less than 1: a separated fit's
        ``margin_.lower`` is then at least this times γ (`rosenblatt.engine.rules.family.DynamicMargin`). The
        nearer to 1, the more updates; `MaxMargin` is the way to the last percent, and a run whose
        budget ends before the share is reached says so.
    order : {"active", "cyclic", "shuffled", "worst"}, default="active"
        Which point is looked at next. All obey the same mistake bound; ``active`` returns to the
        points mistaken before, and needs several times fewer looks.
    shuffle : bool, optional
        scikit-learn's name: True is ``order="shuffled"``, False is ``order="cyclic"``.
    ties : {"mistake", "positive", "negative", "correct"}, default="mistake"
        What a score exactly on the boundary is in training: always a mistake, a positive or a
        negative prediction, or never a mistake (which needs a non-zero start). Predictions on the
        boundary are always the positive class.
    solution : {"auto", "last", "average", "pocket", "vote"}, default="auto"
        Which weights of the run predict: the last; the mean over all looks; the best on the
        training data (`rosenblatt.engine.solutions.Pocket`); all of them by a weighted vote
        (`rosenblatt.engine.solutions.Voters`: ``coef_`` is then their mean, and scores are shares of the
        vote); or (auto) what predicts best whatever the order of the rows: the mean over shuffled
        passes of their own, over columns made alike. If the data is separated, it is moved towards
        the separator until it separates, too; if not, it gives way to other weights at hand (the
        last, a pocket) that make fewer errors on the training or validation rows. A textbook run
        (another ``order``, ``certify=False``) keeps its last weights if they separate, else its
        mean over all looks. See `with_solution`.
    keep : tuple of {"pocket", "vote"}, default=()
        Solutions to track besides ``solution``. Each update then costs a call and, for the vote,
        a copy of the weights; the last weights and the mean are always there.
    max_voters : int, default=1000
        The most hyperplanes that vote: those with the most votes. Each takes the memory of one
        set of weights.
    multiclass : {"native", "ovr", "ovo"}, default="native"
        How three classes or more are told apart: one rule for all, with a mistake bound of its
        own; one class against the rest (highest score); or each against each other (majority of
        votes, ties broken by summed scores). Native weights may separate classes that no class
        against the rest does.
    penalty : {None, "l1", "l2", "elasticnet"}, default=None
        Pulls the weights, though not the bias, towards 0 after each look; l1 makes them exactly 0
        (`rosenblatt.engine.rules.penalties.Penalised`). No mistake bound holds then and nothing is decided, so
        set ``max_iter``, ``tol`` or ``early_stopping`` too; only ``solution="last"`` exists.
    alpha : float, default=1e-4
        How strongly, in units of the step η.
    l1_ratio : float, default=0.15
        The share of l1 in an elastic net.
    certify : {"auto", True, False}, default="auto"
        Whether to settle separability by proof. "auto" looks for one once the passes seem not to
        separate, at the cost of some passes: the fit ends with a separator or with a proof that
        there is none, instead of burning its budget. Where a proof would cost more, the verdict
        stays undecided, and ``run_.proof_seconds`` says about how long True would take. True
        decides after the first pass that makes a mistake, whatever it takes, and binds the
        certificate to the data by a fingerprint. False never decides.
    class_weight : dict or "balanced", optional
        Multiplies the step of each class.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the state that an earlier ``fit`` left.
    random_state : int, RandomState or None, default=0
        Seeds permutations and the validation split.
    n_jobs : int, optional
        Threads over the classes of ``multiclass="ovr"`` or the pairs of ``"ovo"``. They share the
        data; a native run uses one core. Results do not depend on it.
    verbose : int, default=0
        1 prints a line when the fit ends, 2 also one for each pass.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        Shapes (1, d) and (1,) for two classes, (K, d) and (K,) for K; one row a pair, in the order
        (0, 1), (0, 2), … (1, 2), …, for ``multiclass="ovo"``, positive for the second class.
    classes_ : ndarray
        The labels; of two, the second is the positive one.
    stop_ : Stop
        Why the run ended; ``print(clf.stop_)`` names the next action.
    verdict_ : Verdict
        What is known of the rows learned from: separable, inseparable or undecided. With ovr or
        ovo, separable means that every part is.
    certificate_ : Separation, Inseparability or None
        The proof of the verdict; ``clf.certificate_.verify(X, y)`` checks it in exact arithmetic.
        None while undecided, and with ovr and ovo. Rows that were held out or had weight 0 count,
        too: they may leave a run that separated the others undecided.
    certificates_ : tuple
        The same for each run: with ovr, run k's speaks of the labels ``y == classes_[k]``; with
        ovo, of the rows of its two classes, ``rows = np.isin(y, pair)``.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, rows evaluated.
    radius_ : float
        R, the largest norm of a row with its bias coordinate.
    margin_ : Bracket
        lower ≤ γ ≤ upper for the best margin γ of unit weights, bias included. The lower end is
        what the weights reach; the upper end needs a run that started at 0 and was not put back
        to earlier weights by validation. With ovr and ovo, the least of the parts'.
    mistake_bound_ : float
        The most updates that any run from 0 can make on this data, by the lower end of
        ``margin_``; infinite while that is 0.
    history_ : tuple of Pass
        Mistakes, norm, errors and seconds, pass by pass.
    run_ : Run
        The whole record, ``run_.cost`` included; with ovr and ovo, the runs' sum. Of its passes,
        ``run_.averaged`` were made for the mean that predicts.
    runs_ : tuple of Run
        One for each class (ovr) or pair (ovo), with its own counts and history; else one.
    kept_ : tuple of dict
        For each run the solutions tracked: a `Pocket`, `Voters`.

    References
    ----------
    Rosenblatt 1958; Novikoff 1962; Gallant 1990; Freund and Schapire 1999; Crammer and Singer 2003;
    Tsuruoka, Tsujii and Ananiadou 2009.

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

    Which classes does a hyperplane separate from the rest?

    >>> clf = Perceptron(multiclass="ovr", certify=True).fit(X, y)
    >>> [type(proof).__name__ for proof in clf.certificates_]
    ['Separation', 'Inseparability', 'Inseparability']
    """

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    run_: Run
    runs_: tuple[Run, ...]
    kept_: tuple[dict[str, Any], ...]
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
        margin: float = 0.0,
        order: str = "active",
        shuffle: bool | None = None,
        ties: str = "mistake",
        solution: str = "auto",
        keep: Any = (),
        max_voters: int = 1000,
        multiclass: str = "native",
        penalty: str | None = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
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
        self.margin = margin
        self.order = order
        self.shuffle = shuffle
        self.ties = ties
        self.solution = solution
        self.keep = keep
        self.max_voters = max_voters
        self.multiclass = multiclass
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
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
        eval_set: Any = None,
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
        eval_set : tuple (X_val, y_val), optional
            Validation data of your own: as with ``early_stopping``, but no row of X is held out.

        Returns
        -------
        self : Perceptron
            The fitted estimator.
        """
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        problem = self._problem(X, classes, codes, sample_weight)
        parts = parts_of(len(classes), self.multiclass)
        starts = self._starts(problem, coef_init, intercept_init, len(parts))
        # What a split draws comes before the seeds of the runs.
        random = random_source(self.random_state) if self.early_stopping else self.random_state
        problem, validation = self._validation(problem, eval_set, random)
        announcer = Announcer(
            self, {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}, dict
        )
        # Callbacks see the passes of a fit that is one run.
        watch = partial(self._watch, announcer if len(parts) == 1 else None, classes)
        plan = plan_of(self, order_of(self), self.max_iter, self.certify, watch)
        tasks = self._tasks(parts, starts, random)
        outcomes = fit_all(problem, tasks, plan, validation, self.n_jobs)
        self._keep(problem, outcomes, validated=validation is not None)
        announcer.fitted = self._attributes
        announcer.end()
        return self

    def fit_stream(
        self,
        reader: Any,
        *,
        classes: Any = None,
        memory: int = 1 << 29,
        checkpoint: Any = None,
        every: float = 60.0,
        resume: bool = False,
        progress: Callable[[Any], None] | None = None,
    ) -> Perceptron:
        r"""Learn from a file that need not fit into memory, until there is reason to stop.

        Passes over the chunks of the file with the engine of `fit`. With ``order="cyclic"`` the
        weights are those that `fit` finds, to the bit where sums are exact, as on integers.
        ``"shuffled"`` mixes rows within and across chunks through a pool in memory; ``"active"``
        holds the rows ever mistaken as long as they fit, and those beyond are looked at once a
        pass. Sets the attributes that `fit` sets; there is no dual form (``run_.state.dual``), and
        ``radius_`` is that of the rows looked at.

        Parameters
        ----------
        reader : Reader, str or path
            From `rosenblatt.readers.open_reader`. Standard input can be read only once: name the
            ``classes``, and set ``max_iter=1``.
        classes : array, optional
            Every label there is; by default found by a pass over the file.
        memory : int
            Bytes that rows may take, of which a quarter holds pool or working set. Keep a
            reader's own ``chunk_bytes`` below a thirtieth of it. Weights come on top, and so does a
            decision, which needs some 50 bytes a row (``certify=False`` never decides).
        checkpoint : str or path, optional
            A file to save the run in every so often; removed when the run ends. A file that is
            there and is no checkpoint is refused.
        every : float
            Seconds between two checkpoints.
        resume : bool
            Whether to go on from the checkpoint. The run then ends as if it had never been
            interrupted, with the same weights to the bit. A checkpoint of another file, or of
            other settings, is refused; ``max_iter``, ``max_updates`` and ``tol`` may be others.
        progress : callable, optional
            Sees a `rosenblatt.places.file.sweep.Progress` after each chunk.

        Returns
        -------
        self : Perceptron
            The fitted estimator.

        Notes
        -----
        What needs all rows at once is refused: ``penalty``, ``early_stopping``, the pocket and
        the vote, ``order="worst"``, and ``multiclass="ovr"`` or ``"ovo"`` with more than two
        classes.

        Examples
        --------
        >>> import pathlib, tempfile, rosenblatt as rb
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "sizes.csv").write_text("length,size\n1,small\n2,small\n9,large\n")
        >>> reader = rb.readers.open_reader(folder / "sizes.csv")
        >>> clf = rb.Perceptron().fit_stream(reader, checkpoint=folder / "sizes.checkpoint")
        >>> clf.stop_, clf.predict([[1.5], [8.0]]).tolist()
        (Stop.SEPARATED, ['small', 'large'])
        """
        from rosenblatt.data.checkpoint import check_place
        from rosenblatt.fit import stream

        check_choices(self)
        stream.check_streamable(self)
        if checkpoint is not None:
            check_place(checkpoint)
        rows = stream.rows_of(self, reader, classes, memory)
        start = None
        if self.warm_start and hasattr(self, "runs_"):
            self._check_same_classes(rows.classes)
            start = self._earlier(1)[0].state
        how = stream.Streamed(memory, checkpoint, every, resume, progress)
        watch = self._watch(None, rows.classes, rows.none)  # type: ignore[arg-type]
        problem, outcome = stream.fit_rows(self, rows, how, start, watch)
        self.n_features_in_ = rows.d
        self._keep(problem, [outcome], validated=False)
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
        parts = parts_of(len(known), self.multiclass)
        starts: list[Any] = [None] * len(parts)
        if not first:
            problem = problem._replace(radius=max(problem.radius, self.radius_))
            starts = [run.state for run in self._earlier(len(parts))]
        order = "shuffled" if order_of(self) == "shuffled" else "cyclic"
        tasks = self._tasks(parts, starts, self.random_state)
        outcomes = fit_all(problem, tasks, plan_of(self, order, 1, False), None, self.n_jobs)
        outcomes = [outcome._replace(conclusion=Conclusion()) for outcome in outcomes]
        if not first:
            outcomes = [
                outcome._replace(run=_gone_on(outcome.run, earlier))
                for outcome, earlier in zip(outcomes, self.runs_, strict=True)
            ]
        self._keep(problem, outcomes, validated=False)
        return self

    def with_solution(self, solution: str) -> Perceptron:
        """A fitted copy that predicts with another solution of the same run.

        Parameters
        ----------
        solution : {"auto", "last", "average", "pocket", "vote"}
            The last two must have been tracked, by ``solution`` or ``keep``.

        Returns
        -------
        copy : Perceptron
            It shares the run with this one; nothing is learned again.

        Examples
        --------
        >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
        >>> clf = Perceptron(keep=("pocket",)).fit(X, y)
        >>> clf.with_solution("pocket").score(X, y)
        0.75
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.solution = solution
        check_choices(other)
        other._choose()
        return other

    def sparsify(self) -> Perceptron:
        """Make ``coef_`` a sparse matrix, which pays once more than half of it is 0.

        Returns
        -------
        self : Perceptron
            The same estimator; learning on makes ``coef_`` dense again.
        """
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)  # type: ignore[assignment]
        return self

    def densify(self) -> Perceptron:
        """Make ``coef_`` an array again.

        Returns
        -------
        self : Perceptron
            The same estimator.
        """
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()  # type: ignore[attr-defined]
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
            Of two classes, positive on the side of ``classes_[1]``. With ``solution="vote"``,
            shares of the vote: from −1 to 1 for a hyperplane, from 0 to 1 for a class.
        """
        if getattr(self, "_pairs", False):
            return pair_scores(self._scores(X), len(self.classes_))
        return super().decision_function(X)

    def _scores(self, X: Any) -> np.ndarray:
        voters = getattr(self, "_voters", None)
        if voters is None:
            return self._settled(X, super()._scores(X))
        X = self._checked(X)
        return np.column_stack([panel.scores(X) for panel in voters])

    def _settled(self, X: Any, scores: np.ndarray) -> np.ndarray:
        """Scores as exact arithmetic has them, where a separator's margin is lost in rounding."""
        weights = getattr(self, "_exact", None)
        if weights is None or sparse.issparse(self.coef_):
            return scores
        return exact.settled_scores(self._checked(X), weights, scores)

    def error_bound(self, confidence: float = 0.95, X: Any = None, y: Any = None) -> ErrorBound:
        """Bound the error on new rows from the same source (`rosenblatt.generalisation`).

        Parameters
        ----------
        confidence : float
            The share of training sets, at least, for which the bound is true.
        X, y : optional
            Rows that were held out; by default the training set alone says what it can.

        Returns
        -------
        ErrorBound
            The best that applies, with its name; its ``bound`` is 1 where none does.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = Perceptron(order="cyclic", certify=False, solution="last").fit(X, y == 0)
        >>> clf.error_bound().name
        'sample compression'
        """
        check_is_fitted(self)
        if X is not None:
            return expected.measured(self, X, y, confidence)
        return expected.of_perceptron(self, confidence)

    def narrow_margin(self, X: Any, y: Any, rtol: float = 1e-3) -> Bracket:
        """Narrow ``margin_`` by the maximum margin, and with it ``mistake_bound_``.

        The lower end that a run leaves is what its weights happen to reach; the bound on mistakes
        may be thousands of times too large for it.

        Parameters
        ----------
        X, y
            The training set, of two classes.
        rtol : float
            The relative width to reach.

        Returns
        -------
        Bracket
            The new ``margin_``; nothing changes where the classes are inseparable.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = Perceptron().fit(X, y == 0)
        >>> before = clf.mistake_bound_
        >>> clf.narrow_margin(X, y == 0).relative_gap <= 1e-3
        True
        >>> clf.updates_ <= clf.mistake_bound_ <= before
        True
        """
        from rosenblatt.solve.max_margin import margin

        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise InputError(
                f"a margin is between two classes, but there are {len(self.classes_)}."
            )
        found = margin(X, y, fit_intercept=self.fit_intercept, rtol=rtol)
        lower = max(self.margin_.lower, found.lower)
        if lower > 0:
            ratio = self.margin_.lower / lower
            self.margin_ = Bracket(lower, max(lower, min(self.margin_.upper, found.upper)))
            # Every bound here is a constant over the square of the margin.
            if ratio > 0:
                self.mistake_bound_ = rounded_up(self.mistake_bound_ * ratio * ratio)
            else:
                self.mistake_bound_ = rounded_up(mistake_bound(self.radius_, lower))
        return self.margin_

    def _problem(
        self, X: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: Any
    ) -> Problem:
        """The checked parameters and data as the engine wants them."""
        check_choices(self)
        if not (self.eta0 > 0 and math.isfinite(self.eta0)):
            raise InputError(f"eta0 must be a positive finite number, got {self.eta0!r}.")
        steps = sample_steps(self.eta0, X, codes, classes, sample_weight, self.class_weight)
        points = make_points(X, codes, fit_intercept=self.fit_intercept, steps=steps)
        radius = check_finite(points, getattr(self, "feature_names_in_", None))
        everyone = np.flatnonzero(steps > 0)
        columns = Columns(X, self.fit_intercept)
        return Problem(X, classes, codes, points, None, everyone, radius, self.eta0, columns)

    def _starts(self, problem: Problem, coef: Any, intercept: Any, runs: int) -> list[Any]:
        """Where each run starts: at an earlier fit's state, at given weights, or at 0."""
        if coef is None and intercept is None:
            if not (self.warm_start and hasattr(self, "runs_")):
                return [None] * runs
            self._check_same_classes(problem.classes)
            return [run.state for run in self._earlier(runs)]
        rows = problem.vectors if runs == 1 else runs
        shape = (rows, width(problem.points) + 1) if rows else (width(problem.points) + 1,)
        weights = np.zeros(shape)
        _set_start(weights, coef, intercept, self.fit_intercept)
        return [weights] if runs == 1 else list(weights)

    def _earlier(self, runs: int) -> tuple[Run, ...]:
        if len(self.runs_) != runs:
            raise InputError(
                f"multiclass={self.multiclass!r} needs {runs} runs, but there are "
                f"{len(self.runs_)} to go on with: it was another when they were made."
            )
        return self.runs_

    def _tasks(self, parts: list[Part | None], starts: list[Any], random: Any) -> list[Task]:
        """One run for each part; those that go on keep what earlier ones kept."""
        resumes = isinstance(starts[0], State)
        names = {self.solution, *self.keep}
        seeds = random_seeds(random, len(parts))
        tasks = []
        for at, (part, start, seed) in enumerate(zip(parts, starts, seeds, strict=True)):
            kept = make_keepers(names, self.max_voters)
            if resumes:
                kept.update({k: v.copy() for k, v in self.kept_[at].items() if k in kept})
            earlier = self._rules[at] if resumes else None
            tasks.append(Task(part, start, seed, kept, earlier))
        return tasks

    def _validation(
        self, problem: Problem, eval_set: Any, random: Any
    ) -> tuple[Problem, Validation | None]:
        """The rows left to learn from, and those to validate on."""
        if eval_set is not None:
            return problem, own_validation(self, eval_set, problem.classes)
        if self.early_stopping:
            return hold_out(problem, self.validation_fraction, random)
        return problem, None

    def _watch(self, announcer: Announcer | None, classes: np.ndarray, state: State) -> Any:
        if announcer is not None:
            announcer.fitted = lambda: _classifier(state.weights, classes)

        def after_pass(row: Pass) -> Stop | None:
            if self.verbose >= 2:
                print(f"{row.seconds:8.3f} s  {row.mistakes:,} mistakes  norm {row.norm:.4g}")
            return None if announcer is None else announcer.after_pass(row)

        return after_pass

    def _keep(self, problem: Problem, outcomes: list[Outcome], validated: bool) -> None:
        """Set what was learned, what it took, and what is known as attributes."""
        self.classes_ = problem.classes
        self.runs_ = tuple(outcome.run for outcome in outcomes)
        self.kept_ = tuple(outcome.kept for outcome in outcomes)
        self.certificates_ = tuple(outcome.conclusion.certificate for outcome in outcomes)
        self._rules = tuple(outcome.rule for outcome in outcomes)
        self._validated = validated
        self._pairs = self.multiclass == "ovo" and len(problem.classes) > 2
        self.run_ = run = together(self.runs_)
        self.stop_, self.history_ = run.stop, run.history
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.n_iter_, self.looks_ = run.passes, run.looks
        self.radius_ = problem.radius
        known = jointly([outcome.conclusion for outcome in outcomes])
        self.margin_, self.mistake_bound_ = known.margin, known.mistake_bound
        self.verdict_, self.certificate_ = known.verdict, known.certificate
        self._choose()
        if run.stop is Stop.OVERFLOW:
            warnings.warn(str(run.stop), ConvergenceWarning, stacklevel=3)
        if self.margin and run.stop in (Stop.PASSES, Stop.UPDATES):
            advice = (
                f"margin={self.margin:g} was not reached in {run.passes:,} passes. "
                "rosenblatt.MaxMargin(bias='padded') finds the whole margin by working sets, "
                "usually in a fraction of the time."
            )
            warnings.warn(advice, ConvergenceWarning, stacklevel=3)
        if self.verbose:
            print(run)

    def _choose(self) -> None:
        """Make the solution that is asked for the classifier."""
        if self.solution in KEPT and self.solution not in self.kept_[0]:
            raise InputError(
                f"The {self.solution} was not tracked in this run. Fit with "
                f"solution={self.solution!r} or keep=({self.solution!r},)."
            )
        weights = [self._weights(at) for at in range(len(self.runs_))]
        for name, value in _classifier(_stacked(weights), self.classes_).items():
            setattr(self, name, value)
        self._exact = exact_weights(self.certificates_, self.coef_, self.intercept_, self.radius_)
        voted = self.solution == "vote"
        self._voters = tuple(kept["vote"] for kept in self.kept_) if voted else None

    def _weights(self, at: int) -> np.ndarray:
        run = self.runs_[at]
        solution = self.solution
        if solution == "auto" and run.best is not None:
            return run.best
        if solution == "auto":
            last = run.clean or self._validated or self.penalty is not None
            solution = "last" if last else "average"
        if solution == "pocket":
            return self.kept_[at]["pocket"].weights
        return run.weights if solution == "last" else run.average

    def _attributes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("classes_", "coef_", "intercept_")}


def rounded_up(bound: float) -> float:
    """A bound made a little larger than the rounding of the products it was made of."""
    return bound * (1 + 2.0**-49)


def _gone_on(run: Run, earlier: Run) -> Run:
    """A pass over a batch after an earlier run; one without a mistake leaves all as it was."""
    if run.updates:
        return run.after(earlier)
    return replace(run.after(earlier), best=earlier.best, clean=earlier.clean)


def _stacked(weights: list[np.ndarray]) -> np.ndarray:
    return weights[0] if len(weights) == 1 else np.vstack(weights)
