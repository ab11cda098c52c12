"""The limiting model: what the likelihood approaches, on the rows and columns that are left."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.labels import listed
from rosenblatt.errors import InputError
from rosenblatt.solve.separation.models import CONSTANTS, compact, padded

if TYPE_CHECKING:
    from rosenblatt.solve.separation.answer import SeparationKind

LINKS = {
    "probit": "Probit",
    "cloglog": "CLogLog",
    "loglog": "LogLog",
    "cauchit": "Cauchy",
    "log-binomial": "Log",
}
# What a limiting model is given of the options, by its own name.
GIVEN = {"freq_weights": "sample_weight", "offset": "offset"}
# Models of statsmodels that take no frequencies: rows are repeated.
UNWEIGHTED = ("cox", "conditional", "multinomial", "ordinal")
# Columns beyond which fixed effects are better absorbed.
WIDE = 200
ABSORBED = "  # or, absorbing fixed effects, as pyfixest does: data.iloc[limit.rows]"


@dataclass(frozen=True, eq=False)
class Limit:
    """The data of the limiting model, as statsmodels takes them.

    Attributes
    ----------
    rows : ndarray of int
        Of the data: those that are not separated; of a multinomial model once for each class.
    exog : DataFrame
        The columns that are independent on them, with the constant where the model has one.
    endog : ndarray
        Outcomes: 0 and 1, counts, times, codes of ordered classes, or for groups of trials
        successes and failures.
    freq_weights, offset, status, entry, strata, groups : ndarray or None
        What belongs to these rows. The strata of a Cox model, and the groups of a conditional one,
        are divided further: by who keeps up with whom (``result.strata``). Of a multinomial model
        each row is a group of the classes that are left for it.

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
    why = why_none(result)
    if why:
        raise InputError(why)
    design = result._design
    present, columns = result.limiting()
    rows = np.flatnonzero(present)
    parts: dict[str, Any] = {
        name: np.broadcast_to(np.asarray(options[has], dtype=float), present.shape)[rows]
        for name, has in GIVEN.items()
        if options.get(has) is not None
    }
    if result.model == "multinomial":
        return _of_choices(result, options)
    at = np.searchsorted(design.present, rows)
    width = len(design.features) - design.intercept
    exog = _frame(design.table[at], list(design.features[:width]))[columns]
    if design.intercept and result.model != "ordinal":
        exog = exog.assign(intercept=1.0)
    endog = design.outcomes[rows] if len(design.outcomes) else rows
    if design.compared is not None:
        contests = design.compared.contests
        won, entry = contests.wins[at].astype(int), contests.entry
        if result.model == "conditional":
            parts.pop("freq_weights", None)
            return Limit(rows, exog, won, groups=result.strata[rows], **parts)
        assert contests.time is not None
        parts |= {"status": won, "strata": result.strata[rows]}
        # statsmodels counts who enters at an event as at risk then.
        parts["entry"] = None if entry is None else np.nextafter(entry[at], np.inf)
        endog = contests.time[at]
    limit = Limit(rows, exog, endog, **parts)
    return _repeated(limit) if result.model in UNWEIGHTED else limit


def _frame(table: Any, names: list[str]) -> Any:
    """A table as a DataFrame; sparse columns stay so."""
    import pandas as pd

    if hasattr(table, "indptr"):
        return pd.DataFrame.sparse.from_spmatrix(table, columns=names)
    return pd.DataFrame(np.asarray(table), columns=names)


def _repeated(limit: Limit) -> Limit:
    """Each row as often as it occurs."""
    if limit.freq_weights is None:
        return limit
    times = limit.freq_weights.astype(int)
    every = np.repeat(np.arange(len(times)), times)
    longer: dict[str, Any] = {
        f.name: value[every]
        for f in fields(limit)
        if f.name != "exog" and (value := getattr(limit, f.name)) is not None
    }
    exog = limit.exog.iloc[every].reset_index(drop=True)
    return replace(limit, **{**longer, "exog": exog, "freq_weights": None})


def _of_choices(result: SeparationKind, options: dict[str, Any]) -> Limit:
    """A multinomial model as a choice among classes, of which some are ruled out for some rows.

    Each row is a group of all classes, of which its own is the case: a conditional logit, whose
    limit is without the classes that cannot keep up.
    """
    from scipy import sparse

    from rosenblatt.solve.separation.question import separation_kind

    design, labels = result._design, listed(result._design.classes)
    K, at = len(labels), np.arange(len(design.present))
    if options.get("sample_weight") is not None:
        weights = np.broadcast_to(np.asarray(options["sample_weight"], dtype=int), design.n)
        at = np.repeat(at, weights[design.present])
    rows, base = design.present[at], options.get("baseline")
    first = 0 if base is None else labels.index(base)
    blocks = np.delete(np.eye(K), first, axis=1)
    features = sparse.csr_array(padded(design.table[at], design.intercept))
    stacked = sparse.kron(sparse.csr_array(blocks), features, format="csr")
    chosen = separation_kind(
        compact(sparse.csr_array(stacked), hasattr(design.table, "indptr")),
        np.concatenate([design.outcomes[rows] == k for k in range(K)]),
        model="conditional",
        groups=np.tile(np.arange(len(at)), K),
        names=design.names,
    )
    return replace(chosen.limit, rows=np.tile(rows, K)[chosen.limit.rows])


def why_none(result: SeparationKind) -> str:
    """Why there is no limiting model to fit, if there is none."""
    from rosenblatt.solve.separation.answer import Kind

    if result.kind is not Kind.QUASI_COMPLETE:
        return f"a limiting model needs quasi-complete separation, not {result.kind}."
    design, model = result._design, result.model
    weights = result._options.get("sample_weight")
    if weights is not None and model in UNWEIGHTED:
        values = np.asarray(weights, dtype=float)
        if (values != np.rint(values)).any() or (model == "conditional" and (values > 1).any()):
            return f"statsmodels fits no {model} model with such weights; repeat its rows instead."
    if model == "multinomial" and result._options.get("offset") is not None:
        return "statsmodels fits no multinomial model with an offset."
    if model == "ordinal":
        ray = result._directions.ray
        assert ray is not None
        sides = np.bincount(design.owner, minlength=design.n)
        met = np.bincount(design.owner, ray.strict, design.n)
        if ((met > 0) & (met < sides)).any():
            return (
                "the limiting ordinal model keeps some rows from classes on one side only, which "
                "no regression does; result.limiting() has its rows and columns."
            )
    return ""


def step_of(result: SeparationKind) -> list[str]:
    """The limiting model in lines of Python that run; none where there is none to fit."""
    if why_none(result):
        return []
    rows, columns = result.limiting()
    design, given, model = result._design, result._options, result.model
    constant = model != "ordinal" and (
        design.intercept or any(name in CONSTANTS for name in columns)
    )
    if not rows.any() or not (columns or constant):
        return []
    weights, offset = (given.get(has) is not None for has in GIVEN.values())
    source, fit = "import statsmodels.api as sm", "fit()"
    words = ["offset"] if offset else []
    if model == "cox":
        entry = ["entry"] if given.get("entry") is not None else []
        call, words = "sm.PHReg", ["status", "strata", *entry, *words]
    elif model in ("conditional", "multinomial"):
        source = "from statsmodels.discrete.conditional_models import ConditionalLogit"
        call, words = "ConditionalLogit", ["groups", *words]
    elif model == "ordinal":
        source = "from statsmodels.miscmodels.ordinal_model import OrderedModel"
        call, fit = "OrderedModel", 'fit(method="bfgs", disp=0)'
        words = ['distr="logit"', *words]
    elif model in ("logit", "probit") and not weights and design.outcomes.ndim == 1:
        call = f"sm.{model.capitalize()}"
    else:
        link = f"sm.families.links.{LINKS[model]}()" if model in LINKS else ""
        family = "Poisson" if model == "poisson" else "Binomial"
        call = "sm.GLM"
        words = [f"family=sm.families.{family}({link})", *["freq_weights"][:weights], *words]
    words = [word if "=" in word else f"{word}=limit.{word}" for word in words]
    arguments = ", ".join(["limit.endog", "limit.exog", *words])
    many = [ABSORBED] if len(columns) > WIDE else []
    return [
        "The limiting model, on the rows that are not separated, with standard errors:",
        f"  {source}",
        "  limit = result.limit",
        *many,
        f"  print({call}({arguments}).{fit}.summary())",
    ]
