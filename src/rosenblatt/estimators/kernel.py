"""`KernelPerceptron`: scikit-learn's face of the dual form. Imports the engine and ``checks``.

``kernels``, which brings numba along, is imported when first needed.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.checks import FLOATS, check_finite, check_labels, check_rows, codes_among
from rosenblatt.errors import InputError
from rosenblatt.learn import learn
from rosenblatt.margins import Bracket, mistake_bound
from rosenblatt.points import DenseRows, Points, make_points
from rosenblatt.rules import Perceptron as Rule
from rosenblatt.rules import State
from rosenblatt.run import Pass, Run
from rosenblatt.stopping import Budget, Stop

if TYPE_CHECKING:
    from rosenblatt.kernels import Dual, Kernel

SOLUTIONS = ("auto", "last", "average", "vote")


class Kept(NamedTuple):
    """What another call of `partial_fit` goes on from; all of it about the support vectors.

    ``places`` are their rows in the stream, of which ``seen`` have been seen.
    """

    X: Any
    codes: np.ndarray
    places: np.ndarray
    state: State
    dual: Dual
    seen: int


def _streams(estimator: KernelPerceptron) -> bool:
    if estimator.kernel == "precomputed":
        raise AttributeError("partial_fit needs rows: kernel='precomputed' has a Gram matrix only.")
    return True


class KernelPerceptron(ClassifierMixin, BaseEstimator):
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
        they separate the data or there is a budget, else the mean.
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

    >>> from rosenblatt.estimators.kernel import KernelPerceptron
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
        self._check_parameters()
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
        self._check_parameters()
        first = not hasattr(self, "_kept")
        X = self._rows(X, reset=first)
        if first:
            if classes is None or len(np.unique(np.asarray(classes))) < 2:
                raise InputError(
                    "classes must be passed on the first call to partial_fit: every label there "
                    f"will ever be, at least two, for example classes=[0, 1]; got {classes!r}."
                )
            self.classes_, self._kept = np.unique(np.asarray(classes)), None
            self._set_kernel(X)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InputError(
                f"classes={list(classes)} is not the same as on the last call, which was "
                f"{self.classes_.tolist()}."
            )
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
        X = self._rows(X, reset=False)
        scores = np.zeros((X.shape[0], len(self.dual_coef_)))
        at_once = max(1, int(self.cache_size * 2**20 / (8 * max(1, len(self.support_)))))
        for at in range(0, X.shape[0], at_once):
            self._score(X[at : at + at_once], scores[at : at + at_once])
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; on the boundary, the positive one.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d), or (m, n) if precomputed
            The rows, or their kernel with every training row.

        Returns
        -------
        labels : ndarray of shape (m,)
            Entries of ``classes_``.
        """
        scores = self.decision_function(X)
        codes = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _score(self, X: Any, out: np.ndarray) -> None:
        if self.kernel == "precomputed":
            block = np.ascontiguousarray(X[:, self.support_])
        else:
            block = self._kernel.block(X, self.support_vectors_)
        if self.solution != "vote":
            out += block @ self.dual_coef_.T + self.intercept_
            return
        from rosenblatt.compiled import compiled
        from rosenblatt.kernels import vote

        log = self._kept.dual.log[: self._kept.dual.ends[0]]
        lifetimes = np.diff(np.append(log[:, 2], self._kept.state.clock)).astype(np.float64)
        bias = 1.0 if self.fit_intercept else 0.0
        room = np.zeros(out.shape[1])
        compiled(vote)(block, bias, log, self._kept.codes, lifetimes, room, out)
        out /= lifetimes.sum()

    def _rows(self, X: Any, reset: bool) -> Any:
        if self.kernel == "precomputed":
            X = validate_data(self, X, reset=reset, dtype=FLOATS, order="C")
        else:
            X = check_rows(self, X, reset=reset)
        names = getattr(self, "feature_names_in_", None)
        check_finite(make_points(X, np.zeros(X.shape[0])), names)
        return X

    def _check_parameters(self) -> None:
        from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

        names = [*sorted(PAIRWISE_KERNEL_FUNCTIONS), "precomputed"]
        if not callable(self.kernel) and self.kernel not in names:
            raise InputError(
                f"kernel must be a function of two rows or one of {', '.join(map(repr, names))}, "
                f"got {self.kernel!r}."
            )
        if self.solution not in SOLUTIONS:
            raise InputError(
                f"solution must be one of {', '.join(map(repr, SOLUTIONS))}, got {self.solution!r}."
            )
        if self.budget is not None and not self.budget >= 1:
            raise InputError(f"budget must be at least 1 or None, got {self.budget!r}.")
        if self.budget is not None and self.solution in ("average", "vote"):
            raise InputError(
                f"solution={self.solution!r} needs every support vector there ever was, which a "
                f"budget of {self.budget} forgets; use 'last', or budget=None."
            )
        for name, least in (("threshold", 0.0), ("cache_size", 0.0)):
            if not least <= getattr(self, name) < math.inf:
                raise InputError(
                    f"{name} must be a number of at least 0, got {getattr(self, name)!r}."
                )
        if self.gamma not in ("scale", "auto") and not (
            not isinstance(self.gamma, str) and 0 < self.gamma < math.inf
        ):
            raise InputError(
                f"gamma must be 'scale', 'auto' or a positive number, got {self.gamma!r}."
            )

    def _set_kernel(self, X: Any) -> None:
        from rosenblatt.kernels import Kernel

        params = dict(self.kernel_params or {})
        if not callable(self.kernel):
            params = {"degree": self.degree, "coef0": self.coef0, **params}
            params.setdefault("gamma", _gamma(self.gamma, X))
        self._kernel: Kernel = Kernel(self.kernel, params)
        self.kernel_values_, self.radius_ = 0, 0.0

    def _learn(self, X: Any, codes: np.ndarray, order: str, passes: int) -> tuple[Run, np.ndarray]:
        """Run the loop over rows, from what was kept; keep what comes of it."""
        from rosenblatt.kernels import GramRows, KernelSweep, queue_coefficients

        seen = self._kept.seen if self._kept else 0
        new = len(codes)
        places = np.arange(seen, seen + new)
        if self._kept:
            X, places = _stack(self._kept.X, X), np.append(self._kept.places, places)
            codes = np.append(self._kept.codes, codes)
        bias = 1.0 if self.fit_intercept else 0.0
        squares = self._kernel.diagonal(X) + bias
        self.radius_ = max(self.radius_, math.sqrt(float(squares.max())))
        state, dual = self._start(X, codes, bias)
        gram = GramRows(self._kernel, X, self.cache_size)
        sweeps: list[KernelSweep] = []
        norms: list[float] = []

        def sweeper(*given: Any) -> KernelSweep:
            sweeps.append(KernelSweep(*given, gram=gram, dual=dual, bias=bias, radius=self.radius_))
            return sweeps[0]

        def watch(_: Pass) -> None:
            # The loop knows ‖c‖ only; ‖w‖² = Σ cᵢfᵢ.
            c = queue_coefficients(dual) if self.budget else state.weights
            norms.append(math.sqrt(max(0.0, float(np.sum(c * dual.scores)))))

        run = learn(
            Points(DenseRows(gram.rows), codes, np.ones(len(codes)), bias),
            Rule(float(self.threshold)),
            order=order,
            state=state,
            everyone=np.arange(len(codes) - new, len(codes)),
            budget=Budget(passes=passes, updates=self.max_updates),
            rng=np.random.default_rng(check_random_state(self.random_state).randint(2**31)),
            sweeper=sweeper,
            watch=watch,
        )
        if len(norms) < len(run.history):
            watch(run.history[-1])
        history = tuple(p._replace(norm=a) for p, a in zip(run.history, norms, strict=True))
        self.kernel_values_ += gram.computed
        self._kept = _compress(X, places, state, sweeps[0].dual, seen + new)
        return replace(run, history=history), dual.scores

    def _start(self, X: Any, codes: np.ndarray, bias: float) -> tuple[State, Dual]:
        """Where to start: at 0, or where the last call ended."""
        from rosenblatt.kernels import make_dual

        n, classes = len(codes), len(self.classes_)
        vectors = classes if classes > 2 else 1
        state = State(
            weights=np.zeros((vectors, n)),
            drift=np.zeros((vectors, n)),
            dual=np.zeros(n),
            late=np.zeros(n),
            clock=np.zeros(1, dtype=np.int64),
            buffer=np.zeros(classes if classes > 2 else 0),
        )
        dual = make_dual(codes.astype(np.int64), vectors, self.budget, self.solution == "vote")
        if self._kept:
            kept, old = self._kept, len(self._kept.codes)
            state.weights[:, :old], state.drift[:, :old] = kept.state.weights, kept.state.drift
            state.dual[:old], state.clock[...] = kept.state.dual, kept.state.clock
            dual = kept.dual._replace(scores=dual.scores, codes=dual.codes)
            dual.scores[...] = kept.state.weights @ (self._kernel.block(X, kept.X).T + bias)
        return state, dual

    def _keep_run(self, run: Run) -> None:
        """Set what was learned and what it took as attributes."""
        kept = self._kept
        self._run, self.stop_, self.history_ = replace(run, state=kept.state), run.stop, run.history
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.n_iter_, self.looks_ = run.passes, run.looks
        mean = self.solution == "average" or (
            self.solution == "auto" and not run.clean and self.budget is None
        )
        state = kept.state
        self.dual_coef_ = state.weights - (state.drift / max(1, state.clock[0]) if mean else 0.0)
        self.intercept_ = self.dual_coef_.sum(axis=1) * (1.0 if self.fit_intercept else 0.0)
        self.support_ = kept.places
        if self.kernel != "precomputed":
            self.support_vectors_ = kept.X
        if run.stop is Stop.OVERFLOW:
            warnings.warn(str(run.stop), ConvergenceWarning, stacklevel=3)

    def _bracket(self, run: Run, codes: np.ndarray, scores: np.ndarray) -> None:
        """The sandwich in feature space: least margin/‖w‖ ≤ γ ≤ ‖w‖/updates."""
        norm = run.history[-1].norm if run.history else 0.0
        upper = norm / run.updates if self.budget is None and norm > 0 else math.inf
        lower = 0.0
        if run.clean and norm > 0:
            lower = max(0.0, float(_leads(scores, codes).min()) / norm)
        self.margin_ = Bracket(lower, max(lower, upper))
        reach = self.radius_ * math.sqrt(2 if len(scores) > 1 else 1)
        self.mistake_bound_ = mistake_bound(reach, lower, self.threshold) if lower > 0 else math.inf


def _gamma(gamma: Any, X: Any) -> float:
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    if sparse.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var(dtype=np.float64)
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0


def _leads(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    if len(scores) == 1:
        return (2 * codes - 1) * scores[0]
    own = scores[codes, np.arange(len(codes))]
    rivals = np.where(np.arange(len(scores))[:, None] == codes, -np.inf, scores)
    return own - rivals.max(axis=0)


def _stack(above: Any, below: Any) -> Any:
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.csr_array(sparse.vstack([above, below]))
    return np.vstack([above, below])


def _compress(X: Any, places: np.ndarray, state: State, dual: Dual, seen: int) -> Kept:
    """The support vectors alone, and all that speaks of points renumbered to speak of them."""
    support = np.flatnonzero(state.weights.any(axis=0))
    number = np.zeros(len(places), dtype=np.int64)
    number[support] = np.arange(len(support))
    log, queue = dual.log.copy(), dual.queue.copy()
    log[:, 0], queue[:, 0] = number[log[:, 0]], number[queue[:, 0]]
    small = state._replace(
        weights=state.weights[:, support],
        drift=state.drift[:, support],
        dual=state.dual[support],
        late=state.late[support],
    )
    codes = dual.codes[support]
    kept = dual._replace(scores=dual.scores[:, support], codes=codes, log=log, queue=queue)
    return Kept(X[support], codes, places[support], small, kept, seen)
