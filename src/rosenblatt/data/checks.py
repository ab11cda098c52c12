"""Checks of what users pass in: every refusal says what was expected, came, and where.

Imports the engine's data modules and scikit-learn's validation.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    column_or_1d,
    validate_data,
)

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.lossless import is_held, names_of, place, refuse_rounded, refuse_text, sound
from rosenblatt.engine.points import (
    MALFORMED,
    REPEATED,
    UNSORTED,
    DenseRows,
    Points,
    disorder,
    squared_norms,
)
from rosenblatt.errors import InputError, InputTypeError

FLOATS = (np.float64, np.float32)
INDICES = (np.int32, np.int64)
# Beyond this norm the square of a row is no longer a finite double.
LARGEST_NORM = 1e154
# Below this squares lose digits; rows as short as that are multiplied by 2 to this power first.
LEAST_SQUARE, SCALE = 1e-280, 800


def check_rows(estimator: Any, X: Any, *, reset: bool = True) -> Any:
    """X as a C-ordered float array, or as a CSR matrix that stores no entry twice.

    It is copied where it is neither, or of another type.

    ``estimator`` learns or is held to the number and names of the features; None has neither.
    """
    if _is_as_wanted(estimator, X, reset):
        if reset and estimator is not None:
            estimator.n_features_in_ = X.shape[1]
        return _without_repeats(X) if sparse.issparse(X) else X
    wanted = {
        "accept_sparse": "csr",
        "dtype": FLOATS,
        "order": "C",
        "ensure_all_finite": False,
    }
    given = X = in_numpy(X, "X")
    if sparse.issparse(X):
        X = sound(X)  # before it is converted
    try:
        if estimator is None:
            X = check_array(X, **wanted)
        else:
            X = validate_data(estimator, X, reset=reset, **wanted)
    except OverflowError as error:
        raise InputError(f"X has a number beyond the range of double precision: {error}") from error
    except ValueError as error:
        if str(error).startswith("could not convert string"):
            refuse_text(given, error)
        raise
    if not is_held(given):
        refuse_rounded(given)
    if estimator is None and hasattr(given, "columns"):
        refuse_not_finite(X, names_of(given))  # nobody else will know the names
    return _without_repeats(X) if sparse.issparse(X) else X


def _is_as_wanted(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether X is an array or a CSR matrix that scikit-learn would pass on as it is.

    Its checks cost more than the fit of some hundred rows.
    """
    if type(X) not in (np.ndarray, sparse.csr_matrix, sparse.csr_array):
        return False
    if X.dtype not in FLOATS or X.ndim != 2 or 0 in X.shape:
        return False
    as_learned = reset or getattr(estimator, "n_features_in_", None) == X.shape[1]
    if not as_learned or hasattr(estimator, "feature_names_in_"):
        return False
    if type(X) is np.ndarray:
        return X.flags.c_contiguous
    return all(
        type(array) is np.ndarray and array.ndim == 1 and array.dtype in kinds
        for array, kinds in ((X.data, FLOATS), (X.indices, INDICES), (X.indptr, INDICES))
    )


def _without_repeats(X: Any) -> Any:
    """A CSR matrix, checked, or a copy where entries that it stores twice are added up.

    One look at its indices tells; sorting them would take longer than a fit, and nothing needs it.
    """
    X, found = check_indices(X)
    if found == UNSORTED:
        found = _disorder(X, room=X.shape[1])
    if found == REPEATED:
        X = X.copy()
        X.has_canonical_format = X.has_sorted_indices = False
        X.sum_duplicates()
    return X


def check_indices(X: Any) -> tuple[Any, int]:
    """`sound` by machine code, for many entries: the matrix, and whether its columns rise."""
    whole = len(X.indptr) == X.shape[0] + 1 and len(X.data) == len(X.indices)
    found = _disorder(X) if whole else MALFORMED
    if found == MALFORMED:
        X = sound(X)  # says what is wrong, or leaves out what is stored beyond the last row
        found = _disorder(X)
    return X, found


def _disorder(X: Any, room: int = 0) -> int:
    from rosenblatt.engine.machine.compiled import compiled

    return compiled(disorder)(X.indices, X.indptr, X.shape[1], np.zeros(room, X.indptr.dtype))


def check_labels(y: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes and the code of each label."""
    if y is None:
        raise InputError(
            "requires y to be passed, but the target y is None: a perceptron learns from labels."
        )
    if type(y) is not np.ndarray or y.ndim != 1:
        y = in_numpy(y, "y")
        given, y = y, column_or_1d(y, warn=True)
        if y.dtype.kind == "U" and isinstance(given, (list, tuple)):
            as_given = np.asarray(given, dtype=object).ravel()  # numpy makes text of all beside it
            y = y if all(isinstance(label, str) for label in as_given) else as_given
    if len(y) != rows:
        raise InputError(
            f"X and y have inconsistent numbers of samples: {rows} rows, {len(y)} labels."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        at = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(f"y contains NaN or infinity: label {y[at]} at row {at}.")
    classes, codes = _two_classes(y) or _classes(y)
    if len(classes) < 2:
        raise InputError(
            f"y has one class only, {classes.tolist()[0]!r}, in {rows} rows: a classifier needs at "
            "least two classes. Check the label column."
        )
    return classes, codes


def check_discrete(labels: np.ndarray) -> None:
    """Refuse numbers with a fraction, which are measurements rather than the names of classes.

    Examples
    --------
    >>> check_discrete(np.array([1.0, 2.0]))
    >>> check_discrete(np.array([1.0, 2.5]))
    Traceback (most recent call last):
    rosenblatt.errors.InputError: Unknown label type: continuous. Labels name classes, so numbers
    with a fraction, such as 2.5, are refused; if they do name classes, make them text with
    y.astype(str).
    """
    if labels.dtype.kind != "f" or not len(broken := labels[labels != np.trunc(labels)]):
        return
    raise InputError(
        "Unknown label type: continuous. Labels name classes, so numbers with a fraction, such as "
        f"{broken[0]:g}, are refused; if they do name classes, make them text with y.astype(str)."
    )


def _two_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Classes and codes of two integer labels, without the sort that the general case needs."""
    if y.dtype.kind not in "iufb" or len(y) == 0:
        return None
    low, high = y.min(), y.max()
    positive = y == high
    if low == high or low != int(low) or high != int(high) or not np.all(positive | (y == low)):
        return None
    return np.array([low, high], dtype=y.dtype), positive.astype(np.intp)


def _classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kinds = []
    if y.dtype.kind in "OS":
        kinds = sorted({"str" if isinstance(v, str) else type(v).__name__ for v in y})
    if "str" in kinds and len(kinds) > 1:
        raise InputTypeError(
            f"y must hold labels of one kind; got a mix of {', '.join(kinds)}. "
            "Convert them, for example with y.astype(str)."
        )
    if any("bytes" in kind for kind in kinds):
        raise InputTypeError("y holds bytes; labels must be text or numbers: use y.astype(str).")
    check_discrete(y)
    if y.dtype.kind != "f":  # scikit-learn would cast those beyond int64, and find a fraction
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.intp, copy=False)


class _Blank(ISeedSequence):
    """A seed sequence of zeros, for a generator that is seeded right after."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        """So many zeros."""
        return np.zeros(n_words, dtype)


def random_source(random_state: Any) -> np.random.RandomState:
    """scikit-learn's `check_random_state`, for a third of the time where it is given a seed.

    ``RandomState(seed)`` first fills its 624 words from the system's entropy, then seeds itself.

    Examples
    --------
    >>> random_source(7).randint(2**31) == np.random.RandomState(7).randint(2**31)
    True
    """
    if not isinstance(random_state, (int, np.integer)):
        return check_random_state(random_state)
    source = np.random.RandomState(np.random.MT19937(_Blank()))  # type: ignore[arg-type]
    source.seed(random_state)
    return source


def random_seeds(random_state: Any, count: int) -> tuple[int, ...]:
    """The first so many seeds that `random_source` draws; of a seed, they are drawn once.

    Examples
    --------
    >>> source = random_source(7)
    >>> random_seeds(7, 2) == (source.randint(2**31), source.randint(2**31))
    True
    """
    if isinstance(random_state, (int, np.integer)):
        return _seeds(int(random_state), count)
    return _draw(check_random_state(random_state), count)


@lru_cache(maxsize=64)
def _seeds(seed: int, count: int) -> tuple[int, ...]:
    return _draw(random_source(seed), count)


def _draw(source: np.random.RandomState, count: int) -> tuple[int, ...]:
    return tuple(source.randint(2**31) for _ in range(count))


def codes_among(classes: np.ndarray, y: Any, rows: int) -> np.ndarray:
    """The code of each label among known classes."""
    y = np.asarray(in_numpy(y, "y")).ravel()
    if len(y) != rows:
        raise InputError(
            f"X and y have inconsistent numbers of samples: {rows} rows, {len(y)} labels."
        )
    codes = np.searchsorted(classes, y) if len(y) else np.zeros(0, dtype=np.intp)
    codes = np.minimum(codes, len(classes) - 1)
    unknown = np.flatnonzero(classes[codes] != y)
    if len(unknown):
        at = int(unknown[0])
        raise InputError(
            f"y has the label {y[at : at + 1].tolist()[0]!r} at row {at}, which is not among the "
            f"classes {classes.tolist()}. Name every class in the first call: "
            "partial_fit(X, y, classes=[...])."
        )
    return codes.astype(np.intp, copy=False)


def sample_steps(
    eta: float,
    X: Any,
    codes: np.ndarray,
    classes: np.ndarray,
    sample_weight: Any,
    class_weight: Any,
) -> np.ndarray:
    """Each point's step: η times its own weight times its class's."""
    steps = np.full(X.shape[0], eta, dtype=np.float64)
    if sample_weight is not None:
        sample_weight = in_numpy(sample_weight, "sample_weight")
        steps *= _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None:
        present = np.unique(codes)
        weights = np.ones(len(classes))
        try:
            if isinstance(class_weight, dict):
                weights = compute_class_weight(class_weight, classes=classes, y=classes)
            else:
                weights[present] = compute_class_weight(class_weight, classes=present, y=codes)
        except ValueError as error:
            raise InputError(f"class_weight={class_weight!r}: {error}") from error
        if not (np.all(weights > 0) and np.all(np.isfinite(weights))):
            raise InputError(
                f"class_weight must give every class a positive finite weight, got {class_weight}."
            )
        steps *= weights[codes]
    return steps


def check_finite(points: Points, names: Any = None) -> float:
    """The radius max‖(xᵢ, 1)‖; refuses NaN, infinity, and rows too long to square."""
    from rosenblatt.engine.machine.compiled import compiled

    norms = np.empty(len(points.y))
    compiled(squared_norms)(points, norms)
    largest = float(norms.max())
    if largest < LEAST_SQUARE:
        # The squares are lost below the range of floats: square scaled rows instead.
        compiled(squared_norms)(_lengthened(points), norms)
        return math.ldexp(math.sqrt(float(norms.max())), -SCALE)
    radius = math.sqrt(largest)
    if not radius < LARGEST_NORM:
        _refuse(points, int(np.flatnonzero(~(norms < LARGEST_NORM**2))[0]), names)
    return radius


def _lengthened(points: Points) -> Points:
    """Rows multiplied by a power of two; there is no bias where all rows are short."""
    rows = points.rows
    name = "values" if isinstance(rows, DenseRows) else "data"
    return points._replace(rows=rows._replace(**{name: np.ldexp(getattr(rows, name), SCALE)}))


def _refuse(points: Points, row: int, names: Any) -> None:
    from rosenblatt.engine.points import entries

    stored = [(j, float(x)) for j, x in entries(points, row)]
    column, value = next(
        ((j, x) for j, x in stored if not np.isfinite(x)), max(stored, key=lambda jx: abs(jx[1]))
    )
    where = place(row, column, names)
    _refuse_value(value, where)
    raise InputError(
        f"Input X is too large at {where}: {value:g} squared is beyond the range of double "
        "precision (inf). Rescale the columns, for example with sklearn's StandardScaler."
    )


def _refuse_value(value: float, where: str) -> None:
    if np.isnan(value):
        raise InputError(
            f"Input X contains NaN at {where}. Drop such rows or fill them in, for example with "
            "sklearn.impute.SimpleImputer."
        )
    if np.isinf(value):
        raise InputError(f"Input X contains infinity at {where}. Replace it by a finite number.")


def refuse_not_finite(X: Any, names: Any = None) -> None:
    """Refuse rows that hold NaN or infinity, and say where."""
    values = X.data if sparse.issparse(X) else X
    finite = np.isfinite(values)
    if finite.all():
        return
    at = int(np.argmin(finite))
    if sparse.issparse(X):
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    else:
        row, column = divmod(at, X.shape[1])
    _refuse_value(float(np.ravel(values)[at]), place(row, column, names))
