"""Validation data: rows held out of the training set, or a user's own. Imports ``checks``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.engine.points import Points, make_points
from rosenblatt.errors import InputError
from rosenblatt.fit.problem import Part, Problem


class Validation(NamedTuple):
    """Rows to measure the error on after each pass.

    Attributes
    ----------
    points : Points
        They are among these, which may be the training points.
    codes : ndarray
        The class code of each point.
    chosen : ndarray of int
        Which points they are.
    """

    points: Points
    codes: np.ndarray
    chosen: np.ndarray

    def part(self, part: Part | None) -> tuple[Points, np.ndarray] | None:
        """Those that a binary problem is about, with its signs; None if there are none."""
        if part is None:
            return self.points, self.chosen
        signs = part.signs(self.codes)
        chosen = self.chosen[signs[self.chosen] != 0]
        return (self.points._replace(y=signs), chosen) if len(chosen) else None


def hold_out(problem: Problem, fraction: float, rng: Any) -> tuple[Problem, Validation]:
    """Set validation rows aside, in equal class proportions where that is possible."""
    from sklearn.model_selection import train_test_split

    if not 0 < fraction < 1:
        raise InputError(f"validation_fraction must be a number between 0 and 1, got {fraction!r}.")
    codes = problem.codes[problem.everyone]
    if len(codes) < 2:
        raise InputError(
            f"early_stopping=True needs at least 2 rows in play to hold one out, got {len(codes)}."
        )
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    held = int(np.ceil(fraction * len(codes)))
    possible = counts.min() >= 2 and len(counts) <= held <= len(codes) - len(counts)
    train, chosen = train_test_split(
        problem.everyone,
        test_size=min(held, len(codes) - 1),
        random_state=rng,
        stratify=codes if possible else None,
    )
    kept = problem._replace(everyone=np.sort(train))
    return kept, Validation(problem.points, problem.codes, np.sort(chosen))


def own_validation(estimator: Any, eval_set: Any, classes: np.ndarray) -> Validation:
    """A user's ``eval_set=(X_val, y_val)``, checked against the classes of the training data."""
    if not (isinstance(eval_set, (tuple, list)) and len(eval_set) == 2):
        raise InputError(
            f"eval_set must be a pair (X_val, y_val), got {type(eval_set).__name__}"
            f"{f' of length {len(eval_set)}' if isinstance(eval_set, (tuple, list)) else ''}."
        )
    X = check_rows(estimator, eval_set[0], reset=False)
    y = np.asarray(eval_set[1]).ravel()
    if len(y) != X.shape[0]:
        raise InputError(
            f"eval_set must have a label for each row: X_val has {X.shape[0]} rows, y_val {len(y)}."
        )
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.intp)
    unknown = np.flatnonzero(classes[codes] != y)
    if len(unknown):
        at = int(unknown[0])
        raise InputError(
            f"eval_set has the label {y[at : at + 1].tolist()[0]!r} at row {at}, which is not "
            f"among the classes of y, {classes.tolist()}."
        )
    points = make_points(X, codes, fit_intercept=estimator.fit_intercept)
    try:
        check_finite(points, getattr(estimator, "feature_names_in_", None))
    except InputError as refusal:
        raise InputError(f"eval_set: {refusal}") from None
    return Validation(points, codes, np.arange(len(y)))
