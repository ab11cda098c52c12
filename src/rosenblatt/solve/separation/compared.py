"""Contests as a cone: xᵢ·z ≥ xⱼ·z for each winner i and rival j; pairs are added as they matter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.proof.contests import Contests, exact_scores
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.separation.coordinates import Coordinates

# Differences of integers up to this are floats.
BITS = 52


class Compared(NamedTuple):
    """The pairs of rows that have been found to matter, and the rows themselves.

    Differences of floats are not always floats. A column in which they are not is written as
    h·2⁵² + l with integers h and l, and has a coordinate for each.

    Attributes
    ----------
    X : matrix
        The rows of the data.
    contests : Contests
    parts : matrix
        X with its columns so divided.
    coordinates : Coordinates
    ties : matrix
        Rows that are 0 where the coordinates of a column agree.
    pairs : ndarray of int, shape (m, 2)
        Winners and rivals.

    Examples
    --------
    >>> cases = Contests(np.array([True, False]), np.zeros(2, int))
    >>> compared = Compared.of(np.array([[3.7], [0.1]]), cases)
    >>> compared.parts.shape, compared.with_pairs(np.array([[0, 1]])).constraints().n
    ((2, 2), 3)
    """

    X: Any
    contests: Contests
    parts: Any
    coordinates: Coordinates
    ties: np.ndarray
    pairs: np.ndarray

    @classmethod
    def of(cls, X: Any, contests: Contests) -> Compared:
        """The rows, without any pair."""
        from scipy import sparse

        columns = X.tocsc() if hasattr(X, "indptr") else np.asarray(X, dtype=np.float64)
        parts, factors, equal = [], [], []
        for j in range(X.shape[1]):
            whole: Any = columns[:, [j]]
            values = whole.data if hasattr(whole, "indptr") else whole.ravel()
            factors.append({len(parts): 1})
            for place, part in enumerate(_divided(values)):
                if place:
                    equal.append((len(parts) - 1, len(parts)))
                if hasattr(whole, "indptr"):
                    whole = sparse.csc_array((part, whole.indices, whole.indptr), whole.shape)
                    parts.append(whole)
                else:
                    parts.append(part[:, None])
        divided = sparse.hstack(parts, format="csr") if hasattr(X, "indptr") else np.hstack(parts)
        ties = np.zeros((len(equal), len(parts)))
        for row, (low, high) in enumerate(equal):
            ties[row, [low, high]] = 2.0**BITS, -1.0
        none = np.zeros((0, 2), dtype=np.intp)
        return cls(X, contests, divided, Coordinates(factors), ties, none)

    def with_pairs(self, pairs: np.ndarray) -> Compared:
        """The same with more pairs, after those that are there."""
        return self._replace(pairs=np.concatenate([self.pairs, pairs]))

    def constraints(self) -> Constraints:
        """The constraints: ties of either sign, then the pairs."""
        from scipy import sparse

        rows: Any = self.parts[self.pairs[:, 0]] - self.parts[self.pairs[:, 1]]
        both = [self.ties, -self.ties, rows]
        stacked: Any = (
            sparse.vstack(list(map(sparse.csr_array, both)), format="csr")
            if hasattr(rows, "indptr")
            else np.concatenate(both)
        )
        if not stacked.shape[0]:
            stacked = self.parts[:1] * 0.0
        return Constraints(stacked, np.ones(stacked.shape[0], dtype=np.intp), 2, False)

    @property
    def known(self) -> dict[int, int]:
        """The ties of either sign combine to 0."""
        return dict.fromkeys(range(2 * len(self.ties)), 1)

    def lost(self, coefficients: list[Any], then: list[Any]) -> np.ndarray:
        """Pairs that coefficients violate, or leave tied where ``then`` does not."""
        return self.contests.lost(self.scores(coefficients), self.scores(then))

    def scores(self, coefficients: list[Any]) -> np.ndarray:
        """Exact scores of all rows, as integers of one unit."""
        return exact_scores(self.X, coefficients)

    def table(self) -> Any:
        """The rows with what they are compared by as further columns: strata, time, entry."""
        contests = self.contests
        more = [v for v in (contests.strata, contests.time, contests.entry) if v is not None]
        further = np.column_stack([np.asarray(v, dtype=np.float64) for v in more])
        if not hasattr(self.X, "indptr"):
            return np.column_stack([np.asarray(self.X, dtype=np.float64), further])
        from scipy import sparse

        return sparse.hstack([self.X, sparse.csr_array(further)], format="csr")


def _divided(values: np.ndarray) -> list[np.ndarray]:
    """Floats as Σ 2^(52k)·partₖ, where all differences within a part are floats.

    Examples
    --------
    >>> [part.tolist() for part in _divided(np.array([1.0, 2.5]))]
    [[1.0, 2.5]]
    >>> [part.tolist() for part in _divided(np.array([2.0**60, 1.0]))]
    [[0.0, 1.0], [256.0, 0.0]]
    """
    integers, exponent = exact.scaled_integers(values)
    rest = integers.astype(object)
    parts = []
    while any(abs(v) >= 2**BITS for v in rest):
        low = rest % 2**BITS
        parts.append(np.ldexp(low.astype(np.float64), exponent))
        rest = (rest - low) // 2**BITS
    return [*parts, np.ldexp(rest.astype(np.float64), exponent)]
