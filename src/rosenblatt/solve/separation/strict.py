"""The search, inside a face of the cone, for a direction that is strict on given rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.search import NEGLIGIBLE, OPEN, OutOfTime
from rosenblatt.solve.separation.faces import Ray, dense_rows, signed_relation
from rosenblatt.solve.wolfe import min_norm_point

if TYPE_CHECKING:
    from rosenblatt.solve.separation.cone import Cone

# Significant bits of a proposed direction: short ones are tried first.
BITS = (8, 26, 53)


class Strict:
    """The search, in a face, for z with aᵢ·z > 0 on given rows and possibly one wish more.

    The answer is such a `Ray`, or a relation Σ xᵢaᵢ = 0 that is positive on some of those rows and
    negative at most on the face's. Like `working_set.Search`, but inside a face.
    """

    def __init__(self, cone: Cone, strict: np.ndarray, wish: np.ndarray | None = None):
        self.cone, self.goal, self.face = cone, cone.goal, cone.face
        self.strict, self.wish = strict, wish
        self.program = cone.program()
        self.working = np.zeros(0, dtype=np.intp)
        self.skipped = len(self.face.rows)
        if wish is not None:
            # Only its sign counts, and the program takes no number above 1e15.
            shown = cone.frame.into(wish[None, :])
            self.program.add(shown / np.abs(shown).max())
            self.skipped += 1

    def run(self, first: np.ndarray) -> Ray | dict[int, int]:
        """Search from a first working set."""
        size = max(50, self.goal.dimension)
        start = first[self.strict[first]] if len(first) else np.flatnonzero(self.strict)[:size]
        self._add(start)
        answer = None
        while answer is None:
            solved = self.program.solve(self.cone.timer.left())
            if solved is None:
                raise OutOfTime
            t, z, multipliers = solved
            grown = False
            if t > OPEN:
                grown = self._add(self._violated(z))
                if not grown:
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
        weights = self.cone.frame.back(z)
        return [self.face.complete(shortened(weights, bits)) for bits in BITS]

    def _violated(self, z: np.ndarray) -> np.ndarray:
        """The rows beyond the working set that the program's z violates most."""
        margins, _ = self.goal.look(self.cone.frame.back(z))
        short = self.strict & ~(margins > 0)
        short[self.working] = False
        worst = np.flatnonzero(short)
        return worst[np.argsort(margins[worst], kind="stable")[: max(50, self.goal.dimension)]]

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
        try:
            nearest = min_norm_point(np.array(inside, dtype=object), deadline=self._is_late)
        except TimeoutError:
            raise OutOfTime from None
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

    def _is_late(self) -> bool:
        """Whether the time is over, which the clock says by an exception."""
        self.cone.timer.left()
        return False

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


def shortened(values: np.ndarray, bits: int) -> np.ndarray:
    """Floats of so many significant bits, the nearest.

    Examples
    --------
    >>> shortened(np.array([0.7, 100.3]), 2)
    array([ 0.75, 96.  ])
    """
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
