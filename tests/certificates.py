"""Certificates of every kind about small data sets, and forgeries of them.

Used by the tests of the checkers and by ``proofs/run.py``. What is true of the data is found
without any certificate: the best margin by Wolfe's exact algorithm, the fewest errors by trying
all sets.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import json
import math
import random
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rosenblatt as rb
from rosenblatt import certificate as ct
from rosenblatt.certificate import tree
from rosenblatt.errors import CertificateError
from rosenblatt.solve.fewest import fewest_errors
from rosenblatt.solve.wolfe import min_norm_point

ROOT = Path(__file__).parents[1]


def _tool() -> Any:
    path = ROOT / "tools" / "check_certificate.py"
    spec = importlib.util.spec_from_file_location("check_certificate", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


tool = _tool()


class Example(NamedTuple):
    """A certificate and the data it is about."""

    name: str
    X: np.ndarray
    y: np.ndarray
    proof: ct.Certificate

    def table(self):
        """The data as `check_certificate.read` returns them."""
        rows = [{j: v for j, v in enumerate(row) if v} for row in self.X.tolist()]
        return rows, [str(label) for label in self.y.tolist()], self.X.shape[1]

    def write(self, folder: Path, content: Any = None) -> tuple[Path, Path]:
        """Write the certificate and the data as files."""
        proof, data = folder / "certificate.json", folder / "data.csv"
        proof.write_text(json.dumps(self.proof.to_dict() if content is None else content))
        lines = [",".join([*(f"x{j}" for j in range(self.X.shape[1])), "label"])]
        for row, label in zip(self.X.tolist(), self.y.tolist(), strict=True):
            lines.append(",".join([*map(repr, row), str(label)]))
        data.write_text("\n".join(lines) + "\n")
        return proof, data


def verified(example: Example, content: Any) -> bool:
    """What the package says."""
    try:
        return bool(ct.from_dict(content).verify(example.X, example.y))
    except CertificateError:
        return False


def checked(example: Example, content: Any) -> bool:
    """What the small checker says."""
    try:
        tool.need(content["format"] == "rosenblatt-certificate" and content["version"] == 1, "")
        checker = tool.Checker(content, *example.table())
        getattr(checker, "check_" + content["kind"].replace("-", "_"))()
    except Exception:
        return False
    return True


# --- Examples ---

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
WORDS = np.array(["even", "even", "odd", "odd"])


def _blobs(seed: int, n: int = 9, d: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)) / 2.0
    return X, np.arange(n) % 2


def _separable() -> tuple[np.ndarray, np.ndarray]:
    X = np.array([[0.1, 2.0], [0.3, 1.0], [-1.0, 0.7], [1.0, -2.0], [2.0, -0.3], [0.2, -1.1]])
    return X, np.array(["no", "no", "no", "yes", "yes", "yes"])


def _three() -> tuple[np.ndarray, np.ndarray]:
    X = np.array([[1.0, 0.0], [2.0, 0.5], [0.0, 1.0], [-0.5, 2.0], [-1.0, -1.0], [-2.0, -0.1]])
    return X, np.array([0, 0, 1, 1, 2, 2])


def _decided(name: str, X: np.ndarray, y: np.ndarray, **settings: Any) -> Example:
    proof = rb.decide(X, y, **settings).certificate
    assert proof is not None
    return Example(name, X, y, proof)


def _bracket(name: str, X: np.ndarray, y: np.ndarray, **settings: Any) -> Example:
    proof = fewest_errors(X, y, **settings).certificate
    assert proof is not None
    return Example(name, X, y, proof)


NAMES = [
    *("separation", "separation-origin", "separation-three", "separation-fractions", "weak"),
    *("inseparability", "inseparability-origin"),
    *("inseparability-three", "inseparability-three-origin", "epsilon", "overlap"),
    *("margin-free", "margin-padded", "margin-none"),
    *("fewest", "fewest-weighted", "fewest-three", "fewest-tree"),
    *("recession", "recession-overlap", "recession-groups", "recession-cox"),
]


def example_of(name: str) -> Example:
    """One of the examples."""
    return examples()[NAMES.index(name)]


@functools.cache
def examples() -> list[Example]:
    """Every kind, with and without a bias, two classes and more, floats and fractions."""
    X, y = _separable()
    X3, y3 = _three()
    mixed = np.vstack([X3, [[0.3, 0.2], [-0.7, -0.2]]])
    mixed_y = np.array([*y3, 2, 0])
    w = rb.decide(X, y).weights
    thirds = np.array([Fraction(v) / 3 for v in w.tolist()], dtype=object)
    line, line_y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    noisy, noisy_y = _blobs(3)
    found = [
        _decided("separation", X, y),
        _decided("separation-origin", X, y, fit_intercept=False),
        _decided("separation-three", X3, y3),
        Example("separation-fractions", X, y, ct.Separation.of(X, y, thirds, upper=1e9)),
        Example("weak", line, line_y, ct.WeakSeparation.of(line, line_y, [1.0, -1.0])),
        _decided("inseparability", XOR, WORDS),
        _decided("inseparability-origin", XOR - 0.25, WORDS, fit_intercept=False),
        _decided("inseparability-three", mixed, mixed_y),
        _decided("inseparability-three-origin", mixed, mixed_y, fit_intercept=False),
        Example("epsilon", XOR, WORDS, ct.Inseparability.of(XOR, WORDS, range(4), [1, 1, 1, 1.01])),
        Example("overlap", XOR, WORDS, ct.Overlap.of(XOR, WORDS, range(4), [1, 1, 1, 1])),
    ]
    found += [
        Example(f"margin-{bias}", X, y, rb.MaxMargin(bias=bias).fit(X, y).certify(X, y))
        for bias in ("free", "padded", "none")
    ]
    weights = np.array([1.0, 2, 3, 1, 1, 2, 0, 1, 0.5])
    found += [
        _bracket("fewest", noisy, noisy_y),
        _bracket("fewest-weighted", noisy, noisy_y, sample_weight=weights),
        _bracket("fewest-three", mixed, mixed_y),
        Example("fewest-tree", XOR, WORDS, _branched()),
        *_recessions(),
    ]
    assert [example.name for example in found] == NAMES
    return found


def _recessions() -> list[Example]:
    """Of counts, with and without separated rows; of cases and controls; of events at risk."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (8, 2)) / 2.0
    X[:, 1] = [0, 1, 0, 0, 1, 1, 0, 0]
    counts, some = np.array([0, 0, 2, 1, 0, 0, 0, 3]), np.array([1, 0, 1, 1, 0, 0, 1, 0])
    asked = {
        "recession": (counts, {"model": "poisson"}),
        "recession-overlap": (counts, {"model": "poisson"}),
        "recession-groups": (some, {"model": "conditional", "groups": [0, 0, 0, 1, 1, 1, 2, 2]}),
        "recession-cox": (1.0 + np.arange(8) % 4, {"model": "cox", "event": some}),
    }
    found = []
    for name, (y, how) in asked.items():
        result = rb.separation_kind(X[:, :1] if name == "recession-overlap" else X, y, **how)
        assert result.recession is not None
        found.append(Example(name, *result.certified, result.recession))
    return found


def _branched() -> ct.ErrorBracket:
    """A proof by cases, as long searches make them: row 3 is wrong, or it is right."""
    return ct.ErrorBracket.of(
        XOR,
        WORDS,
        weights=[1.0, 1.0, -0.5],
        subsets=[([0, 1, 2, 3], [1, 1, 1, 1], None)],
        proof=tree.Branch(3, tree.Leaf(()), tree.Leaf(((0, Fraction(1)),))),
        witnesses={1: 0},
    )


# --- What is true of the data ---


def _vectors(X: np.ndarray, codes: np.ndarray, classes: int, intercept: bool) -> np.ndarray:
    padded = np.hstack([X, np.full((len(X), 1), float(intercept))])
    if classes <= 2:
        return np.where(codes == classes - 1, 1.0, -1.0)[:, None] * padded
    rows = []
    for x, own in zip(padded, codes, strict=True):
        for rival in set(range(classes)) - {int(own)}:
            blocks = np.zeros((classes, len(x)))
            blocks[own], blocks[rival] = x, -x
            rows.append(blocks.ravel())
    return np.array(rows)


class Truth:
    """Facts about one data set, exact."""

    def __init__(self, example: Example):
        self.X, self.classes = example.X, len(example.proof.classes)
        self.codes = np.array([example.proof.classes.index(v) for v in example.y.tolist()])

    @functools.cache  # noqa: B019
    def margin2(self, intercept: bool) -> Fraction:
        """γ², 0 where the classes are inseparable."""
        rows = _vectors(self.X, self.codes, self.classes, intercept)
        return Fraction(min_norm_point(rows).squared_norm)

    @functools.cache  # noqa: B019
    def free_margin2(self) -> Fraction:
        """The squared margin where the bias does not count: a quarter of the hulls' distance²."""
        one, two = (self.X[self.codes == k] for k in (0, 1))
        differences = (two[:, None] - one[None]).reshape(-1, self.X.shape[1])
        return Fraction(min_norm_point(differences).squared_norm) / 4

    @functools.cache  # noqa: B019
    def keepable(self, intercept: bool) -> list[frozenset[int]]:
        """All sets of rows that some weights have right."""
        n, found = len(self.X), [frozenset()]
        for size in range(1, n + 1):
            for rows in map(list, combinations(range(n), size)):
                a = _vectors(self.X[rows], self.codes[rows], self.classes, intercept)
                if min_norm_point(a).squared_norm > 0:
                    found.append(frozenset(rows))
        return found

    def fewest(self, costs: list[int], intercept: bool) -> int:
        """The least cost of errors."""
        kept = self.keepable(intercept)
        return min(sum(c for i, c in enumerate(costs) if i not in rows) for rows in kept)

    @functools.cache  # noqa: B019
    def overlaps(self, intercept: bool) -> bool:
        """Whether every z with Az ≥ 0 has Az = 0, by a linear program over small numbers."""
        from scipy.optimize import linprog

        rows = _vectors(self.X, self.codes, self.classes, intercept)
        limits = np.vstack([-rows, rows])
        right = np.concatenate([np.zeros(len(rows)), np.ones(len(rows))])
        bounds = [(None, None)] * rows.shape[1]
        return bool(linprog(-rows.sum(axis=0), limits, right, bounds=bounds).fun > -1e-6)

    def allows(self, content: Any) -> bool:
        """Whether what an accepted certificate claims is true."""
        kind, intercept = content["kind"], content["fit_intercept"]
        exact = tool.number
        if kind == "separation":
            margin2 = self.margin2(intercept)
            return 0 < margin2 >= exact(content["margin"][0]) ** 2
        if kind == "weak-separation":
            return self._weak(content)
        if kind == "recession":
            return self._recession(content)
        if kind in ("inseparability", "overlap"):
            holds = self.margin2(intercept) <= exact(content["epsilon"]) ** 2
            return holds and (kind == "inseparability" or self.overlaps(intercept))
        if kind == "maximum-margin":
            free = content["bias"] == "free"
            margin2 = self.free_margin2() if free else self.margin2(content["bias"] == "padded")
            lower, upper = map(exact, content["margin"])
            return lower**2 <= margin2 <= upper**2
        costs = content["costs"]
        worth = [1] * len(self.X) if costs is None else [int(exact(c)) for c in costs]
        least = self.fewest(worth, intercept)
        return exact(content["lower"]) <= least <= exact(content["upper"])

    def _recession(self, content: Any) -> bool:
        """Whether as many requirements are strict as a linear program over all of them finds."""
        from scipy.optimize import linprog

        X, won, n = self.X, self.codes == 1, len(self.X)
        at = {k: content[k] for k in ("strata", "time", "entry")}
        at = {k: None if j is None else int(tool.number(j)) for k, j in at.items()}
        column = {k: None if j is None else X[:, j] for k, j in at.items()}
        used = [j for j in range(X.shape[1]) if j not in at.values()]
        design = np.hstack([X[:, used], np.full((n, 1), float(content["fit_intercept"]))])
        fixed = np.zeros((0, design.shape[1]))
        if content["model"] == "log":
            fixed, A = design[won], -design[~won]
        else:
            strata = np.zeros(n) if column["strata"] is None else column["strata"]
            time, entry = column["time"], column["entry"]
            rows = [
                design[i] - design[j]
                for i in range(n)
                for j in range(n)
                if won[i] and strata[i] == strata[j] and i != j
                if (not won[j] if time is None else time[j] >= time[i])
                if entry is None or entry[j] < time[i]
            ]
            A = np.array(rows).reshape(-1, design.shape[1])
        m, D = A.shape
        goal, bounds = np.append(np.zeros(D), -np.ones(m)), [(None, None)] * D + [(0, 1)] * m
        slack, equal = np.hstack([-A, np.eye(m)]), np.hstack([fixed, np.zeros((len(fixed), m))])
        best = linprog(goal, slack, np.zeros(m), equal, np.zeros(len(fixed)), bounds=bounds)
        z = [tool.number(v) for v in content["weights"]]
        z = [z[j] for j in used] + [z[-1]]
        leads = [sum(Fraction(a) * v for a, v in zip(row, z, strict=True)) for row in A.tolist()]
        return min([0, *leads]) == 0 and sum(v > 0 for v in leads) == round(-best.fun)

    def _weak(self, content: Any) -> bool:
        table = content["weights"] if self.classes > 2 else [content["weights"]]
        z = [tool.number(v) for vector in table for v in vector]
        values = [
            sum(Fraction(a) * v for a, v in zip(row, z, strict=True))
            for row in _vectors(self.X, self.codes, self.classes, True).tolist()
        ]
        return min(values) >= 0 < max(values)


# --- Forgeries ---


def forgery(content: Any, rng: random.Random) -> Any:
    """The certificate with one to three changes somewhere in it."""
    changed = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = [place for place in _places(changed) if place]
        _change(changed, rng.choice(places), rng)
    return changed


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in the certificate."""
    if not isinstance(value, (dict, list)):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


def _change(content: Any, place: tuple[Any, ...], rng: random.Random) -> None:
    holder = functools.reduce(lambda inner, key: inner[key], place[:-1], content)
    key = place[-1]
    if isinstance(holder, list) and rng.random() < 0.2:
        action = rng.choice(["drop", "repeat", "swap"])
        if action == "drop":
            del holder[key]
        elif action == "repeat":
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            other = rng.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(holder, dict) and rng.random() < 0.05:
        del holder[key]
    else:
        holder[key] = _other(holder[key], rng)


def _other(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.08:
        return rng.choice([None, True, False, "", "x", "0x", [], {}, [[]], 0, -1, 1e300, 10**30])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        near = [value + 1, value - 1, -value, 2 * value, value + 0.5, float(value), hex(value)]
        return rng.choice([*near, rng.randrange(12), f"{value + 1:#x}/0x1", value * 10**20])
    if isinstance(value, float):
        near = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf), -value]
        scaled = [value * 1.01, value * 0.99, value * 2, value / 2, value + 1, round(value, 2)]
        return rng.choice([*near, *scaled, value.hex(), 0.0, 1])
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+(/0x[1-9a-f][0-9a-f]*)?", value):
        number = tool.number(value) + rng.choice([1, -1, Fraction(1, 3), Fraction(-1, 2**60)])
        return rng.choice(
            [f"{number.numerator:#x}/{number.denominator:#x}", value[:-1], "-" + value]
        )
    if isinstance(value, str):
        return rng.choice(["", value + "a", value[::-1], value.upper(), *KIND_NAMES])
    return rng.choice([None, [], {}, 1, [0], {"multipliers": []}, {"impossible": 0}])


KIND_NAMES = sorted({"separation", "weak-separation", "inseparability", "overlap"})
