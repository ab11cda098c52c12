"""`DualClassifier`: what `KernelPerceptron` does after its fit, with support vectors of its own."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import FLOATS, check_finite
from rosenblatt.data.lossless import is_sparse
from rosenblatt.engine.points import make_points
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear import LinearClassifier, warn_of_overflow
from rosenblatt.estimators.shown import Shown
from rosenblatt.estimators.validation import check_rows, sparse_as_set
from rosenblatt.fit.conclusion import Conclusion
from rosenblatt.fit.kernel_settings import OF_COUNTS, check_counts, check_parameters
from rosenblatt.fit.one_vs import jointly, stops_as_predicted, together
from rosenblatt.fit.support_vectors import rows_of, spread
from rosenblatt.places.parts import parts_of

if TYPE_CHECKING:
    from rosenblatt.engine.kernels import Kernel
    from rosenblatt.fit.kernel_fitting import DualFit
    from rosenblatt.fit.support_vectors import SupportVectors

Classifier = TypeVar("Classifier", bound="DualClassifier")


class DualClassifier(Shown, ClassifierMixin, BaseEstimator):
    """Predicts by support vectors, with one of the solutions of a run."""

    kernel: Any
    solution: str
    multiclass: str
    fit_intercept: bool
    cache_size: float
    classes_: np.ndarray
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    _kernel: Kernel

    def with_solution(self: Classifier, solution: str) -> Classifier:
        """A fitted copy that predicts with another solution of the same run.

        Parameters
        ----------
        solution : {"auto", "last", "average", "vote"}
            The vote must have been tracked, by ``solution`` or ``keep``.

        Returns
        -------
        copy : estimator
            It shares the run with this one; nothing is learned again.
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.solution = solution
        check_parameters(other)
        other._choose()
        return other

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
    score = LinearClassifier.score
    plot = LinearClassifier.plot

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        counts = isinstance(self.kernel, str) and self.kernel in OF_COUNTS
        tags.input_tags.sparse = self.kernel != "precomputed" and not counts
        tags.input_tags.positive_only = counts
        # They are not positive semi-definite, and no bound holds.
        tags.classifier_tags.poor_score = self.kernel in ("sigmoid", "additive_chi2")
        return tags

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each set of coefficients."""
        from rosenblatt.fit.kernel_fitting import add_votes, kernel_blocks

        scores = np.zeros((X.shape[0], len(self.dual_coef_)))
        support = None if self.kernel == "precomputed" else self.support_vectors_
        bias = 1.0 if self.fit_intercept else 0.0
        for rows, block in kernel_blocks(self._kernel, X, support, self.support_, self.cache_size):
            if self.solution != "vote":
                scores[rows] += block @ self.dual_coef_.T + self.intercept_
                continue
            for at, kept in enumerate(self._kept):
                own = np.searchsorted(self.support_, kept.places)
                columns = slice(None) if len(self._kept) == 1 else slice(at, at + 1)
                add_votes(kept, np.ascontiguousarray(block[:, own]), bias, scores[rows, columns])
        return scores

    def _rows(self, X: Any, reset: bool) -> Any:
        if self.kernel == "precomputed":
            X = validate_data(self, in_numpy(X, "X"), reset=reset, dtype=FLOATS, order="C")
        else:
            X = with_short_indices(check_rows(self, X, reset=reset))
        names = getattr(self, "feature_names_in_", None)
        check_finite(make_points(X, np.zeros(X.shape[0])), names)
        check_counts(self.kernel, X, names)
        return X

    def _keep(self, learned: list[DualFit], X: Any, codes: np.ndarray, in_play: np.ndarray) -> None:
        """Set what was learned, from ``in_play`` of these rows, and what it took as attributes."""
        self._kept = tuple(found.kept for found in learned)
        self._means = tuple(found.mean for found in learned)
        self._choose()
        learned = self._confirmed(learned, X, codes, in_play)
        self.runs_ = tuple(found.run for found in learned)
        self.radius_ = max(found.radius for found in learned)
        self.kernel_values_ += sum(found.computed for found in learned)
        known = jointly([Conclusion(found.margin, found.mistake_bound) for found in learned])
        self.margin_, self.mistake_bound_ = known.margin, known.mistake_bound
        run = together([self._spread_run(run, at) for at, run in enumerate(self.runs_)])
        self.stop_, self.history_ = run.stop, run.history
        self.mistakes_, self.updates_ = run.mistakes, run.updates
        self.n_iter_, self.looks_ = run.passes, run.looks
        warn_of_overflow(run.stop)

    def _confirmed(
        self, learned: list[DualFit], X: Any, codes: np.ndarray, in_play: np.ndarray
    ) -> list[DualFit]:
        """What was learned, which says that it separated only what its last weights predict right.

        A run's scores are sums over its updates, those of predictions over the support vectors:
        rounding may put a point on different sides.
        """
        stops = [found.run.stop for found in learned]
        if Stop.SEPARATED not in stops:
            return learned
        try:
            scores = self.with_solution("last")._scores(X)
        except KeyboardInterrupt:  # what was learned is kept
            return [found.stopped(Stop.INTERRUPTED) for found in learned]
        parts = parts_of(len(self.classes_), self.multiclass)
        stops = stops_as_predicted(stops, parts, scores, codes, in_play)
        return [found.stopped(stop) for found, stop in zip(learned, stops, strict=True)]

    def _spread_run(self, run: Run, at: int) -> Run:
        """A run whose coefficients are about the support vectors of all runs."""
        weights, average = (
            spread(values, self._kept[at].places, self.support_)
            for values in (run.weights, run.average)
        )
        return replace(run, weights=weights, average=average)

    def _choose(self) -> None:
        """Make the solution that is asked for the classifier."""
        if self.solution == "vote" and not all(len(kept.dual.log) for kept in self._kept):
            raise InputError(
                "The vote was not tracked in this run. Fit with solution='vote' or keep=('vote',)."
            )
        for name, value in self._classifier(self._kept, self._means).items():
            setattr(self, name, value)

    def _classifier(
        self, kept: tuple[SupportVectors, ...], means: tuple[bool, ...]
    ) -> dict[str, Any]:
        """The attributes that make a classifier of the support vectors of its runs."""
        support = np.unique(np.concatenate([part.places for part in kept]))
        coefficients = []
        for part, mean in zip(kept, means, strict=True):
            averaged = self.solution == "average" or (self.solution == "auto" and mean)
            own = part.average if averaged else part.state.weights
            coefficients.append(spread(own, part.places, support))
        dual = np.vstack(coefficients)
        found = {
            "classes_": self.classes_,
            "support_": support,
            "dual_coef_": dual,
            "intercept_": dual.sum(axis=1) * (1.0 if self.fit_intercept else 0.0),
            "_kernel": self._kernel,
            "_kept": kept,
        }
        if self.kernel != "precomputed":
            vectors = rows_of(kept, support)
            found["support_vectors_"] = sparse_as_set(vectors) if is_sparse(vectors) else vectors
        return found

    def _attributes(self) -> dict[str, Any]:
        return self._classifier(self._kept, self._means)


def with_short_indices(X: Any) -> Any:
    """A CSR matrix with indices of 32 bits, if they fit; scikit-learn's kernels take no others.

    Examples
    --------
    >>> X = sparse.csr_array([[0.0, 1.0]])
    >>> X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    >>> with_short_indices(X).indices.dtype
    dtype('int32')
    """
    if not sparse.issparse(X) or X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    short = (array.astype(np.int32, copy=False) for array in (X.indices, X.indptr))
    return type(X)((X.data, *short), shape=X.shape)
