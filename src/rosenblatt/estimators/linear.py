"""`LinearClassifier`: what every estimator with ``coef_`` and ``intercept_`` does after its fit.

Imports ``checks``, ``scoring`` and scikit-learn; ``figures`` when asked to plot.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.cells import sound
from rosenblatt.checks import FLOATS, check_indices, refuse_not_finite
from rosenblatt.errors import InputError
from rosenblatt.estimators.shown import Shown
from rosenblatt.scoring import is_large, linear_scores


class LinearClassifier(Shown, ClassifierMixin, BaseEstimator):
    """Scores, predictions and a picture from learned weights."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray

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
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

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
        if boundary not in ("positive", "negative"):
            raise InputError(f"boundary must be 'positive' or 'negative', got {boundary!r}.")
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        positive = scores >= 0 if boundary == "positive" else scores > 0
        return self.classes_[positive.astype(np.intp)]

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

    def _check_same_classes(self, classes: np.ndarray) -> None:
        if not np.array_equal(classes, self.classes_):
            raise InputError(
                f"classes={classes.tolist()} is not the same as on the last call to fit or "
                f"partial_fit, which was {self.classes_.tolist()}."
            )

    def _checked(self, X: Any, *, finite: bool = True) -> Any:
        """Rows to predict, of as many features as were learned from."""
        check_is_fitted(self)
        how = {"accept_sparse": "csr", "dtype": FLOATS, "ensure_all_finite": False}
        if sparse.issparse(X) and (X.format != "csr" or len(X.indptr) != X.shape[0] + 1):
            X = sound(X)  # before it is converted or counted
        rows = validate_data(self, X, reset=False, **how)
        if finite:
            refuse_not_finite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each weight vector."""
        rows = self._checked(X, finite=False)
        if sparse.issparse(self.coef_) or not is_large(rows, len(self.coef_)):
            rows = sound(rows) if sparse.issparse(rows) else rows
            refuse_not_finite(rows, getattr(self, "feature_names_in_", None))
            scores = safe_sparse_dot(rows, self.coef_.T, dense_output=True)
            return np.asarray(scores) + self.intercept_
        if sparse.issparse(rows):
            rows, _ = check_indices(rows)
        scores = linear_scores(rows, self.coef_, self.intercept_)
        if not np.isfinite(scores).all():
            self._checked(X)  # refuses X, unless it was the scores that grew too large
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
