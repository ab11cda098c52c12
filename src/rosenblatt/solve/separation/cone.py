"""The cone C = {z : Az ≥ 0}, reduced face by face to the least subspace that holds it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.deadline import Deadline
from rosenblatt.solve.effort import Meter
from rosenblatt.solve.linear_program import ROUNDING, Program
from rosenblatt.solve.separation.ascent import Ascent
from rosenblatt.solve.separation.faces import (
    Face,
    Ray,
    dense_rows,
    product,
    signed_relation,
    spanning_rows,
)
from rosenblatt.solve.separation.strict import BITS, Strict, shortened
from rosenblatt.solve.working_set import WorkingSet


class Cone:
    """The cone C = {z : Az ≥ 0}, and what is known of the least face that holds it.

    ``alpha`` are positive weights of rows with Σ αᵢaᵢ = 0. On C each of these aᵢ·z is 0, so C lies
    in ``face``, the subspace orthogonal to them (facial reduction, Borwein and Wolkowicz 1981).
    """

    def __init__(self, constraints: Constraints, timer: Deadline | None = None):
        self.constraints = constraints
        self.timer = timer or Deadline()
        self.alpha: dict[int, int] = {}
        self.face = Face(constraints)
        self.frame = Frame(constraints)
        self.tight = np.zeros(0, dtype=np.intp)
        self._ascent: Ascent | None = None

    def reduce(self, alpha: dict[int, int]) -> Ray | None:
        """From a first α to the least face: a ray strict on all rows off it, or None if C = {0}.

        Each round either ends or enlarges the span of α's rows, so it ends.
        """
        self._take(alpha)
        while (outside := self.face.outside()).any():
            found = self._widest(outside) or self._search(outside)
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
        self.face = Face(self.constraints, kept)

    def _search(self, strict: np.ndarray, wish: np.ndarray | None = None) -> Ray | dict[int, int]:
        """A ray of the face, strict on those rows and with wish·z > 0; or a relation against it."""
        return Strict(self, strict, wish).run(self.tight)

    def space(self) -> Face:
        """The face that all rows leave: the weights that change no score."""
        face, rng = self.face, np.random.default_rng(0)
        while (outside := np.flatnonzero(face.outside())).size:
            face = Face(self.constraints, [*face.rows, *self._sample(outside, face, rng)])
        return face

    def _sample(self, rows: np.ndarray, face: Face, rng: np.random.Generator) -> np.ndarray:
        """Some of those rows: for every column one that uses it, and random ones."""
        mixed = rng.permutation(rows)
        used = np.asarray((self.constraints.X[mixed] != 0).argmax(axis=0)).ravel()
        missing = self.constraints.dimension - len(face.rows)
        return np.union1d(mixed[used], mixed[: 4 * missing + 20])

    def _widest(self, outside: np.ndarray) -> dict[int, int] | None:
        """Propose an α on as many independent rows as there are, and make it exact; may fail.

        maximise Σ ωᵢaᵢ·z over independent rows i and z in C: at 0, the multipliers and ω together
        are an α on all of them. Rows with aᵢ·z > 0 cannot be in any α, and are left out next time.
        Random ω make the multipliers a vertex without degeneracy.
        """
        rng = np.random.default_rng(0)
        constraints, left, ascent = self.constraints, outside.copy(), Ascent(self, outside)
        chosen = np.zeros(0, dtype=np.intp)
        while left.any():
            chosen = chosen[left[chosen]]
            if not len(chosen):
                chosen = self.spanning(np.flatnonzero(left), rng)
                ascent.add(chosen)
            omega = rng.integers(100, 200, size=len(chosen))
            rows = self.frame.into(dense_rows(constraints, chosen))
            z, free, held = ascent.climb((omega[:, None] * rows).sum(axis=0))
            if z is None:
                return self._relation(free, held, chosen, omega)
            margins, _ = constraints.look(z)
            left &= ~(margins > ROUNDING * self.sizes(z))
            left[chosen[np.argmax(margins[chosen] / self.sizes(z)[chosen])]] = False
        return None

    def spanning(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Some of those rows, independent of each other and of the face's."""
        sample = self._sample(rows, self.face, rng)
        together = np.concatenate([self.face.rows, sample])
        r = len(self.face.rows)
        return sample[[k - r for k in spanning_rows(self.constraints, together) if k >= r]]

    def sizes(self, z: np.ndarray) -> np.ndarray:
        """Σⱼ|aᵢⱼzⱼ|: what aᵢ·z is small against."""
        constraints = self.constraints
        sizes = np.empty(constraints.n)

        def size_of(piece: slice, X: Any, part: slice) -> None:
            sizes[piece] = abs(X[part]) @ np.abs(z[:-1]) + constraints.bias * abs(z[-1])

        constraints.each(size_of)
        return np.maximum(sizes, np.finfo(float).tiny)

    def working_set(self, program: Program | None = None, **how: Any) -> WorkingSet:
        """No rows yet, over `program` or another one."""
        how["meter"] = Meter(time_left=self.timer.left)
        return WorkingSet(self.constraints, self.frame, program or self.program(), **how)

    def program(self) -> Program:
        """A linear program over the face, in the frame's coordinates, without other rows yet."""
        program = Program(self.constraints.dimension)
        if len(self.face.rows):
            program.add(self.frame.into(self.face.matrix), depth=0.0, equal=True)
        return program

    def _relation(
        self, free: np.ndarray, held: np.ndarray, chosen: np.ndarray, omega: np.ndarray
    ) -> dict[int, int] | None:
        """x with Σ ωᵢaᵢ + Σ xₖaₖ = 0 over chosen i, free and held k, x ≥ 0 on the free; exact."""
        integers, _ = exact.scaled_integers(dense_rows(self.constraints, chosen))
        aim = omega.astype(object) @ integers.astype(object)
        others = np.concatenate([free, held])
        rows = np.concatenate([aim[None, :], dense_rows(self.constraints, others).astype(object)])
        x = signed_relation(rows, 1 + len(free))
        if x is None or not x[0]:
            return None
        # The aim is in units of the integers.
        unit = _unit(dense_rows(self.constraints, chosen), integers)
        total = {int(i): Fraction(0) for i in [*chosen, *others]}
        for i, value in zip(others, x[1:], strict=True):
            total[int(i)] += value
        for i, w in zip(chosen, omega, strict=True):
            total[int(i)] += Fraction(x[0] * int(w)) / unit
        return dict(zip(total, exact.primitive(list(total.values())), strict=True))

    def reached(self, aim: np.ndarray, ray: Ray) -> np.ndarray | None:
        """Some z of the cone with aim·z > 0, where that is not so at a strict ray; None if none."""
        used = np.flatnonzero(aim)
        wish = np.ldexp(aim, int(self.frame.exponents[used].max()))
        if self._ascent is None or self._ascent.face is not self.face:
            self._ascent = Ascent(self, ray.strict)
            self._ascent.add(self.tight)
        z, free, held = self._ascent.climb(self.frame.into(wish[None, :])[0])
        if z is None:
            rows = np.concatenate([free, held])
            stacked = np.concatenate([wish[None, :], dense_rows(self.constraints, rows)])
            if signed_relation(stacked, 1 + len(free)) is not None:
                return None
        elif (tilted := self._tilted(z, wish, ray)) is not None:
            return tilted
        found = self._search(ray.strict, wish)
        return found.weights if isinstance(found, Ray) else None

    def _tilted(self, z: np.ndarray, wish: np.ndarray, ray: Ray) -> np.ndarray | None:
        """Some z with a little of the strict ray, if it is in the cone, exactly, as is wished."""
        steep = np.array([exact.as_fraction(v) for v in ray.weights], dtype=object)
        down = product(wish, steep)
        for bits in BITS:
            near = self.face.complete(shortened(z, bits))
            up = product(wish, near)
            if not (up > 0 > down):
                continue
            tilted = exact.normalised(near + abs(up / (2 * down)) * steep)
            signs, _ = exact.signs_of_constraints(
                self.constraints.X, self.constraints.codes, tilted
            )
            if (signs[ray.strict, 0] > 0).all():
                return tilted
        return None


def _unit(rows: np.ndarray, integers: np.ndarray) -> Fraction:
    """The number that the integers are multiplied by to give the rows."""
    at = np.flatnonzero(integers)[0]
    return Fraction(float(rows.flat[at])) / int(integers.flat[at])
