"""The directions along which a likelihood rises for ever: what is asked of a model's cone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.proof.certificate import (
    Inseparability,
    Overlap,
    Recession,
    Separation,
    WeakSeparation,
)
from rosenblatt.solve.attempts import find_proof
from rosenblatt.solve.deadline import Deadline, OutOfTime
from rosenblatt.solve.decision import decide
from rosenblatt.solve.search import Separator
from rosenblatt.solve.separation.cone import Cone
from rosenblatt.solve.separation.faces import Ray
from rosenblatt.solve.separation.models import CONTESTS, LOG, Design


class Directions:
    """What is known of a model's cone.

    Where a model compares rows, pairs of them are taken in until no other pair changes the answer:
    until the ray found violates none, and none is tied for it that the face does not tie.

    Parameters
    ----------
    design : Design
    timer : Deadline

    Attributes
    ----------
    ray : Ray or None
        Strict on as many rows as any can be; None where the likelihood rises in no direction.
    """

    def __init__(self, design: Design, timer: Deadline):
        self.design, self.timer = design, timer
        self.cone = Cone(design.constraints, timer)
        self.ray: Ray | None = None
        self._coefficients: tuple[Ray | None, list[Fraction]] = None, []
        self._reached: dict[bytes, np.ndarray | None] = {}

    def decide(self) -> Separation | Inseparability | None:
        """Find the ray; the usual proof of what all rows together allow, where it comes first."""
        design, constraints = self.design, self.design.constraints
        if design.model in (*LOG, *CONTESTS):
            self._settle(design.known)
            return None
        if design.is_binary:
            how = {"fit_intercept": bool(constraints.bias), "positive": design.classes[1]}
            left = self.timer.left()
            in_time = decide(design.X, design.y, **how, time_limit=left) if left > 0 else None
            proof = in_time and in_time.certificate
            if proof is None:
                raise OutOfTime
        else:
            nowhere = np.zeros(constraints.dimension)
            left = self.timer.left
            answer = find_proof(constraints, nowhere, np.zeros(constraints.n), time_left=left)
            if isinstance(answer, Separator):
                found = (design.X, design.y, answer.weights)
                proof = Separation.of(*found, fit_intercept=False)
            else:
                found = (design.X, design.y, answer.points, answer.alpha)
                proof = Inseparability.of(*found, fit_intercept=False)
        if isinstance(proof, Separation):
            self.ray = Ray(proof.weights, np.ones(constraints.n, dtype=bool))
            return proof
        self._settle(dict(zip(proof.rows.tolist(), map(int, proof.alpha), strict=True)))
        return proof

    def _settle(self, alpha: dict[int, int]) -> None:
        """Find the ray, and take in pairs until no other changes it."""
        self.ray = self.cone.reduce(alpha)
        compared = self.design.compared
        while compared is not None:
            at = [Fraction(0)] * len(self.design.names) if self.ray is None else self.coefficients()
            more = compared.lost(at, self._of(self.cone.face.random()))
            if not len(more):
                more = compared.lost([Fraction(0)] * len(at), self._of(self.cone.space().random()))
            if not len(more):
                return
            self._take(more)
            self.ray = self.cone.reduce(self.cone.alpha)
            compared = self.design.compared

    def _take(self, pairs: np.ndarray) -> None:
        """Take in pairs; what was known of those before stays so."""
        compared = self.design.compared
        assert compared is not None
        compared = compared.with_pairs(pairs)
        self.design = self.design._replace(constraints=compared.constraints(), compared=compared)
        before, self.cone = self.cone, Cone(self.design.constraints, self.timer)
        self._reached = {}
        self.cone.alpha, self.cone.tight = before.alpha, before.tight

    def _of(self, weights: Any) -> list[Fraction]:
        """The coefficients at a point of the cone."""
        return self.design.coordinates.coefficients(weights)[: len(self.design.names)]

    def coefficients(self) -> list[Fraction]:
        """The coefficients of the ray."""
        assert self.ray is not None
        if self._coefficients[0] is not self.ray:
            self._coefficients = self.ray, self._of(self.ray.weights)
        return self._coefficients[1]

    def finite(self) -> list[bool]:
        """For each coefficient, whether it is 0 in all of the cone."""
        return [value == 0 for value in self._of(self.cone.face.random())]

    def identified(self) -> list[bool]:
        """For each coefficient, whether weights that change no score leave it as it is."""
        moved = self._of(self.cone.space().random())
        loose = self.design.coordinates.loose
        return [value == 0 and j not in loose for j, value in enumerate(moved)]

    def reaches(self, j: int, sign: int) -> bool:
        """Whether some direction has that sign at a coefficient where the ray has another."""
        coordinates, compared = self.design.coordinates, self.design.compared
        while True:
            assert self.ray is not None
            aim = sign * coordinates.aim(j, self.design.constraints.dimension)
            key = aim.tobytes()  # many levels may depend on the same coordinate
            if key not in self._reached:
                self._reached[key] = self.cone.reached(aim, self.ray)
            found = self._reached[key]
            if found is None or compared is None:
                return found is not None
            nothing = [Fraction(0)] * len(self.design.names)
            more = compared.lost(self._of(found), nothing)
            if not len(more):
                return True
            self._take(more)
            self._settle(self.cone.alpha)
            compared = self.design.compared
            if sign * self.coefficients()[j] > 0:
                return True

    def strict_rows(self) -> np.ndarray:
        """The rows of the data that are separated; all of their constraints are strict."""
        design = self.design
        rows = np.zeros(design.n, dtype=bool)
        if self.ray is None:
            return rows
        if design.compared is None:
            return design.strict_rows(self.ray.strict)
        contests = design.compared.contests
        left = contests.within(design.compared.scores(self.coefficients()))
        rows[design.present] = contests.taking_part() & ~left.taking_part()
        return rows

    def complete(self) -> bool:
        """Whether the ray leaves nothing: every row, or every pair, is strict."""
        if self.ray is None:
            return False
        if self.design.compared is None:
            known = self.design.sources is not None and bool(np.any(self.design.y))
            return not known and bool(self.strict_rows()[self.design.present].all())
        contests = self.design.compared.contests
        scores = self.design.compared.scores(self.coefficients())
        return not contests.within(scores).taking_part().any()

    def proofs(self, first: Separation | Inseparability | None) -> dict[str, Any]:
        """The certificates of the kind, by the attribute of the answer that holds each."""
        design = self.design
        if first is None:
            return {"recession": self._recession()}
        if isinstance(first, Separation):
            return {"separation": design.facing(first)}
        bias, data = bool(design.constraints.bias), (design.X, design.y)
        shared: dict[str, Any] = {"fit_intercept": bias, "fingerprint": first.fingerprint}
        if self.ray is None:
            alpha = self.cone.alpha
            proof: Any = Overlap.of(*data, list(alpha), list(alpha.values()), **shared)
            return {"inseparability": design.facing(proof)}
        weak = design.facing(WeakSeparation.of(*data, self.ray.weights, **shared))
        return {"separation": weak, "inseparability": design.facing(first)}

    def _recession(self) -> Recession:
        """The certificate of the ray, and of what it cannot separate."""
        design, ray, cone = self.design, self.ray, self.cone.alpha
        found = [] if ray is None else self.coefficients()
        zeros = [Fraction(0)] * (design.X.shape[1] + 1 - len(found))
        weights = np.array([*found, *zeros], dtype=object)
        if design.compared is not None:
            start = 2 * len(design.compared.ties)
            tied = [(k - start, a) for k, a in cone.items() if k >= start]
            pairs = design.compared.pairs[[k for k, _ in tied]]
            at = len(design.names)
            entry = None if design.compared.contests.entry is None else at + 2
            timed = design.model == "cox"
            return Recession.of(
                design.X,
                design.y,
                design.model,
                weights,
                rows=pairs[:, 0],
                rivals=pairs[:, 1],
                alpha=[a for _, a in tied],
                fit_intercept=False,
                strata=at,
                time=at + 1 if timed else None,
                entry=entry,
            )
        assert design.sources is not None
        scaled = {int(design.sources[k]): a / Fraction(design.scales[k]) for k, a in cone.items()}
        rows = [row for row in scaled if row >= 0]
        return Recession.of(
            design.X,
            design.y,
            "log",
            weights,
            rows=rows,
            alpha=exact.primitive([scaled[row] for row in rows]),
            fit_intercept=design.intercept,
        )
