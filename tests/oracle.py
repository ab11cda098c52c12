"""Exact answers about small labelled data, by code that shares nothing with the package.

A float is a rational. Separability is a linear program over rationals, solved by a plain simplex
with Bland's rule (R. G. Bland 1977: it ends on every input); best margins come from looking at
every possible support; certificates are read from their JSON form and checked in fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import fmpq, fmpq_mat

Vector = list[fmpq]


def rational(value: Any) -> fmpq:
    """The number that a float, integer or fraction is."""
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def signed_rows(X: Any, y: Any, fit_intercept: bool, classes: int) -> list[Vector]:
    """Rows a with the goal a·z > 0: ±(x, 1), or for K > 2 one for each rival (Kesler)."""
    rows = []
    for x, own in zip(X, y, strict=True):
        padded = [rational(v) for v in x] + [fmpq(1)] * fit_intercept
        if classes == 2:
            rows.append(padded if own == 1 else [-v for v in padded])
            continue
        for rival in range(classes):
            if rival != own:
                row = [fmpq(0)] * (classes * len(padded))
                for j, v in enumerate(padded):
                    row[own * len(padded) + j] = v
                    row[rival * len(padded) + j] = -v
                rows.append(row)
    return rows


def feasible(columns: list[Vector], target: Vector) -> tuple[bool, Vector]:
    """Whether some x ≥ 0 has Σ xₖ·columnₖ = target; x, or a v with v·column ≤ 0 < v·target.

    Phase one of the simplex method on a full tableau.
    """
    m, n = len(target), len(columns)
    flip = [t < 0 for t in target]
    table = [
        [-c[i] if flip[i] else c[i] for c in columns]
        + [fmpq(int(i == k)) for k in range(m)]
        + [-target[i] if flip[i] else target[i]]
        for i in range(m)
    ]
    basis = list(range(n, n + m))
    # Reduced costs of the sum of the artificial variables.
    cost = [-sum((row[j] for row in table), fmpq(0)) for j in range(n)] + [fmpq(0)] * m
    cost.append(-sum((row[-1] for row in table), fmpq(0)))
    while True:
        enter = next((j for j in range(n) if cost[j] < 0), None)
        if enter is None:
            break
        ratios = [(r[-1] / r[enter], basis[i], i) for i, r in enumerate(table) if r[enter] > 0]
        leave = min(ratios)[2]
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for row in [*(r for i, r in enumerate(table) if i != leave), cost]:
            factor = row[enter]
            if factor:
                for j, v in enumerate(table[leave]):
                    if v:
                        row[j] -= factor * v
        basis[leave] = enter
    if cost[-1] == 0:
        x = [fmpq(0)] * n
        for i, k in enumerate(basis):
            if k < n:
                x[k] = table[i][-1]
        return True, x
    v = [(fmpq(1) - cost[n + i]) * (-1 if flip[i] else 1) for i in range(m)]
    return False, v


def dot(a: Any, b: Any) -> fmpq:
    """a·b."""
    return sum((p * q for p, q in zip(a, b, strict=True) if p and q), fmpq(0))


def separates(rows: list[Vector]) -> Vector | None:
    """A z with a·z > 0 for every row, checked; None if Σ αa = 0 for some α ≥ 0, checked."""
    # Scaling rows and columns by positive numbers changes no verdict and keeps numbers short.
    target = [fmpq(0)] * len(rows[0]) + [fmpq(1)]
    found, answer = feasible([[*row, fmpq(1)] for row in rows], target)
    if found:
        assert all(x >= 0 for x in answer)
        assert sum(answer, fmpq(0)) == 1
        assert not any(dot(answer, column) for column in zip(*rows, strict=True))
        return None
    z = [-v for v in answer[:-1]]
    assert all(dot(row, z) > 0 for row in rows)
    return z


def cone_reaches(rows: list[Vector], wish: Vector) -> bool:
    """Whether some z with every a·z ≥ 0 has wish·z > 0: by Farkas, unless −wish = Σ xa, x ≥ 0."""
    return not feasible(rows, [-v for v in wish])[0]


def least_square(points: list[Vector]) -> fmpq:
    """The squared distance of 0 from the hull of the points, by all possible supports."""
    best = min(dot(p, p) for p in points)
    for size in range(2, min(len(points), len(points[0]) + 1) + 1):
        for chosen in combinations(points, size):
            padded = fmpq_mat([[fmpq(1), *p] for p in chosen])
            gram = padded * padded.transpose()
            if not gram.det():
                continue
            weights = gram.solve(fmpq_mat([[fmpq(1)]] * size)).entries()
            if all(w >= 0 for w in weights):
                total = sum(weights, fmpq(0))
                point = [dot(weights, column) / total for column in zip(*chosen, strict=True)]
                best = min(best, dot(point, point))
    return best


def best_margin_square(X: Any, y: Any, fit_intercept: bool) -> fmpq:
    """γ² of two classes: unit weights, the bias among them."""
    return least_square(signed_rows(X, y, fit_intercept, 2))


def slab_square(X: Any, y: Any) -> fmpq:
    """The squared distance of a free hyperplane from the nearest row: half the hulls' distance."""
    sides = [
        [[rational(v) for v in x] for x, c in zip(X, y, strict=True) if c == k] for k in (0, 1)
    ]
    gaps = [[p - q for p, q in zip(b, a, strict=True)] for a in sides[0] for b in sides[1]]
    return least_square(gaps) / 4


def number(value: Any) -> fmpq:
    """A number of a certificate's JSON: plain, hexadecimal, or a fraction of such."""
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return fmpq(int(top, 16), int(bottom, 16) if bottom else 1)
    return rational(value)


def is_true(content: dict[str, Any], X: Any, y: Any, fingerprint: str) -> bool:
    """Whether what a certificate, read from its JSON form, says of the data is so."""
    if content["fingerprint"] not in ("", fingerprint):
        return False
    classes = content["classes"]
    if any(label not in classes for label in y):
        return False
    codes = [classes.index(label) for label in y]
    if content["kind"] in ("separation", "weak-separation"):
        return _weights_hold(content, X, codes, len(classes))
    return _rows_cancel(content, X, codes, len(classes))


def _weights_hold(content: dict[str, Any], X: Any, codes: list[int], k: int) -> bool:
    weights = content["weights"] if k > 2 else [content["weights"]]
    table = [[number(w) for w in vector] for vector in weights]
    if any(len(vector) != len(X[0]) + 1 for vector in table):
        return False
    z = [w for vector in table for w in vector]
    values = []
    for x, own in zip(X, codes, strict=True):
        padded = [*(rational(v) for v in x), fmpq(1)]
        scores = [dot(vector, padded) for vector in table]
        if k > 2:
            values += [scores[own] - s for r, s in enumerate(scores) if r != own]
        else:
            values.append(scores[0] if own == k - 1 else -scores[0])
    if content["kind"] == "weak-separation":
        return min(values) >= 0 and max(values) > 0
    lower = number(content["margin"][0])
    return min(values) > 0 and min(values) ** 2 >= lower**2 * dot(z, z)


def _rows_cancel(content: dict[str, Any], X: Any, codes: list[int], k: int) -> bool:
    rows, rivals = content["rows"], content["rivals"] or []
    alpha = [number(a) for a in content["alpha"]]
    if max(rows) >= len(X):
        return False
    if content["codes"] is not None and [codes[i] for i in rows] != content["codes"]:
        return False
    if rivals and any(codes[i] == r for i, r in zip(rows, rivals, strict=True)):
        return False
    width = len(X[0]) + int(content["fit_intercept"])
    total = [[fmpq(0)] * width for _ in range(k if k > 2 else 1)]
    for at, (i, a) in enumerate(zip(rows, alpha, strict=True)):
        padded = [rational(v) for v in X[i]] + [fmpq(1)] * content["fit_intercept"]
        for j, v in enumerate(padded):
            if k > 2:
                total[codes[i]][j] += a * v
                total[rivals[at]][j] -= a * v
            else:
                total[0][j] += a * v if codes[i] == k - 1 else -a * v
    square = sum((v * v for block in total for v in block), fmpq(0))
    epsilon = number(content["epsilon"])
    if square > (epsilon * sum(alpha, fmpq(0))) ** 2:
        return False
    if content["kind"] != "overlap":
        return True
    everyone = [[rational(v) for v in x] + [fmpq(1)] * content["fit_intercept"] for x in X]
    return not epsilon and rank([everyone[i] for i in rows]) == rank(everyone)


def rank(rows: list[Vector]) -> int:
    """The rank of some rows."""
    reduced: Any = fmpq_mat(rows).rref()
    return int(reduced[1])
