"""Scores of points, brought up to date when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rosenblatt.engine.kernels.gram import GramRows
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.machine.threads import one_blas_thread

# Points worth a matrix product of their own, and as many as a tile has room for.
WORTH_A_PRODUCT, IN_A_TILE = 64, 512


class Scores:
    """f of every point as it was when last asked for, and what has changed since.

    A score takes the kernel with the points whose coefficients have changed since, or, where those
    are more, with all support vectors.

    Parameters
    ----------
    gram : GramRows
        Computes the kernel.
    bias : float
        What is added to it.
    coefficients : callable
        The coefficients now, of shape (1, n) or (K, n).
    first : ndarray of shape (1, m) or (K, m)
        The scores of the first m points, NaN where they are not known, as the others' are not.

    Examples
    --------
    >>> from rosenblatt.engine.kernels.kernel import Kernel
    >>> c = np.zeros((1, 3))
    >>> gram = GramRows(Kernel("linear", {}), np.array([[1.0], [2.0], [3.0]]), megabytes=1)
    >>> scores = Scores(gram, bias=1.0, coefficients=lambda: c, first=np.zeros((1, 3)))
    >>> c[0, 1] += 1
    >>> scores.changed(np.array([1]), np.array([[1.0]]))
    >>> scores.of(np.array([0, 2])).tolist()
    [[3.0, 7.0]]
    """

    def __init__(
        self,
        gram: GramRows,
        bias: float,
        coefficients: Callable[[], np.ndarray],
        first: np.ndarray,
    ):
        self.gram, self.bias, self.coefficients = gram, bias, coefficients
        self.values = np.zeros_like(coefficients())
        # Changes are numbered; of each point, how many of them its score knows of.
        self.known = np.full(self.values.shape[1], -1)
        self.changes: list[tuple[np.ndarray, np.ndarray]] = []
        self.first = self.count = self._noted = 0
        given = np.flatnonzero(np.isfinite(first).all(axis=0))
        self.set(given, first[:, given])

    def changed(self, points: np.ndarray, by: np.ndarray) -> None:
        """Note that the coefficients of those points have changed by so much."""
        if len(points):
            self.changes.append((points, by))
            self.count += 1
            self._noted += len(points)
        # More than the support vectors there can be are no help.
        while self._noted > self.values.shape[1]:
            self._noted -= len(self.changes.pop(0)[0])
            self.first += 1

    def all_changed(self) -> None:
        """Note that all coefficients have changed."""
        self.changes.clear()
        self.count += 1
        self.first, self._noted = self.count, 0

    def set(self, points: np.ndarray, values: np.ndarray) -> None:
        """Take scores that are up to date from elsewhere."""
        self.values[:, points] = values
        self.known[points] = self.count

    def known_of(self, points: np.ndarray) -> np.ndarray:
        """The scores of those points, NaN where they are not up to date."""
        return np.where(self.known[points] < self.count, np.nan, self.values[:, points])

    def of(self, points: np.ndarray, matrix: np.ndarray | None = None) -> np.ndarray:
        """The scores of those points, up to date; ``matrix`` is their Gram matrix if at hand."""
        late = points[self.known[points] < self.count]
        if len(late):
            c = self.coefficients()
            support = np.flatnonzero(c.any(axis=0))
            if matrix is not None and np.isin(support, points).all():
                own = c[:, points]
                with one_blas_thread():
                    sums = own @ matrix
                self.set(points, sums + self.bias * own.sum(axis=1, keepdims=True))
                late = late[:0]
            for some in self._groups(late):
                self._update(some, support)
        return self.values[:, points]

    def _groups(self, late: np.ndarray) -> Iterator[np.ndarray]:
        """Some points at a time, those that know of equally many changes together if possible."""
        known = np.maximum(self.known[late], self.first - 1)
        by_age = np.argsort(known, kind="stable")
        late, known = late[by_age], known[by_age]
        at = 0
        while at < len(late):
            last = known[min(at + WORTH_A_PRODUCT, len(late)) - 1]
            end = min(at + IN_A_TILE, int(np.searchsorted(known, last, side="right")))
            yield late[at:end]
            at = end

    def _changed_since(self, number: int) -> np.ndarray:
        changed = np.zeros(self.values.shape[1], dtype=bool)
        for who, _ in self.changes[number - self.first :]:
            changed[who] = True
        return np.flatnonzero(changed)

    def _update(self, late: np.ndarray, support: np.ndarray) -> None:
        """Bring points up to date that come in the order of what they know."""
        oldest = int(self.known[late[0]])
        pending = support if oldest < self.first else self._changed_since(oldest)
        if oldest < self.first or len(pending) >= len(support):
            parts = [(slice(0, len(late)), self.coefficients()[:, support])]
            pending, before = support, 0.0
        else:
            parts = self._parts(self.known[late], pending)
            before = self.values[:, late]
        sums = self.gram.sums(pending, late, parts)
        for mine, c in parts:
            sums[:, mine] += self.bias * c.sum(axis=1, keepdims=True)
        with Uninterrupted():
            self.set(late, before + sums)

    def _parts(self, known: np.ndarray, pending: np.ndarray) -> list[tuple[slice, np.ndarray]]:
        """How much the coefficients have changed for those that know of equally many changes."""
        parts, change = [], np.zeros((len(self.values), len(pending)))
        for number in range(self.count - 1, int(known[0]) - 1, -1):
            who, by = self.changes[number - self.first]
            change[:, np.searchsorted(pending, who)] += by
            start, end = np.searchsorted(known, (number, number + 1))
            if start < end:
                parts.append((slice(start, end), change.copy()))
        return parts
