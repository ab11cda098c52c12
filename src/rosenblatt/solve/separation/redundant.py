"""Columns that depend on each other, exactly, and what a limiting model needs of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.data.labels import listed
from rosenblatt.proof import exact
from rosenblatt.proof.certificate.recession import differences
from rosenblatt.solve.separation.faces import independent
from rosenblatt.solve.separation.models import CONTESTS, LOG, Design

# Relations beyond so many are not written out.
MOST_EXCESS = 20
# Rows tried before all of them: most tables have their rank in these.
SAMPLE = 4
# A column this near to the span of others, in its own length, is in it but for rounding.
ROUNDING = 1e-12
MOST_ENTRIES = 5_000_000


def relations(design: Design) -> list[dict[str, Fraction]]:
    """Combinations of columns that are 0 on every row: column name → factor.

    Examples
    --------
    >>> from rosenblatt.solve.separation.models import design_of
    >>> X = [[1, 0, 2], [0, 1, 5], [1, 0, 7], [0, 1, 1]]
    >>> [{name: int(v) for name, v in found.items()}
    ...  for found in relations(design_of(X, [0, 1, 1, 0]))]
    [{'x0': 1, 'x1': 1, 'intercept': -1}]
    """
    if excess(design) > MOST_EXCESS:
        return []
    kernel, width = _kernel(design, design.table), len(design.features)
    vectors = exact.nullspace(_spanning(design)) if kernel is None else kernel.basis(width)
    return [
        {name: Fraction(v) for name, v in zip(design.features, vector, strict=True) if v}
        for vector in vectors
    ]


def excess(design: Design) -> int:
    """Columns more than their rank."""
    kernel = _kernel(design, design.table)
    rank = len(_spanning(design)) if kernel is None else len(kernel.solved)
    return len(design.features) - rank


def _kernel(design: Design, table: Any) -> exact.Kernel | None:
    """The combinations of columns that are 0 on these rows, where rows are sparse."""
    if not hasattr(table, "indptr"):
        return None
    return exact.Kernel.of(exact.entries(table, design.intercept))


def _padded(design: Design, rows: np.ndarray) -> np.ndarray:
    table = design.table[rows]
    dense = np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=float)
    return np.column_stack([dense, np.ones(len(dense))]) if design.intercept else dense


def _spanning(design: Design) -> np.ndarray:
    """Independent rows of the columns that span all rows."""
    n, D = design.table.shape[0], len(design.features)
    rng = np.random.default_rng(0)
    order = rng.permutation(n)
    chosen = order[: SAMPLE * D + 50]
    rows = _padded(design, chosen)
    rows = rows[independent(rows)]
    if len(rows) == D or len(chosen) == n:
        return rows
    bias = [] if design.intercept else [0]
    if exact.orthogonal_to_all(design.table, [v + bias for v in exact.nullspace(rows)]):
        return rows
    everything = _padded(design, order)
    return everything[independent(everything)]


def nearly_dependent(design: Design) -> list[str]:
    """Columns that are combinations of others but for rounding, beyond those that are exactly.

    Examples
    --------
    >>> from rosenblatt.solve.separation.models import design_of
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> nearly_dependent(design_of(np.column_stack([X, X @ [0.1, 0.7]]), [0, 1] * 10))
    ['x2']
    """
    from scipy.linalg import qr

    n, D = design.table.shape[0], len(design.features)
    if n <= D or n * D > MOST_ENTRIES:
        return []
    columns = _padded(design, np.arange(n))
    sizes = np.abs(columns).max(axis=0)
    used = np.flatnonzero(sizes > 0)
    scaled = columns[:, used] / sizes[used]
    scaled = scaled / np.linalg.norm(scaled, axis=0)
    # Without pivoting a column's diagonal is its distance from those before it.
    distances = np.abs(np.diag(qr(scaled, mode="r")[0]))
    near = [design.features[used[k]] for k in np.flatnonzero(distances < ROUNDING)]
    return near if len(near) + D - len(used) > excess(design) else []


def in_words(relation: dict[str, Fraction]) -> str:
    """A relation as an equation.

    Examples
    --------
    >>> in_words({"a": Fraction(-1), "b": Fraction(-2), "intercept": Fraction(1)})
    'intercept = a + 2·b'
    """
    left = next(reversed(relation))
    unit = relation[left]
    terms = []
    for name, factor in relation.items():
        if name == left:
            continue
        share = -factor / unit
        sign = "-" if share < 0 else "+"
        size = "" if abs(share) == 1 else f"{abs(share)}·"
        terms.append(f"{sign} {size}{name}")
    if not terms:
        return f"{left} = 0"
    text = " ".join(terms)
    return f"{left} = {text[2:] if text[0] == '+' else '−' + text[2:]}"


def limiting_columns(design: Design, rows: np.ndarray, last: set[str]) -> list[str]:
    """Columns of the data that are independent on those rows, the ``last`` dropped first.

    The intercept, which a model has anyway, is dropped last, even where it diverges.
    """
    if not rows.any():
        return []
    names = list(design.features)
    order = sorted(range(len(names)), key=lambda j: (names[j] != "intercept", names[j] in last, j))
    kernel = _kernel(design, design.table[rows])
    if kernel is None:
        kept = {order[k] for k in independent(_padded(design, np.flatnonzero(rows))[:, order].T)}
    else:
        # The columns that may go are a basis of the kernel's, taken from the last.
        place = {j: -k for k, j in enumerate(order)}
        gone = exact.Kernel.of(kernel.vectors(len(names)), order=place.__getitem__).solved
        kept = set(range(len(names))) - gone.keys()
    return [name for j, name in enumerate(names) if j in kept and name != "intercept"]


def compared_columns(design: Design, coefficients: list[Fraction], last: set[str]) -> list[str]:
    """Columns that are independent among rows that are compared and tied, the ``last`` last."""
    compared = design.compared
    assert compared is not None
    contests = compared.contests.within(compared.scores(coefficients))
    names = list(design.features)
    order = sorted(range(len(names)), key=lambda j: (names[j] in last, j))
    kernel = exact.Kernel(order={j: k for k, j in enumerate(order)}.__getitem__)
    nothing, rng = np.zeros(len(contests.wins), dtype=object), np.random.default_rng(0)
    while True:
        # A random vector of the kernel differs between all tied rows that it can differ between.
        vectors = kernel.basis(len(names))
        factors = rng.integers(-(2**40), 2**40, size=len(vectors)).tolist()
        mixed = [
            sum(f * v for f, v in zip(factors, column, strict=True))
            for column in zip(*vectors, strict=True)
        ]
        pairs = contests.lost(nothing, compared.scores(mixed)) if vectors else np.zeros((0, 2), int)
        if not len(pairs):
            return [name for j, name in enumerate(names) if j in kernel.solved]
        for row in differences(compared.X, pairs):
            kernel.add(row)


def outcomes_alike(design: Design) -> dict[str, Any]:
    """Levels whose rows have all the same outcome, of those that a model can tell apart."""
    from scipy import sparse

    if design.model in ("multinomial", "ordinal"):
        return {}
    log, won = design.model in LOG, np.asarray(design.y)
    binary = not log and design.model not in CONTESTS
    won = won == design.classes[design.code] if binary else won
    width = len(design.features) - design.intercept
    labels = listed(design.classes) if design.outcomes.ndim == 1 else ["failure", "success"]
    lost = 0 if log else "no event" if design.model == "cox" else labels[1 - design.code]
    cells = sparse.coo_array(design.X[:, :width])
    cells.eliminate_zeros()
    row, column, value = cells.row, cells.col, cells.data
    most = np.full(width, -np.inf)
    np.maximum.at(most, column, value)
    odd = np.bincount(column, value != most[column], width)
    count = np.bincount(column, minlength=width)
    above = np.bincount(column, won[row], width)
    levels = {design.features[j]: j for j in np.flatnonzero((odd == 0) & (most > 0)).tolist()}
    sizes = {}
    for factor, level in design.references.items():
        own = [j for name, j in levels.items() if name.startswith(f"{factor}[")]
        if own:  # the rows that have none of its indicators
            rest = np.ones(len(won), dtype=bool)
            rest[row[np.isin(column, own)]] = False
            sizes[f"{factor}[{level}]"] = int(rest.sum()), int(won[rest].sum())
    sizes |= {name: (int(count[j]), int(above[j])) for name, j in levels.items()}
    found: dict[str, Any] = {}
    for name, (size, positive) in sizes.items():
        if positive == 0 and 0 < size < len(won):
            found[name] = lost
        elif positive == size and 0 < size < len(won) and binary:
            found[name] = labels[design.code]
    return found
