"""The limiting model: what the likelihood approaches, on the rows and columns that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.solve.separation.models import CONSTANTS, LOG

if TYPE_CHECKING:
    from rosenblatt.solve.separation.answer import SeparationKind

LINKS = {
    "probit": "Probit",
    "cloglog": "CLogLog",
    "loglog": "LogLog",
    "cauchit": "Cauchy",
    "log-binomial": "Log",
}


@dataclass(frozen=True, eq=False)
class Limit:
    """The data of the limiting model, as statsmodels takes them.

    Attributes
    ----------
    rows : ndarray of int
        Of the data: those that are not separated.
    exog : DataFrame
        The columns that are independent on them, with the constant where the model has one.
    endog : ndarray
        Outcomes: 0 and 1, counts, times, or for groups of trials successes and failures.
    freq_weights, offset, status, entry, strata, groups : ndarray or None
        What belongs to these rows. The strata of a Cox model, and the groups of a conditional one,
        are divided further: by who keeps up with whom (``result.strata``).

    Examples
    --------
    >>> from rosenblatt import separation_kind
    >>> result = separation_kind([[0.0, 1], [0, 2], [1, 3], [0, 4]], [3, 0, 0, 1], model="poisson")
    >>> limit = result.limit
    >>> limit.rows, list(limit.exog), limit.endog
    (array([0, 1, 3]), ['x1', 'intercept'], array([3., 0., 1.]))
    """

    rows: np.ndarray
    exog: Any
    endog: np.ndarray
    freq_weights: np.ndarray | None = None
    offset: np.ndarray | None = None
    status: np.ndarray | None = None
    entry: np.ndarray | None = None
    strata: np.ndarray | None = None
    groups: np.ndarray | None = None


def limit_of(result: SeparationKind, options: dict[str, Any]) -> Limit:
    """The limiting model's data; refuses where there is none."""
    import pandas as pd

    why = _why_none(result)
    if why:
        raise InputError(why)
    design = result._design
    present, columns = result.limiting()
    rows = np.flatnonzero(present)
    at = np.searchsorted(design.present, rows)
    table = design.table[at]
    table = pd.DataFrame(
        table.toarray() if hasattr(table, "toarray") else np.asarray(table),
        columns=[name for name in design.features if name != "intercept" or not design.intercept],
    )
    exog = table[columns]
    if design.intercept:
        exog = exog.assign(intercept=1.0)
    parts: dict[str, Any] = {}
    for name in ("freq_weights", "offset"):
        given = options.get("sample_weight" if name == "freq_weights" else name)
        if given is not None:
            parts[name] = np.broadcast_to(np.asarray(given, dtype=float), present.shape)[rows]
    if design.compared is not None:
        contests = design.compared.contests
        strata, entry = result.strata[rows], contests.entry
        if result.model == "conditional":
            return Limit(rows, exog, contests.wins[at].astype(int), groups=strata, **parts)
        assert contests.time is not None
        parts |= {"status": contests.wins[at].astype(int), "strata": strata}
        return Limit(
            rows, exog, contests.time[at], entry=None if entry is None else entry[at], **parts
        )
    return Limit(rows, exog, design.outcomes[rows], **parts)


def _why_none(result: SeparationKind) -> str:
    """Why there is no limiting model to fit, if there is none."""
    from rosenblatt.solve.separation.answer import Kind

    if result.kind is not Kind.QUASI_COMPLETE:
        return f"a limiting model needs quasi-complete separation, not {result.kind}."
    if result.model in ("multinomial", "ordinal"):
        return (
            f"the limiting {result.model} model keeps some classes apart on some rows, which no "
            "regression does; result.limiting() has its rows and columns."
        )
    return ""


def step_of(result: SeparationKind) -> list[str]:
    """The limiting model in lines of Python that run; none where there is none to fit."""
    if _why_none(result):
        return []
    rows, columns = result.limiting()
    design = result._design
    constant = design.intercept or any(name in CONSTANTS for name in columns)
    if not rows.any() or not (columns or constant):
        return []
    given = result._options
    model = result.model
    more = [
        name
        for name, has in (("freq_weights", "sample_weight"), ("offset", "offset"))
        if given.get(has) is not None
    ]
    if model == "cox":
        more = [*(["entry"] if given.get("entry") is not None else []), *more[1:]]
        call, more = "sm.PHReg", ["status", "strata", *more]
    elif model == "conditional":
        call, more = "ConditionalLogit", ["groups"]
    elif model in LOG[:1]:
        call = "sm.GLM"
        more = ["family=sm.families.Poisson()", *more]
    elif model in ("logit", "probit") and "freq_weights" not in more and design.outcomes.ndim == 1:
        call = f"sm.{model.capitalize()}"
    else:
        link = f"sm.families.links.{LINKS[model]}()" if model in LINKS else ""
        call, more = "sm.GLM", [f"family=sm.families.Binomial({link})", *more]
    words = [word if "=" in word else f"{word}=limit.{word}" for word in more]
    source = (
        "from statsmodels.discrete.conditional_models import ConditionalLogit"
        if model == "conditional"
        else "import statsmodels.api as sm"
    )
    arguments = ", ".join(["limit.endog", "limit.exog", *words])
    return [
        "The limiting model, on the rows that are not separated, with standard errors:",
        f"  {source}",
        "  limit = result.limit",
        f"  print({call}({arguments}).fit().summary())",
    ]
