"""`KernelPerceptron`: scikit-learn's face of the dual form.

Imports the engine, ``checks`` and ``kernel_settings``; and ``kernel_fitting``, which brings numba
along, when first needed.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.checks import FLOATS, check_finite, check_labels, check_rows, codes_among
from rosenblatt.errors import InputError
from rosenblatt.estimators.averaging import (
    FINAL,
    by_content,
    followed,
    mean_budget,
    separated,
)
from rosenblatt.estimators.kernel_settings import (
    check_parameters,
    check_same_classes,
    first_classes,
    kernel_of,
)
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.shown import Shown
from rosenblatt.margins import Bracket, mistake_bound
from rosenblatt.points import make_points
from rosenblatt.run import Run
from rosenblatt.stopping import Budget, Stop

if TYPE_CHECKING:
    from rosenblatt.kernels import Kernel


def _streams(estimator: KernelPerceptron) -> bool:
    if estimator.kernel == "precomputed":
        raise AttributeError("partial_fit needs rows: kernel='precomputed' has a Gram matrix only.")
    return True


class KernelPerceptron(Shown, ClassifierMixin, BaseEstimator):
    """A perceptron in the feature space of a kernel, learned in its dual form.

    The weights are w = Σ cᵢφ(xᵢ) over the points that were ever mistaken, the support vectors.
    Novikoff's bound holds in feature space: started at 0, in any order, at most (R² + 2δ)/γ²
    updates, R² = max k(x, x) and γ the best margin there (twice R² with more than two classes,
    after Crammer and Singer). Any positive semi-definite kernel will do.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A name that `sklearn.metrics.pairwise.pairwise_kernels` knows ("linear", "poly", "rbf", …),
        a function of two rows, or "precomputed": then X is the Gram matrix itself.
    gamma : float, "scale" or "auto", default="scale"
        As in `sklearn.svm.SVC`: 1/(d·variance of X), or 1/d.
    degree, coef0 : float, default=3 and 1.0
        Of "poly" and "sigmoid".
    kernel_params : dict, optional
        Further arguments of the kernel.
    fit_intercept : bool, default=True
        Whether to learn a bias, which is to add 1 to the kernel. R and γ include it.
    threshold : float, default=0.0
        δ ≥ 0: a point is a mistake while y·score ≤ δ; with K classes, while the true class leads
        its best rival by no more than δ.
    order : {"active", "cyclic", "shuffled", "worst"}, default="active"
        Which point is looked at next.
    solution : {"auto", "last", "average", "vote"}, default="auto"
        What predicts: the last weights, their mean over all looks, or the vote of all intermediate
        ones, each for as many looks as it served (Freund and Schapire 1999). Auto is the last if
        they separate the data or there is a budget. Else it is the mean over shuffled passes that
        follow the others, ten of them at most, or last weights that make fewer training errors.
    budget : int, optional
        The most support vectors to keep at any time, by the self-tuned Forgetron: the oldest gives
        way after all have shrunk a little. In one pass over a stream with k(x, x) ≤ R² it makes at
        most 2‖g‖²/R² + 4Σ(1 − y g(x)/R²)₊ mistakes against every g in feature space of norm up to
        R/4·√((B + 1)/log(B + 1)), if B ≥ 83 (Dekel, Shalev-Shwartz and Singer 2008).
    cache_size : float, default=500
        Megabytes of Gram rows to keep. Rows are computed for points that are mistaken, in blocks.
    max_iter : int, default=1000
        The most passes.
    max_updates : int, optional
        The most updates.
    random_state : int, RandomState or None, default=0
        Seeds the permutations of ``order="shuffled"``.

    Attributes
    ----------
    support_ : ndarray of shape (S,)
        The support vectors' rows in X; after `partial_fit`, in the stream.
    support_vectors_ : array or CSR matrix of shape (S, d)
        Those rows; not with a precomputed kernel.
    dual_coef_ : ndarray of shape (1, S) or (K, S)
        The coefficients c: of the last weights, or of their mean.
    intercept_ : ndarray of shape (1,) or (K,)
        Their sums with a bias, else 0.
    classes_ : ndarray
        The labels; of two, the second is the positive one.
    stop_ : Stop
        Why the run ended.
    mistakes_, updates_, n_iter_, looks_ : int
        Mistakes met, changes of the weights, passes, points looked at.
    radius_ : float
        R = max √k(x, x), the bias included.
    margin_ : Bracket
        lower ≤ γ ≤ upper in feature space, up to rounding; nothing is known after `partial_fit`.
    mistake_bound_ : float
        The most updates that any run from 0 can make, by the lower end of ``margin_``.
    kernel_values_ : int
        Entries of the Gram matrix that were computed.
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
        budget: int | None = None,
        cache_size: float = 500,
        max_iter: int = 1000,
        max_updates: int | None = None,
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
        self.budget = budget
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> KernelPerceptron:
        """Learn from labelled rows until there is reason to stop.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) if precomputed
            The rows, or their Gram matrix.
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.

        Returns
        -------
        self : KernelPerceptron
            The fitted estimator.
        """
        check_parameters(self)
        X = self._rows(X, reset=True)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise InputError(
                "kernel='precomputed' needs the square Gram matrix of the training rows, "
                f"got shape {X.shape}."
            )
        classes, codes = check_labels(y, X.shape[0])
        self._set_kernel(X)
        self.classes_ = classes
        self._kept: Any = None
        run, scores = self._learn(X, codes, self.order, self.max_iter)
        self._keep_run(run)
        self._bracket(run, codes, scores)
        unsettled = not run.clean and run.stop not in FINAL
        if unsettled and self.order == "active" and self.solution == "auto" and self.budget is None:
            self._take_mean(X, codes, run, scores)
        return self

    @available_if(_streams)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> KernelPerceptron:
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

        Returns
        -------
        self : KernelPerceptron
            The estimator, learning on.
        """
        check_parameters(self)
        first = not hasattr(self, "_kept")
        X = self._rows(X, reset=first)
        if first:
            self.classes_, self._kept = first_classes(classes), None
            self._set_kernel(X)
        else:
            check_same_classes(classes, self.classes_)
        codes = codes_among(self.classes_, y, X.shape[0])
        order = "shuffled" if self.order == "shuffled" else "cyclic"
        run, _ = self._learn(X, codes, order, passes=1)
        self._keep_run(run if first else run.after(self._run))
        self.margin_, self.mistake_bound_ = Bracket(0.0, math.inf), math.inf
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores: one for each row, or one for each row and class.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d), or (m, n) if precomputed
            The rows, or their kernel with every training row.

        Returns
        -------
        scores : ndarray of shape (m,) or (m, K)
            Of two classes, positive on the side of ``classes_[1]``. With ``solution="vote"``, the
            positive votes less the negative ones, or each class's votes, as fractions of all.
        """
        check_is_fitted(self)
        scores = self._scores(self._rows(X, reset=False))
        return scores.ravel() if scores.shape[1] == 1 else scores

    predict = LinearClassifier.predict

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each set of coefficients."""
        scores = np.zeros((X.shape[0], len(self.dual_coef_)))
        at_once = max(1, int(float(self.cache_size) * 2**20 / (8 * max(1, len(self.support_)))))
        for at in range(0, X.shape[0], at_once):
            self._score(X[at : at + at_once], scores[at : at + at_once])
        return scores

    def _score(self, X: Any, out: np.ndarray) -> None:
        if self.kernel == "precomputed":
            block = np.ascontiguousarray(X[:, self.support_])
        else:
            block = self._kernel.block(X, self.support_vectors_)
        if self.solution != "vote":
            out += block @ self.dual_coef_.T + self.intercept_
            return
        from rosenblatt.estimators.kernel_fitting import add_votes

        add_votes(self._kept, block, 1.0 if self.fit_intercept else 0.0, out)

    def _rows(self, X: Any, reset: bool) -> Any:
        if self.kernel == "precomputed":
            X = validate_data(self, X, reset=reset, dtype=FLOATS, order="C")
        else:
            X = check_rows(self, X, reset=reset)
        names = getattr(self, "feature_names_in_", None)
        check_finite(make_points(X, np.zeros(X.shape[0])), names)
        return X

    def _set_kernel(self, X: Any) -> None:
        self._kernel: Kernel = kernel_of(self, X)
        self.kernel_values_, self.radius_ = 0, 0.0

    def _learn(
        self, X: Any, codes: np.ndarray, order: str, passes: int, everyone: np.ndarray | None = None
    ) -> tuple[Run, np.ndarray]:
        """Run the loop over rows, from what was kept; keep what comes of it."""
        from rosenblatt.estimators.kernel_fitting import Task, fit_dual

        everyone = np.arange(len(codes)) if everyone is None else everyone
        how = order, passes, self._kept, self.radius_, everyone
        task = Task(self._kernel, X, codes, len(self.classes_), *how)
        outcome = fit_dual(self, task)
        self._kept, self.radius_ = outcome.kept, outcome.radius
        self.kernel_values_ += outcome.computed
        return outcome.run, outcome.scores

    def _take_mean(self, X: Any, codes: np.ndarray, first: Run, scores: np.ndarray) -> None:
        """Predict by the mean over shuffled passes, unless last weights have fewer errors."""
        from rosenblatt.estimators.kernel_fitting import errors_of

        search, self._kept = self._kept, None
        everyone = np.arange(len(codes))
        if self.kernel != "precomputed":
            everyone = by_content(make_points(X, codes.astype(np.float64)), everyone)
        budget = mean_budget(Budget(self.max_iter, self.max_updates))
        second, last = self._learn(X, codes, "shuffled", budget.passes or 1, everyone)
        run = followed(first, second, proved=False)
        if second.clean:
            self._keep_run(separated(first, second))
            self._bracket(second, codes, last)
            return
        self._keep_run(run)
        mean = self._scores(X).T
        errors = [errors_of(found, codes) for found in (mean, last, scores)]
        if errors[0] > min(errors):
            self._kept = self._kept if errors[1] <= errors[2] else search
            self._keep_run(run, mean=False)

    def _keep_run(self, run: Run, mean: bool | None = None) -> None:
        """Set what was learned and what it took as attributes."""
        kept = self._kept
        self._run, self.stop_, self.history_ = replace(run, state=kept.state), run.stop, run.history
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.n_iter_, self.looks_ = run.passes, run.looks
        if mean is None:
            unsettled = not run.clean and self.budget is None
            mean = self.solution == "average" or (self.solution == "auto" and unsettled)
        state = kept.state
        self.dual_coef_ = state.weights - (state.drift / max(1, state.clock[0]) if mean else 0.0)
        self.intercept_ = self.dual_coef_.sum(axis=1) * (1.0 if self.fit_intercept else 0.0)
        self.support_ = kept.places
        if self.kernel != "precomputed":
            self.support_vectors_ = kept.X
        if run.stop is Stop.OVERFLOW:
            warnings.warn(str(run.stop), ConvergenceWarning, stacklevel=3)

    def _bracket(self, run: Run, codes: np.ndarray, scores: np.ndarray) -> None:
        """Set what is known of γ, and the bound that follows."""
        from rosenblatt.estimators.kernel_fitting import bracket

        self.margin_ = bracket(run, codes, scores, budgeted=self.budget is not None)
        lower = self.margin_.lower
        reach = self.radius_ * math.sqrt(2 if len(scores) > 1 else 1)
        self.mistake_bound_ = mistake_bound(reach, lower, self.threshold) if lower > 0 else math.inf
