"""The constraints Az > 0 of the rows of a file, read chunk by chunk; a few rows are held."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.used_columns import SHARE, UsedColumns
from rosenblatt.places.file.rows import FileRows, Piece, joined
from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints


class FileTable:
    """A file's rows as a matrix, with its shape and column ranges; rows that were read are kept.

    Attributes
    ----------
    shape : tuple of int
    sparse : bool
    columns : UsedColumns
        The columns in use, which are those of the matrix.
    codes : ndarray of int
        The class code of every row.
    """

    def __init__(self, rows: FileRows):
        self.rows = rows
        low, high = np.full(rows.d, np.inf), np.full(rows.d, -np.inf)
        self.sparse = hasattr(rows.none.rows, "indptr")
        used = np.full(rows.d, not self.sparse)
        codes, self.nnz = [], 0
        for piece in rows.pieces():
            codes.append(piece.codes)
            self.nnz += piece.X.nnz if self.sparse else piece.X.size
            if self.sparse:
                used[piece.X.indices] = True
            low = np.minimum(low, _flat(piece.X.min(axis=0)))
            high = np.maximum(high, _flat(piece.X.max(axis=0)))
        self.codes = np.concatenate(codes)
        few = used.sum() <= SHARE * rows.d
        self.columns = UsedColumns(np.flatnonzero(used) if few else None, rows.d)
        self.shape = (len(self.codes), self.columns.count)
        self._low, self._high = (low[used], high[used]) if few else (low, high)
        self._held: Piece | None = None

    def min(self, axis: int) -> np.ndarray:
        """The least of each column."""
        return self._low

    def max(self, axis: int) -> np.ndarray:
        """The greatest of each column."""
        return self._high

    def __getitem__(self, which: np.ndarray) -> Any:
        """Rows by number, in that order; rows not held yet are read in one pass."""
        wanted = np.unique(which)
        held = np.zeros(0, np.int64) if self._held is None else self._held.ids
        missing = wanted[~np.isin(wanted, held)]
        if len(missing):
            new = self.narrow(self.rows.gather(missing))
            whole = new if self._held is None else joined([self._held, new])
            self._held = whole.some(np.argsort(whole.ids))
        assert self._held is not None
        return self._held.X[np.searchsorted(self._held.ids, which)]

    def narrow(self, piece: Piece) -> Piece:
        """The rows of a piece with the columns in use."""
        return piece._replace(X=self.columns.rows(piece.X))

    def pieces(self) -> Iterator[Piece]:
        """One pass over all rows, with the columns in use."""
        return map(self.narrow, self.rows.pieces())


def _flat(values: Any) -> np.ndarray:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values).ravel()


class FileConstraints(Constraints):
    """The constraints of a file's rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.readers import open_reader
    >>> path = pathlib.Path(tempfile.mkdtemp(), "rows.csv")
    >>> _ = path.write_text("2,0" + chr(10) + "3,1" + chr(10))
    >>> constraints = FileConstraints(FileRows(open_reader(path, header=False)))
    >>> constraints.look(np.array([2.0, -5.0]))[0]
    array([1., 1.])
    """

    in_memory = False

    def __init__(self, rows: FileRows):
        table = FileTable(rows)
        super().__init__(table, table.codes, len(rows.classes), rows.fit_intercept, table.columns)
        self.sparse, self.table = table.sparse, table
        self.per_row = table.nnz / max(1, self.n)

    def each(self, call: Callable[[slice, Any, slice], None]) -> None:
        """Call with the point numbers of each chunk, the chunk, and the slice of their rows."""
        for piece in self.table.pieces():
            numbers = slice(int(piece.ids[0]), int(piece.ids[-1]) + 1)
            call(numbers, piece.X, slice(0, len(piece.ids)))

    def violated_exactly(self, weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The first points that weights, taken as rationals, do not fulfil, and their rivals."""
        table = weights if self.binary else weights.reshape(self.blocks, self.d + 1)
        points, rivals = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        for piece in self.table.pieces():
            signs, _ = exact.signs_of_constraints(piece.X, piece.codes, table)
            violated = np.flatnonzero(signs.min(axis=1) <= 0)
            points.append(piece.ids[violated])
            own = 1 - piece.codes[violated] if self.binary else signs[violated].argmin(axis=1)
            rivals.append(own)
            most -= len(violated)
            if most <= 0:
                break
        end = len(np.concatenate(points)) + min(most, 0)
        return np.concatenate(points)[:end], np.concatenate(rivals)[:end]
