"""`Perceptron`: scikit-learn's face of a fit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.labels import classes_of_stream, codes_among
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.estimators.callbacks import Announcer, CallbackSupportMixin, with_callbacks
from rosenblatt.estimators.linear import (
    BoundsErrors,
    LinearClassifier,
    SparseWeights,
    attributes_of,
    warn,
    warn_if_spent,
)
from rosenblatt.estimators.validation import check_labels, check_rows
from rosenblatt.fit import expected
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.learning import (
    Examples,
    Start,
    Watch,
    fit_batch,
    fit_examples,
    fit_file,
)
from rosenblatt.fit.parameters import check_streaming
from rosenblatt.fit.settings import Settings
from rosenblatt.proof.generalisation import ErrorBound


class Perceptron(CallbackSupportMixin, BoundsErrors, SparseWeights, LinearClassifier):
    """A perceptron that says why it stopped.

    Learns a linear classifier of two or more classes, on dense or CSR data, and reports how many
    mistakes it took, against which bound, and what is known of the margin. Changing the import
    from ``sklearn.linear_model`` is enough to use it.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to learn a bias: an appended coordinate that is always 1.
    max_iter : int, default=1000
        The most passes that search for a separator. Up to ten more passes compute the average,
        and up to ten correct it.
    max_updates : int, optional
        The most changes of the weights.
    tol : float, "auto" or None, default="auto"
        Stop when the training error has not fallen by more than this for ``n_iter_no_change``
        passes. "auto" is 1e-3 with a ``penalty`` and else None, which never measures it.
    n_iter_no_change : int, default=5
        How many passes without progress to allow, of training and of validation error; and of
        mistakes, where a proof is too dear.
    weight_tol : float, optional
        Stop when a pass changes the weights by no more than this fraction of their length.
    early_stopping : bool, default=False
        Hold out rows, stop when their error no longer falls, and keep the weights best on them.
    validation_fraction : float, default=0.1
        The share of each class to hold out, where possible.
    eta0 : float, default=1.0
        The step η. From a start at 0 without threshold it only rescales the weights.
    threshold : float, default=0.0
        δ ≥ 0: a point is a mistake while y·score ≤ δ; with K classes, while the true class leads
        its best rival by no more than δ.
    margin : float, default=0.0
        The share of the best margin γ to reach, below 1: a separated fit's ``margin_.lower`` is at
        least this times γ (`DynamicMargin`). `MaxMargin` is the way to the last percent.
    order : {"active", "cyclic", "iid", "shuffled", "worst"} or sequence of int, default="active"
        Which point is looked at next; all obey the same mistake bound. "active" returns to points
        mistaken before, and needs several times fewer looks; with a ``penalty``, which is paid for
        each look, it means "shuffled". "iid" draws each point anew. A sequence of rows is one pass.
    shuffle : bool, optional
        scikit-learn's name: True is ``order="shuffled"``, False is ``order="cyclic"``.
    ties : {"mistake", "positive", "negative", "correct"}, default="mistake"
        What a score on the boundary is in training: a mistake, a positive or a negative
        prediction, or never a mistake (which needs a start other than 0, or a threshold). What it
        is in a prediction, ``predict(X, boundary=...)`` says.
    solution : {"auto", "last", "average", "pocket", "vote"}, default="auto"
        Which weights predict: "average", the mean of ten shuffled passes; "auto", a separator near
        that mean if one is soon found, else the mean or least squares; the "last" ones; the
        "pocket", best on the training rows; or all by "vote". `with_solution` changes it later.
    keep : tuple of {"pocket", "vote"}, default=()
        Solutions to track besides ``solution``, each at the cost of a call an update.
    max_voters : int, default=1000
        The most hyperplanes that vote: those with the most votes.
    multiclass : {"native", "ovr", "ovo"}, default="native"
        Three classes or more: one rule for all, with a mistake bound of its own; one class against
        the rest; or each against each other, by majority.
    penalty : {None, "l1", "l2", "elasticnet"}, default=None
        Pulls the weights, though not the bias, towards 0 after each look (`Penalised`); l1 makes
        them exactly 0. No mistake bound holds then, and no proof is searched for.
    alpha : float, default=1e-4
        How strongly, in units of the step η.
    l1_ratio : float, default=0.15
        The share of l1 in an elastic net.
    certify : {"auto", True, False}, default="auto"
        Whether to settle separability by proof: always, never, or ("auto") wherever a search costs
        no more than the passes have. Where it would cost more the verdict stays undecided, and
        ``run_.proof_seconds`` says about how long it would take. True also binds the certificate
        to the data by a fingerprint.
    class_weight : dict or "balanced", optional
        Multiplies the step of each class.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the state that an earlier ``fit`` left.
    random_state : int, RandomState or None, default=0
        Seeds permutations and the validation split.
    n_jobs : int, optional
        Threads over the classes of "ovr" or the pairs of "ovo"; results do not depend on it.
    verbose : int, default=0
        1 prints a line when the fit ends, 2 also one for each pass that searches for a separator.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        Shapes (1, d) and (1,) for two classes, (K, d) and (K,) for K; one row a pair, in the order
        (0, 1), (0, 2), … (1, 2), …, for ``multiclass="ovo"``, positive for the second class.
    classes_ : ndarray
        The labels, sorted; of two, the second is the positive one.
    stop_ : Stop
        Why the run ended; ``print(clf.stop_)`` names the next action, and ``fitted_.why`` says the
        same with the numbers of this fit.
    verdict_ : Verdict
        Separable, inseparable or undecided; with "ovr" and "ovo", separable if every part is.
    certificate_ : Separation, Inseparability or None
        The proof of the verdict; ``clf.certificate_.verify(X, y)`` checks it in exact arithmetic.
        None while undecided, and with "ovr" and "ovo".
    certificates_ : tuple
        The same for each run: of "ovr", run k's speaks of the labels ``y == classes_[k]``; of
        "ovo", of the rows of its two classes, ``rows = np.isin(y, pair)``.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, rows evaluated.
    t_ : int
        Looks of the longest run, plus 1 (scikit-learn's count).
    radius_ : float
        R, the largest norm of a row with its bias coordinate.
    margin_ : Bracket
        lower ≤ γ ≤ upper for the best margin γ of unit weights, bias included, of the rows learned
        from: none of weight 0, none held out. With "ovr" and "ovo", the least of the parts'.
    mistake_bound_ : float
        The most updates that any run from 0 can make, by ``margin_.lower``; infinite if that is 0.
    history_ : tuple of Pass
        Mistakes, norm, errors and seconds of each pass.
    run_ : Run
        The whole record, its cost included; with "ovr" and "ovo", the runs' sum.
    runs_ : tuple of Run
        One for each class or pair, with its own counts and history; else one.
    kept_ : tuple of dict
        For each run the solutions tracked: a `Pocket`, `Voters`.
    fitted_ : Fitted
        All of this as one value that needs no scikit-learn.

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
    margin_: Bracket
    radius_: float

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        max_updates: int | None = None,
        tol: float | str | None = "auto",
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

    @classmethod
    def of(cls, fitted: Fitted) -> Perceptron:
        """The estimator that has learned what was fitted.

        Parameters
        ----------
        fitted : Fitted

        Returns
        -------
        Perceptron
            With the parameters of the fit.

        Examples
        --------
        >>> from rosenblatt.fit.learning import fit
        >>> Perceptron.of(fit([[0.0], [1.0]], ["no", "yes"])).predict([[2.0]]).tolist()
        ['yes']
        """
        model = cls(**fitted.settings.asdict())
        model.n_features_in_ = fitted.features
        if fitted.names is not None:
            model.feature_names_in_ = fitted.names
        model._set(fitted)
        return model

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
        rows = check_rows(self, X, reset=True)
        examples = self._examples(rows, *check_labels(y, rows.shape[0]), sample_weight)
        start = Start(coef_init, intercept_init, getattr(self, "_fitted", None))
        data = {"X": rows, "y": y, "metadata": {"sample_weight": sample_weight}}
        announcer = Announcer(self, data)

        def watched(state: State, rule: Any) -> Watch:
            return announcer.watch(lambda: attributes_of(state.weights, examples.classes))

        callback_of = None if announcer.context is None else watched
        self._keep(fit_examples(examples, Settings.of(self), start, eval_set, callback_of))
        announcer.end(self._attributes)
        # A margin has its own warning, and a penalty no end.
        if not self.margin and self.penalty is None:
            warn_if_spent(self.stop_, self.verdict_)
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
            Bytes that rows may take; weights and what reading needs come on top.
        checkpoint : str or path, optional
            A file to save the run in every so often; removed when the run ends.
        every : float
            Seconds between two checkpoints.
        resume : bool
            Whether to go on from the checkpoint; the run then ends with the same weights to the bit
            as one that was never interrupted.
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

        A ConvergenceWarning tells, as in `fit`, that all passes are spent on data not known to be
        inseparable.

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
        fitted = fit_file(
            reader,
            Settings.of(self),
            classes=classes,
            memory=memory,
            checkpoint=checkpoint,
            every=every,
            resume=resume,
            progress=progress,
            earlier=getattr(self, "_fitted", None),
        )
        self.n_features_in_ = fitted.features
        if fitted.names is not None:
            self.feature_names_in_ = fitted.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._keep(fitted)
        if not self.margin:  # which has its own warning
            warn_if_spent(self.stop_, self.verdict_)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Perceptron:
        """Make one pass over a batch, from where the last call ended.

        The batch is looked at in its own order (or, with ``order="shuffled"``, in a random one),
        so that batch after batch equals one cyclic pass over all of them. With ``solution="auto"``
        the mean of the weights predicts or, where they have clearly been better lately on rows
        that were yet to be learned from, the last ones (``run_.recent``).

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
        check_streaming(self)
        first = not hasattr(self, "run_")
        rows = check_rows(self, X, reset=first)
        known = classes_of_stream(classes, None if first else self.classes_)
        codes = codes_among(known, y, rows.shape[0])
        examples = self._examples(rows, known, codes, sample_weight)
        self._keep(fit_batch(examples, Settings.of(self), None if first else self._fitted))
        return self

    def with_solution(self, solution: str) -> Perceptron:
        """A fitted copy that predicts with another solution of the same run.

        Parameters
        ----------
        solution : {"auto", "last", "average", "separator", "pocket", "vote"}
            The separator is that of the certificate or, where rows were held out or had weight 0,
            of the rows learned from; the last two must have been tracked, by ``solution`` or
            ``keep``.

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
        other._set(self.fitted_.with_solution(solution))
        return other

    @property
    def history_(self) -> tuple[Pass, ...]:
        """Pass by pass what the run came to."""
        return self.run_.history

    @property
    def t_(self) -> int:
        """Looks of the longest run, plus 1: scikit-learn's count."""
        return 1 + max(run.looks for run in self.runs_)

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each hyperplane or panel of voters."""
        if not hasattr(self, "_fitted"):
            # Weights under way, in the copy that a callback is shown; or none at all.
            return super()._scores(X)
        return self.fitted_.scores_of(self._checked(X, finite=False))

    def _of_classes(self, scores: np.ndarray) -> np.ndarray:
        """The scores of classes, or their votes where there is a hyperplane for each pair."""
        fitted = getattr(self, "_fitted", None)
        return super()._of_classes(scores) if fitted is None else fitted.class_scores(scores)

    @property
    def fitted_(self) -> Fitted:
        """What was fitted as one value without scikit-learn, by the weights as they are now."""
        fitted, names = self._fitted, getattr(self, "feature_names_in_", None)
        now = {"coef": self.coef_, "intercept": self.intercept_, "names": names}
        if all(value is getattr(fitted, name) for name, value in now.items()):
            return fitted
        now["coef"], now["intercept"] = self._planes()
        self._fitted = replace(fitted, **now)
        return self._fitted

    def _bound(self, confidence: float) -> ErrorBound:
        """The bound by the training set alone."""
        return expected.of_fitted(self.fitted_, confidence)

    def narrow_margin(self, X: Any, y: Any, rtol: float = 1e-3) -> Bracket:
        """Narrow ``margin_`` by the maximum margin, and with it ``mistake_bound_``.

        The lower end that a run leaves is what its weights happen to reach; the bound on mistakes
        may be thousands of times too large for it.

        Parameters
        ----------
        X, y
            The rows learned from, of two classes: none that had weight 0. Of rows held out, which
            may be among them, only the lower end is learned.
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
        check_is_fitted(self)
        self._set(self.fitted_.narrowed(X, y, rtol))
        return self.margin_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        signed = self.ties in ("positive", "negative")  # which two classes have, and no more
        tags.classifier_tags.multi_class = not signed or self.multiclass != "native"
        return tags

    def _examples(self, rows: Any, classes: Any, codes: Any, sample_weight: Any) -> Examples:
        """Checked rows, with how others are checked against them."""
        names = getattr(self, "feature_names_in_", None)
        check = partial(check_rows, self, reset=False)
        return Examples(rows, classes, codes, names, sample_weight, check)

    def _keep(self, fitted: Fitted) -> None:
        """Set what was learned, what it took, and what is known; warn of what speaks against it."""
        self._set(fitted)
        for caution in fitted.cautions:
            warn(caution)
        if self.verbose:
            print(fitted.run)

    def _set(self, fitted: Fitted) -> None:
        self._fitted, run = fitted, fitted.run
        self.classes_, self.coef_, self.intercept_ = fitted.classes, fitted.coef, fitted.intercept
        self.run_, self.runs_, self.kept_ = run, fitted.runs, fitted.kept
        self.stop_, self.n_iter_, self.looks_ = run.stop, run.passes, run.looks
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.margin_, self.mistake_bound_ = fitted.margin, fitted.mistake_bound
        self.verdict_, self.certificate_ = fitted.verdict, fitted.certificate
        self.certificates_, self.radius_ = fitted.certificates, fitted.radius

    def _attributes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("classes_", "coef_", "intercept_")}
