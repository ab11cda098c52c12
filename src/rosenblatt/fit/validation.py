"""Validation data: rows held out of the training set, or a user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import found_among, listed, read_labels
from rosenblatt.data.splitting import split_rows
from rosenblatt.engine.points import Points, make_points
from rosenblatt.errors import InputError
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import Part


class Validation(NamedTuple):
    """Rows to measure the error on after each pass.

    Attributes
    ----------
    points : Points
        The points that hold them, which may be the training points.
    codes : ndarray
        The class code of each point.
    chosen : ndarray of int
        Which points they are.
    """

    points: Points
    codes: np.ndarray
    chosen: np.ndarray

    def part(self, part: Part | None) -> tuple[Points, np.ndarray] | None:
        """The rows of a binary problem, with its signs; None if there are none."""
        if part is None:
            return self.points, self.chosen
        signs = part.signs(self.codes)
        chosen = self.chosen[signs[self.chosen] != 0]
        return (self.points._replace(y=signs), chosen) if len(chosen) else None


def hold_out(place: Memory, fraction: float, rng: Any) -> tuple[Memory, Validation]:
    """Set validation rows aside, in equal class proportions where that is possible."""
    train, chosen = set_aside(place.codes, place.in_play, fraction, rng)
    kept = place._replace(in_play=train)
    return kept, Validation(place.points, place.codes, chosen)


def without_empty_columns(
    place: Memory, validation: Validation | None
) -> tuple[Memory, Validation | None]:
    """Both on the columns in use; unchanged with a user's own rows, which may use other columns."""
    if validation is None:
        return place.narrow(), None
    if validation.points is not place.points:
        return place, validation
    narrow = place.narrow()
    return narrow, validation._replace(points=narrow.points)


def set_aside(
    codes: np.ndarray, in_play: np.ndarray, fraction: float, rng: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to validate on, of those in play.

    Examples
    --------
    >>> codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> train, chosen = set_aside(codes, np.arange(8), 0.5, 0)
    >>> codes[train].tolist(), codes[chosen].tolist()
    ([0, 0, 1, 1], [0, 0, 1, 1])
    """
    codes = codes[in_play]
    if len(codes) < 2:
        raise InputError(
            f"early_stopping=True needs at least 2 rows in play to hold one out, got {len(codes)}."
        )
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    held = int(np.ceil(fraction * len(codes)))
    left = len(codes) - held
    if left < len(counts):
        raise InputError(
            f"validation_fraction={fraction!r} of {len(codes)} rows leaves {max(0, left)} to learn "
            f"{len(counts)} classes from: hold out less, or pass more rows."
        )
    possible = counts.min() >= 2 and len(counts) <= held
    train, chosen = split_rows(len(codes), held, rng, codes if possible else None)
    if len(counts) > 1 and len(np.unique(codes[train])) < 2:
        raise InputError(
            f"validation_fraction={fraction!r} of {len(codes)} rows, drawn by random_state, leaves "
            "rows of one class only to learn from: hold out less, or pass more rows of each class."
        )
    return np.sort(in_play[train]), np.sort(in_play[chosen])


def own_validation(
    eval_set: Any,
    classes: np.ndarray,
    fit_intercept: bool,
    check: Callable[[Any], Any],
    names: Any = None,
) -> Validation:
    """A user's ``eval_set=(X_val, y_val)``, checked against the classes of the training data.

    Parameters
    ----------
    eval_set : tuple
    classes : ndarray
    fit_intercept : bool
    check : callable
        Makes rows of X_val, or refuses it.
    names : array of str, optional
        Of the features.
    """
    if not (isinstance(eval_set, (tuple, list)) and len(eval_set) == 2):
        raise InputError(
            f"eval_set must be a pair (X_val, y_val), got {type(eval_set).__name__}"
            f"{f' of length {len(eval_set)}' if isinstance(eval_set, (tuple, list)) else ''}."
        )
    X = check(eval_set[0])
    y = read_labels(in_numpy(eval_set[1], "y_val"))
    if len(y) != X.shape[0]:
        raise InputError(
            f"eval_set must have a label for each row: X_val has {X.shape[0]} rows, y_val {len(y)}."
        )
    codes, known = found_among(classes, y)
    if not known.all():
        at = int(np.argmin(known))
        raise InputError(
            f"eval_set has the label {y[at : at + 1].tolist()[0]!r} at row {at}, which is not "
            f"among the classes of y, {listed(classes)}."
        )
    points = make_points(X, codes, fit_intercept=fit_intercept)
    try:
        check_finite(points, names)
    except InputError as refusal:
        raise InputError(f"eval_set: {refusal}") from None
    return Validation(points, codes, np.arange(len(y)))
