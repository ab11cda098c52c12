"""Labels: what may name a class, which of them are one, and in which order classes come.

Whatever takes labels reads them here. Two labels are one class if they are the same text, character
by character, or equal numbers (1, 1.0 and True), without rounding; a text is never a number. Blanks
around a cell belong to a text file, not to the label. Classes are sorted: text by its characters,
numbers and dates by their size, members of an `enum.Enum` as they are defined. Which of two is the
positive one says `rosenblatt.data.positive`.
"""

from __future__ import annotations

import datetime
import unicodedata
import warnings
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.lossless import is_sparse
from rosenblatt.errors import InputError, InputTypeError, users_line
from rosenblatt.text import plural

# Kinds of labels besides text and numbers.
OBJECTS = (Enum, datetime.date, datetime.time, datetime.timedelta, Decimal, Fraction)
# With more rows than this, labels that hardly repeat draw a warning.
MANY_LABELS = 20
# From here on two whole numbers may be the same float.
EXACT = 2**53
# Whole numbers from here on are not printed in messages.
LONGEST = 10**40
SHOWN_ROWS = 5
# Advice for leaving rows out.
KEPT = "y = numpy.asarray(y)[keep]; X = X[keep], or numpy.asarray(X)[keep] of a list."


def listed(labels: Sequence[Any] | np.ndarray) -> list[Any]:
    """Labels as plain Python has them; dates of NumPy, which may be finer than those, as they are.

    Examples
    --------
    >>> listed(np.array([1, 2])), listed(np.array(["2026-11-16"], dtype="datetime64[ns]"))
    ([1, 2], [np.datetime64('2026-11-16T00:00:00.000000000')])
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind not in "mM":
        return labels.tolist()
    return [*labels]


def check_labels(
    y: Any, rows: int, category: type[Warning] = UserWarning
) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes and the code of each label; a column of labels is warned about."""
    labels = read_labels(y, category)
    _check_length(labels, rows)
    check_discrete(labels)
    classes, codes = distinct(labels)
    if len(classes) < 2:
        raise InputError(
            f"y has one class only, {listed(classes)[0]!r}, in "
            f"{plural(rows, 'row')}: a classifier needs at least two classes. Check the label "
            "column."
        )
    if labels.dtype.kind != "f" and rows > MANY_LABELS and 2 * len(classes) > rows:
        warnings.warn(
            "The number of unique classes is greater than 50% of the number of samples: y could be "
            "the target of a regression.",
            UserWarning,
            stacklevel=users_line(),
        )
    remark_alike(classes)
    return classes, codes


def remark_alike(classes: np.ndarray) -> None:
    """Warn of texts that differ only in capitals or blanks, and so are classes of their own.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as found:
    ...     remark_alike(np.array(["NO", "YES", "no", "yes"]))
    >>> print(found[0].message)
    Labels that differ only in capitals or blanks are classes of their own: 'NO' and 'no'; 'YES' and
    'yes'. ...
    """
    if classes.dtype.kind not in "OU":
        return
    groups: dict[str, list[str]] = {}
    for label in classes.tolist():
        if isinstance(label, str):
            letters = unicodedata.normalize("NFC", label).casefold()
            groups.setdefault(" ".join(letters.split()), []).append(str.__str__(label))
    alike = [" and ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
    if alike:
        shown = "; ".join(alike[:SHOWN_ROWS]) + ("; …" if len(alike) > SHOWN_ROWS else "")
        warnings.warn(
            f"Labels that differ only in capitals or blanks are classes of their own: {shown}. If "
            "they mean the same, write them alike, for example with [label.strip().casefold() for "
            "label in y].",
            UserWarning,
            stacklevel=users_line(),
        )


def _check_length(labels: np.ndarray, rows: int) -> None:
    if len(labels) != rows:
        raise InputError(
            f"X and y have inconsistent numbers of samples: {rows} rows, {len(labels)} labels."
        )


def read_labels(y: Any, category: type[Warning] = UserWarning) -> np.ndarray:
    """Labels as an array of one dimension, all of one kind; a missing one is refused.

    Examples
    --------
    >>> read_labels(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    >>> read_labels(["a", float("nan"), None])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: y lacks a label in 2 rows (1, 2). Leave these rows out, for
    example: keep = pandas.notna(numpy.asarray(y, object)).ravel(); y = numpy.asarray(y)[keep];
    X = X[keep], or numpy.asarray(X)[keep] of a list.
    """
    if y is None:
        raise InputError(
            "requires y to be passed, but the target y is None: a perceptron learns from labels."
        )
    given = in_numpy(y, "y")
    labels = one_column(given, category)
    if isinstance(given, (list, tuple)) and not _is_kept(labels):
        # NumPy makes text of all beside text, drops NULs at its end, and rounds integers.
        as_given = np.asarray(given, dtype=object).ravel()
        same = {*map(type, as_given)} <= {str, np.str_} and labels.tolist() == as_given.tolist()
        labels = labels if same else as_given
    if labels.dtype.kind == "T":  # text of any length, some of it perhaps missing
        labels = labels.astype(object)
    if labels.dtype.kind == "O":
        return _of_one_kind(labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        at = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise InputError(
            f"y contains NaN or infinity: label {labels[at]} at row {at}. Leave such rows out, for "
            f"example: keep = numpy.isfinite(numpy.asarray(y, float)).ravel(); {KEPT}"
        )
    if labels.dtype.kind in "mM":
        _refuse_missing(np.isnat(labels))
    elif labels.dtype.kind == "S":
        _refuse_bytes()
    elif labels.dtype.kind not in "biufU":
        raise InputTypeError(f"y holds {labels.dtype}; labels must be text or numbers.")
    return labels


def one_column(given: Any, category: type[Warning] = UserWarning) -> np.ndarray:
    """Labels as an array of one dimension; a column of them is taken with a warning."""
    y: Any = given
    if isinstance(given, np.ndarray) and given.ndim == 1:
        return np.asarray(given)
    if hasattr(y, "to_numpy"):
        # A series of pandas' own numbers would be one of objects.
        kind = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
        whole = isinstance(kind, np.dtype) and kind.kind in "biuf" and not y.isna().any()
        y = y.to_numpy(dtype=kind) if whole else y.to_numpy()
    if is_sparse(y):
        raise InputTypeError("y must be an array of labels, got a sparse matrix: use y.toarray().")
    try:
        y = np.asarray(y)
    except ValueError as error:
        raise InputError(f"y should be a 1d array of labels: {error}") from error
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples, ), for example using ravel().",
            category,
            stacklevel=users_line(),
        )
        return y.ravel()
    if y.ndim != 1:
        what = "" if y.ndim else f" of a {type(given).__name__}; pass a list of labels"
        raise InputError(f"y should be a 1d array, got an array of shape {y.shape} instead{what}.")
    return y


def _of_one_kind(labels: np.ndarray) -> np.ndarray:
    """Objects that are labels; plain numbers among them become an array of numbers."""
    kinds = {*map(type, labels.tolist())}
    if all(issubclass(kind, str) for kind in kinds):
        return labels
    _refuse_missing(np.array([is_missing(label) for label in labels], dtype=bool))
    names = sorted({"str" if issubclass(k, str) else k.__name__ for k in kinds})
    enums = any(issubclass(kind, Enum) for kind in kinds)
    numbers = all(issubclass(kind, (int, float, np.number, np.bool_)) for kind in kinds)
    if (numbers and not enums) or kinds in ({np.datetime64}, {np.timedelta64}):
        as_numbers = np.array(labels.tolist())
        if numbers and (as_numbers.dtype.kind == "O" or (as_numbers != labels).any()):
            _refuse_large(labels)
        return read_labels(as_numbers)
    if len(names) > 1 or (enums and len(kinds) > 1):
        raise InputTypeError(
            f"y must hold labels of one kind; got a mix of {', '.join(names)}. "
            "Convert them, for example with [str(label) for label in y]."
        )
    if any(issubclass(kind, bytes) for kind in kinds):
        _refuse_bytes()
    if not all(issubclass(kind, OBJECTS) for kind in kinds):
        raise InputError(
            f"Unknown label type: {names[0]}. Labels must be text, numbers, dates, Decimals, "
            "Fractions or members of an Enum. Convert them, for example with [str(label) for label "
            "in y]."
        )
    return labels


def _is_kept(labels: np.ndarray) -> bool:
    """Whether NumPy has changed none of the labels that it was given, by their type and size."""
    kind = labels.dtype.kind
    return kind not in "fU" or (kind == "f" and not (np.abs(labels) >= EXACT).any())


def is_missing(label: Any) -> bool:
    """Whether there is no label: None, NaN, NaT or pandas' NA.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if label is None or type(label).__name__ in ("NAType", "NaTType"):  # pandas'
        return True
    if isinstance(label, Decimal):
        return label.is_nan()
    return isinstance(label, (float, np.generic)) and bool(label != label)


def _refuse_missing(missing: np.ndarray) -> None:
    rows = np.flatnonzero(missing).tolist()
    if not rows:
        return
    listed = ", ".join(map(str, rows[:SHOWN_ROWS])) + (", …" if len(rows) > SHOWN_ROWS else "")
    raise InputError(
        f"y lacks a label in {plural(len(rows), 'row')} ({listed}). Leave "
        "these rows out, for example: keep = pandas.notna(numpy.asarray(y, object)).ravel(); "
        f"{KEPT}"
    )


def _refuse_large(labels: np.ndarray) -> None:
    """Whole numbers that no array of numbers tells apart."""
    large = next((label for label in labels.tolist() if abs(label) >= EXACT), None)
    if large is not None:
        shown = repr(large) if abs(large) < LONGEST else "a number of more than 40 digits"
        raise InputError(
            f"y holds {shown}, which is too large to be told apart from its neighbours among "
            "these labels. Make them text, for example with [str(label) for label in y]."
        )


def refuse_perhaps_rounded(labels: np.ndarray, source: str) -> None:
    """Refuse labels of a file that were read as doubles and may have been other numbers before.

    Examples
    --------
    >>> refuse_perhaps_rounded(np.array([1.0, 2.0**53]), "data.svm")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: data.svm: expected labels within ±2**53, which doubles tell apart,
    got 9007199254740992; write smaller numbers for the classes
    """
    large = labels[np.abs(labels) >= EXACT] if labels.dtype.kind == "f" else labels[:0]
    if len(large):
        raise InputError(
            f"{source}: expected labels within ±2**53, which doubles tell apart, got "
            f"{large[0]:.0f}; write smaller numbers for the classes"
        )


def _refuse_bytes() -> None:
    raise InputTypeError("y holds bytes; labels must be text or numbers: use y.astype(str).")


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


def distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels in their order, and the code of each.

    Examples
    --------
    >>> distinct(np.array(["b", "a", "b"]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    if labels.dtype.kind == "O" and len(labels) and is_plain_enum(labels[0]):
        return _as_defined(labels)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise InputTypeError(
            f"y holds labels that have no order ({error}). Convert them, for example with "
            "[str(label) for label in y]."
        ) from None
    return classes, codes.astype(np.intp, copy=False)


def is_plain_enum(label: Any) -> bool:
    """Whether a label is a member of an enum whose members are neither text nor numbers."""
    return isinstance(label, Enum) and not isinstance(label, (str, int, float))


def _as_defined(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Members of one enum, which have no order but that of their definition."""
    present = {*labels.tolist()}
    kind: Any = type(labels[0])
    members = [member for member in kind if member in present]
    members += sorted(present.difference(members), key=lambda flags: flags.value)  # of a Flag
    classes = np.empty(len(members), dtype=object)
    classes[:] = members
    place = {member: code for code, member in enumerate(members)}
    return classes, np.array([place[label] for label in labels], dtype=np.intp)


def known_classes(classes: Any) -> np.ndarray:
    """The labels that are said beforehand, in their order and each once.

    Examples
    --------
    >>> known_classes(["b", "a"])
    array(['a', 'b'], dtype='<U1')
    """
    try:
        return distinct(read_labels(classes))[0]
    except InputError as error:
        raise type(error)(f"classes are read like labels: {error}") from None


def classes_of_stream(classes: Any, known: np.ndarray | None = None) -> np.ndarray:
    """The classes of a stream, which its first batch names and later ones may repeat.

    Parameters
    ----------
    classes : array or None
        What ``partial_fit`` was given.
    known : ndarray, optional
        The classes of the batches before, if there were any.

    Examples
    --------
    >>> first = classes_of_stream([1, 0])
    >>> classes_of_stream(None, first)
    array([0, 1])
    """
    if known is not None:
        if classes is not None:
            check_same_classes(known_classes(classes), known)
        return known
    if classes is None:
        raise InputError(
            "classes must be passed on the first call to partial_fit: every label there will ever "
            "be, for example classes=[0, 1]."
        )
    found = known_classes(classes)
    if len(found) < 2:
        raise InputError(f"classes must name at least two classes, got {found.tolist()}.")
    return found


def check_same_classes(classes: np.ndarray, known: np.ndarray) -> None:
    """Refuse labels other than those of earlier calls."""
    if not np.array_equal(classes, known):
        raise InputError(
            f"classes={classes.tolist()} is not the same as on the last call to fit or "
            f"partial_fit, which was {known.tolist()}."
        )


def found_among(classes: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The code of each label among known classes, and which labels are among them."""
    kinds = {labels.dtype.kind, classes.dtype.kind}
    # Numbers of two kinds are compared as floats, which do not tell all large ones apart.
    comparable = kinds <= {*"biuf"} and (np.abs(classes.astype(float)) < EXACT).all()
    if "O" in kinds or (len(kinds) > 1 and not comparable):
        place = {label: code for code, label in enumerate(listed(classes))}
        codes = np.array([place.get(label, -1) for label in listed(labels)], dtype=np.intp)
        return codes, codes >= 0
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return codes.astype(np.intp, copy=False), classes[codes] == labels


def codes_among(classes: np.ndarray, y: Any, rows: int) -> np.ndarray:
    """The code of each label among known classes."""
    labels = read_labels(y)
    _check_length(labels, rows)
    codes, known = found_among(classes, labels)
    if not known.all():
        at = int(np.argmin(known))
        raise InputError(
            f"y has the label {labels[at : at + 1].tolist()[0]!r} at row {at}, which is not among "
            f"the classes {listed(classes)}. Name every class in the first call: "
            "partial_fit(X, y, classes=[...])."
        )
    return codes
