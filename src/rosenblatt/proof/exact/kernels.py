"""The vectors orthogonal to all of some rows, exactly; sparse rows are solved one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.proof.exact.nullspaces import integer_matrix, nullspace, pivots
from rosenblatt.proof.exact.numbers import Matrix, as_floats, is_sparse, primitive
from rosenblatt.proof.exact.signs import normalised, signs_of_scores

# Rows that reduction makes longer by more entries are solved together.
FILL_IN = 8

# Entries of a row by column, those that are not 0, as integers or Fractions.
Row = dict[int, Any]


class Kernel:
    """The vectors v with row·v = 0 for every row that was added, exactly.

    Each row that says something new is solved for one of its columns, which is then a combination
    of others. Rows of indicators, such as fixed effects, stay sparse and small this way.

    Parameters
    ----------
    order : callable, optional
        Sorts columns: a row is solved for its first. The columns solved for are then those that
        are independent of the ones before them. By default for one with an entry of ±1.

    Examples
    --------
    >>> kernel = Kernel()
    >>> kernel.add({0: 1, 1: 1}), kernel.add({1: 1, 2: 2}), kernel.add({0: 1, 2: -2})
    (True, True, False)
    >>> kernel.reduced({1: 1, 2: 1})
    {2: -1}
    """

    def __init__(self, order: Callable[[int], Any] | None = None):
        self.order = order
        self.solved: dict[int, Row] = {}

    @classmethod
    def of(cls, rows: Iterable[Row], order: Callable[[int], Any] | None = None) -> Kernel:
        """The kernel of some rows.

        Rows that would fill up are put by and solved together, by python-flint.
        """
        kernel, late, used = cls(order), [], set[int]()
        for row in rows:
            rest = kernel.reduced(row)
            if len(rest) <= FILL_IN + len(row) or order is not None:
                kernel._solve(rest)
                continue
            late.append(rest)
            used |= rest.keys()
            if len(late) > 2 * len(used):
                kernel._solve_together(late)
                late, used = [], set[int]()
        kernel._solve_together(late)
        return kernel

    def add(self, row: Row) -> bool:
        """Take in a row; whether it is independent of those before it."""
        return self._solve(self.reduced(row))

    def _solve(self, rest: Row) -> bool:
        """Solve a reduced row for one of its columns, if it has any."""
        if not rest:
            return False
        if self.order is not None:
            pivot = min(rest, key=self.order)
        else:
            pivot = next((j for j, v in rest.items() if v in (1, -1)), next(iter(rest)))
        unit = rest.pop(pivot)
        if unit in (1, -1):
            self.solved[pivot] = {j: -v * unit for j, v in rest.items()}
        else:
            self.solved[pivot] = {j: -Fraction(v) / unit for j, v in rest.items()}
        return True

    def _solve_together(self, rows: list[Row]) -> None:
        rests = [rest for rest in map(self.reduced, rows) if rest]
        columns = sorted({j for rest in rests for j in rest})
        if not columns:
            return
        table = [primitive([rest.get(j, 0) for j in columns]) for rest in rests]
        echelon, divisor, rank = integer_matrix(np.array(table, dtype=object), axis=1).rref()
        leading = pivots(echelon, rank)
        others = [k for k in range(len(columns)) if k not in set(leading)]
        for i, k in enumerate(leading):
            shares = {columns[m]: Fraction(-int(echelon[i, m]), int(divisor)) for m in others}
            self.solved[columns[k]] = {
                j: int(c) if c.denominator == 1 else c for j, c in shares.items() if c
            }

    def reduced(self, row: Row) -> Row:
        """The same function on the kernel, in columns that were not solved for.

        Empty exactly if the row is a combination of those added.
        """
        total: Row = {}
        for j, a in row.items():
            for k, c in (self.at(j) if j in self.solved else {j: 1}).items():
                total[k] = total.get(k, 0) + a * c
        return {j: v for j, v in total.items() if v}

    def at(self, column: int) -> Row:
        """Coordinate ``column`` of the kernel's vectors, by columns that were not solved for."""
        waiting = [column]
        while waiting:
            j = waiting[-1]
            late = [k for k in self.solved.get(j, ()) if k in self.solved]
            deeper = [k for k in late if any(i in self.solved for i in self.solved[k])]
            if deeper:
                waiting += deeper
                continue
            if late:
                total = {k: c for k, c in self.solved[j].items() if k not in self.solved}
                for k in late:
                    for i, c in self.solved[k].items():
                        total[i] = total.get(i, 0) + self.solved[j][k] * c
                self.solved[j] = {k: c for k, c in total.items() if c}
            waiting.pop()
        return self.solved.get(column, {column: 1})

    def vectors(self, width: int) -> list[Row]:
        """Vectors of this length that span the kernel, by their entries."""
        found: dict[int, Row] = {j: {j: 1} for j in range(width) if j not in self.solved}
        for j in list(self.solved):
            for k, c in self.at(j).items():
                found[k][j] = c
        return list(found.values())

    def basis(self, width: int) -> list[list[int]]:
        """The same as integers, entry by entry."""
        found = self.vectors(width)
        return [primitive([vector.get(k, 0) for k in range(width)]) for vector in found]


def entries(matrix: Matrix, bias: bool = False) -> Iterator[Row]:
    """Each row as its entries by column; a bias is a last column of ones.

    Examples
    --------
    >>> list(entries(np.array([[0.0, 2.0], [0.5, 0.0]]), bias=True))
    [{1: 2, 2: 1}, {0: Fraction(1, 2), 2: 1}]
    """
    own = {matrix.shape[1]: 1} if bias else {}
    for i in range(matrix.shape[0]):
        if is_sparse(matrix):
            at = slice(matrix.indptr[i], matrix.indptr[i + 1])
            columns, values = matrix.indices[at], matrix.data[at]
        else:
            columns = np.flatnonzero(matrix[i])
            values = matrix[i][columns]
        pairs = zip(columns.tolist(), as_floats(values).tolist(), strict=True)
        yield {j: int(v) if v.is_integer() else Fraction(v) for j, v in pairs if v} | own


class Span:
    """All combinations of the rows of a matrix, to ask whether other rows are among them.

    Sparse rows are solved one by one; of dense ones, enough to span all are solved by python-flint.

    Parameters
    ----------
    matrix : array or CSR matrix
    bias : bool
        Whether rows end in a further coordinate of 1.

    Examples
    --------
    >>> span = Span(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), bias=False)
    >>> span.holds(np.array([[1.0, 3.0, 1.0]])), span.holds(np.array([[1.0, 0.0, 0.0]]))
    (True, False)
    """

    def __init__(self, matrix: Matrix, bias: bool):
        self.bias, self.kernel, self.basis = bias, None, []
        if is_sparse(matrix):
            self.kernel = Kernel.of(entries(matrix, bias))
            return
        rows, width = as_floats(matrix), matrix.shape[1] + bias
        padded = np.column_stack([rows, np.ones(len(rows))]) if bias else rows
        chosen = np.arange(min(len(rows), 2 * width + 20))
        while True:
            self.basis = nullspace(padded[chosen]) if width else []
            outside = self._outside(rows)
            if not len(outside):
                return
            chosen = np.union1d(chosen, outside[: width + 20])

    def _outside(self, matrix: Matrix) -> np.ndarray:
        """Rows that are no combinations, some of them; none exactly if all are."""
        tail = [] if self.bias else [0]
        for vector in self.basis:
            factors = np.array([Fraction(v) for v in [*vector, *tail]], dtype=object)
            found = np.flatnonzero(signs_of_scores(matrix, normalised(factors))[0])
            if len(found):
                return found
        return np.zeros(0, dtype=np.intp)

    def holds(self, matrix: Matrix) -> bool:
        """Whether all rows of another matrix, with their bias, are combinations."""
        if self.kernel is not None:
            return not any(map(self.kernel.reduced, entries(matrix, self.bias)))
        return not len(self._outside(matrix))

    def holds_row(self, row: Row) -> bool:
        """Whether a row of exact entries, its bias among them, is a combination."""
        if self.kernel is not None:
            return not self.kernel.reduced(row)
        return not any(sum(v[j] * a for j, a in row.items()) for v in self.basis)
