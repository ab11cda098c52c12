"""Proof of overlap: weighted rows that cancel, and that span all the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.proof.certificate.base import Verification
from rosenblatt.proof.certificate.fields import require
from rosenblatt.proof.certificate.inseparability import Inseparability


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Overlap(Inseparability):
    """Proof of overlap: an exact α with Aᵀα = 0 whose rows span the rows of all the data.

    Every z with Az ≥ 0 then has Az = 0: there is no separation of any kind, and the estimate of
    a logistic regression is finite (Albert and Anderson 1984). For one or two classes.

    Parameters
    ----------
    rows, alpha, rivals, codes, classes, fit_intercept, fingerprint, epsilon
        As for `Inseparability`; rows may be more than d + 2.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    >>> proof = Overlap.of(X, y, [0, 1, 2], [1, 2, 1])
    >>> print(proof.verify(X, y).reason)
    3 weighted rows cancel exactly and have the rank of the data, 2: the classes overlap
    """

    kind: ClassVar[str] = "overlap"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.binary, "overlap is certified for two classes")

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        outcome = super()._verify(matrix, codes)
        if not outcome:
            return outcome
        if not self.exact:
            return Verification(False, "overlap needs an exact alpha")
        rank = self._spanning_rank(matrix)
        if rank is None:
            return Verification(False, "the rows of the certificate do not span those of the data")
        return Verification(
            True,
            f"{len(self.rows)} weighted rows cancel exactly and have the rank of the data, {rank}: "
            "the classes overlap",
        )

    def _spanning_rank(self, matrix: Any) -> int | None:
        """Return the rank of the rows if the data has no more, else None; exact."""
        support = exact.as_floats(exact.as_dense(matrix[self.rows]))
        if self.fit_intercept:
            support = np.column_stack([support, np.ones(len(support))])
        columns = support.shape[1]
        if exact.rank_at_least(support) == columns:
            return columns
        basis = exact.nullspace(support)
        bias = [] if self.fit_intercept else [0]
        spans = exact.orthogonal_to_all(matrix, [v + bias for v in basis])
        return columns - len(basis) if spans else None

    def explain(self, X: Any = None) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> print(Overlap.of([[0.0], [1.0], [2.0]], [0, 1, 0], [0, 1, 2], [1, 2, 1]).explain())
        The classes overlap. Rows 0, 2 (class 0) and 1 (class 1) cannot be on the right sides of
        any hyperplane: ... These rows span all the data, so not even a hyperplane with some rows
        on it separates the others.
        """
        return (
            f"The classes overlap. {super().explain(X)} These rows span all the data, so not even "
            "a hyperplane with some rows on it separates the others."
        )
