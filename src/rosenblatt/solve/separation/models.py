"""The models whose estimates are asked about, each as rows aᵢ of one cone {z : Az ≥ 0}.

The likelihood of a model rises for ever along z exactly if Az ≥ 0 and Az ≠ 0:

- logit: aᵢ = ±(xᵢ, 1);
- multinomial, classes against a baseline: for each row and rival class k, (w_y − w_k)·(xᵢ, 1), with
  w = 0 for the baseline (Albert and Anderson 1984);
- ordinal, P(y ≤ j) = F(θ_j − β·x): θ_y − β·xᵢ and β·xᵢ − θ_{y−1}, the two thresholds next to the
  row's class. (log(F(u) − F(l)) falls without bound if u falls or l rises, for any F that is
  strictly increasing, such as the logistic function's.)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import listed
from rosenblatt.data.positive import positive_code
from rosenblatt.data.weights import each_sample_weight
from rosenblatt.engine.points import make_points
from rosenblatt.errors import InputError
from rosenblatt.places.parts import Labelled
from rosenblatt.solve.constraints import Constraints

MODELS = ("logit", "multinomial", "ordinal")
# Cells of a dense system; larger ones are made sparse.
DENSE = 5_000_000
# What a design calls its own column of ones.
CONSTANTS = ("Intercept", "(Intercept)", "const", "intercept")


class Design(NamedTuple):
    """A model of data as a cone.

    Attributes
    ----------
    model : str
    goal : Requirements
        The rows aᵢ; for other models than logit all of one sign and without a bias.
    X, y : matrix and labels
        What certificates speak of.
    owner : ndarray of int
        The row of the data that each aᵢ is about.
    names : tuple of str
        Of the coefficients.
    about : str
        Which classes the coefficients speak of.
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
    code : int
        Of the logit model, which class the coefficients are of, 0 or 1.
    """

    model: str
    goal: Constraints
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
    code: int = 1

    def facing(self, proof: Any) -> Any:
        """A certificate whose weights are the coefficients, rather than their negatives."""
        return proof if self.code else proof.facing(self.classes[0])

    @property
    def present(self) -> np.ndarray:
        """The rows of the data that count: not of weight 0."""
        return np.unique(self.owner)

    def strict_rows(self, strict: np.ndarray) -> np.ndarray:
        """Which rows of the data have all their requirements among those."""
        rows = np.zeros(self.n, dtype=bool)
        rows[self.owner] = True
        rows[self.owner[~strict]] = False
        return rows


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
) -> Design:
    """The design of a model; parameters are those of `separation_kind`."""
    data = Labelled.checked(X, y)
    n, d = data.X.shape
    names = names_of(X, d) if names is None else tuple(map(str, names))
    if len(names) != d:
        raise InputError(f"names must be {d}, one for each column, got {len(names)}.")
    check_finite(make_points(data.X, data.codes), names)
    intercept = fit_intercept and not _has_own_constant(data.X, names)
    model = model or ("logit" if len(data.classes) == 2 else "multinomial")
    code = positive_code(data.classes, positive)
    _check(model, data.classes, baseline, positive, order)
    if sample_weight is not None:
        present = np.flatnonzero(each_sample_weight(sample_weight, len(data.codes)))
        data = Labelled(data.X[present], data.codes[present], data.classes, data.y[present])
        if len(np.unique(data.codes)) < len(data.classes):
            raise InputError("a class has no row of positive sample_weight; leave its label out.")
    else:
        present = np.arange(len(data.codes))
    features = (*names, "intercept") if intercept else names
    _check_names(features)
    if model == "logit":
        labels = listed(data.classes)
        about = f"class {labels[code]!r} against {labels[1 - code]!r}"
        goal = Constraints(data.X, data.codes, 2, intercept)
        parts = (goal, data.X, data.y, present, features, about)
        return Design(model, *parts, features, data.X, intercept, data.classes, n, code)
    if model == "multinomial":
        rows, owner, named, about = _multinomial(data, intercept, features, baseline)
        classes = data.classes
    else:
        classes, codes = _ordered(data, order, y)
        rows, owner, named, about = _ordinal(data.X, codes, classes, names)
    goal = Constraints(rows, np.ones(rows.shape[0], dtype=np.intp), 2, False)
    certified = np.ones(rows.shape[0], dtype=bool)
    parts = (goal, rows, certified, present[owner], named, about)
    return Design(model, *parts, features, data.X, intercept, classes, n)


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


def _check(model: str, classes: np.ndarray, baseline: Any, positive: Any, order: Any) -> None:
    if model not in MODELS:
        raise InputError(f"model must be one of {', '.join(MODELS)}, got {model!r}.")
    if model == "logit" and len(classes) != 2:
        raise InputError(
            f"a logit model has two classes; y has {len(classes)}. Ask model='multinomial', or "
            "model='ordinal' where they have an order."
        )
    if baseline is not None and model != "multinomial":
        raise InputError("baseline is about the multinomial model.")
    if positive is not None and model != "logit":
        raise InputError("positive is about the logit model.")
    if order is not None and model != "ordinal":
        raise InputError("order is about the ordinal model.")
    if baseline is not None and baseline not in listed(classes):
        raise InputError(f"baseline {baseline!r} is not among the classes {listed(classes)}.")


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


def _multinomial(
    data: Labelled, intercept: bool, features: tuple[str, ...], baseline: Any
) -> tuple[Any, np.ndarray, tuple[str, ...], str]:
    labels = listed(data.classes)
    first = labels[0] if baseline is None else baseline
    others = [k for k, label in enumerate(labels) if label != first]
    K, n = len(labels), len(data.codes)
    owner = np.repeat(np.arange(n), K - 1)
    rivals = np.array([[k for k in range(K) if k != own] for own in data.codes]).ravel()
    padded = _padded(data.X, intercept)
    rows = _blocks(padded, owner, data.codes[owner], rivals, others)
    names = tuple(f"{labels[k]}:{name}" for k in others for name in features)
    return rows, owner, names, f"each class against {first!r}"


def _padded(X: Any, intercept: bool) -> Any:
    from scipy import sparse

    if not intercept:
        return X
    ones = np.ones((X.shape[0], 1))
    if hasattr(X, "indptr"):
        return sparse.hstack([X, sparse.csr_array(ones)], format="csr")
    return np.column_stack([X, ones])


def _blocks(
    padded: Any, owner: np.ndarray, own: np.ndarray, rivals: np.ndarray, others: list[int]
) -> Any:
    """Rows with +x in the block of the own class and −x in that of the rival."""
    from scipy import sparse

    parts = []
    whole = sparse.csr_array(padded)[owner]
    for k in others:
        sign = (own == k).astype(float) - (rivals == k)
        parts.append(sparse.diags_array(sign) @ whole)
    return _compact(sparse.hstack(parts, format="csr"), hasattr(padded, "indptr"))


def _compact(rows: Any, sparse_data: bool) -> Any:
    """CSR where the data is or a dense table would be large."""
    rows.eliminate_zeros()
    if sparse_data or rows.shape[0] * rows.shape[1] > DENSE:
        return rows
    return rows.toarray()


def _ordered(data: Labelled, order: Sequence[Any] | None, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes in their order, and each row's place in it."""
    labels = listed(data.classes)
    kind = getattr(y, "dtype", None)
    if order is None and getattr(kind, "ordered", False):
        order = [label for label in kind.categories.tolist() if label in set(labels)]  # type: ignore[union-attr]
    if order is None:
        return data.classes, data.codes
    places = {label: at for at, label in enumerate(order)}
    if len(places) != len(order) or set(labels) - places.keys():
        raise InputError(f"order must name every class once; the classes are {labels}.")
    named = [label for label in order if label in set(labels)]
    rank = {label: at for at, label in enumerate(named)}
    return np.array(named), np.array([rank[label] for label in labels])[data.codes]


def _ordinal(
    X: Any, codes: np.ndarray, classes: np.ndarray, names: tuple[str, ...]
) -> tuple[Any, np.ndarray, tuple[str, ...], str]:
    from scipy import sparse

    cuts = len(classes) - 1
    below, above = np.flatnonzero(codes < cuts), np.flatnonzero(codes > 0)
    owner = np.concatenate([below, above])
    sign = np.concatenate([-np.ones(len(below)), np.ones(len(above))])
    cut = np.concatenate([codes[below], codes[above] - 1])
    at = np.arange(len(owner))
    slopes = sparse.diags_array(sign) @ sparse.csr_array(X)[owner]
    thresholds = sparse.csr_array((-sign, (at, cut)), shape=(len(owner), cuts))
    rows = _compact(sparse.hstack([slopes, thresholds], format="csr"), hasattr(X, "indptr"))
    named = listed(classes)
    steps = tuple(f"{low}|{high}" for low, high in pairwise(named))
    return rows, owner, (*names, *steps), f"higher classes, in the order {named}"
