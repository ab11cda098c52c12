"""What a user has, as rows and outcomes: formulas, models of statsmodels, frames with categories.

Nothing is imported that was not given: formulaic where there is a formula, narwhals for frames; of
a statsmodels model only the attributes are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.solve.separation.models import CONSTANTS, CONTESTS

# Columns beyond which a design of indicators is kept sparse.
DENSE = 50
# Options that may be the name of a column of the data.
COLUMNS = ("sample_weight", "trials", "offset", "event", "entry", "strata", "groups")
# What R writes on the left of a formula, and on the right beside terms.
LEFT = re.compile(r"(?P<what>cbind|Surv)\s*\((?P<columns>.+)\)$")
RIGHT = re.compile(r"\+\s*(?P<what>strata|offset)\s*\((?P<columns>(?:[^()]|\([^()]*\))+)\)")
# What formulaic colours in its errors.
COLOURS = re.compile("\x1b?⧛?\\[[0-9;]*m⧚?")
# Classes of statsmodels, and of its links, as models.
CLASSES = {
    "Logit": "logit",
    "Probit": "probit",
    "MNLogit": "multinomial",
    "OrderedModel": "ordinal",
    "Poisson": "poisson",
    "GeneralizedPoisson": "poisson",
    "NegativeBinomial": "poisson",
    "NegativeBinomialP": "poisson",
    "PHReg": "cox",
    "ConditionalLogit": "conditional",
}
LINKS = {
    "logit": "logit",
    "probit": "probit",
    "cloglog": "cloglog",
    "loglog": "loglog",
    "cauchy": "cauchit",
    "log": "log-binomial",
}
COUNTS = ("Poisson", "NegativeBinomial", "Tweedie")


class Opened(NamedTuple):
    """Rows, outcomes and options, as `models.design_of` takes them."""

    X: Any
    y: Any
    options: dict[str, Any]


def opened(X: Any, y: Any, options: dict[str, Any]) -> Opened:
    """Read a formula with its data, a statsmodels model or its results, or rows and outcomes."""
    if isinstance(X, str):
        return of_formula(X, y, options)
    model = getattr(X, "model", X)  # of results
    if hasattr(model, "endog") and hasattr(model, "exog"):
        if model.endog is None or model.exog is None:
            raise InputError("the data of this model were removed: make it again from them.")
        if getattr(X, "constraints", None) is not None:
            raise InputError("these results are of constrained coefficients: pass the model.")
        if y is not None:
            raise InputError("a model holds its outcomes: leave y out.")
        return of_model(model, options)
    if y is None:
        raise InputError(
            "pass X and y, a formula and its data ('y ~ a + b', data), or a statsmodels model; got "
            f"{type(X).__name__} alone."
        )
    return of_frame(X, y, options)


def of_formula(formula: str, data: Any, options: dict[str, Any]) -> Opened:
    """A formula and the frame that it speaks of; options may name columns of it.

    Examples
    --------
    >>> import pandas as pd
    >>> trial = pd.DataFrame({"ill": [0, 1, 1], "drug": ["a", "b", "c"], "age": [30, 40, 50]})
    >>> of_formula("ill ~ drug + age", trial, {}).options["names"]
    ('Intercept', 'drug[b]', 'drug[c]', 'age')
    """
    try:
        import formulaic  # type: ignore[import-not-found]
    except ImportError:
        raise InputError(
            'a formula needs the package formulaic: pip install "rosenblatt[formula]". Or pass the '
            "design matrix and the outcomes."
        ) from None
    left, tilde, right = map(str.strip, formula.partition("~"))
    if data is None or not tilde or not left or not right:
        raise InputError(
            "a formula, in place of X, has an outcome and terms, and comes with its data: "
            f"separation_kind('y ~ a + b', data); got {formula!r}."
        )
    frame = _pandas(data)
    own: dict[str, Any] = {}
    outcomes = _split(left, "+")  # two of them are successes and failures, as in statsmodels
    if (R := LEFT.match(left)) is not None:
        outcomes = _split(R["columns"], ",")
        if R["what"] == "Surv":
            if options.get("model") not in (None, "cox"):
                raise InputError(f"Surv(...) is of a Cox model, not {options['model']}.")
            own["model"] = "cox"
            if len(outcomes) == 3:
                own["entry"] = outcomes.pop(0)
    right = RIGHT.sub(lambda found: _beside(found, own), f"+ {right}").removeprefix("+ ").strip()
    right, *absorbed = _split(right, "|")
    if len(absorbed) > 1:
        raise InputError(f"fixed effects stand after one bar, 'y ~ x | a + b'; got {formula!r}.")

    def values(of: str) -> Any:
        if of.strip("`") in frame.columns:
            return frame[of.strip("`")]
        found = formulaic.model_matrix(f"0 + I({of})", frame, na_action="raise")
        if found.shape[1] != 1:
            raise InputError(f"{of} is not one column")
        return np.asarray(found)[:, 0]

    try:
        for effect in _split(absorbed[0], "+") if absorbed else ():
            columns = [column.strip("`") for column in _split(effect, "^")]
            if len(columns) > 1:  # each pair of levels is a level, as fixest has it
                levels = _together(frame, columns, "fixed effect")
                frame = frame.assign(**{effect: levels})
                effect = f"`{effect}`"
            right += f" + {effect}" if effect.startswith("C(") else f" + C({effect})"
        outcome: Any = [values(one) for one in outcomes]
        outcome = outcome[0] if len(outcome) == 1 else np.column_stack(outcome)
        for name in ("offset", "entry"):
            if name in own:
                own[name] = values(own[name])
        matrix = formulaic.model_matrix(right or "1", frame, na_action="raise", output="sparse")
    except Exception as error:  # of many kinds: from formulaic, and from what a formula calls
        cause = COLOURS.sub("", str(error.__cause__ or error)).split("\n")[0].rstrip(".")
        if "null values" in cause:
            cause += "; leave such rows out first, for example data.dropna(subset=[...])"
        raise InputError(f"the formula {formula!r} cannot be read: {cause}.") from error
    for name, value in own.items():
        if name != "model" and options.get(name) is not None:
            raise InputError(f"the formula says {name}: leave {name}= out.")
        options = {**options, name: value}
    spec: Any = matrix.model_spec
    named = [re.sub(r"\[T\.", "[", name) for name in spec.column_names]
    names = [re.sub(r"C\(`?([^()`]+)`?\)\[", r"\1[", name) for name in named]
    kept = list(range(len(names)))
    if options.get("model") in (*CONTESTS, "ordinal"):  # which have no intercept
        kept = [j for j in kept if names[j] not in CONSTANTS]
    rows = matrix.tocsr()[:, kept]
    own = {"names": tuple(names[j] for j in kept), "references": _references(names, frame)}
    if not any(name in CONSTANTS for name in names):
        own["fit_intercept"] = False  # the formula says so
    for name in COLUMNS:
        given = options.get(name)
        if isinstance(given, str):
            own[name] = _column_of(frame, given, name).to_numpy()
        elif name in ("strata", "groups") and _is_names(given):
            own[name] = _together(frame, given, name).to_numpy()
    return Opened(_like(rows), outcome, {**options, **own})


def _split(text: str, at: str) -> list[str]:
    """The parts of a formula between such characters, outside brackets and quotes.

    Examples
    --------
    >>> _split("won, tried - won", ","), _split("`a + b` + log(c + d)", "+")
    (['won', 'tried - won'], ['`a + b`', 'log(c + d)'])
    """
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "`'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
        if letter == at and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _together(frame: Any, columns: Sequence[str], name: str) -> Any:
    """One label for each combination of values; missing where one is."""
    values = [_column_of(frame, column, name) for column in columns]
    texts = [value.astype(str).where(value.notna()) for value in values]
    return sum(("^" + text for text in texts[1:]), texts[0])


def _beside(found: re.Match[str], own: dict[str, Any]) -> str:
    """Take strata(a, b) or offset(a) out of a formula, as options."""
    columns = [one.strip() for one in found["columns"].split(",")]
    own[found["what"]] = columns if found["what"] == "strata" else found["columns"].strip()
    return ""


def _references(names: Sequence[str], frame: Any) -> dict[str, str]:
    """Of columns in indicators, such as drug[b]: the one level that has none."""
    kept: dict[str, set[str]] = {}
    for name in names:
        factor, bracket, level = name.partition("[")
        if bracket and factor in frame.columns:
            kept.setdefault(factor, set()).add(level.removesuffix("]"))
    left = {factor: {*map(str, frame[factor].unique())} - kept[factor] for factor in kept}
    return {factor: levels.pop() for factor, levels in left.items() if len(levels) == 1}


def _column_of(frame: Any, column: str, name: str) -> Any:
    if column not in frame.columns:
        raise InputError(
            f"{name}={column!r} is no column of the data, which has {', '.join(frame.columns)}."
        )
    return frame[column]


def _is_names(given: Any) -> TypeGuard[Sequence[str]]:
    return isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given)


def _pandas(data: Any) -> Any:
    """A frame of any library as one of pandas, which formulaic needs anyway."""
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, dict):
        return pd.DataFrame(data)
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(f"a formula needs a frame of named columns, got {type(data).__name__}.")
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if _is_category(column.dtype, nw):
            columns[name] = pd.Categorical(column.to_list(), categories=_order(column, nw))
        else:
            columns[name] = column.to_list() if column.dtype == nw.String else column.to_numpy()
    return pd.DataFrame(columns)


def _order(column: Any, nw: Any) -> list[Any] | None:
    """The categories in their own order, where they have one."""
    if column.dtype == nw.Enum:
        return list(column.dtype.categories)
    own = getattr(getattr(column.to_native(), "cat", None), "categories", None)  # of pandas
    return None if own is None else list(own)


def _is_category(dtype: Any, nw: Any) -> bool:
    return dtype == nw.Categorical or dtype == nw.Enum


def _is_text(column: Any, nw: Any) -> bool:
    if column.dtype == nw.Object:
        return all(isinstance(value, str) for value in column.to_list())
    return column.dtype == nw.String


def _like(rows: Any) -> Any:
    """Few columns as a dense matrix."""
    return rows.toarray() if rows.shape[1] <= DENSE else rows


def of_frame(X: Any, y: Any, options: dict[str, Any]) -> Opened:
    """A frame whose columns of text and categories become indicators of all levels but the first.

    Examples
    --------
    >>> import pandas as pd
    >>> of_frame(pd.DataFrame({"size": ["s", "l", "m"]}), [0, 1, 1], {}).options["names"]
    ('size[m]', 'size[s]')
    """
    if not hasattr(type(X), "columns") or hasattr(X, "design_info") or hasattr(X, "model_spec"):
        return Opened(X, y, options)
    import narwhals as nw

    try:
        frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:  # which is said where names are checked
        return Opened(X, y, options)
    if not isinstance(frame, nw.DataFrame):
        return Opened(X, y, options)
    own: Any = options.get("names")
    names = list(map(str, frame.columns if own is None else own))
    columns = dict(zip(names, frame.iter_columns(), strict=False))
    texts = [
        name
        for name, column in columns.items()
        if _is_text(column, nw) or _is_category(column.dtype, nw)
    ]
    known = frame.implementation.is_pandas() or frame.implementation.is_polars()
    if (not texts and known) or not len(frame.columns) == len(names) == len(columns):
        return Opened(X, y, options)
    from scipy import sparse

    # Without a constant, the levels of one column may all stay.
    constant = options.get("fit_intercept", True) or options.get("model") in (*CONTESTS, "ordinal")
    whole = None if constant or any(n in CONSTANTS for n in names) else next(iter(texts), None)
    parts, kept, references = [], [], {}
    for name, column in columns.items():
        if name not in texts:
            parts.append(sparse.csc_array(np.asarray(column.to_numpy(), float)[:, None]))
            kept.append(name)
            continue
        levels, codes = _levels(column, name, nw)
        first = 0 if name == whole else 1
        if first:
            references[name] = str(levels[0])
        at = np.flatnonzero(codes >= first)
        shape = (len(codes), len(levels) - first)
        parts.append(sparse.csc_array((np.ones(len(at)), (at, codes[at] - first)), shape=shape))
        kept += [f"{name}[{level}]" for level in levels[first:]]
    rows = sparse.hstack(parts, format="csr")
    return Opened(_like(rows), y, {**options, "names": tuple(kept), "references": references})


def _levels(column: Any, name: str, nw: Any) -> tuple[list[Any], np.ndarray]:
    """The levels that occur, in the order of a category or sorted, and each row's place in them."""
    values = column.to_list()
    missing = [row for row, value in enumerate(values) if value is None or value != value]
    if missing:
        raise InputError(f"column {name!r} lacks a value in row {missing[0]}; drop or fill it.")
    there = set(values)
    levels = [level for level in _order(column, nw) or sorted(there, key=str) if level in there]
    places = {level: at for at, level in enumerate(levels)}
    return levels, np.array([places[value] for value in values], dtype=np.intp)


def of_model(model: Any, options: dict[str, Any]) -> Opened:
    """A model of statsmodels: its design, its names, weights and offset."""
    given = {
        name: value
        for name, value in options.items()
        if value is not None and not (name == "fit_intercept" and value is True)
    }
    given.pop("time_limit", None)
    if given:
        raise InputError(f"a model says all but time_limit itself: leave {', '.join(given)} out.")
    kind = type(model).__name__
    options = {**options, "fit_intercept": False, "names": _names_of(model)}
    y: Any = np.asarray(model.endog)
    if kind == "GLM":
        options["model"] = _generalised(model)
        if type(model.family).__name__ == "Binomial":
            y = _binomial(model, y)
        options["sample_weight"] = _unless_all_one(model.iweights)
    elif kind in CLASSES:
        options["model"] = CLASSES[kind]
    else:
        raise InputError(
            f"{kind} is no model that separation_kind knows; of statsmodels it knows GLM, "
            f"{', '.join(CLASSES)}. Pass its design and outcomes: "
            "separation_kind(model.exog, model.endog, model=...)."
        )
    both = [getattr(model, name, None) for name in ("offset", "exposure")]  # the latter in logs
    added = [np.asarray(found, dtype=float) for found in both if found is not None]
    options["offset"] = sum(added) if added else None
    if kind == "OrderedModel":
        labels = list(model.labels)
        y, options["order"] = np.asarray(labels)[y.astype(int)], labels
    if kind == "MNLogit":
        y, labels = _classes(model, y.astype(int))
        options["baseline"] = labels[0]
    if kind == "PHReg":
        options["event"] = np.asarray(model.status)
        if model.entry is not None:  # statsmodels counts who enters at an event as at risk then
            options["entry"] = np.nextafter(np.asarray(model.entry, dtype=float), -np.inf)
        if model.strata is not None:
            options["strata"] = np.asarray(model.strata)
    if kind == "ConditionalLogit":
        options["groups"] = np.asarray(model.groups)
    return Opened(np.asarray(model.exog), y, options)


def _names_of(model: Any) -> tuple[str, ...]:
    """The names of the columns; an ordered model lists its thresholds after them."""
    return tuple(map(str, model.exog_names))[: model.exog.shape[1]]


def _classes(model: Any, codes: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """The classes of rows as they were given, where statsmodels keeps that, and their list."""
    given = np.asarray(model.data.orig_endog).ravel()
    if given.shape != codes.shape:
        return codes, list(range(model.J))
    labels = [given[np.argmax(codes == k)] for k in range(model.J)]
    if all(isinstance(label, (float, np.floating)) and label.is_integer() for label in labels):
        labels = list(map(int, labels))
    return np.array(labels)[codes], labels


def _generalised(model: Any) -> str:
    family, link = type(model.family).__name__, type(model.family.link).__name__.lower()
    if family == "Binomial" and link in LINKS:
        return LINKS[link]
    if family in COUNTS and link == "log":
        return "poisson"
    raise InputError(
        f"separation_kind knows GLM of Binomial with the links {', '.join(LINKS)}, and of "
        f"{', '.join(COUNTS)} with the link log; not {family} with {link}."
    )


def _binomial(model: Any, y: np.ndarray) -> np.ndarray:
    """Outcomes 0 and 1 as they are; shares as successes and failures."""
    if np.isin(y, (0, 1)).all() and (np.asarray(model.n_trials) == 1).all():
        return y.astype(int)
    trials = np.asarray(model.n_trials, dtype=float)
    return np.column_stack([y * trials, (1 - y) * trials])


def _unless_all_one(weights: Any) -> np.ndarray | None:
    return None if np.ndim(weights) == 0 or (weights == 1).all() else np.asarray(weights)
