"""Requirements: the rows of the goal Az > 0, made on demand for a few points at a time.

Two classes: one requirement a point, aᵢ = yᵢ(xᵢ, 1). K classes: one for each point and rival
class, (w_y − w_k)·(xᵢ, 1) > 0, a row of K blocks (Kesler's construction). Imports ``threads``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.threads import in_pieces

# Entries of X converted at once: a look needs no copy of the data, whatever its dtype.
CHUNK = 2**22
# Of a look, whose pieces share the cores: some milliseconds.
PIECE = 2**20


class Requirements:
    """The requirements of labelled data.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Finite floats.
    codes : ndarray of int
        Class codes; of two classes, 1 is the positive one.
    classes : int
        K.
    fit_intercept : bool
        Whether rows end in a coordinate of 1; without, it is 0.

    Examples
    --------
    >>> goal = Requirements(np.array([[2.0], [3.0]]), np.array([0, 1]), 2)
    >>> goal.rows(np.array([0, 1]), np.array([1, 0]))
    array([[-2., -1.],
           [ 3.,  1.]])
    >>> margins, rivals = goal.look(np.array([2.0, -5.0]))
    >>> margins
    array([1., 1.])
    """

    def __init__(self, X: Any, codes: np.ndarray, classes: int, fit_intercept: bool = True):
        self.X, self.codes, self.classes = X, codes, classes
        self.bias = 1.0 if fit_intercept else 0.0
        self.n, self.d = X.shape
        self.sparse = hasattr(X, "indptr")
        self.binary = classes == 2
        self.blocks = 1 if self.binary else classes
        self.dimension = self.blocks * (self.d + 1)

    def _rows_at_once(self, entries: int) -> int:
        stored = self.X.nnz if self.sparse else self.n * self.d
        return max(1, int(entries * self.n / max(1, stored)))

    def _chunks(self) -> Iterator[tuple[slice, Any]]:
        at_once = self._rows_at_once(CHUNK)
        for at in range(0, self.n, at_once):
            piece = slice(at, min(self.n, at + at_once))
            yield piece, self.X[piece]

    def look(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least fulfilled requirement of every point: how far, and against which rival."""
        table = np.asarray(weights, dtype=np.float64).reshape(self.blocks, self.d + 1)
        margins, rivals = np.empty(self.n), np.empty(self.n, dtype=np.intp)

        def look_at(piece: slice) -> None:
            scores = self.X[piece] @ table[:, :-1].T + self.bias * table[:, -1]
            codes = self.codes[piece]
            if self.binary:
                margins[piece] = np.where(codes == 1, scores[:, 0], -scores[:, 0])
                rivals[piece] = 1 - codes
                return
            at = np.arange(len(codes))
            own = scores[at, codes]
            scores[at, codes] = -np.inf
            rivals[piece] = scores.argmax(axis=1)
            margins[piece] = own - scores[at, rivals[piece]]

        in_pieces(look_at, self.n, self._rows_at_once(PIECE))
        return margins, rivals

    def rows(self, points: np.ndarray, rivals: np.ndarray) -> Any:
        """The requirements of those points against those rivals, dense or CSR like X."""
        chosen = self.X[points]
        own = self.codes[points]
        if self.sparse:
            return self._sparse_rows(chosen, own, rivals)
        padded = np.empty((len(points), self.d + 1))
        padded[:, :-1] = chosen
        padded[:, -1] = self.bias
        if self.binary:
            return padded * np.where(own == 1, 1.0, -1.0)[:, None]
        out = np.zeros((len(points), self.blocks, self.d + 1))
        at = np.arange(len(points))
        out[at, own] = padded
        out[at, rivals] = -padded
        return out.reshape(len(points), self.dimension)

    def _sparse_rows(self, chosen: Any, own: np.ndarray, rivals: np.ndarray) -> Any:
        from scipy import sparse

        bias = sparse.csr_array(np.full((len(own), 1), self.bias))
        padded: Any = sparse.hstack(
            [sparse.csr_array(chosen, dtype=np.float64), bias], format="csr"
        )
        if self.binary:
            return sparse.diags_array(np.where(own == 1, 1.0, -1.0)) @ padded
        height = np.repeat(np.arange(len(own)), np.diff(padded.indptr))
        columns, data = padded.indices, padded.data
        both = sparse.coo_array(
            (
                np.concatenate([data, -data]),
                (
                    np.concatenate([height, height]),
                    np.concatenate(
                        [
                            columns + own[height] * (self.d + 1),
                            columns + rivals[height] * (self.d + 1),
                        ]
                    ),
                ),
            ),
            shape=(len(own), self.dimension),
        )
        return both.tocsr()

    def hashes(self) -> np.ndarray:
        """A 64-bit hash of every row of X: equal rows, dense or sparse, have equal hashes.

        Σ bits(x_j)·r_j modulo 2⁶⁴ with random odd r_j; zeros add nothing, −0 counts as 0.
        """
        odd = np.random.default_rng(0).integers(2**63, size=self.d, dtype=np.uint64) * 2 + 1
        keys = np.empty(self.n, dtype=np.uint64)
        for piece, rows in self._chunks():
            if self.sparse:
                bits = (rows.data.astype(np.float64) + 0.0).view(np.uint64) * odd[rows.indices]
                sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(bits, dtype=np.uint64)])
                keys[piece] = sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]
            else:
                bits = (rows.astype(np.float64) + 0.0).view(np.uint64)
                keys[piece] = (bits * odd).sum(axis=1, dtype=np.uint64)
        return keys
