"""`KernelPerceptron`: scikit-learn's face of the dual form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from rosenblatt.data.labels import classes_of_stream, codes_among
from rosenblatt.data.weights import sample_steps
from rosenblatt.engine.randomness import check_random_state, random_seeds
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.callbacks import Announcer, CallbackSupportMixin, with_callbacks
from rosenblatt.estimators.dual import DualClassifier
from rosenblatt.estimators.linear import warn_if_spent
from rosenblatt.estimators.validation import check_labels
from rosenblatt.fit.kernel_settings import check_parameters, kernel_of
from rosenblatt.fit.one_vs import check_same_runs
from rosenblatt.fit.parameters import check_streaming
from rosenblatt.fit.validation import set_aside
from rosenblatt.places.parts import parts_of

if TYPE_CHECKING:
    from rosenblatt.engine.kernels import Kernel
    from rosenblatt.fit.kernel_fitting import DualTask
    from rosenblatt.fit.support_vectors import SupportVectors


# `Stop.PASSES` sends its reader to `rosenblatt.decide`, which knows of no feature space.
SPENT = (
    "The budget of passes is spent and mistakes are still being made. Classes that overlap need no "
    "more: the mean over passes predicts. To separate them, allow more passes (max_iter), or "
    "choose a kernel of more features, for example by a larger gamma or degree."
)


def _streams(estimator: KernelPerceptron) -> bool:
    if estimator.kernel == "precomputed":
        raise AttributeError("partial_fit needs rows: kernel='precomputed' has a Gram matrix only.")
    return True


class KernelPerceptron(CallbackSupportMixin, DualClassifier):
    """A perceptron in the feature space of a kernel, learned in its dual form.

    The weights are w = Σ cᵢφ(xᵢ) over the points that were ever mistaken, the support vectors.
    Novikoff's bound holds in feature space: started at 0, in any order, at most (R² + 2δ)/γ²
    updates, R² = max k(x, x) and γ the best margin there (twice R² with more than two classes,
    after Crammer and Singer). Any positive semi-definite kernel will do.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A name that `sklearn.metrics.pairwise.pairwise_kernels` knows ("linear", "poly", "rbf", …),
        a function of two rows that returns a number, or "precomputed": then X is the Gram matrix
        itself. "chi2" and "additive_chi2" take dense rows without negative numbers.
    gamma : float, "scale" or "auto", default="scale"
        As in `sklearn.svm.SVC`: 1/(d·variance of X), or 1/d.
    degree, coef0 : float, default=3 and 1.0
        Of "poly" and "sigmoid"; the degree is at least 0.
    kernel_params : dict, optional
        Further arguments of the kernel; what it does not take is refused.
    fit_intercept : bool, default=True
        Whether to learn a bias, which is to add 1 to the kernel. R and γ include it.
    threshold : float, default=0.0
        δ ≥ 0: a point is a mistake while y·score ≤ δ; with K classes, while the true class leads
        its best rival by no more than δ.
    order : {"active", "cyclic", "iid", "shuffled", "worst"}, default="active"
        Which point is looked at next; "iid" draws each anew.
    solution : {"auto", "last", "average", "vote"}, default="auto"
        What predicts: the last weights, their mean over all looks, or the vote of all intermediate
        ones, each for as many looks as it served (Freund and Schapire 1999). Auto is the last if
        they separate the data. Else it is the mean over shuffled passes that follow the others, ten
        of them at most, or last weights that make fewer training errors; with a budget, which
        forgets what a mean is made of, the last weights of one such pass, or of the others.
    keep : tuple of {"vote"}, default=()
        Solutions to track besides ``solution``, for `with_solution`; the last weights and the mean
        are always there, except with a budget.
    multiclass : {"native", "ovr"}, default="native"
        How three classes or more are told apart: one rule for all, or one class against the rest.
    budget : int, optional
        The most support vectors to keep at any time, by the self-tuned Forgetron: the oldest gives
        way after all have shrunk a little. In one pass over a stream with k(x, x) ≤ R² it makes at
        most 2‖g‖²/R² + 4Σ(1 − y g(x)/R²)₊ mistakes against every g in feature space of norm up to
        R/4·√((B + 1)/log(B + 1)), if B ≥ 83 and no row has a weight (Dekel, Shalev-Shwartz and
        Singer 2008).
    cache_size : float, default=500
        Megabytes of Gram rows to keep. Where those of the points that are mistaken do not fit,
        kernel values are computed again in each pass; where all do, and mistakes are many, half of
        the Gram matrix is computed once.
    max_iter : int, default=100
        The most passes in search of weights without a mistake; those for the mean follow (see
        ``solution``). Classes that overlap are seldom separated by more, which take long.
    max_updates : int, optional
        The most updates.
    early_stopping : bool, default=False
        Hold out part of the training data, stop when its error no longer falls, keep the weights
        that were best on it.
    validation_fraction : float, default=0.1
        The part to hold out, between 0 and 1, drawn with equal class proportions where possible.
    n_iter_no_change : int, default=5
        How many passes without progress on it to allow.
    class_weight : dict or "balanced", optional
        Multiplies the step of each class.
    random_state : int, RandomState or None, default=0
        Seeds the permutations of shuffled passes and the validation split.

    Attributes
    ----------
    support_ : ndarray of shape (S,)
        The support vectors' rows in X; after `partial_fit`, in the stream. With
        ``multiclass="ovr"``, those of all runs.
    support_vectors_ : array or CSR matrix of shape (S, d)
        Those rows; not with a precomputed kernel.
    dual_coef_ : ndarray of shape (1, S) or (K, S)
        The coefficients c: of the last weights, or of their mean.
    intercept_ : ndarray of shape (1,) or (K,)
        Their sums with a bias, else 0.
    classes_ : ndarray
        The labels, sorted; of two, the second is the positive one, whatever it is called.
    stop_ : Stop
        Why the run ended; SEPARATED where the last weights, as they predict, have every training
        row on its right side.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, points looked at.
    runs_ : tuple of Run
        One, or with ``multiclass="ovr"`` one for each of K > 2 classes, about its own support
        vectors.
    radius_ : float
        R = max √k(x, x), the bias included.
    margin_ : Bracket
        lower ≤ γ ≤ upper in feature space, up to rounding; nothing is known after `partial_fit`.
        With ``multiclass="ovr"``, the least of the runs'.
    mistake_bound_ : float
        The most updates that any run from 0 can make, by the lower end of ``margin_``.
    kernel_values_ : int
        Entries of the Gram matrix that were computed to learn, each as often as it was.
    history_ : tuple of Pass
        Mistakes, ‖w‖ in feature space and seconds, pass by pass.

    References
    ----------
    Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999; Dekel, Shalev-Shwartz and
    Singer 2008.

    Examples
    --------
    XOR, which no line separates, has the feature x₁x₂ among those of a quadratic kernel:

    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> clf = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
    >>> clf.stop_, clf.predict(X).tolist()
    (Stop.SEPARATED, [0, 1, 1, 0])
    >>> clf.mistakes_ <= clf.mistake_bound_
    True

    >>> from sklearn.datasets import load_digits, make_moons
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> clf = KernelPerceptron(gamma=10.0).fit(X, y)
    >>> clf.stop_, clf.score(X, y)
    (Stop.SEPARATED, 1.0)

    A stream on a budget:

    >>> X, y = load_digits(return_X_y=True)
    >>> clf = KernelPerceptron(kernel="poly", budget=200)
    >>> for at in range(0, 1500, 100):
    ...     clf = clf.partial_fit(X[at : at + 100] / 16, y[at : at + 100], classes=range(10))
    >>> len(clf.support_) <= 200, clf.score(X[1500:] / 16, y[1500:]) > 0.75
    (True, True)

    One run, several solutions:

    >>> X, y = make_moons(200, noise=0.3, random_state=0)
    >>> clf = KernelPerceptron(gamma=1.0, max_iter=20, keep=("vote",)).fit(X, y)
    >>> [clf.with_solution(name).score(X, y) > 0.9 for name in ("average", "vote")]
    [True, True]
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        threshold: float = 0.0,
        order: str = "active",
        solution: str = "auto",
        keep: Any = (),
        multiclass: str = "native",
        budget: int | None = None,
        cache_size: float = 500,
        max_iter: int = 100,
        max_updates: int | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.threshold = threshold
        self.order = order
        self.solution = solution
        self.keep = keep
        self.multiclass = multiclass
        self.budget = budget
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelPerceptron:
        """Learn from labelled rows until there is reason to stop.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) if precomputed
            The rows, or their Gram matrix.
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step; points of weight 0 are never looked at.

        Returns
        -------
        self : KernelPerceptron
            The fitted estimator.
        """
        from rosenblatt.fit.kernel_fitting import GramRows, fit_parts

        check_parameters(self)
        given, X = X, self._rows(X, reset=True)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise InputError(
                "kernel='precomputed' needs the square Gram matrix of the training rows, "
                f"got shape {X.shape}."
            )
        self.classes_, codes = check_labels(y, X.shape[0])
        steps = sample_steps(1.0, X, codes, self.classes_, sample_weight, self.class_weight)
        in_play, held_out = np.flatnonzero(steps > 0), None
        # What a split draws comes before the seeds of the runs.
        random = check_random_state(self.random_state) if self.early_stopping else self.random_state
        if self.early_stopping:
            in_play, held_out = set_aside(codes, in_play, self.validation_fraction, random)
        self._set_kernel(X)
        how = {"X": given, "y": y, "metadata": {"sample_weight": sample_weight}}
        announcer = Announcer(self, how)
        tasks = self._tasks(X, codes, steps, self.order, int(self.max_iter), random)
        gram = GramRows(self._kernel, X, self.cache_size)

        def watched(now: Callable[[], SupportVectors]) -> Callable[[Pass], Stop | None]:
            return announcer.watch(lambda: self._classifier((now(),), (False,)))

        # Callbacks see the passes of a fit that is one run.
        callback_of = watched if len(tasks) == 1 else None
        shared = {
            "in_play": in_play,
            "held_out": held_out,
            "gram": gram,
            "callback_of": callback_of,
        }
        learned = fit_parts(self, [task._replace(**shared) for task in tasks])
        self._keep(learned, X, codes, in_play)
        announcer.end(self._attributes)
        warn_if_spent(self.stop_, sentence=SPENT)
        return self

    @available_if(_streams)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> KernelPerceptron:
        """Make one pass over a batch, from where the last call ended.

        Only the support vectors so far are remembered, so that with a ``budget`` a stream of any
        length takes the same memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels, all among ``classes``.
        classes : array, optional
            Every label there will ever be; needed in the first call.
        sample_weight : array of shape (n,), optional
            Multiplies each point's step; points of weight 0 are never looked at.

        Returns
        -------
        self : KernelPerceptron
            The estimator, learning on.
        """
        from rosenblatt.fit.kernel_fitting import fit_batch

        check_parameters(self)
        check_streaming(self)
        first = not hasattr(self, "_kept")
        X = self._rows(X, reset=first)
        self.classes_ = classes_of_stream(classes, None if first else self.classes_)
        if first:
            self._set_kernel(X)
        codes = codes_among(self.classes_, y, X.shape[0])
        steps = sample_steps(1.0, X, codes, self.classes_, sample_weight, self.class_weight)
        order = "shuffled" if self.order == "shuffled" else "cyclic"
        tasks = self._tasks(X, codes, steps, order, 1, self.random_state)
        earlier: Sequence[Any] = [None] * len(tasks) if first else self.runs_
        if not first:
            check_same_runs(self._kept, self.multiclass, len(tasks))
            tasks = [t._replace(kept=kept) for t, kept in zip(tasks, self._kept, strict=True)]
        learned = [fit_batch(self, t, run) for t, run in zip(tasks, earlier, strict=True)]
        self._keep(learned, X, codes, np.flatnonzero(steps > 0))
        return self

    def _set_kernel(self, X: Any) -> None:
        self._kernel: Kernel = kernel_of(self, X)
        self.kernel_values_, self.radius_ = 0, 0.0

    def _tasks(
        self, X: Any, codes: np.ndarray, steps: np.ndarray, order: str, passes: int, random: Any
    ) -> list[DualTask]:
        """One run for all classes, or one for each class against the rest."""
        from rosenblatt.fit.kernel_fitting import DualTask

        classes = len(self.classes_)
        parts = parts_of(classes, self.multiclass)
        in_play = np.flatnonzero(steps > 0)
        return [
            DualTask(
                kernel=self._kernel,
                X=X,
                codes=codes if part is None else (part.signs(codes) > 0).astype(np.intp),
                classes=classes if part is None else 2,
                steps=steps,
                in_play=in_play,
                held_out=None,
                order=order,
                passes=passes,
                seed=seed,
                radius=self.radius_,
            )
            for part, seed in zip(parts, random_seeds(random, len(parts)), strict=True)
        ]
