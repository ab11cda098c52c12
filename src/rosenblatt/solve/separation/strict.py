"""The search, inside a face of the cone, for a direction that is strict on given rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.deadline import OutOfTime
from rosenblatt.solve.linear_program import ROUNDING, Solution
from rosenblatt.solve.separation.faces import Ray, dense_rows, product, signed_relation
from rosenblatt.solve.wolfe import min_norm_point
from rosenblatt.solve.working_set import NOBODY, Checked

if TYPE_CHECKING:
    from rosenblatt.solve.separation.cone import Cone

# Significant bits of a proposed direction: short ones are tried first.
BITS = (8, 26, 53)


class Strict:
    """The search, in a face, for z with aᵢ·z > 0 on given rows and possibly one wish more.

    The answer is such a `Ray`, or a relation Σ xᵢaᵢ = 0 that is positive on some of those rows and
    negative at most on the face's. Like `Search`, but inside a face.
    """

    def __init__(self, cone: Cone, strict: np.ndarray, wish: np.ndarray | None = None):
        self.cone, self.constraints, self.face = cone, cone.constraints, cone.face
        self.strict, self.wish = strict, wish
        program = cone.program()
        if wish is not None:
            # Only its sign counts.
            shown = cone.frame.into(wish[None, :])
            program.add(shown / np.abs(shown).max())
        self.working = cone.working_set(program)

    def run(self, first: np.ndarray) -> Ray | dict[int, int]:
        """Search from a first working set."""
        some = first if len(first) else np.arange(self.constraints.n)
        some = some[self.strict[some]]
        self._add(some if len(first) else some[: self.working.batch])
        while True:
            answer, solution = self.working.search(self._check)
            if answer is None:
                answer = self._by_nearest_point(solution.alpha)
            if answer is not None:
                self.cone.tight = self.working.points
                return answer

    def _add(self, points: np.ndarray) -> bool:
        return self.working.add(points, 1 - self.constraints.codes[points])

    def _check(self, solution: Solution) -> Checked:
        """A relation by the program's multipliers, or a look at all rows with its direction."""
        if solution.height <= ROUNDING:
            return Checked(self._refute(solution.alpha))
        weights = self.cone.frame.back(solution.z)
        margins, rivals = self.constraints.look(weights)
        short = self.strict & ~(margins > 0)
        short[self.working.points] = False
        worst = self.working.worst(margins, short)
        if len(worst):
            return Checked(None, worst, rivals[worst])
        return self._try(self._proposals(weights))

    def _proposals(self, weights: np.ndarray) -> list[np.ndarray]:
        """The program's weights in the face, with few significant bits and with all."""
        return [self.face.complete(shortened(weights, bits)) for bits in BITS]

    def _try(self, proposals: list[np.ndarray]) -> Checked:
        """The first proposal that does, exactly; else the rows that the last one violates."""
        worst = NOBODY
        for weights in proposals:
            scaled = exact.normalised(weights)
            margins, _ = self.constraints.look(scaled.astype(np.float64))
            short = self.strict & ~(margins > 0)
            # Only rounding, if anything, speaks against weights made for the working set.
            if np.isin(np.flatnonzero(short), self.working.points).all():
                signs, _ = exact.signs_of_constraints(
                    self.constraints.X, self.constraints.codes, scaled
                )
                short = self.strict & (signs[:, 0] <= 0)
                if not short.any() and self._wished(weights):
                    return Checked(Ray(weights, self.strict))
            worst = self.working.worst(margins, short)
        return Checked(None, worst, 1 - self.constraints.codes[worst])

    def _wished(self, weights: np.ndarray) -> bool:
        return self.wish is None or product(self.wish, weights) > 0

    def _rows(self, which: np.ndarray) -> np.ndarray:
        """The wish, if any, and those rows."""
        rows = dense_rows(self.constraints, which)
        return rows if self.wish is None else np.concatenate([self.wish[None, :], rows])

    def _refute(self, alpha: np.ndarray) -> dict[int, int] | None:
        heavy = alpha > ROUNDING * alpha.max(initial=0.0)
        held = heavy[: len(self.face.rows)]
        support = self.working.points[heavy[self.working.fixed :]]
        x = signed_relation(
            np.concatenate([self._rows(support), self.face.matrix[held]]),
            len(support) + (self.wish is not None),
        )
        if x is None:
            return None
        rows = [*support.tolist(), *self.face.rows[held].tolist()]
        named = zip(rows, x[self.wish is not None :], strict=True)
        return {i: int(v) for i, v in named if v}

    def _by_nearest_point(self, alpha: np.ndarray) -> Ray | dict[int, int] | None:
        """Decide the working set over the rationals, in coordinates of the face.

        None where all rows say that the working set was too small.
        """
        basis = self.face.basis()
        rows = self._rows(self.working.points)
        table = [[exact.as_fraction(v) for v in row] for row in rows]
        inside = [
            [
                sum((a * b for a, b in zip(row, vector, strict=True) if a and b), Fraction(0))
                for vector in basis
            ]
            for row in table
        ]
        try:
            nearest = min_norm_point(np.array(inside, dtype=object), deadline=self.cone.timer.over)
        except TimeoutError:
            raise OutOfTime from None
        if any(nearest.point):
            weights = sum(
                (u * vector for u, vector in zip(nearest.point, basis, strict=True)),
                np.full(self.constraints.dimension, Fraction(0), dtype=object),
            )
            seen = self._try([weights])
            self.working.add(seen.points, seen.rivals)
            return seen.answer
        combined = [
            sum(
                (a * table[i][j] for i, a in zip(nearest.support, nearest.alpha, strict=True)),
                Fraction(0),
            )
            for j in range(self.constraints.dimension)
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
            int(self.working.points[i - wished]): x[0] * a
            for i, a in zip(support, alpha, strict=True)
            if i >= wished
        }
        total.update(zip(self.face.rows.tolist(), map(Fraction, x[1:]), strict=True))
        return dict(zip(total, exact.primitive(list(total.values())), strict=True))


def shortened(values: np.ndarray, bits: int) -> np.ndarray:
    """Floats of so many significant bits, the nearest.

    Examples
    --------
    >>> shortened(np.array([0.7, 100.3]), 2)
    array([ 0.75, 96.  ])
    """
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
