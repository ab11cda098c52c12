"""The models whose estimates are asked about, each as rows aᵢ of one cone {z : Az ≥ 0}.

The likelihood of a model rises for ever along z exactly if Az ≥ 0 and Az ≠ 0:

- logit: aᵢ = ±(xᵢ, 1); so for every link F that rises strictly from 0 to 1, such as the probit, as
  log F(u) falls without bound if u does (Silvapulle 1981);
- multinomial, classes against a baseline: for each row and rival class k, (w_y − w_k)·(xᵢ, 1), with
  w = 0 for the baseline (Albert and Anderson 1984);
- ordinal, P(y ≤ j) = F(θ_j − β·x): θ_y − β·xᵢ and β·xᵢ − θ_{y−1}, the two thresholds next to the
  row's class. (log(F(u) − F(l)) falls without bound if u falls or l rises, for any F that is
  strictly increasing, such as the logistic function's.)
- a log link, of counts (Poisson, negative binomial) and of probabilities (log-binomial): −(xᵢ, 1)
  where y = 0, and ±(xᵢ, 1) where y > 0 (``log_link``);
- Cox and conditional logit: xᵢ − xⱼ for each winner i and rival j (``compared``).

Offsets add a constant to each score, which changes no direction; of frequencies, only which are 0
matters; and a group of trials is a row for its successes and one for its failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import is_number
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.data.labels import check_labels, is_missing, listed
from rosenblatt.data.positive import positive_code
from rosenblatt.data.room import check_room
from rosenblatt.data.weights import each_sample_weight
from rosenblatt.engine.points import make_points
from rosenblatt.errors import InputError
from rosenblatt.proof.contests import Contests
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.separation.compared import Compared
from rosenblatt.solve.separation.coordinates import Coordinates
from rosenblatt.solve.separation.log_link import relative

BINARY = ("logit", "probit", "cloglog", "loglog", "cauchit")
MODELS = (*BINARY, "multinomial", "ordinal", "poisson", "log-binomial", "cox", "conditional")
LOG = ("poisson", "log-binomial")
CONTESTS = ("cox", "conditional")
# Which models each option is about.
ABOUT = {
    "baseline": ("multinomial",),
    "positive": (*BINARY, "log-binomial", "conditional"),
    "order": ("ordinal",),
    "trials": (*BINARY, "log-binomial"),
    "event": ("cox",),
    "entry": ("cox",),
    "strata": ("cox",),
    "groups": ("conditional",),
}
# Cells of a dense system; larger ones are made sparse.
DENSE = 5_000_000
# What a design calls its own column of ones.
CONSTANTS = ("Intercept", "(Intercept)", "const", "intercept")


class Design(NamedTuple):
    """A model of data as a cone.

    Attributes
    ----------
    model : str
    constraints : Constraints
        The rows aᵢ; for models of two classes ±(x, 1), for others all of one sign, without a bias.
    X, y : matrix and labels
        What certificates speak of.
    owner : ndarray of int
        The row of the data that each aᵢ is about, or each aᵢ of ``of``.
    names : tuple of str
        Of the coefficients.
    about : str
        What the coefficients speak of.
    features : tuple of str
        Of the data's columns, and ``intercept`` where there is one.
    table : matrix
        The rows present, without the intercept.
    intercept : bool
        Whether an intercept was added to the columns.
    classes : ndarray
        Of the labels; for the ordinal model in their order.
    n : int
        Rows of the data, those of weight 0 included.
    present : ndarray of int
        The rows of the data that count: not of weight 0.
    code : int
        Of two classes, which the coefficients are of, 0 or 1.
    of : ndarray of int, optional
        The aᵢ that each entry of ``owner`` is about; by default one after the other.
    known : dict
        Rows that are known to combine to 0, with their factors.
    coordinates : Coordinates
        The coefficients by the cone's coordinates.
    sources : ndarray of int
        With a log link, the row of X that each aᵢ stands for; −1 for those of y > 0.
    scales : sequence
        What each aᵢ is multiplied by to give −(x, 1) of that row.
    compared : Compared, optional
        The pairs of rows, where the model compares them.
    outcomes : ndarray
        Of each row of the data, as regressions take them: 0 and 1, counts, successes and failures,
        or the code of its class.
    references : dict
        Of columns of text and categories, by name: the level that their indicators leave out.
    """

    model: str
    constraints: Constraints
    X: Any
    y: Any
    owner: np.ndarray
    names: tuple[str, ...]
    about: str
    features: tuple[str, ...]
    table: Any
    intercept: bool
    classes: np.ndarray
    n: int
    present: np.ndarray
    code: int = 1
    of: np.ndarray | None = None
    known: dict[int, int] = {}  # noqa: RUF012  (never changed)
    coordinates: Coordinates = Coordinates()
    sources: np.ndarray | None = None
    scales: Sequence[Any] = ()
    compared: Compared | None = None
    outcomes: np.ndarray = np.zeros(0)
    references: dict[str, str] = {}  # noqa: RUF012  (never changed)

    def facing(self, proof: Any) -> Any:
        """A certificate whose weights are the coefficients, rather than their negatives."""
        return proof if self.code else proof.facing(self.classes[0])

    def strict_rows(self, strict: np.ndarray) -> np.ndarray:
        """Which rows of the data have all their constraints among those."""
        rows = np.zeros(self.n, dtype=bool)
        rows[self.owner] = True
        met = strict if self.of is None else strict[self.of]
        rows[self.owner[~met]] = False
        return rows

    @property
    def is_binary(self) -> bool:
        """Whether the rows are those of two classes and a hyperplane."""
        return self.model in BINARY


def design_of(
    X: Any,
    y: Any,
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
    references: dict[str, str] | None = None,
) -> Design:
    """The design of a model; parameters are those of `separation_kind`, and `Design.references`."""
    options = {
        "baseline": baseline,
        "positive": positive,
        "order": order,
        "trials": trials,
        "event": event,
        "entry": entry,
        "strata": strata,
        "groups": groups,
    }
    rows = check_rows(X)
    n, d = rows.shape
    check_room(d, 2, rows)
    names = names_of(X, d) if names is None else tuple(map(str, names))
    if len(names) != d:
        raise InputError(f"names must be {d}, one for each column, got {len(names)}.")
    check_finite(make_points(rows, np.zeros(n, dtype=np.intp)), names)
    if offset is not None:
        _column(offset, "offset", n)
    outcome = _outcome(y, rows, model, options)
    model = outcome.model
    intercept = fit_intercept and model not in CONTESTS and not _has_own_constant(rows, names)
    present = np.arange(n)
    if sample_weight is not None:
        present = np.flatnonzero(each_sample_weight(sample_weight, n))
        if not len(present):
            raise InputError("sample_weight is 0 for every row: no row counts.")
    if outcome.values.ndim == 2:  # groups without a trial do not count, either
        present = present[np.isin(present, outcome.at)]
    features = (*names, "intercept") if intercept else names
    _check_names(features)
    data = Rows(rows, features, names, intercept, n, present)
    design = _of_model(data, outcome, options, sample_weight is not None, y)
    return design._replace(references=references or {})


def _of_model(
    data: Rows, outcome: Outcome, options: dict[str, Any], weighted: bool, y: Any
) -> Design:
    """The cone of the model."""
    rows, present, model = data.X, data.present, outcome.model
    if model in CONTESTS:
        return _compared(data, outcome, options)
    at, codes = outcome.at, outcome.codes
    if weighted:
        counts = np.isin(at, present)
        at, codes = at[counts], codes[counts]
        if model != "poisson" and len(np.unique(codes)) < len(np.unique(outcome.codes)):
            raise InputError("a class has no row of positive sample_weight; leave its label out.")
    same = np.array_equal(at, np.arange(data.n))
    data = data._replace(X=rows if same else rows[at], at=at, table=rows[present])
    if model in LOG:
        return _logarithmic(data, outcome, codes)._replace(outcomes=outcome.values)
    if model in BINARY:
        return _binary(data, outcome, codes)._replace(outcomes=outcome.values)
    if model == "multinomial":
        design = _multinomial(data, outcome, codes, options["baseline"])
        return design._replace(outcomes=outcome.codes)
    classes, whole = _ordered(outcome.classes, outcome.codes, options["order"], y)
    return _ordinal(data, outcome.model, classes, whole[at])._replace(outcomes=whole)


class Rows(NamedTuple):
    """Checked rows of a design and their names; ``at`` says which row of the data each is."""

    X: Any
    features: tuple[str, ...]
    names: tuple[str, ...]
    intercept: bool
    n: int
    present: np.ndarray
    at: np.ndarray = np.zeros(0, dtype=np.intp)
    table: Any = None


class Outcome(NamedTuple):
    """What is modelled: the model, and the class code of each row, or of each outcome of a row."""

    model: str
    at: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    code: int = 1
    about: str = ""
    time: np.ndarray | None = None
    values: np.ndarray = np.zeros(0)


def _outcome(y: Any, rows: Any, model: str | None, options: dict[str, Any]) -> Outcome:
    """Check y and what belongs to it, for the model asked about or the usual one."""
    n = rows.shape[0]
    if model is not None and model not in MODELS:
        raise InputError(f"model must be one of {', '.join(MODELS)}, got {model!r}.")
    if model == "poisson":
        _check_options(model, options)
        counts = _column(y, "y", n)
        if (counts < 0).any():
            row = int(np.argmax(counts < 0))
            raise InputError(
                "a Poisson model is of counts, or other numbers from 0; "
                f"y[{row}] is {counts[row]:g}."
            )
        about = "the log of the mean"
        codes = (counts > 0).astype(np.intp)
        both = np.array([False, True])
        return Outcome(model, np.arange(n), codes, both, 1, about, values=counts)
    if model == "cox":
        return _survival(y, n, options)
    table = np.asarray(in_numpy(y, "y")) if getattr(y, "ndim", 1) == 2 else None
    if options["trials"] is not None or (table is not None and table.shape[1:] == (2,)):
        return _grouped(y, table, n, model or "logit", options)
    classes, codes = check_labels(y, n)
    model = model or ("logit" if len(classes) == 2 else "multinomial")
    if model not in ("multinomial", "ordinal") and len(classes) != 2:
        instead = (
            "Ask model='multinomial', or model='ordinal' where they have an order."
            if model in BINARY
            else "Say which is meant by y == that."
        )
        raise InputError(f"a {model} model has two classes; y has {len(classes)}. {instead}")
    code = positive_code(classes, options["positive"])
    _check_options(model, options)
    baseline = options["baseline"]
    if baseline is not None and baseline not in listed(classes):
        raise InputError(f"baseline {baseline!r} is not among the classes {listed(classes)}.")
    if model in ("multinomial", "ordinal"):
        return Outcome(model, np.arange(n), codes, classes)
    labels = listed(classes)
    about = f"class {labels[code]!r} against {labels[1 - code]!r}"
    values = (codes == code).astype(int)
    return Outcome(model, np.arange(n), codes, classes, code, about, values=values)


def _grouped(y: Any, table: Any, n: int, model: str, options: dict[str, Any]) -> Outcome:
    """Successes of trials: each group is a row for its successes and one for its failures."""
    _check_options(model, {**options, "trials": 1})
    if options["positive"] is not None:
        raise InputError("positive is about labels; of successes and failures, success is.")
    if table is not None:
        if options["trials"] is not None:
            raise InputError("y has columns of successes and failures: leave trials out.")
        won, lost = _column(table[:, 0], "y", n), _column(table[:, 1], "y", n)
    else:
        trials = options["trials"]
        won = _column(y, "y", n)
        lost = _column(np.full(n, trials) if is_number(trials) else trials, "trials", n) - won
    wrong = (won < 0) | (lost < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"successes must be from 0 to the trials; row {row} has {won[row]:g} successes and "
            f"{lost[row]:g} failures."
        )
    at = np.concatenate([np.flatnonzero(lost > 0), np.flatnonzero(won > 0)])
    codes = (np.arange(len(at)) >= np.count_nonzero(lost > 0)).astype(np.intp)
    order = np.argsort(at, kind="stable")
    if not len(at):
        raise InputError("there are no trials.")
    about = "successes against failures"
    both, counts = np.array([False, True]), np.column_stack([won, lost])
    return Outcome(model, at[order], codes[order], both, 1, about, values=counts)


def _survival(y: Any, n: int, options: dict[str, Any]) -> Outcome:
    """Times, of which some are events: by ``event``, or as a second column of y."""
    _check_options("cox", options)
    table = np.asarray(in_numpy(y, "y")) if getattr(y, "ndim", 1) == 2 else None
    event = options["event"]
    if table is not None and table.shape[1] == 2:
        if event is not None:
            raise InputError("y has a column of times and one of events: leave event out.")
        y, event = table[:, 0], table[:, 1]
    time = _column(y, "y", n)
    events = np.ones(n) if event is None else _column(event, "event", n)
    odd = np.flatnonzero(~np.isin(events, (0, 1)))
    if len(odd):
        raise InputError(
            "event must be 1 or True where the event happened, else 0 or False; "
            f"event[{odd[0]}] is {events[odd[0]]:g}. Pass a comparison, such as status == 2."
        )
    codes = (events == 1).astype(np.intp)
    return Outcome("cox", np.arange(n), codes, np.array([False, True]), 1, "the log hazard", time)


def _column(values: Any, name: str, n: int) -> np.ndarray:
    """One finite number for each row."""
    try:
        found = np.asarray(in_numpy(values, name), dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from None
    found = found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
    if found.shape != (n,):
        raise InputError(f"{name} must have one number for each of the {n} rows.")
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise InputError(f"{name} must be finite numbers; {name}[{bad[0]}] is {found[bad[0]]}.")
    return found


def _codes(values: Any, name: str, n: int) -> np.ndarray:
    """The strata or groups of rows, as numbers; labels that differ are never merged."""
    if values is None:
        return np.zeros(n, dtype=np.intp)
    found = in_numpy(values, name)
    if isinstance(found, (list, tuple)):  # NumPy makes text of all beside text
        found = np.array(found, dtype=object)
    found = np.asarray(found)
    if found.ndim and found.dtype.kind in "fOMm":
        lacks = np.array([is_missing(label) for label in found.ravel()]).reshape(len(found), -1)
        if lacks.any():
            row = int(lacks.any(axis=1).argmax())
            raise InputError(f"{name} lacks a label in row {row}; drop or fill it.")
    if found.ndim not in (1, 2) or len(found) != n:
        raise InputError(f"{name} must have one label for each of the {n} rows.")
    # Several columns are those of R's strata(a, b).
    labels = map(tuple, found.reshape(n, -1).tolist())
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


def _compared(data: Rows, outcome: Outcome, options: dict[str, Any]) -> Design:
    """Events against all at risk, or cases against the controls of their group."""
    present, n, model = data.present, data.n, outcome.model
    rows = data.X if len(present) == n else data.X[present]
    wins = (outcome.codes == outcome.code)[present]
    if model == "conditional" and options["groups"] is None:
        raise InputError("a conditional logit needs groups, one label for each row.")
    within = "groups" if model == "conditional" else "strata"
    strata = _codes(options[within], within, n)[present]
    time = entry = None
    if outcome.time is not None:
        time = outcome.time[present]
        if options["entry"] is not None:
            entry = _column(options["entry"], "entry", n)
            late = np.flatnonzero(entry >= outcome.time)
            if len(late):
                raise InputError(f"entry must be before the time; row {late[0]} enters later.")
            entry = entry[present]
    compared = Compared.of(rows, Contests(wins, strata, time, entry))
    names = (data.names, outcome.about, data.names)
    parts = (compared.constraints(), compared.table(), wins, present, *names, rows, False)
    return Design(
        model,
        *parts,
        outcome.classes,
        n,
        present,
        known=compared.known,
        coordinates=compared.coordinates,
        compared=compared,
    )


def _logarithmic(data: Rows, outcome: Outcome, codes: np.ndarray) -> Design:
    """−(x, 1) where y = 0, in coordinates where (x, 1)·z = 0 wherever y > 0."""
    won = codes == outcome.code
    found = relative(data.X, won, data.intercept)
    owner = data.at[found.owner]
    names = (data.features, outcome.about, data.features)
    parts = (found.constraints, data.X, won, owner, *names, data.table, data.intercept)
    return Design(
        outcome.model,
        *parts,
        outcome.classes,
        data.n,
        data.present,
        of=found.of,
        known=found.known,
        coordinates=found.coordinates,
        sources=found.sources,
        scales=found.scales,
    )


def _binary(data: Rows, outcome: Outcome, codes: np.ndarray) -> Design:
    """±(x, 1)."""
    if (codes == codes[0]).all():
        only = "success" if codes[0] else "failure"
        raise InputError(f"each trial ended in {only}: there is nothing to compare it with.")
    constraints = Constraints(data.X, codes, 2, data.intercept)
    y = outcome.classes[codes]
    names = (data.features, outcome.about, data.features)
    parts = (constraints, data.X, y, data.at, *names, data.table, data.intercept, outcome.classes)
    return Design(outcome.model, *parts, data.n, data.present, outcome.code)


def names_of(X: Any, d: int) -> tuple[str, ...]:
    """The columns' names: of pandas, Polars, patsy and formulaic tables, else x0, x1, ….

    Examples
    --------
    >>> import pandas as pd
    >>> names_of(pd.DataFrame({"age": [1]}), 1), names_of([[1, 2]], 2)
    (('age',), ('x0', 'x1'))
    """
    for found in (
        getattr(getattr(X, "design_info", None), "column_names", None),
        getattr(X, "columns", None),
        getattr(getattr(X, "model_spec", None), "column_names", None),
    ):
        if found is not None and len(found) == d:
            return tuple(str(name) for name in found)
    return tuple(f"x{j}" for j in range(d))


def _check_options(model: str, options: dict[str, Any]) -> None:
    """Refuse options that the model does not have."""
    for name, models in ABOUT.items():
        if options[name] is not None and model not in models:
            one = f"the {models[0]} model" if len(models) == 1 else f"models {', '.join(models)}"
            raise InputError(f"{name} is about {one}, not {model}.")


def _has_own_constant(X: Any, names: tuple[str, ...]) -> bool:
    """Whether a column says that it is the intercept, and is constant."""
    for j, name in enumerate(names):
        if name in CONSTANTS:
            column = X[:, [j]]
            values = np.ravel(column.toarray() if hasattr(column, "toarray") else column)
            if values[0] != 0 and (values == values[0]).all():
                return True
    return False


def _check_names(features: tuple[str, ...]) -> None:
    """Refuse names that two coefficients would share."""
    places: dict[str, int] = {}
    for at, name in enumerate(features):
        first = places.setdefault(name, at)
        if first < at:
            other = f"column {at} is" if name != "intercept" else "the constant that is added is"
            raise InputError(
                f"Column {first} is called {name!r}, and {other}, too: rename one, or pass names=, "
                "one for each column."
            )


def _multinomial(data: Rows, outcome: Outcome, codes: np.ndarray, baseline: Any) -> Design:
    labels = listed(outcome.classes)
    first = labels[0] if baseline is None else baseline
    others = [k for k, label in enumerate(labels) if label != first]
    K, n = len(labels), len(codes)
    owner = np.repeat(np.arange(n), K - 1)
    rivals = np.array([[k for k in range(K) if k != own] for own in codes]).ravel()
    rows = _blocks(padded(data.X, data.intercept), owner, codes[owner], rivals, others)
    names = tuple(f"{labels[k]}:{name}" for k in others for name in data.features)
    about = f"each class against {first!r}"
    return _of_system(data, outcome.model, rows, owner, names, about, outcome.classes)


def _of_system(
    data: Rows,
    model: str,
    rows: Any,
    owner: np.ndarray,
    names: tuple[str, ...],
    about: str,
    classes: np.ndarray,
) -> Design:
    """The design of a model whose certificates speak of its system of rows."""
    constraints = Constraints(rows, np.ones(rows.shape[0], dtype=np.intp), 2, False)
    certified = np.ones(rows.shape[0], dtype=bool)
    parts = (constraints, rows, certified, data.at[owner], names, about, data.features, data.table)
    return Design(model, *parts, data.intercept, classes, data.n, data.present)


def padded(X: Any, intercept: bool) -> Any:
    """The rows with a last column of ones where there is an intercept."""
    from scipy import sparse

    if not intercept:
        return X
    ones = np.ones((X.shape[0], 1))
    if hasattr(X, "indptr"):
        return sparse.hstack([X, sparse.csr_array(ones)], format="csr")
    return np.column_stack([X, ones])


def _blocks(
    X: Any, owner: np.ndarray, own: np.ndarray, rivals: np.ndarray, others: list[int]
) -> Any:
    """Rows with +x in the block of the own class and −x in that of the rival."""
    from scipy import sparse

    parts = []
    whole = sparse.csr_array(X)[owner]
    for k in others:
        sign = (own == k).astype(float) - (rivals == k)
        parts.append(sparse.diags_array(sign) @ whole)
    return compact(sparse.hstack(parts, format="csr"), hasattr(X, "indptr"))


def compact(rows: Any, sparse_data: bool) -> Any:
    """CSR where the data is or a dense table would be large."""
    rows.eliminate_zeros()
    if sparse_data or rows.shape[0] * rows.shape[1] > DENSE:
        return rows
    return rows.toarray()


def _ordered(
    classes: np.ndarray, codes: np.ndarray, order: Sequence[Any] | None, y: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The classes in their order, and each row's place in it."""
    labels = listed(classes)
    kind = getattr(y, "dtype", None)
    if order is None and getattr(kind, "ordered", False):
        order = [label for label in kind.categories.tolist() if label in set(labels)]  # type: ignore[union-attr]
    if order is None:
        return classes, codes
    places = {label: at for at, label in enumerate(order)}
    if len(places) != len(order) or set(labels) - places.keys():
        raise InputError(f"order must name every class once; the classes are {labels}.")
    named = [label for label in order if label in set(labels)]
    rank = {label: at for at, label in enumerate(named)}
    return np.array(named), np.array([rank[label] for label in labels])[codes]


def _ordinal(data: Rows, model: str, classes: np.ndarray, codes: np.ndarray) -> Design:
    from scipy import sparse

    cuts = len(classes) - 1
    below, above = np.flatnonzero(codes < cuts), np.flatnonzero(codes > 0)
    owner = np.concatenate([below, above])
    sign = np.concatenate([-np.ones(len(below)), np.ones(len(above))])
    cut = np.concatenate([codes[below], codes[above] - 1])
    at = np.arange(len(owner))
    slopes = sparse.diags_array(sign) @ sparse.csr_array(data.X)[owner]
    thresholds = sparse.csr_array((-sign, (at, cut)), shape=(len(owner), cuts))
    rows = compact(sparse.hstack([slopes, thresholds], format="csr"), hasattr(data.X, "indptr"))
    named = listed(classes)
    names = (*data.names, *(f"{low}|{high}" for low, high in pairwise(named)))
    about = f"higher classes, in the order {named}"
    return _of_system(data, model, rows, owner, names, about, classes)
