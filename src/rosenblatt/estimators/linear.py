"""`LinearClassifier`: what every estimator with ``coef_`` and ``intercept_`` does after its fit."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import refuse_not_finite
from rosenblatt.data.labels import read_labels
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError, users_line
from rosenblatt.estimators.shown import Shown
from rosenblatt.estimators.validation import sparse_as_set, validated
from rosenblatt.fit import expected
from rosenblatt.fit.fitted import codes_of, hyperplanes, plane_scores
from rosenblatt.fit.planes import as_planes
from rosenblatt.proof.generalisation import ErrorBound


def attributes_of(weights: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """The attributes that make these weights a classifier."""
    coef, intercept = hyperplanes(weights)
    return {"classes_": classes, "coef_": coef, "intercept_": intercept}


def warn_if_spent(
    stop: Stop, verdict: Verdict = Verdict.UNDECIDED, sentence: str = str(Stop.PASSES)
) -> None:
    """Warn the caller of a fit that all passes were made, though more might have ended it."""
    if stop is Stop.PASSES and verdict is not Verdict.INSEPARABLE:
        warn(sentence)


def warn_of_overflow(stop: Stop) -> None:
    """Warn the caller that the weights are not usable."""
    if stop is Stop.OVERFLOW:
        warn(str(stop))


def warn(sentence: str) -> None:
    """Warn the caller of an estimator that it has not found what was asked for."""
    warnings.warn(sentence, ConvergenceWarning, stacklevel=users_line())


def accuracy(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """scikit-learn's own score, and the same for labels that it does not compare, such as dates."""
    weights = in_numpy(sample_weight, "sample_weight")
    labels = read_labels(y)
    if labels.dtype.kind != "O" or not len(labels) or isinstance(labels.flat[0], str):
        return float(ClassifierMixin.score(model, X, labels, weights))
    predicted = model.predict(X)
    if len(predicted) != len(labels):
        raise InputError(
            f"X and y have inconsistent numbers of samples: {len(predicted)} rows, {len(labels)} "
            "labels."
        )
    return float(np.average((predicted == labels).astype(float), weights=weights))


Estimator = TypeVar("Estimator", bound="SparseWeights")


class SparseWeights:
    """Weights that may be held as a sparse matrix, as in scikit-learn."""

    coef_: Any

    def sparsify(self: Estimator) -> Estimator:
        """Make ``coef_`` a sparse matrix, which pays once more than half of it is 0.

        Returns
        -------
        self : estimator
            The same estimator; learning on makes ``coef_`` dense again.
        """
        check_is_fitted(self)
        coef, _ = self._planes()  # type: ignore[attr-defined]
        self.coef_ = sparse_as_set(coef)
        return self

    def densify(self: Estimator) -> Estimator:
        """Make ``coef_`` an array again.

        Returns
        -------
        self : estimator
            The same estimator.
        """
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


class BoundsErrors:
    """An estimator that bounds its error on new rows."""

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
        >>> from rosenblatt import MaxMargin, Perceptron
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> print(MaxMargin().fit(X, y == 0).error_bound())
        At most 13.5 % errors on new rows, with 95 % confidence (sample compression: 3 of 150 rows
        determine the classifier, ...
        >>> clf = Perceptron(order="cyclic", certify=False, solution="last").fit(X, y == 0)
        >>> clf.error_bound().name
        'sample compression'
        """
        check_is_fitted(self)
        if X is not None:
            return expected.measured(self, X, y, confidence)
        return self._bound(confidence)

    def _bound(self, confidence: float) -> ErrorBound:
        """The bound by the training set alone."""
        raise NotImplementedError


class LinearClassifier(Shown, ClassifierMixin, BaseEstimator):
    """Scores, predictions and a picture from learned weights."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    n_features_in_: int

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores w·x + b: one for each row, or one for each row and class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n,) or (n, K)
            Of two classes, positive on the side of ``classes_[1]``. Where pairs of classes vote,
            the votes for each class, ties broken by scores; where all hyperplanes of a run vote,
            shares of the vote: from −1 to 1 for a hyperplane, from 0 to 1 for a class.
        """
        return self._of_classes(self._scores(X))

    def predict(self, X: Any, *, boundary: str = "positive") -> np.ndarray:
        """The class of each row; on the boundary, the positive one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        boundary : {"positive", "negative"}
            Of two classes, the one that a score of 0 predicts: sign(0) = +1 or sign(0) = −1.
            Textbooks differ.

        Returns
        -------
        labels : ndarray of shape (n,)
            Entries of ``classes_``.
        """
        if not isinstance(boundary, str) or boundary not in ("positive", "negative"):
            raise InputError(f"boundary must be 'positive' or 'negative', got {boundary!r}.")
        scores = self.decision_function(X)
        if scores.ndim == 1 and boundary == "negative":
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[codes_of(scores)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Their labels.
        sample_weight : array of shape (n,), optional
            How much each row counts.

        Returns
        -------
        score : float
            From 0 to 1.
        """
        return accuracy(self, X, y, sample_weight)

    def plot(self, X: Any, y: Any, **how: Any) -> Any:
        """Draw the points and the regions of the classes: `rosenblatt.figures.regions`.

        Parameters
        ----------
        X, y : array
            Labelled rows, usually those learned from.
        **how
            Passed on: ``ax``, ``view``, ``names``, ``title``, …

        Returns
        -------
        matplotlib Axes
        """
        from rosenblatt import figures

        check_is_fitted(self)
        return figures.regions(self, X, y, **how)

    def _checked(self, X: Any, *, finite: bool = True) -> Any:
        """Rows to predict, of as many features as were learned from."""
        check_is_fitted(self)
        rows = validated(self, X, reset=False)
        if finite:
            refuse_not_finite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each weight vector."""
        rows, names = self._checked(X, finite=False), getattr(self, "feature_names_in_", None)
        return plane_scores(rows, *self._planes(), names)

    def _of_classes(self, scores: np.ndarray) -> np.ndarray:
        """The scores of classes, made of those of weight vectors."""
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _planes(self) -> tuple[Any, np.ndarray]:
        """The weights and biases, whoever set them, if scores can be computed with them."""
        return as_planes(self.coef_, self.intercept_, len(self.classes_), self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
