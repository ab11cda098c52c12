"""Proof of how few training errors weights can make: from above and from below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import fields, text, tree
from rosenblatt.proof.certificate.base import Certificate, Verification
from rosenblatt.proof.certificate.data import CertifiedData, sides
from rosenblatt.proof.certificate.fields import require
from rosenblatt.proof.certificate.inseparability import Inseparability
from rosenblatt.text import plural

FIELDS = {"rows", "alpha", "rivals"}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErrorBracket(Certificate):
    """Proof that lower ≤ the least cost of training errors of any weights ≤ upper.

    The upper end is shown by weights that are right on every row but those removed. The lower end
    is shown by subsets of rows that no weights have right together, with multipliers: see
    `rosenblatt.certificate.tree`.

    Parameters
    ----------
    costs : ndarray of int64 or None
        What an error on each row costs; 0 for rows that do not count. None: 1 for all.
    unit : Fraction
        Sample weights are ``costs`` times this.
    lower, upper : int
        The bracket, in costs.
    removed : ndarray of int64
        The rows that the weights may have wrong.
    weights : ndarray, shape (d + 1,) or, for three classes and more, (K, d + 1)
        Right on all others; the bias is last.
    witnesses : tuple of int or None
        For each row removed a subset that puts it back among rows kept, which shows that the rest
        is then inseparable; None where that was not shown. No part of the bracket.
    subsets : tuple of Inseparability
        Rows that no weights have right together, each with its proof.
    proof : Leaf, Impossible or Branch
        The lower end.
    classes, fit_intercept, fingerprint
        As for `Certificate`.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    >>> proof = ErrorBracket.of(
    ...     X, y, weights=[0.0, -1.0], subsets=[([0, 1, 2], [1, 2, 1], None)],
    ...     proof=tree.Leaf(((0, Fraction(1)),)))
    >>> proof.lower, proof.upper, proof.removed.tolist()
    (1, 1, [1])
    >>> print(proof.verify(X, y).reason)
    the weights are right on all rows but 1, at a cost of 1; 1 subset of rows that cannot all be
    right proves that errors cost at least 1
    >>> ErrorBracket.from_json(proof.to_json()) == proof
    True
    """

    kind: ClassVar[str] = "fewest-errors"

    costs: np.ndarray | None
    unit: Fraction
    lower: int
    upper: int
    removed: np.ndarray
    weights: np.ndarray
    witnesses: tuple[int | None, ...]
    subsets: tuple[Inseparability, ...]
    proof: tree.Node

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.costs is not None:
            self._set("costs", _checked_costs(self.costs))
        self._set("unit", fields.as_fraction(self.unit, "unit"))
        require(self.unit > 0, "unit must be positive")
        for name in ("lower", "upper"):
            self._set(name, fields.as_int(getattr(self, name), name))
        require(0 <= self.lower <= self.upper, "the bracket must be 0 ≤ lower ≤ upper")
        self._set("removed", fields.as_indices(self.removed, "removed"))
        require(len(np.unique(self.removed)) == len(self.removed), "removed must not repeat")
        weights = fields.as_weights(self.weights)
        vectors = weights.ndim == 1 if self.binary else weights.shape[:-1] == (len(self.classes),)
        require(vectors and weights.size, "weights must be one vector, or one per class")
        if not self.fit_intercept:
            require(not np.any(weights[..., -1]), "without an intercept every bias must be 0")
        self._set("weights", weights)
        require(isinstance(self.subsets, (list, tuple)), "subsets must be a list")
        self._set("subsets", tuple(self._subset(subset) for subset in self.subsets))
        self._set("proof", tree.read(self.proof))
        self._set("witnesses", self._checked_witnesses())

    def _subset(self, subset: Any) -> Inseparability:
        if isinstance(subset, Inseparability):
            return subset
        require(isinstance(subset, dict) and subset.keys() == FIELDS, "bad subset")
        shared: dict[str, Any] = {"classes": self.classes, "fit_intercept": self.fit_intercept}
        return Inseparability(**subset, **shared, fingerprint="")

    def _turned(self) -> dict[str, Any]:
        subsets = tuple(subset.facing(self.classes[0]) for subset in self.subsets)
        return {**super()._turned(), "weights": 0 - self.weights, "subsets": subsets}

    def _checked_witnesses(self) -> tuple[int | None, ...]:
        require(isinstance(self.witnesses, (list, tuple)), "witnesses must be a list")
        require(len(self.witnesses) == len(self.removed), "witnesses must be as many as removed")
        named = [w if w is None else fields.as_int(w, "witnesses") for w in self.witnesses]
        inside = all(w is None or 0 <= w < len(self.subsets) for w in named)
        require(inside, "witnesses must be subsets")
        return tuple(named)

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        weights: Any,
        subsets: Sequence[tuple[Any, Any, Any]],
        proof: tree.Node,
        costs: Any = None,
        unit: Fraction = Fraction(1),
        witnesses: dict[int, int] | None = None,
        fit_intercept: bool = True,
    ) -> Self:
        """Make the certificate of weights, subsets and multipliers, with the bracket they prove.

        Parameters
        ----------
        X, y
            The data.
        weights : array-like
            Floats or ``Fraction``, the bias last.
        subsets : sequence of (rows, alpha, rivals)
            As for `Inseparability`.
        proof : Leaf, Impossible or Branch
        costs : array-like of int, optional
        unit : Fraction
        witnesses : dict, optional
            From removed rows to subsets.
        fit_intercept : bool
        """
        data = CertifiedData.of(X, y)
        shared: dict[str, Any] = {"classes": data.classes, "fit_intercept": fit_intercept}
        table = np.asarray(weights)
        own = sides(data.codes, data.classes)
        worth = np.ones(len(own), dtype=np.int64) if costs is None else np.asarray(costs)
        wrong = np.flatnonzero(_wrong(data.matrix, own, table) & (worth > 0))
        proofs = tuple(
            Inseparability(rows=rows, alpha=alpha, rivals=rivals, **shared, fingerprint="")
            for rows, alpha, rivals in subsets
        )
        lower = tree.Cover([frozenset(p.rows.tolist()) for p in proofs], worth).bound(proof)
        assert lower is not None, "some weights belong to every proof"
        shown = witnesses or {}
        return cls(
            costs=costs,
            unit=unit,
            lower=lower,
            upper=sum(worth[wrong].tolist()),
            removed=wrong,
            weights=table,
            witnesses=tuple(shown.get(row) for row in wrong.tolist()),
            subsets=proofs,
            proof=proof,
            fingerprint=data.fingerprint(),
            **shared,
        )

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        return self.lower == self.upper

    @property
    def irreducible(self) -> bool:
        """Whether it is shown of every row removed that it cannot be put back."""
        return None not in self.witnesses

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        n = matrix.shape[0]
        costs = np.ones(n, dtype=np.int64) if self.costs is None else self.costs
        if len(costs) != n:
            return Verification(False, f"there are {len(costs)} costs but {n} rows")
        if self.weights.shape[-1] != matrix.shape[1] + 1:
            return Verification(False, "the weights are of another number of features")
        outcome = self._verify_upper(matrix, sides(codes, self.classes), costs)
        return outcome if not outcome else self._verify_lower(matrix, codes, costs, outcome.reason)

    def _verify_upper(self, matrix: Any, own: np.ndarray, costs: np.ndarray) -> Verification:
        if self.removed.max(initial=-1) >= len(own) or np.any(costs[self.removed] == 0):
            return Verification(False, "a row is removed that does not count")
        wrong = _wrong(matrix, own, self.weights) & (costs > 0)
        wrong[self.removed] = False
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            return Verification(False, f"row {row} is kept, but the weights have it wrong")
        total = sum(costs[self.removed].tolist())
        if total != self.upper:
            return Verification(False, f"the rows removed cost {total}, not {self.upper}")
        but = f" but {len(self.removed)}, at a cost of {total}" if len(self.removed) else ""
        return Verification(True, f"the weights are right on all rows{but}")

    def _verify_lower(
        self, matrix: Any, codes: np.ndarray, costs: np.ndarray, above: str
    ) -> Verification:
        for at, subset in enumerate(self.subsets):
            outcome = subset._verify(matrix, codes) if subset.exact else Verification(False, "")
            if not outcome:
                return Verification(False, f"subset {at} proves nothing: {outcome.reason}")
        rows = [frozenset(subset.rows.tolist()) for subset in self.subsets]
        try:
            bound = tree.Cover(rows, costs).bound(self.proof)
        except CertificateError as error:
            return Verification(False, f"the lower end is not proved: {error}")
        if bound is not None and bound < self.lower:
            return Verification(False, f"the subsets prove {bound} only, not {self.lower}")
        gone = set(self.removed.tolist())
        for row, witness in zip(self.removed.tolist(), self.witnesses, strict=True):
            if witness is not None and rows[witness] & gone != {row}:
                return Verification(False, f"row {row} is not shown to be needed among the removed")
        if not self.subsets:
            return Verification(True, above)
        return Verification(
            True,
            f"{above}; {plural(len(self.subsets), 'subset')} of rows that cannot all be right "
            f"prove{'s' if len(self.subsets) == 1 else ''} that errors cost at least {self.lower}",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold without loss."""
        subsets = [
            {name: fields.plain(getattr(subset, name)) for name in ("rows", "alpha", "rivals")}
            for subset in self.subsets
        ]
        return {**super().to_dict(), "subsets": subsets, "proof": tree.written(self.proof)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.lower} to {self.upper}>"

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> X, y = np.array([[0.0], [1.0]]), [0, 1]
        >>> proof = ErrorBracket.of(X, y, weights=[1.0, -0.5], subsets=[], proof=tree.Leaf(()))
        >>> print(proof.explain())
        No training error is needed: the weights are right on every row.
        """
        return text.error_bracket(self)


def _checked_costs(costs: Any) -> np.ndarray:
    entries = costs.tolist() if isinstance(costs, np.ndarray) else costs
    require(isinstance(entries, (list, tuple)), "costs must be a list")
    whole = [fields.as_int(entry, "costs") for entry in entries]
    require(all(0 <= c < 1 << 62 for c in whole), "costs must be whole numbers from 0 to 2⁶²")
    return np.array(whole, dtype=np.int64)


def _wrong(matrix: Any, own: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The rows that are not strictly on their side, for certain."""
    signs, _ = exact.signs_of_constraints(matrix, own, exact.normalised(weights))
    return signs.min(axis=1) <= 0
