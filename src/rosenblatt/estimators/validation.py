"""Rows and labels as scikit-learn's estimators take them, with its own words and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.data import labels
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import (
    FLOATS,
    as_floats,
    has_sparse_columns,
    is_ready,
    omits_zeros,
    refuse_no_table,
    summed,
    without_repeats,
)
from rosenblatt.data.lossless import is_held, refuse_dates, refuse_rounded, refuse_text, sound
from rosenblatt.errors import InputError, InputTypeError

__all__ = ["check_is_fitted", "check_labels", "check_rows", "sparse_as_set", "validated"]


def check_rows(estimator: Any, X: Any, *, reset: bool = True) -> Any:
    """X as `rosenblatt.data.checks.check_rows` has it, and as the estimator knows its features.

    Parameters
    ----------
    estimator : estimator
        It learns the number and names of the features, or is held to those that it knows.
    X : array, frame or sparse matrix
    reset : bool
        Whether the estimator learns them anew.
    """
    X = as_floats(X)
    if is_ready(X) and _is_as_learned(estimator, X, reset):
        # scikit-learn's own checks cost more than the fit of some hundred rows.
        estimator.n_features_in_ = X.shape[1]
        return without_repeats(X) if sparse.issparse(X) else X
    X = in_numpy(X, "X")
    if sparse.issparse(X):
        X = summed(X)
    rows = validated(estimator, X, reset=reset, order="C")
    if not is_held(X):
        refuse_rounded(X)
    return rows


def _is_as_learned(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether nothing but the number of features needs to be looked at."""
    if hasattr(estimator, "feature_names_in_"):
        return False
    return reset or getattr(estimator, "n_features_in_", None) == X.shape[1]


def validated(estimator: Any, X: Any, *, reset: bool, order: Any = None) -> Any:
    """X by scikit-learn's ``validate_data``: two dimensions of floats, or a CSR matrix.

    Its checks of rows that need none would take longer than the prediction of a hundred of them.
    """
    given = X = in_numpy(X, "X")
    refuse_no_table(X)
    if sparse.issparse(X):  # before it is converted or counted
        if X.dtype not in FLOATS:
            X = summed(X)
        elif not is_ready(X) or len(X.indptr) != X.shape[0] + 1:
            X = sound(X)
    if not reset and is_ready(X) and _is_as_learned(estimator, X, reset):
        return X
    if has_sparse_columns(X) and not omits_zeros(X):
        X = X.sparse.to_dense()
    refuse_dates(X)
    how = {"accept_sparse": "csr", "dtype": FLOATS, "order": order, "ensure_all_finite": False}
    try:
        return validate_data(estimator, X, reset=reset, **how)
    except OverflowError as error:
        raise InputError(f"X has a number beyond the range of double precision: {error}") from error
    except ValueError as error:
        if str(error).startswith("could not convert string"):
            refuse_text(given, error)
        raise
    except TypeError as error:
        refuse_text(given, error)
        raise InputTypeError(f"X must be a table of real numbers: {error}") from error


def sparse_as_set(X: Any) -> Any:
    """A matrix as the kind of CSR matrix that scikit-learn is set to hand out.

    Examples
    --------
    >>> import sklearn
    >>> type(sparse_as_set(np.eye(2))).__name__
    'csr_matrix'
    """
    arrays = get_config().get("sparse_interface") == "sparray"  # a setting since scikit-learn 1.9
    return sparse.csr_array(X) if arrays else sparse.csr_matrix(X)


def check_labels(y: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes and the code of each label, with scikit-learn's warning of a column."""
    return labels.check_labels(y, rows, DataConversionWarning)
