"""numpy's npy and npz files, and scipy's sparse npz, read row by row. No pickles."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from rosenblatt.data.lossless import rounded
from rosenblatt.data.readers.base import HELD, Chunk, Reader
from rosenblatt.data.readers.sources import Source
from rosenblatt.data.readers.stored import (
    DAMAGE,
    SparseParts,
    StoredArray,
    keys_of,
    matrix_of,
    member,
)
from rosenblatt.errors import InputError, nearest
from rosenblatt.text import plural

_FEATURES = ("X", "x", "data", "features", "arr_0")
BEYOND_UNICODE = 0x110000
_LABELS = ("y", "Y", "target", "labels", "label", "arr_1")
_SPARSE = {"data", "indices", "indptr", "shape", "format"}


class ArrayReader(Reader):
    """The rows of a matrix in an npy or npz file.

    An npz holds the matrix as ``X`` (or ``data``, or its first array) and the labels as ``y`` (or
    ``target``, ``labels``, or its second array), or is a sparse matrix as scipy saves it. In an npy
    the label is a column: the last one if ``label`` is None, none if it is False.
    """

    format = "numpy"

    def __init__(
        self,
        source: Source,
        *,
        chunk_bytes: int,
        dtype: Any = np.float64,
        label: str | int | bool | None = None,
        missing: str = "error",
    ):
        super().__init__(source, chunk_bytes, dtype)
        self.label, self.missing = label, missing
        self._memory = source.seekable("-") if source.once else None
        self._whole = False

    def keep(self) -> None:
        """Keep nothing: arrays lie on the disk as they are in memory."""

    def read(self) -> Chunk:
        """All rows as one chunk; never holds more than them and one chunk of the file."""
        self._whole = True
        try:
            chunks = list(self._all_chunks()) if self._is_sparse() else None
        finally:
            self._whole = False
        if chunks is None:
            return super().read()
        if len(chunks) == 1:
            return chunks[0]
        from scipy.sparse import vstack

        labels = None if chunks[0].y is None else np.concatenate([c.y for c in chunks])
        return Chunk(vstack([c.X for c in chunks], format="csr"), labels, {})

    def _is_sparse(self) -> bool:
        with self._opened(self.source.names[0]) as file:
            return isinstance(file, zipfile.ZipFile) and keys_of(file) >= _SPARSE

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        """An archive or a file at its start, closed afterwards; a pipe's bytes are read again."""
        with nullcontext(self._memory) if self._memory else self.source.seekable(name) as file:
            file.seek(0)
            start = file.read(2)
            file.seek(0)
            if start != b"PK":
                yield file
                return
            try:
                archive = zipfile.ZipFile(file)
            except DAMAGE as error:
                told = f"{name}: the archive is damaged or cut short ({error})"
                raise InputError(told) from error
            with archive:  # which leaves the file open
                yield archive

    def _chunks(self) -> Iterator[Chunk]:
        width = None
        for name in self.source.names:
            row = 0
            with self._opened(name) as file:
                for X, y in self._parts(file, name):
                    if width not in (None, X.shape[1]):
                        raise InputError(f"{name}: expected {width} columns, got {X.shape[1]}")
                    width = X.shape[1]
                    chunk = self._checked(X, y, name, row)
                    row += X.shape[0]
                    if chunk.X.shape[0]:
                        yield chunk

    def _parts(self, file: Any, name: str) -> Iterator[tuple[Any, Any]]:
        if not isinstance(file, zipfile.ZipFile):
            yield from self._labelled(matrix_of(StoredArray(file, name), name), name)
            return
        keys = keys_of(file)
        y = self._npz_labels(file, keys, name)
        if keys >= _SPARSE:
            matrix: Any = SparseParts(file, name)
        else:
            key = next((k for k in _FEATURES if k in keys), None)
            if key is None:
                raise InputError(f"{name}: expected a matrix 'X', got {', '.join(sorted(keys))}")
            matrix = matrix_of(member(file, key, name), name)
        if y is not None and y.shape != (matrix.shape[0],):
            raise InputError(f"{name}: expected {matrix.shape[0]} labels, got shape {y.shape}")
        for start, X in self._slices(matrix):
            yield X, None if y is None else y[start : start + X.shape[0]]

    def _npz_labels(self, file: Any, keys: set[str], name: str) -> np.ndarray | None:
        if self.label is False:
            return None
        if isinstance(self.label, str) and self.label not in keys:
            raise InputError(f"{name}: no array {self.label!r}{nearest(self.label, sorted(keys))}")
        if self.label is not None and not isinstance(self.label, str | bool):
            names = ", ".join(sorted(keys))
            raise InputError(
                f"{name}: the label is an array of its own; name it, of {names}, got {self.label}"
            )
        if isinstance(self.label, str):
            return _labels(file, self.label, name)
        key = next((k for k in _LABELS if k in keys), None)
        return None if key is None else _labels(file, key, name)

    def _labelled(self, matrix: Any, name: str) -> Iterator[tuple[Any, Any]]:
        width = matrix.shape[1]
        column = -1 if self.label is None else self.label
        if column is False:
            yield from ((X, None) for _, X in self._slices(matrix))
            return
        if not isinstance(column, int) or not -width <= column < width:
            raise InputError(f"{name}: expected a label column below {width}, got {column!r}")
        if width < 2:
            raise InputError(f"{name}: only one column; expected features and a label")
        for _, X in self._slices(matrix):
            y = X[:, column]
            if self.label is None:
                self._refuse_fractions(y, name)
            yield np.delete(X, column, axis=1), y

    def _refuse_fractions(self, y: np.ndarray, name: str) -> None:
        """Refuse to take for labels what was not said to be, and looks like a feature."""
        odd = np.flatnonzero(y != np.rint(y)) if y.dtype.kind == "f" else np.zeros(0, int)
        odd = odd[np.isfinite(y[odd])]
        if len(odd):
            raise InputError(
                f"{name}: no labels, for the last column holds fractions such as {y[odd[0]]:g}; "
                "keep labels beside the matrix, as in numpy.savez('data.npz', X=X, y=y), or name "
                "the label with label="
            )

    def _slices(self, matrix: Any) -> Iterator[tuple[int, Any]]:
        n, d = matrix.shape
        rows = max(1, n) if self._whole else max(1, self.chunk_bytes // (8 * max(1, d)))
        if isinstance(matrix, SparseParts):
            yield from matrix.slices(n if self._whole else None, self.chunk_bytes)
            return
        for start in range(0, n, rows):
            yield start, matrix.rows(min(rows, n - start))

    def _checked(self, X: Any, y: Any, name: str, row: int) -> Chunk:
        """Rows with missing values dropped or refused, infinite ones refused."""
        sparse = hasattr(X, "indptr")
        raw = X.data if sparse else X
        with np.errstate(over="ignore", invalid="ignore"):
            X = X.astype(self.dtype) if sparse else np.ascontiguousarray(X, self.dtype)
        values = X.data if sparse else X
        keep = self.missing == "keep" and not sparse
        absent = np.isnan(values)
        bad = np.isinf(values) | (absent if self.missing != "drop" and not keep else False)
        for found, expected in ((rounded(raw), HELD), (bad, "a finite number,")):
            if found.any():
                at = int(np.argmax(found))
                i, j = _place(X, at) if sparse else divmod(at, X.shape[1])
                raise InputError(
                    f"{name}, row {row + i}, column {j}: expected {expected} "
                    f"got {raw.reshape(-1)[at]}"
                )
        rows = _rows_of(X, absent) if sparse else absent.any(axis=1) & (not keep)
        self._leave_out(rows)
        if rows.any():
            X, y = X[~rows], None if y is None else y[~rows]
        if y is not None and y.dtype.kind == "f" and not np.isfinite(y).all():
            raise InputError(f"{name}: expected finite labels from row {row} on")
        return Chunk(X, y, {})

    def _words(self) -> list[str]:
        facts = self.facts
        if facts is None:
            return [f"{self.format} arrays"]
        label = "no label" if facts.classes is None else self._label_words("label")
        words = [label, f"{plural(facts.rows, 'row')} of {plural(facts.width, 'column')}"]
        if facts.dropped:
            words.append(f"{plural(facts.dropped, 'row')} dropped for missing values")
        return words


def _labels(file: zipfile.ZipFile, key: str, name: str) -> np.ndarray:
    y = member(file, key, name).all()
    if y.dtype.kind not in "biufUS":
        raise InputError(f"{name}: expected numbers or text as labels, got {y.dtype} in {key!r}")
    if y.dtype.kind == "U" and y.size and y.dtype.itemsize:
        points = np.ascontiguousarray(y.astype(y.dtype.newbyteorder("="))).view(np.uint32)
        if points.max() >= BEYOND_UNICODE:
            raise InputError(f"{name}: the labels in {key!r} are not text; the file is damaged")
    return y


def _place(X: Any, at: int) -> tuple[int, int]:
    return int(np.searchsorted(X.indptr, at, "right")) - 1, int(X.indices[at])


def _rows_of(X: Any, entries: np.ndarray) -> np.ndarray:
    rows = np.zeros(X.shape[0], bool)
    rows[np.searchsorted(X.indptr, np.flatnonzero(entries), "right") - 1] = True
    return rows
