"""`separation_kind`: whether classes are separated, and which estimates exist."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.arguments import LABELS, NUMBER, NUMBERS, TEXT, checked, either, optional
from rosenblatt.solve.deadline import Deadline, OutOfTime
from rosenblatt.solve.separation.answer import Kind, SeparationKind
from rosenblatt.solve.separation.directions import Directions
from rosenblatt.solve.separation.doors import opened
from rosenblatt.solve.separation.models import Design, design_of
from rosenblatt.solve.separation.near_ties import near_tie


@checked(
    model=optional(TEXT),
    order=optional(LABELS),
    sample_weight=optional(either(either(NUMBER, NUMBERS), TEXT)),
)
def separation_kind(
    X: Any,
    y: Any = None,
    *,
    model: str | None = None,
    fit_intercept: bool = True,
    baseline: Any = None,
    positive: Any = None,
    order: Sequence[Any] | None = None,
    sample_weight: Any = None,
    names: Sequence[str] | None = None,
    trials: Any = None,
    offset: Any = None,
    event: Any = None,
    entry: Any = None,
    strata: Any = None,
    groups: Any = None,
    time_limit: float | None = None,
) -> SeparationKind:
    """Tell complete separation, quasi-complete separation and overlap apart, and prove it.

    Parameters
    ----------
    X : array, DataFrame, sparse matrix, formula or model
        The rows, of shape (n, d); every float counts as the rational number it is. Frames (pandas,
        Polars, pyarrow), patsy and formulaic matrices name the coefficients; columns of text and
        categories become indicators of all levels but the first. Or a formula, such as
        ``"y ~ dose + drug"`` (by formulaic), with its data as y; also with R's ``cbind(won, lost)``
        and ``Surv(time, died)``, strata(site), offset(size), and fixed effects after a bar. Or a
        model or result of statsmodels, alone: its own design, names, weights and offset count.
    y : array of shape (n,), or the frame of a formula
        Labels of two classes or more; counts, or other numbers from 0, of a Poisson model; times of
        a Cox model; successes, with ``trials``, or two columns of successes and failures.
    model : str, optional
        By default logit for two classes and multinomial for more. "logit", "probit", "cloglog",
        "loglog", "cauchit" and "log-binomial" are of two classes, and the coefficients of the
        positive one; "multinomial" of more; "ordinal" is cumulative, with one slope and ordered
        thresholds; "poisson" stands for every log link of counts (Poisson, also as a pseudo
        likelihood, negative binomial); "cox" is proportional hazards, with ties as Breslow or
        Efron have them; "conditional" is a logit within ``groups``.
    fit_intercept : bool
        Whether the regression has an intercept. A column of ones named Intercept or const is taken
        for it. The ordinal model has its thresholds instead; Cox and conditional models have none.
    baseline : label, optional
        Of the multinomial model; by default the first class. The kind does not depend on it.
    positive : label, optional
        Of models of two classes, the one that the coefficients are of; as for `rosenblatt.decide`.
    order : sequence of labels, optional
        Of the ordinal model; by default that of an ordered categorical, else the sorted one.
    sample_weight : array of shape (n,), optional
        Frequencies. Only whether they are 0 matters: such rows do not exist. With a formula, this
        and the following may be names of columns.
    names : sequence of str, optional
        Of the columns; by default those that X has, or x0, x1, ….
    trials : number or array of shape (n,), optional
        Of grouped binomial data, where y counts the successes.
    offset : array of shape (n,), optional
        Checked and passed on to the limiting model; it changes no answer.
    event : array of shape (n,), optional
        Of a Cox model, whether the time is that of an event; by default all are.
    entry : array of shape (n,), optional
        Of a Cox model, when rows came under observation.
    strata : array of shape (n,), optional
        Of a Cox model; rows are compared within a stratum.
    groups : array of shape (n,)
        Of a conditional model; cases are compared with controls of their group.
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
    Estimates (coefficients of class 'well' against 'ill'):
      age        finite
      drug       +∞
      intercept  finite
    Levels with one outcome only: drug (well)
    Separated rows (1): 5
    The likelihood of a logistic regression has no maximum: ...
    >>> result.coefficients["age"]
    Estimate.FINITE
    """
    options = {
        "model": model,
        "fit_intercept": fit_intercept,
        "baseline": baseline,
        "positive": positive,
        "order": order,
        "sample_weight": sample_weight,
        "names": names,
        "trials": trials,
        "offset": offset,
        "event": event,
        "entry": entry,
        "strata": strata,
        "groups": groups,
    }

    def again(X: Any, y: Any = None) -> Design:
        found = opened(X, y, options)
        return design_of(found.X, found.y, **found.options)

    found = opened(X, y, options)
    design = design_of(found.X, found.y, **found.options)
    directions = Directions(design, Deadline(time_limit))
    own = {"names": design.names, "_directions": directions, "_options": found.options}
    answer = partial(SeparationKind, **own, _again=again)
    none: dict[str, Any] = dict.fromkeys(("separation", "inseparability", "recession", "near_tie"))
    try:
        proof = directions.decide()
    except OutOfTime:
        nobody = np.zeros(design.n, dtype=bool)
        return answer(kind=Kind.UNDECIDED, strict=nobody, **none)
    kind = (
        Kind.COMPLETE
        if directions.complete()
        else Kind.OVERLAP
        if directions.ray is None
        else Kind.QUASI_COMPLETE
    )
    proofs = {**none, **directions.proofs(proof)}
    if kind is Kind.OVERLAP:
        proofs["near_tie"] = near_tie(directions.design.constraints, directions.timer.left())
    return answer(kind=kind, strict=directions.strict_rows(), **proofs)
