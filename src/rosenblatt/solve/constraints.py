"""The constraints Az > 0 of labelled rows, made on demand for a few points at a time.

Two classes: one constraint a point, aᵢ = yᵢ(xᵢ, 1). K classes: one for each point and rival class,
(w_y − w_k)·(xᵢ, 1) > 0, a row of K blocks (Kesler's construction).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import in_pieces
from rosenblatt.engine.points import Points, as_rows, dot
from rosenblatt.engine.scoring import scorer
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.lazy import cached_property
from rosenblatt.proof import exact
from rosenblatt.solve.linear_constraints import SearchStart, Worst

# Entries of rows that are looked at, copied or written at once, some milliseconds: pieces share the
# cores, and a look needs no copy of the data, whatever its dtype.
ENTRIES_AT_ONCE = 2**22


class Constraints:
    """The constraints of labelled data.

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
    columns : UsedColumns, optional
        The columns of X among others that are empty; by default all.

    Examples
    --------
    >>> constraints = Constraints(np.array([[2.0], [3.0]]), np.array([0, 1]), 2)
    >>> constraints.rows(np.array([0, 1]), np.array([1, 0]))
    array([[-2., -1.],
           [ 3.,  1.]])
    >>> margins, rivals = constraints.look(np.array([2.0, -5.0]))
    >>> margins
    array([1., 1.])
    """

    # Whether the rows are in memory, so that many looks and copies of some rows are affordable.
    in_memory = True

    def __init__(
        self,
        X: Any,
        codes: np.ndarray,
        classes: int,
        fit_intercept: bool = True,
        columns: UsedColumns | None = None,
    ):
        self.X, self.codes, self.classes = X, codes, classes
        self.bias = 1.0 if fit_intercept else 0.0
        self.n, self.d = X.shape
        self.columns = columns or UsedColumns(None, self.d)
        self.sparse = hasattr(X, "indptr")
        self.per_row = X.nnz / max(1, self.n) if self.sparse else float(self.d)
        self.binary = classes == 2
        self.blocks = 1 if self.binary else classes
        self.dimension = self.blocks * (self.d + 1)

    def each(self, call: Callable[[slice, Any, slice], None]) -> None:
        """Call with each piece of the points, a table, and the slice of their rows, in threads."""
        at_once = max(1, int(ENTRIES_AT_ONCE / (self.per_row + 8 * self.blocks)))
        in_pieces(lambda piece: call(piece, self.X, piece), self.n, at_once)

    def look(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least margin of every point over its rivals, and the rival of that margin."""
        if self.binary:
            return self._look_at_two(np.asarray(weights, dtype=np.float64))
        table = np.asarray(weights, dtype=np.float64).reshape(self.blocks, self.d + 1)
        # In the layout that suits the rows, converted once for all pieces.
        coef = np.asarray(table[:, :-1], order="F" if self.sparse else "C")
        intercept = self.bias * table[:, -1]
        margins, rivals = np.empty(self.n), np.empty(self.n, dtype=np.intp)

        def look_at(piece: slice, X: Any, part: slice) -> None:
            codes = self.codes[piece]
            scores = np.empty((len(codes), self.blocks))
            scorer(X, coef, intercept)(part, scores)
            at = np.arange(len(codes))
            own = scores[at, codes]
            scores[at, codes] = -np.inf
            rivals[piece] = scores.argmax(axis=1)
            margins[piece] = own - scores[at, rivals[piece]]

        self.each(look_at)
        return margins, rivals

    def _look_at_two(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`look` at points of two classes."""
        margins, weights = np.empty(self.n), np.ascontiguousarray(weights.ravel())

        def look_at(piece: slice, X: Any, part: slice) -> None:
            points = Points(as_rows(X), self.codes[piece], self.codes, self.bias)
            compiled(write_margins)(points, part.start, weights, margins[piece])

        self.each(look_at)
        return margins, 1 - self.codes

    def hinge(self, weights: np.ndarray) -> tuple[float, np.ndarray, int]:
        """The loss ½Σ max(0, 1 − a·w)² over all constraints, its gradient, and points violated.

        Its infimum is 0 exactly if the constraints can be met together.

        Examples
        --------
        >>> constraints = Constraints(np.array([[2.0], [3.0]]), np.array([0, 1]), 2)
        >>> constraints.hinge(np.array([1.0, -2.5]))
        (0.25, array([-0.5,  0. ]), 0)
        """
        table = weights.reshape(self.blocks, self.d + 1)
        parts: dict[int, tuple[float, np.ndarray, int]] = {}

        def add_up(piece: slice, X: Any, part: slice) -> None:
            rows, codes = X[part], self.codes[piece]
            if not self.sparse:
                rows = np.asarray(rows, dtype=np.float64)
            scores = rows @ table[:, :-1].T + self.bias * table[:, -1]
            pull, short = self._pull(scores, codes)
            slope = np.column_stack([(rows.T @ pull).T, self.bias * pull.sum(axis=0)])
            violated = int(np.sum(short.max(axis=1) >= 1))
            parts[piece.start] = float(np.vdot(short, short)) / 2, slope, violated

        self.each(add_up)
        losses, slopes, violated = zip(*(parts[at] for at in sorted(parts)), strict=True)
        return sum(losses), np.sum(slopes, axis=0).ravel(), sum(violated)

    def _pull(self, scores: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The derivative of the loss by each score, and how far each constraint is short of 1."""
        if self.binary:
            signs = np.where(codes == 1, 1.0, -1.0)[:, None]
            short = np.maximum(0.0, 1.0 - signs * scores)
            return -signs * short, short
        at = np.arange(len(codes))
        short = scores - scores[at, codes][:, None] + 1.0
        short[at, codes] = 0.0
        np.maximum(short, 0.0, out=short)
        pull = short.copy()
        pull[at, codes] = -short.sum(axis=1)
        return pull, short

    def worst(self, weights: np.ndarray, most: int) -> Worst:
        """The points least fulfilled by weights, at most so many; one look at each.

        Examples
        --------
        >>> constraints = Constraints(np.array([[2.0], [3.0], [5.0]]), np.array([0, 1, 1]), 2)
        >>> worst = constraints.worst(np.array([1.0, -4.0]), 1)
        >>> worst.violated, worst.points, worst.least
        (1, array([1]), array([ 2., -1.]))
        """
        margins, rivals = self.look(weights)
        chosen = argsmallest(margins, most)
        least, nearest = np.full(self.classes, np.inf), np.full(self.classes, -1)
        for k in range(self.classes):
            own = np.flatnonzero(self.codes == k)
            if len(own):
                nearest[k] = own[np.argmin(margins[own])]
                least[k] = margins[nearest[k]]
        violated = int(np.sum(~(margins > 0)))
        return Worst(violated, chosen, rivals[chosen], margins[chosen], least, nearest)

    def violated_exactly(self, weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The first points that weights, taken as rationals, do not fulfil, and their rivals."""
        if self._surely_meets_all(weights):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        table = weights if self.binary else weights.reshape(self.blocks, self.d + 1)
        signs, _ = exact.signs_of_constraints(self.X, self.codes, table)
        violated = np.flatnonzero(signs.min(axis=1) <= 0)[:most]
        rivals = 1 - self.codes[violated] if self.binary else signs[violated].argmin(axis=1)
        return violated, rivals

    def _surely_meets_all(self, weights: np.ndarray) -> bool:
        """Whether all constraints are met by more than the rounding of any row's score.

        One bound for all rows is cheap: it needs a few numbers per column.
        """
        if not self.binary or self.sparse or weights.dtype == object:
            return False
        margins, _ = self.look(weights)
        reach = np.abs(self.bounds()).max(axis=0)
        sizes = np.abs(weights[:-1]) @ reach + abs(weights[-1])
        exactly = self.bias != 0 or weights[-1] == 0
        return exactly and bool(margins.min() > exact.rounding(self.d, sizes))

    def likeliest(self, weights: np.ndarray, dual: np.ndarray, few: int) -> SearchStart:
        """Points to begin with: those that moved the weights most, and the most violated ones."""
        margins, rivals = self.look(weights)
        first = np.unique(np.concatenate([argsmallest(-dual, few), argsmallest(margins, few)]))
        violated = ~(margins > 0)
        confused = np.column_stack([self.codes[violated], rivals[violated]])
        return SearchStart(len(confused), first, rivals[first], confused)

    def some(self, classes: Sequence[int]) -> tuple[Constraints, np.ndarray]:
        """The constraints of some classes alone, in that order, and their points' numbers.

        Examples
        --------
        >>> constraints = Constraints(np.array([[2.0], [3.0], [5.0]]), np.array([0, 1, 2]), 3)
        >>> part, points = constraints.some([2, 0])
        >>> part.codes, points
        (array([1, 0]), array([0, 2]))
        """
        place = np.full(self.classes, -1)
        place[list(classes)] = np.arange(len(classes))
        points = np.flatnonzero(place[self.codes] >= 0)
        codes = place[self.codes[points]]
        return Constraints(self.X[points], codes, len(classes), bool(self.bias)), points

    def own(self, points: np.ndarray) -> np.ndarray:
        """The class codes of those points."""
        return self.codes[points]

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of each column."""
        return self._bounds

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        if hasattr(low, "toarray"):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        return np.asarray(low, dtype=float), np.asarray(high, dtype=float)

    def contradiction(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Two identical rows of different classes, and their rivals, if there are any."""
        keys = self.hashes()
        order = np.lexsort((self.codes, keys))
        codes = self.codes[order]
        same = (keys[order[1:]] == keys[order[:-1]]) & (codes[1:] != codes[:-1])
        for at in np.flatnonzero(same):
            pair = order[[at, at + 1]]
            rivals = self.codes[pair[::-1]]
            rows = self.rows(pair, rivals)
            if not abs(rows[0] + rows[1]).sum():
                return pair, rivals
        return None

    def rows(self, points: np.ndarray, rivals: np.ndarray) -> Any:
        """The constraints of those points against those rivals, dense or CSR like X."""
        own = self.codes[points]
        if self.sparse:
            return self._sparse_rows(self.X[points], own, rivals)
        padded = np.empty((len(points), self.d + 1))
        padded[:, -1] = self.bias
        padded[:, :-1] = self.X[points]
        if self.binary:
            padded *= np.where(own == 1, 1.0, -1.0)[:, None]
            return padded
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

        Σ mixed(x_j)·r_j modulo 2⁶⁴ with random odd r_j; zeros add nothing, −0 counts as 0.
        """
        odd = np.random.default_rng(0).integers(2**63, size=self.d, dtype=np.uint64) * 2 + 1
        keys = np.empty(self.n, dtype=np.uint64)

        def hash_of(piece: slice, X: Any, part: slice) -> None:
            if self.sparse:
                starts = X.indptr[part.start : part.stop + 1]
                own = slice(starts[0], starts[-1])
                bits = mixed(X.data[own]) * odd[X.indices[own]]
                sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(bits, dtype=np.uint64)])
                ends = sums[starts - starts[0]]
                keys[piece] = ends[1:] - ends[:-1]
                return
            keys[piece] = (mixed(X[part]) * odd).sum(axis=1, dtype=np.uint64)

        self.each(hash_of)
        return keys


def write_margins(points: Any, first: int, weights: Any, out: Any) -> None:
    """Write ±score of rows from ``first`` on; ``points.y`` has 0 or 1 for each of these alone.

    Examples
    --------
    >>> points, out = Points(as_rows(np.array([[9.0], [3.0], [4.0]])), [1, 0], [], 1.0), [0, 0]
    >>> write_margins(points, 1, np.array([1.0, -5.0]), out)
    >>> [float(margin) for margin in out]
    [-2.0, 1.0]
    """
    for k in range(len(out)):
        score = dot(points, first + k, weights)
        out[k] = score if points.y[k] == 1 else -score


def mixed(values: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each number; the hash of 0 is 0.

    A small whole number has only its first bits set, and so would any multiple of them modulo 2⁶⁴.

    Examples
    --------
    >>> mixed(np.array([0.0, -0.0])), len(set(mixed(np.arange(1e5)) % 2**40))
    (array([0, 0], dtype=uint64), 100000)
    """
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits


def argsmallest(values: np.ndarray, most: int) -> np.ndarray:
    """Indices of the ``most`` smallest values, in ascending order; of equal ones, the first.

    Examples
    --------
    >>> argsmallest(np.array([3.0, 1.0, 1.0, 0.0]), 2)
    array([3, 1])
    """
    # NaN counts as the least value.
    values = np.where(np.isnan(values), -np.inf, values)
    if most >= len(values):
        return np.argsort(values, kind="stable")
    cut = np.partition(values, most - 1)[most - 1]
    below = np.flatnonzero(values < cut)
    level = np.flatnonzero(values == cut)[: most - len(below)]
    chosen = np.sort(np.concatenate([below, level]))
    return chosen[np.argsort(values[chosen], kind="stable")]
