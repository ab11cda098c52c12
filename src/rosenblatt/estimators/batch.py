"""`BatchPerceptron`: scikit-learn's face of descent on the risk."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.data.checks import check_finite
from rosenblatt.engine.points import make_points
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear import LinearClassifier, warn_if_spent, warn_of_overflow
from rosenblatt.estimators.validation import check_labels, check_rows
from rosenblatt.fit.fitted import plane_scores
from rosenblatt.fit.one_vs import stops_as_predicted
from rosenblatt.fit.parameters import check_kinds
from rosenblatt.places.parts import parts_of
from rosenblatt.teaching.risk import Path, descend


class BatchPerceptron(LinearClassifier):
    """The second lecture's perceptron: gradient descent on the risk over all points at once.

    Minimises R(w) = Σ −yᵢ w·xᵢ over the misclassified points. On separable data a fixed ε ends
    with no point misclassified after at most nR²/γ² + 2‖w₀‖/(εγ) steps
    (`rosenblatt.risk.step_bound`); n is the size of the batch. A point exactly on the boundary
    counts as right here, as in the lecture, which is why the start is never 0; a run that ends so
    says `Stop.ROUNDING` instead of SEPARATED.

    Parameters
    ----------
    epsilon : float, default=1.0
        The step size ε: too small crawls downhill, too large jumps over the goal. Relative to the
        length of the start it is all that matters; `rosenblatt.risk.study` shows how.
    step : {"fixed", "decaying", "line_search"}, default="fixed"
        ε itself, ε/√t in pass t, or no ε at all: the exact minimum along the gradient.
    batch_size : int, optional
        Rows to a step, drawn anew each pass; by default all of them.
    init : int or array, optional
        Start at yᵢxᵢ of that row, or at these weights, the bias last: shape (d + 1,), or
        (K, d + 1) for K classes. By default at the first row that is not 0.
    fit_intercept : bool, default=True
        Whether to learn a bias, by padding each row with a 1.
    max_iter : int, default=1000
        The most passes over the data; without mini-batches, the most steps.
    weight_tol : float, optional
        Stop when a pass changes the weights by no more than this fraction of their length.
    keep_path : bool, default=False
        Whether ``path_`` holds the weights of every pass, for figures.
    random_state : int, RandomState or None, default=0
        Draws the mini-batches.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The weights that misclassified fewest points on the way; if separated, the last. Shapes
        (1, d) and (1,) for two classes, (K, d) and (K,) for K, one against the rest.
    classes_ : ndarray
        The labels, sorted; of two, the second is the positive one, whatever it is called.
    stop_ : Stop
        Why it ended: with K classes, SEPARATED if every class is, else the first other reason.
    n_iter_ : int
        Passes made; with K classes, the most for any.
    history_ : ndarray or tuple of ndarray
        The risk before each pass; with K classes, one array for each.
    path_ : Path or tuple of Path
        The whole record: risk, errors, step sizes, weights.

    References
    ----------
    Rosenblatt 1958; Duda and Hart 1973, §5.5.

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = BatchPerceptron(step="line_search").fit(X, y == 0)
    >>> clf.stop_, clf.score(X, y == 0)
    (Stop.SEPARATED, 1.0)
    >>> bool(np.all(np.diff(clf.history_) <= 0))
    True
    """

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        step: str = "fixed",
        batch_size: int | None = None,
        init: Any = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        weight_tol: float | None = None,
        keep_path: bool = False,
        random_state: Any = 0,
    ):
        self.epsilon = epsilon
        self.step = step
        self.batch_size = batch_size
        self.init = init
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.weight_tol = weight_tol
        self.keep_path = keep_path
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BatchPerceptron:
        """Descend on the risk, once for two classes and once a class for more.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.
        sample_weight : array of shape (n,), optional
            How often each row counts in the risk, Σ −sᵢyᵢ w·xᵢ then, and among its errors; rows of
            weight 0 are left out.

        Returns
        -------
        self : BatchPerceptron
            The fitted estimator.
        """
        check_kinds(self)
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        check_finite(make_points(X, codes), getattr(self, "feature_names_in_", None))
        positives = range(len(classes)) if len(classes) > 2 else [1]
        seed = check_random_state(self.random_state).randint(2**31)
        paths = tuple(
            self._descend(X, np.where(codes == positive, 1.0, -1.0), start, seed, sample_weight)
            for positive, start in zip(positives, self._starts(len(positives)), strict=True)
        )
        self._keep(classes, self._confirmed(paths, classes, X, codes))
        warn_if_spent(self.stop_)
        return self

    def _starts(self, runs: int) -> list[Any]:
        """The start of each run: a row for all, or each its own weights."""
        if self.init is None or isinstance(self.init, (int, np.integer)):
            return [self.init] * runs
        starts = np.atleast_2d(np.asarray(self.init, dtype=np.float64))
        if len(starts) != runs:
            raise InputError(
                f"init must have one row of weights for each of {runs} classes, "
                f"got shape {starts.shape}."
            )
        return list(starts)

    def _descend(self, X: Any, signs: np.ndarray, start: Any, seed: int, weights: Any) -> Path:
        return descend(
            X,
            signs,
            epsilon=self.epsilon,
            step=self.step,
            batch_size=self.batch_size,
            init=start,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            weight_tol=self.weight_tol,
            keep_weights=self.keep_path,
            random_state=seed,
            sample_weight=weights,
        )

    def _confirmed(
        self, paths: tuple[Path, ...], classes: np.ndarray, X: Any, codes: np.ndarray
    ) -> tuple[Path, ...]:
        """The paths, which say that they separated only what predictions put on its right side."""
        weights, stops = np.array([path.best for path in paths]), [path.stop for path in paths]
        if Stop.SEPARATED not in stops:
            return paths
        scores = plane_scores(X, weights[:, :-1], weights[:, -1])
        parts = parts_of(len(classes), "ovr")
        # Rows of weight 0 were looked at, too.
        stops = stops_as_predicted(stops, parts, scores, codes, np.arange(len(codes)))
        return tuple(path._replace(stop=stop) for path, stop in zip(paths, stops, strict=True))

    def _keep(self, classes: np.ndarray, paths: tuple[Path, ...]) -> None:
        """Set what was learned as attributes."""
        weights = np.array([path.best for path in paths])
        self.classes_, self.coef_, self.intercept_ = classes, weights[:, :-1], weights[:, -1]
        others = [path.stop for path in paths if path.stop is not Stop.SEPARATED]
        self.stop_ = others[0] if others else Stop.SEPARATED
        self.n_iter_ = max(len(path.run.history) for path in paths)
        self.history_ = paths[0].risk if len(paths) == 1 else tuple(path.risk for path in paths)
        self.path_ = paths[0] if len(paths) == 1 else paths
        warn_of_overflow(self.stop_)
