"""Complete, quasi-complete or overlap: does a logistic regression have finite estimates?

A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic
regression models", Biometrika 71 (1984), 1–10. Everything is read off the cone C = {z : Az ≥ 0}:
the likelihood rises for ever along its directions with Az ≠ 0. Imports ``decision`` and what it
builds on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import exact
from rosenblatt.certificate import (
    Inseparability,
    Overlap,
    Separation,
    Verification,
    WeakSeparation,
)
from rosenblatt.decision import Data, decide
from rosenblatt.errors import InputError
from rosenblatt.program import Program
from rosenblatt.requirements import Requirements
from rosenblatt.wolfe import min_norm_point
from rosenblatt.working_set import NEGLIGIBLE, OPEN, Frame

# A longer list of coefficients is cut in print.
SHOWN = 20
PRIME = 2**61 - 1
# Significant bits of a proposed direction: short ones are tried first.
BITS = (8, 26, 53)


class Kind(Enum):
    """How the classes lie to each other."""

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Kind.{self.name}"


class Estimate(Enum):
    """Where the maximum-likelihood estimate of a coefficient is."""

    FINITE = "finite"
    PLUS = "+∞"
    MINUS = "−∞"
    EITHER = "±∞"
    UNIDENTIFIED = "not identified"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Estimate.{self.name}"

    @property
    def diverges(self) -> bool:
        """Whether it is infinite, in whichever direction."""
        return self in (Estimate.PLUS, Estimate.MINUS, Estimate.EITHER)


ADVICE = {
    Kind.COMPLETE: (
        "The classes are separated, so the likelihood has no maximum. Classify with "
        "rosenblatt.Perceptron or MaxMargin, which want exactly this; for probabilities penalise "
        "the regression (sklearn's LogisticRegression does by default; Firth's penalty is the "
        "statisticians')."
    ),
    Kind.QUASI_COMPLETE: (
        "The likelihood has no maximum, although the classes are not separated. Look at the "
        "columns above for rare categories and for traces of the outcome; merge or drop them, or "
        "penalise the regression (sklearn's LogisticRegression does by default; Firth's penalty "
        "is the statisticians')."
    ),
    Kind.OVERLAP: "The maximum-likelihood estimate of a logistic regression exists: fit it.",
}


@dataclass(frozen=True)
class SeparationKind:
    """How two classes lie to each other, with proofs, and what a logistic regression makes of it.

    Attributes
    ----------
    kind : Kind
        COMPLETE: some z has Az > 0. QUASI_COMPLETE: none has, but some has Az ≥ 0, not all zero.
        OVERLAP: neither.
    separation : Separation, WeakSeparation or None
        The z of complete or quasi-complete separation; the latter is strict on as many rows as
        any can be.
    inseparability : Inseparability, Overlap or None
        The α of quasi-complete separation or of overlap.
    strict : ndarray of bool
        Rows that can be strictly on their class's side of a hyperplane with none on the wrong one.
    names : tuple of str
        Of the coefficients, the intercept last.

    Examples
    --------
    >>> result = separation_kind([[0, 0], [1, 0], [1, 0], [2, 1]], [0, 0, 1, 1])
    >>> result.kind
    Kind.QUASI_COMPLETE
    >>> result.coefficients
    {'x0': Estimate.PLUS, 'x1': Estimate.EITHER, 'intercept': Estimate.MINUS}
    >>> bool(result.verify([[0, 0], [1, 0], [1, 0], [2, 1]], [0, 0, 1, 1]))
    True
    """

    kind: Kind
    separation: Separation | WeakSeparation | None
    inseparability: Inseparability | None
    strict: np.ndarray
    names: tuple[str, ...]
    _cone: Cone = field(repr=False)
    _ray: Ray | None = field(repr=False)

    @cached_property
    def coefficients(self) -> dict[str, Estimate]:
        """Each coefficient's estimate; found when first asked for.

        A coefficient is finite if z_j = 0 in all of C, of one sign if z_j has it in all of C, and
        not identified if weights that change no score can change it.
        """
        fixed, open_ = self._cone.face.determined(), self._cone.space().determined()
        return {name: self._estimate(j, fixed[j], open_[j]) for j, name in enumerate(self.names)}

    def _estimate(self, j: int, finite: bool, identified: bool) -> Estimate:
        if not identified:
            return Estimate.UNIDENTIFIED
        if finite or self._ray is None:
            return Estimate.FINITE
        at = self._ray.weights[j]
        if at == 0 or self._cone.reaches(j, -1 if at > 0 else 1, self._ray):
            return Estimate.EITHER
        return Estimate.PLUS if at > 0 else Estimate.MINUS

    @property
    def diverging(self) -> dict[str, Estimate]:
        """The coefficients without a finite estimate, and the way they go."""
        return {name: where for name, where in self.coefficients.items() if where.diverges}

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the certificates of the kind against the data, in exact arithmetic."""
        proofs = [p for p in (self.separation, self.inseparability) if p is not None]
        outcomes = [proof.verify(X, y) for proof in proofs]
        failed = [outcome for outcome in outcomes if not outcome]
        return failed[0] if failed else Verification(True, "; ".join(o.reason for o in outcomes))

    def __str__(self) -> str:
        count, n = int(self.strict.sum()), len(self.strict)
        lines = [
            {
                Kind.COMPLETE: f"Complete separation: a hyperplane has all {n:,} rows strictly on "
                "their sides.",
                Kind.QUASI_COMPLETE: f"Quasi-complete separation: a hyperplane has {count:,} of "
                f"{n:,} rows strictly on their sides and the others on itself.",
                Kind.OVERLAP: "Overlap: no hyperplane separates the classes, not even with rows "
                "on it.",
            }[self.kind]
        ]
        lines += _listed("No finite estimate:", self.diverging)
        unidentified = {
            name: where
            for name, where in self.coefficients.items()
            if where is Estimate.UNIDENTIFIED
        }
        lines += _listed("Not identified, as columns depend on each other:", unidentified)
        return "\n".join([*lines, ADVICE[self.kind]])


def _listed(title: str, coefficients: dict[str, Estimate]) -> list[str]:
    if not coefficients:
        return []
    shown = list(coefficients.items())[:SHOWN]
    wide = max(len(name) for name, _ in shown)
    lines = [title, *(f"  {name:{wide}}  {where}" for name, where in shown)]
    return lines if len(coefficients) <= SHOWN else [*lines, f"  … ({len(coefficients)} in all)"]


def separation_kind(X: Any, y: Any, *, fit_intercept: bool = True) -> SeparationKind:
    """Tell complete separation, quasi-complete separation and overlap apart, and prove it.

    Parameters
    ----------
    X : array, DataFrame or sparse matrix of shape (n, d)
        The rows; every float counts as the rational number it is. A DataFrame names the
        coefficients.
    y : array of shape (n,)
        Labels of two classes; the coefficients are those of the second in sorted order.
    fit_intercept : bool
        Whether the regression has an intercept.

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
    No finite estimate:
      drug  +∞
    The likelihood has no maximum, although the classes are not separated. ...
    >>> result.coefficients["age"]
    Estimate.FINITE
    """
    data = Data.checked(X, y)
    if len(data.classes) != 2:
        raise InputError(
            f"separation_kind speaks of two classes; y has {len(data.classes)}. Ask it of each "
            "class against the rest: separation_kind(X, y == label)."
        )
    cone = Cone(Requirements(data.X, data.codes, 2, fit_intercept))
    proof = decide(data.X, data.y, fit_intercept=fit_intercept).certificate
    names = _names(X, data.X.shape[1], fit_intercept)
    if isinstance(proof, Separation):
        everyone = np.ones(len(data.codes), dtype=bool)
        ray = Ray(proof.weights, everyone)
        return SeparationKind(Kind.COMPLETE, proof, None, everyone, names, cone, ray)
    assert isinstance(proof, Inseparability)
    ray = cone.reduce(dict(zip(proof.rows.tolist(), map(int, proof.alpha), strict=True)))
    shared = {"fit_intercept": fit_intercept, "fingerprint": proof.fingerprint}
    if ray is None:
        overlap = Overlap.of(data.X, data.y, list(cone.alpha), list(cone.alpha.values()), **shared)
        nobody = np.zeros(len(data.codes), dtype=bool)
        return SeparationKind(Kind.OVERLAP, None, overlap, nobody, names, cone, None)
    weak = WeakSeparation.of(data.X, data.y, ray.weights, **shared)
    return SeparationKind(Kind.QUASI_COMPLETE, weak, proof, ray.strict, names, cone, ray)


def _names(X: Any, d: int, fit_intercept: bool) -> tuple[str, ...]:
    columns = getattr(X, "columns", None)
    names = [f"x{j}" for j in range(d)] if columns is None else [str(c) for c in columns]
    return (*names, "intercept") if fit_intercept else tuple(names)


# --- The cone {z : Az ≥ 0} and its faces ---------------------------------------------------------


class Ray(NamedTuple):
    """A direction z of the cone, and the rows with aᵢ·z > 0."""

    weights: np.ndarray
    strict: np.ndarray


class Face:
    """The subspace {z : aᵢ·z = 0 for some rows i}, exactly.

    Parameters
    ----------
    goal : Requirements
    rows : sequence of int
        Those rows; an independent part of them is kept.
    """

    def __init__(self, goal: Requirements, rows: Sequence[int] = ()):
        self.goal = goal
        chosen = np.asarray(rows, dtype=np.intp)
        self.rows = chosen[independent(dense_rows(goal, chosen))]
        self.matrix = dense_rows(goal, self.rows)

    @cached_property
    def reduced(self) -> tuple[list[int], list[list[int]], int]:
        """Pivot columns and the reduced echelon form of the rows, as integers over one divisor."""
        from flint import fmpz_mat

        if not len(self.rows):
            return [], [], 1
        integers, _ = exact.scaled_integers(self.matrix, axis=1)
        echelon, divisor, rank = fmpz_mat(integers.tolist()).rref()
        table = [[int(echelon[i, j]) for j in range(echelon.ncols())] for i in range(rank)]
        pivots = [next(j for j, v in enumerate(row) if v) for row in table]
        return pivots, table, int(divisor)

    def complete(self, values: Iterable[Any]) -> np.ndarray:
        """The vector of the face that has these values off the pivot columns."""
        pivots, table, divisor = self.reduced
        vector = np.array([exact.as_fraction(v) for v in values], dtype=object)
        vector[pivots] = Fraction(0)
        if pivots:
            integers = exact.primitive(vector.tolist())
            unit = next((v / i for v, i in zip(vector, integers, strict=True) if i), Fraction(1))
            vector[pivots] = [
                -unit
                * Fraction(sum(r * i for r, i in zip(row, integers, strict=True) if i), divisor)
                for row in table
            ]
        return vector

    def basis(self) -> list[np.ndarray]:
        """Vectors that span the face."""
        pivots = set(self.reduced[0])
        units = np.eye(self.goal.dimension, dtype=int).tolist()
        return [self.complete(unit) for j, unit in enumerate(units) if j not in pivots]

    def determined(self) -> list[bool]:
        """For each coordinate, whether it is 0 in all of the face."""
        pivots, table, _ = self.reduced
        alone = {j for j, row in zip(pivots, table, strict=True) if sum(map(bool, row)) == 1}
        return [j in alone for j in range(self.goal.dimension)]

    def outside(self) -> np.ndarray:
        """Which rows of the data are not combinations of these.

        A random vector of the face is orthogonal to no other row, but for a chance of 2⁻⁴⁰; such a
        row would be missed here, and found when what is built on it is verified.
        """
        rng = np.random.default_rng(len(self.rows))
        values = rng.integers(-(2**40), 2**40, size=self.goal.dimension).tolist()
        values[-1] *= int(self.goal.bias)
        signs, _ = exact.signs_of_scores(self.goal.X, exact.normalised(self.complete(values)))
        return signs != 0


def dense_rows(goal: Requirements, which: np.ndarray) -> np.ndarray:
    """The requirements of those points, as a dense matrix."""
    rows = goal.rows(which, 1 - goal.codes[which])
    return rows.toarray() if goal.sparse else rows


def independent(rows: np.ndarray) -> list[int]:
    """Rows that are independent of those before them: all of them but for very bad luck.

    Examples
    --------
    >>> independent(np.array([[1.0, 2.0], [2.0, 4.0], [0.0, 1.0]]))
    [0, 2]
    """
    from flint import fmpz_mat, nmod_mat

    if not len(rows):
        return []
    integers, _ = exact.scaled_integers(rows, axis=1)
    echelon, rank = nmod_mat(fmpz_mat(integers.tolist()).transpose(), PRIME).rref()
    pivots, column = [], 0
    for row in range(rank):
        while echelon[row, column] == 0:
            column += 1
        pivots.append(column)
    return pivots


class Cone:
    """The cone C = {z : Az ≥ 0}, and what is known of the least face that holds it.

    ``alpha`` are positive weights of rows with Σ αᵢaᵢ = 0. On C each of these aᵢ·z is 0, so C lies
    in ``face``, the subspace orthogonal to them (facial reduction, Borwein and Wolkowicz 1981).
    """

    def __init__(self, goal: Requirements):
        self.goal = goal
        self.alpha: dict[int, int] = {}
        self.face = Face(goal)
        self.frame = Frame(goal)
        self.tight = np.zeros(0, dtype=np.intp)

    def reduce(self, alpha: dict[int, int]) -> Ray | None:
        """From a first α to the least face: a ray strict on all rows off it, or None if C = {0}.

        Each round either ends or enlarges the span of α's rows, so it ends.
        """
        self._take(alpha)
        while (outside := self.face.outside()).any():
            found = self._widest(outside) or Strict(self, outside).run(self.tight)
            if isinstance(found, Ray):
                return found
            rank = len(self.face.rows)
            self._take(found)
            assert len(self.face.rows) > rank, "a relation off the face must enlarge its span"
        return None

    def _take(self, relation: dict[int, int]) -> None:
        """Add a relation Σ xᵢaᵢ = 0 that is negative, if anywhere, on rows that α has."""
        bounds = (-x // self.alpha[i] for i, x in relation.items() if i in self.alpha)
        times = max([1, *(bound + 1 for bound in bounds)])
        total = {i: times * a for i, a in self.alpha.items()}
        for i, x in relation.items():
            total[i] = total.get(i, 0) + x
        kept = [i for i, x in total.items() if x]
        self.alpha = dict(zip(kept, exact.primitive([total[i] for i in kept]), strict=True))
        self.face = Face(self.goal, kept)

    def space(self) -> Face:
        """The face that all rows leave: the weights that change no score."""
        face, rng = self.face, np.random.default_rng(0)
        while (outside := np.flatnonzero(face.outside())).size:
            face = Face(self.goal, [*face.rows, *self._sample(outside, face, rng)])
        return face

    def _sample(self, rows: np.ndarray, face: Face, rng: np.random.Generator) -> np.ndarray:
        """Some of those rows: for every column one that uses it, and random ones."""
        mixed = rng.permutation(rows)
        used = np.asarray((self.goal.X[mixed] != 0).argmax(axis=0)).ravel()
        missing = self.goal.dimension - len(face.rows)
        return np.union1d(mixed[used], mixed[: 4 * missing + 20])

    def _widest(self, outside: np.ndarray) -> dict[int, int] | None:
        """Propose an α on as many independent rows as there are, and make it exact; may fail.

        maximise Σ ωᵢaᵢ·z over independent rows i and z in C: at 0, the multipliers and ω together
        are an α on all of them. Rows with aᵢ·z > 0 cannot be in any α, and are left out next time.
        Random ω make the multipliers a vertex without degeneracy.
        """
        rng = np.random.default_rng(0)
        goal, left = self.goal, outside.copy()
        working = np.zeros(0, dtype=np.intp)
        while left.any():
            sample = self._sample(np.flatnonzero(left), self.face, rng)
            stacked = np.concatenate([self.face.matrix, dense_rows(goal, sample)])
            r = len(self.face.rows)
            chosen = sample[[k - r for k in independent(stacked) if k >= r]]
            omega = rng.integers(100, 200, size=len(chosen))
            working = np.union1d(working, chosen)
            z, working, relation = self._maximise(chosen, omega, working, outside)
            if z is None:
                return relation
            margins, _ = goal.look(z)
            left &= ~(margins > OPEN * self._sizes(z))
            left[chosen[np.argmax(margins[chosen] / self._sizes(z)[chosen])]] = False
        return None

    def _sizes(self, z: np.ndarray) -> np.ndarray:
        """Σⱼ|aᵢⱼzⱼ|: what aᵢ·z is small against."""
        goal = self.goal
        sizes = np.empty(goal.n)
        for piece, rows in goal._chunks():
            sizes[piece] = abs(rows) @ np.abs(z[:-1]) + goal.bias * abs(z[-1])
        return np.maximum(sizes, np.finfo(float).tiny)

    def _maximise(
        self, chosen: np.ndarray, omega: np.ndarray, working: np.ndarray, outside: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray, dict[int, int] | None]:
        """z ∈ C, as far as floats tell, with Σ ωᵢaᵢ·z > 0; or what forbids it."""
        goal, frame = self.goal, self.frame
        program = self._program()
        rows = frame.into(dense_rows(goal, chosen))
        aim = (omega[:, None] * rows).sum(axis=0, keepdims=True)
        program.add(aim / (np.abs(aim).max() or 1.0))
        program.add(frame.into(goal.rows(working, 1 - goal.codes[working])), depth=0.0)
        first = len(self.face.rows) + 1
        while True:
            solved = program.solve()
            assert solved is not None
            t, z, multipliers = solved
            if t <= OPEN:
                heavy = multipliers > NEGLIGIBLE * multipliers.max(initial=0.0)
                held = self.face.rows[heavy[: first - 1]]
                return None, working, self._relation(working[heavy[first:]], held, chosen, omega)
            weights = frame.back(z)
            margins, _ = goal.look(weights)
            short = outside & (margins < -OPEN * self._sizes(weights))
            short[working] = False
            worst = np.flatnonzero(short)
            worst = worst[np.argsort(margins[worst], kind="stable")[: max(50, goal.dimension)]]
            if not len(worst):
                return weights, working, None
            working = np.concatenate([working, worst])
            program.add(frame.into(goal.rows(worst, 1 - goal.codes[worst])), depth=0.0)

    def _program(self) -> Program:
        program = Program(self.goal.dimension)
        if len(self.face.rows):
            program.add(self.frame.into(self.face.matrix), depth=0.0, equal=True)
        return program

    def _relation(
        self, free: np.ndarray, held: np.ndarray, chosen: np.ndarray, omega: np.ndarray
    ) -> dict[int, int] | None:
        """x with Σ ωᵢaᵢ + Σ xₖaₖ = 0 over chosen i, free and held k, x ≥ 0 on the free; exact."""
        integers, _ = exact.scaled_integers(dense_rows(self.goal, chosen))
        aim = omega.astype(object) @ integers.astype(object)
        others = np.concatenate([free, held])
        rows = np.concatenate([aim[None, :], dense_rows(self.goal, others).astype(object)])
        x = signed_relation(rows, 1 + len(free))
        if x is None or not x[0]:
            return None
        # The aim is in units of the integers.
        unit = _unit(dense_rows(self.goal, chosen), integers)
        total = {int(i): Fraction(0) for i in [*chosen, *others]}
        for i, value in zip(others, x[1:], strict=True):
            total[int(i)] += value
        for i, w in zip(chosen, omega, strict=True):
            total[int(i)] += Fraction(x[0] * int(w)) / unit
        return dict(zip(total, exact.primitive(list(total.values())), strict=True))

    def reaches(self, j: int, sign: int, ray: Ray) -> bool:
        """Whether some z of the cone has that sign at coordinate j."""
        wish = np.zeros(self.goal.dimension)
        wish[j] = sign * np.ldexp(1.0, int(self.frame.exponents[j]))
        return isinstance(Strict(self, ray.strict, wish).run(self.tight), Ray)


def _unit(rows: np.ndarray, integers: np.ndarray) -> Fraction:
    """The number that the integers are multiplied by to give the rows."""
    at = np.flatnonzero(integers)[0]
    return Fraction(float(rows.flat[at])) / int(integers.flat[at])


def signed_relation(rows: np.ndarray, signed: int) -> list[int] | None:
    """The one x with Σ xᵢ·rowᵢ = 0, if it is the only one and can have its first entries ≥ 0.

    Examples
    --------
    >>> signed_relation(np.array([[-1.0], [2.0]]), 1)
    [2, 1]
    >>> signed_relation(np.array([[1.0], [2.0]]), 2) is None
    True
    """
    used = rows[:, (rows != 0).any(axis=0)]
    basis = exact.nullspace(used.T) if used.shape[1] else []
    if len(basis) != 1:
        return None
    x = basis[0]
    if any(v < 0 for v in x[:signed]):
        x = [-v for v in x]
    return None if any(v < 0 for v in x[:signed]) or not any(x[:signed]) else x


class Strict:
    """The search, in a face, for z with aᵢ·z > 0 on given rows and possibly one wish more.

    The answer is such a `Ray`, or a relation Σ xᵢaᵢ = 0 that is positive on some of those rows and
    negative at most on the face's. Like `working_set.Search`, but inside a face.
    """

    def __init__(self, cone: Cone, strict: np.ndarray, wish: np.ndarray | None = None):
        self.cone, self.goal, self.face = cone, cone.goal, cone.face
        self.strict, self.wish = strict, wish
        self.program = cone._program()
        self.working = np.zeros(0, dtype=np.intp)
        self.skipped = len(self.face.rows)
        if wish is not None:
            self.program.add(cone.frame.into(wish[None, :]))
            self.skipped += 1

    def run(self, first: np.ndarray) -> Ray | dict[int, int]:
        """Search from a first working set."""
        size = max(50, self.goal.dimension)
        start = first[self.strict[first]] if len(first) else np.flatnonzero(self.strict)[:size]
        self._add(start)
        answer = None
        while answer is None:
            t, z, multipliers = self.program.solve() or (0.0, np.zeros(0), np.zeros(0))
            grown = False
            if t > OPEN:
                answer, grown = self._try(self._proposals(z))
            else:
                answer = self._refute(multipliers)
            if answer is None and not grown:
                answer = self._settle(multipliers)
        self.cone.tight = self.working
        return answer

    def _add(self, points: np.ndarray) -> bool:
        new = np.setdiff1d(points, self.working)
        if len(new):
            self.working = np.concatenate([self.working, new])
            rows = self.goal.rows(new, 1 - self.goal.codes[new])
            self.program.add(self.cone.frame.into(rows))
        return len(new) > 0

    def _proposals(self, z: np.ndarray) -> list[np.ndarray]:
        """The program's z in the face, with few significant bits and with all."""
        mantissa, exponent = np.frexp(self.cone.frame.back(z))
        return [
            self.face.complete(np.ldexp(np.round(np.ldexp(mantissa, b)), exponent - b))
            for b in BITS
        ]

    def _try(self, proposals: list[np.ndarray]) -> tuple[Ray | None, bool]:
        """The first proposal that does, exactly; else whether the working set has grown."""
        worst = np.zeros(0, dtype=np.intp)
        for weights in proposals:
            scaled = exact.normalised(weights)
            margins, _ = self.goal.look(scaled.astype(np.float64))
            worst = np.flatnonzero(self.strict & ~(margins > 0))
            # Only rounding, if anything, speaks against weights made for the working set.
            if np.isin(worst, self.working).all():
                signs, _ = exact.signs_of_requirements(self.goal.X, self.goal.codes, scaled)
                worst = np.flatnonzero(self.strict & (signs[:, 0] <= 0))
                if len(worst) == 0 and self._wished(weights):
                    return Ray(weights, self.strict), False
            worst = worst[np.argsort(margins[worst], kind="stable")]
        return None, self._add(worst[: max(50, self.goal.dimension)])

    def _wished(self, weights: np.ndarray) -> bool:
        if self.wish is None:
            return True
        j = int(np.flatnonzero(self.wish)[0])
        return bool(weights[j] * int(np.sign(self.wish[j])) > 0)

    def _rows(self, which: np.ndarray) -> np.ndarray:
        """The wish, if any, and those rows."""
        rows = dense_rows(self.goal, which)
        return rows if self.wish is None else np.concatenate([self.wish[None, :], rows])

    def _refute(self, multipliers: np.ndarray) -> dict[int, int] | None:
        heavy = multipliers > NEGLIGIBLE * multipliers.max(initial=0.0)
        held = heavy[: len(self.face.rows)]
        support = self.working[heavy[self.skipped :]]
        x = signed_relation(
            np.concatenate([self._rows(support), self.face.matrix[held]]),
            len(support) + (self.wish is not None),
        )
        if x is None:
            return None
        rows = [*support.tolist(), *self.face.rows[held].tolist()]
        named = zip(rows, x[self.wish is not None :], strict=True)
        return {i: int(v) for i, v in named if v}

    def _settle(self, multipliers: np.ndarray) -> Ray | dict[int, int] | None:
        """Decide the working set over the rationals, in coordinates of the face."""
        basis = self.face.basis()
        rows = self._rows(self.working)
        table = [[exact.as_fraction(v) for v in row] for row in rows]
        inside = [
            [
                sum((a * b for a, b in zip(row, vector, strict=True) if a and b), Fraction(0))
                for vector in basis
            ]
            for row in table
        ]
        nearest = min_norm_point(np.array(inside, dtype=object))
        if any(nearest.point):
            weights = sum(
                (u * vector for u, vector in zip(nearest.point, basis, strict=True)),
                np.full(self.goal.dimension, Fraction(0), dtype=object),
            )
            return self._try([weights])[0]
        combined = [
            sum(
                (a * table[i][j] for i, a in zip(nearest.support, nearest.alpha, strict=True)),
                Fraction(0),
            )
            for j in range(self.goal.dimension)
        ]
        return self._balanced(nearest.support, nearest.alpha, combined)

    def _balanced(
        self, support: Sequence[int], alpha: Sequence[Fraction], combined: list[Fraction]
    ) -> dict[int, int]:
        """The relation of rows whose combination is in the span of the face's rows."""
        matrix = [np.array(combined, dtype=object)[None, :], self.face.matrix.astype(object)]
        if any(combined):
            x = signed_relation(np.concatenate(matrix), 1)
            assert x is not None
        else:
            x = [1] + [0] * len(self.face.rows)
        wished = int(self.wish is not None)
        total = {
            int(self.working[i - wished]): x[0] * a
            for i, a in zip(support, alpha, strict=True)
            if i >= wished
        }
        total.update(zip(self.face.rows.tolist(), map(Fraction, x[1:]), strict=True))
        return dict(zip(total, exact.primitive(list(total.values())), strict=True))
