"""`separation_kind`: ask how classes lie to each other, and whether estimates exist."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.kinds import LABELS, TEXT, checked, optional
from rosenblatt.proof.certificate import Inseparability, Overlap, Separation, WeakSeparation
from rosenblatt.solve.attempts import settle
from rosenblatt.solve.decision import Clock, decide
from rosenblatt.solve.search import OutOfTime, Search, Separator
from rosenblatt.solve.separation.answer import Kind, SeparationKind
from rosenblatt.solve.separation.cone import Cone, Timer
from rosenblatt.solve.separation.faces import Ray
from rosenblatt.solve.separation.models import Design, design_of
from rosenblatt.solve.separation.near_ties import near_tie


@checked(model=optional(TEXT), order=optional(LABELS))
def separation_kind(
    X: Any,
    y: Any,
    *,
    model: str | None = None,
    fit_intercept: bool = True,
    baseline: Any = None,
    positive: Any = None,
    order: Sequence[Any] | None = None,
    sample_weight: Any = None,
    names: Sequence[str] | None = None,
    time_limit: float | None = None,
) -> SeparationKind:
    """Tell complete separation, quasi-complete separation and overlap apart, and prove it.

    Parameters
    ----------
    X : array, DataFrame or sparse matrix of shape (n, d)
        The rows; every float counts as the rational number it is. DataFrames of pandas and Polars,
        patsy and formulaic matrices name the coefficients.
    y : array of shape (n,)
        Labels of two classes or more.
    model : {"logit", "multinomial", "ordinal"}, optional
        The regression: logistic (of two classes; the coefficients are those of the positive one),
        multinomial (of more), or cumulative with one slope and ordered thresholds. By default logit
        for two classes and multinomial for more.
    fit_intercept : bool
        Whether the regression has an intercept. A column of ones named Intercept or const is taken
        for it. The ordinal model has its thresholds instead.
    baseline : label, optional
        Of the multinomial model; by default the first class. The kind does not depend on it.
    positive : label, optional
        Of the logit model, the class that the coefficients are of; as for `rosenblatt.decide`.
    order : sequence of labels, optional
        Of the ordinal model; by default that of an ordered categorical, else the sorted one.
    sample_weight : array of shape (n,), optional
        Frequencies. Only whether they are 0 matters: such rows do not exist.
    names : sequence of str, optional
        Of the columns; by default those that X has, or x0, x1, ….
    time_limit : float, optional
        Seconds, for the kind and again for the coefficients when they are asked for.

    Returns
    -------
    SeparationKind

    Examples
    --------
    Nobody over 40 took the drug and stayed ill:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [30, 50, 60, 35, 45, 55], "drug": [0, 0, 0, 0, 0, 1]})
    >>> result = separation_kind(table, ["ill", "well", "ill", "well", "ill", "well"])
    >>> print(result)
    Quasi-complete separation: a hyperplane has 1 of 6 rows strictly on their sides and the
    others on itself.
    No finite estimate (coefficients of class 'well' against 'ill'):
      drug  +∞
    The likelihood has no maximum, although the classes are not separated. ...
    >>> result.coefficients["age"]
    Estimate.FINITE
    """
    again = partial(
        design_of,
        model=model,
        fit_intercept=fit_intercept,
        baseline=baseline,
        positive=positive,
        order=order,
        sample_weight=sample_weight,
        names=names,
    )
    design = again(X, y)
    goal = design.goal
    timer = Timer(time_limit)
    cone = Cone(goal, timer)
    nobody = np.zeros(design.n, dtype=bool)
    everyone = np.ones(goal.n, dtype=bool)
    rest = (design, cone)
    try:
        proof = _decided(design, timer.clock)
        if isinstance(proof, Separation):
            ray = Ray(proof.weights, everyone)
            strict = design.strict_rows(everyone)
            answer = (Kind.COMPLETE, design.facing(proof), None, strict, design.names, None)
            return SeparationKind(*answer, *rest, ray, again)
        ray = cone.reduce(dict(zip(proof.rows.tolist(), map(int, proof.alpha), strict=True)))
    except OutOfTime:
        answer = (Kind.UNDECIDED, None, None, nobody, design.names, None)
        return SeparationKind(*answer, *rest, None, again)
    shared: dict[str, Any] = {
        "fit_intercept": bool(goal.bias),
        "fingerprint": proof.fingerprint,
    }
    if ray is None:
        rows, alpha = list(cone.alpha), list(cone.alpha.values())
        overlap = design.facing(Overlap.of(design.X, design.y, rows, alpha, **shared))
        near = near_tie(goal, timer.clock.left())
        answer = (Kind.OVERLAP, None, overlap, nobody, design.names, near)
        return SeparationKind(*answer, *rest, None, again)
    weak = design.facing(WeakSeparation.of(design.X, design.y, ray.weights, **shared))
    strict = design.strict_rows(ray.strict)
    answer = (Kind.QUASI_COMPLETE, weak, design.facing(proof), strict, design.names, None)
    return SeparationKind(*answer, *rest, ray, again)


def _decided(design: Design, clock: Clock) -> Separation | Inseparability:
    """Whether all rows can be strict, by the usual decision or by its search alone."""
    goal = design.goal
    if design.model == "logit":
        intercept = bool(goal.bias)
        left = clock.left()
        how = {"fit_intercept": intercept, "positive": design.classes[1], "time_limit": left}
        proof = decide(design.X, design.y, **how).certificate
        if proof is None:
            raise OutOfTime
        return proof
    nowhere = np.zeros(goal.dimension)
    answer = settle(Search(goal, clock.left), nowhere, np.zeros(goal.n), separates=False)
    if isinstance(answer, Separator):
        return Separation.of(design.X, design.y, answer.weights, fit_intercept=False)
    rows, alpha = answer.points, answer.alpha
    return Inseparability.of(design.X, design.y, rows, alpha, fit_intercept=False)
