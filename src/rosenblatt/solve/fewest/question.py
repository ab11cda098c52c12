"""`fewest_errors`: ask how few training errors any linear classifier makes."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import listed
from rosenblatt.data.positive import positive_code
from rosenblatt.data.room import check_room
from rosenblatt.engine.points import make_points
from rosenblatt.errors import InputError
from rosenblatt.places.parts import Labelled
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import ErrorBracket
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.deadline import Deadline
from rosenblatt.solve.fewest.answer import Ending, FewestErrors, FewestProgress
from rosenblatt.solve.fewest.search import Bracketing

# Costs are whole numbers below this.
LARGEST_COST = 2**62


@checked()
def fewest_errors(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    multiclass: str = "native",
    positive: Any = None,
    time_limit: float | None = 60.0,
    progress: Callable[[FewestProgress], None] | None = None,
) -> FewestErrors:
    """Bracket the fewest training errors of any linear classifier, and prove both ends.

    Finding that number is NP-hard, so the answer is a bracket that narrows while the search runs,
    and is exact where the two ends meet.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows, in memory; every float counts as the rational number it is.
    y : array of shape (n,)
        Labels of any kind.
    sample_weight : array of shape (n,), optional
        What an error on each row weighs, each taken as the decimal that prints it; rows of weight
        0 do not exist.
    fit_intercept : bool
        Whether a hyperplane may miss the origin.
    multiclass : {"native", "ovr"}
        With more than two classes: one weight vector for each class, an error where a row's own
        class does not score highest; or each class against the rest.
    positive : label, optional
        Which of two classes the weights are to score above 0; as for `rosenblatt.decide`.
    time_limit : float or None
        Seconds; None searches until the answer is exact, which may take for ever. Ctrl-C ends the
        search with the bracket so far.
    progress : callable, optional
        Sees a `FewestProgress` now and then.

    Returns
    -------
    FewestErrors

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> result = rb.fewest_errors(X, ["even", "even", "odd", "odd"])
    >>> result.lower, result.upper, len(result.rows)
    (1, 1, 1)
    >>> print(result.verify(X, ["even", "even", "odd", "odd"]).reason)
    the weights are right on all rows but 1, at a cost of 1; 1 subset of rows that cannot all be
    right proves that errors cost at least 1
    """
    if multiclass not in ("native", "ovr"):
        raise InputError(f"multiclass must be 'native' or 'ovr', got {multiclass!r}.")
    _require_in_memory(X)
    data = Labelled.checked(X, y)
    check_room(data.X.shape[1], X=data.X)
    check_finite(make_points(data.X, data.codes, fit_intercept=fit_intercept))
    costs, unit = _costs(sample_weight, len(data.codes))
    code = positive_code(data.classes, positive)
    if len(data.classes) == 2 or multiclass == "native":
        found = _bracket(data, costs, unit, fit_intercept, time_limit, progress)
        return found if len(data.classes) > 2 else found.facing(data.classes[code])
    deadline, parts = Deadline(time_limit), {}
    for k, name in enumerate(listed(data.classes)):
        share = max(deadline.left() / (len(data.classes) - k), 1e-3)
        part = data.against_rest(k)
        parts[name] = _bracket(part, costs, unit, fit_intercept, share, progress)
        if parts[name].ending is Ending.INTERRUPTED:
            break
    return _together(parts, deadline.spent())


def _require_in_memory(X: Any) -> None:
    elsewhere = isinstance(X, (str, bytes, os.PathLike)) or hasattr(X, "dask")
    if elsewhere or (hasattr(X, "read") and not hasattr(X, "shape")):
        raise InputError(
            f"fewest_errors needs all rows in memory, got a {type(X).__name__}. Read them first, "
            "for example X, y = rosenblatt.readers.read(path), or ask it of a sample of the rows."
        )


def _costs(sample_weight: Any, n: int) -> tuple[np.ndarray | None, Fraction]:
    """Weights as whole numbers and their unit; None where all are 1."""
    if sample_weight is None:
        return None, Fraction(1)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise InputError(f"sample_weight must have shape ({n},), got {weights.shape}.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(
            f"sample_weight must be finite and not negative, got {weights[bad[0]]} at row {bad[0]}."
        )
    if not weights.any():
        raise InputError("every sample_weight is 0: no row is left.")
    # A weight is meant as the decimal that is written, 0.1 as one tenth.
    decimals = [Fraction(repr(weight)) for weight in weights.tolist()]
    costs = exact.primitive(decimals)
    if max(costs) >= LARGEST_COST:
        raise InputError(
            "sample_weight has too many digits to be counted exactly; round it, for example with "
            "np.round(sample_weight / np.max(sample_weight), 6)."
        )
    unit = next(w / c for w, c in zip(decimals, costs, strict=True) if c)
    return np.array(costs, dtype=np.int64), unit


def _bracket(
    data: Labelled,
    costs: np.ndarray | None,
    unit: Fraction,
    fit_intercept: bool,
    time_limit: float | None,
    progress: Callable[[FewestProgress], None] | None,
) -> FewestErrors:
    deadline = Deadline(time_limit)
    present = np.arange(len(data.codes)) if costs is None else np.flatnonzero(costs)
    complete = len(present) == len(data.codes)
    X, codes = (data.X, data.codes) if complete else (data.X[present], data.codes[present])
    constraints = Constraints(X, codes, len(data.classes), fit_intercept)
    worth = np.ones(len(present), dtype=np.int64) if costs is None else costs[present]
    search = Bracketing(constraints, worth, deadline, _told(progress, unit, deadline))
    ending = search.run()
    found = search.proof()
    proof = ErrorBracket.of(
        data.X,
        data.y,
        weights=found.weights
        if constraints.binary
        else found.weights.reshape(constraints.blocks, -1),
        subsets=[(present[s.points], s.alpha, s.rivals) for s in found.subsets],
        proof=found.tree(present),
        costs=costs,
        unit=unit,
        witnesses={int(present[row]): at for row, at in found.witnesses.items()},
        fit_intercept=fit_intercept,
    )
    margins, _ = constraints.look(np.asarray(found.weights, dtype=float))
    place = np.searchsorted(present, proof.removed)
    lower, upper = _in_units(proof.lower, unit), _in_units(proof.upper, unit)
    return FewestErrors(
        lower=lower,
        upper=upper,
        rows=proof.removed[np.argsort(margins[place], kind="stable")],
        weights=proof.weights,
        certificate=proof,
        n=len(present),
        ending=ending,
        seconds=deadline.spent(),
    )


def _told(
    progress: Callable[[FewestProgress], None] | None, unit: Fraction, deadline: Deadline
) -> Callable[[int, int, int, int], None]:
    def tell(lower: int, upper: int, subsets: int, cases: int) -> None:
        if progress is not None:
            ends = _in_units(lower, unit), _in_units(upper, unit)
            progress(FewestProgress(*ends, subsets, cases, deadline.spent()))

    return tell


def _in_units(cost: int, unit: Fraction) -> float:
    """A cost in the user's weights: a whole number where it is one, else the nearest float."""
    value = cost * unit
    return int(value) if value.denominator == 1 else float(value)


def _together(parts: dict[Any, FewestErrors], seconds: float) -> FewestErrors:
    """The errors of all hyperplanes, each of one class against the rest."""
    answers = list(parts.values())
    order = (Ending.INTERRUPTED, Ending.TIME, Ending.DEPTH, Ending.EXACT)
    return FewestErrors(
        lower=sum(part.lower for part in answers),
        upper=sum(part.upper for part in answers),
        rows=np.unique(np.concatenate([part.rows for part in answers])),
        weights=np.array([part.weights for part in answers]),
        certificate=None,
        n=max(part.n for part in answers),
        ending=next(end for end in order if end in {part.ending for part in answers}),
        seconds=seconds,
        parts=parts,
    )
