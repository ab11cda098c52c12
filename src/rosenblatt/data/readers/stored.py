"""Arrays in npy and npz files, read some rows at a time. No pickles."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.errors import InputError

# What zipfile, zlib and numpy's header parser raise on bytes that are not theirs.
DAMAGE = (
    *(ValueError, TypeError, KeyError, EOFError, OSError, MemoryError, OverflowError),
    *(RuntimeError, SyntaxError, tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)


class StoredArray:
    """One array in an open file, read from its start on.

    Parameters
    ----------
    file : binary file
        At the first byte of the npy header.
    name : str
        For messages.
    """

    def __init__(self, file: Any, name: str):
        self._file, self.name = file, name
        try:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0
            header = read if version == (1, 0) else np.lib.format.read_array_header_2_0
            self.shape, self.columns_first, self.dtype = header(file)
        except DAMAGE as error:
            raise InputError(f"{name}: not a numpy array ({error})") from error
        if self.dtype.hasobject:
            raise InputError(
                f"{name}: holds Python objects, which are not read; save it as numbers or text, "
                "for example with y.astype(str)"
            )

    def rows(self, n: int) -> np.ndarray:
        """The next n rows."""
        shape = (n, *self.shape[1:])
        wanted = int(np.prod(shape, dtype=object)) * self.dtype.itemsize
        try:
            raw = self._file.read(wanted)
        except DAMAGE as error:
            raise InputError(f"{self.name}: damaged ({error})") from error
        if len(raw) != wanted:
            raise InputError(f"{self.name}: cut short")
        return np.frombuffer(raw, self.dtype).reshape(shape)

    def all(self) -> np.ndarray:
        """The whole array."""
        if len(self.shape) == 0:
            self.shape = (1,)
        if not self.columns_first:
            return self.rows(self.shape[0])
        shape, self.shape = self.shape, self.shape[::-1]
        return self.rows(shape[-1]).T


class SparseParts:
    """scipy's sparse npz: rows cut from the stored arrays without holding them all."""

    def __init__(self, file: zipfile.ZipFile, name: str):
        self._file, self._name = file, name
        # The text has one byte a letter or four, of which three are 0.
        layout = member(file, "format", name).all().tobytes().replace(b"\0", b"")
        if layout != b"csr":
            came = ascii(layout[:20].decode("latin-1").upper())[1:-1]
            raise InputError(f"{name}: expected a CSR matrix, got {came}; use .tocsr()")
        shape = _numbers(member(file, "shape", name)).reshape(-1).tolist()
        self.indptr = _numbers(member(file, "indptr", name))
        if len(shape) != 2 or min(shape) < 0 or not self._is_sound(shape):
            raise InputError(f"{name}: the row starts of the sparse matrix are not right")
        self.shape = tuple(shape)

    def _is_sound(self, shape: list[int]) -> bool:
        starts = self.indptr
        return (
            starts.shape == (shape[0] + 1,)
            and starts[0] == 0
            and bool((np.diff(starts) >= 0).all())
        )

    def slices(self, rows: int | None, chunk_bytes: int) -> Iterator[tuple[int, Any]]:
        """CSR arrays of consecutive rows, each of at most ``chunk_bytes`` unless of one row."""
        from scipy.sparse import csr_array

        data, indices = (member(self._file, key, self._name) for key in ("data", "indices"))
        if data.dtype.kind not in "fiub":
            raise InputError(f"{data.name}: expected numbers, got {data.dtype}")
        if indices.dtype.kind not in "iu":
            raise InputError(f"{indices.name}: expected whole numbers, got {indices.dtype}")
        start, n = 0, self.shape[0]
        while start < n:
            most = self.indptr[start] + chunk_bytes // 12
            stop = n if rows else int(np.searchsorted(self.indptr, most, "right")) - 1
            stop = min(n, max(stop, start + 1))
            count = int(self.indptr[stop] - self.indptr[start])
            # Copies, in the machine's own byte order: scipy sorts them in place.
            columns = indices.rows(count).astype(np.int64)
            values = data.rows(count).astype(data.dtype.newbyteorder("="))
            if count and not 0 <= columns.min() <= columns.max() < self.shape[1]:
                raise InputError(f"{self._name}: a column of the sparse matrix is out of range")
            starts = self.indptr[start : stop + 1] - self.indptr[start]
            X = csr_array((values, columns, starts), shape=(stop - start, self.shape[1]))
            X.sum_duplicates()
            yield start, X
            start = stop


def _numbers(stored: StoredArray) -> np.ndarray:
    """A whole array of whole numbers, wide enough to add to them."""
    if stored.dtype.kind not in "iu":
        raise InputError(f"{stored.name}: expected whole numbers, got {stored.dtype}")
    return stored.all().astype(np.int64)


def keys_of(file: zipfile.ZipFile) -> set[str]:
    """The names of the arrays in an archive."""
    return {name.removesuffix(".npy") for name in file.namelist()}


def member(file: zipfile.ZipFile, key: str, name: str) -> StoredArray:
    """One array of an archive."""
    try:
        return StoredArray(file.open(f"{key}.npy"), f"{name}, array {key!r}")
    except InputError:  # names the array already
        raise
    except DAMAGE as error:
        raise InputError(f"{name}: array {key!r} cannot be read ({error})") from error


def matrix_of(stored: StoredArray, name: str) -> Any:
    """Rows of a stored matrix of numbers; one stored column by column is held whole."""
    if len(stored.shape) != 2 or stored.dtype.kind not in "fiub":
        raise InputError(
            f"{name}: expected a matrix of numbers, got shape {stored.shape} of {stored.dtype}"
        )
    if not stored.columns_first:
        return stored
    return Loaded(np.ascontiguousarray(stored.all()))


class Loaded:
    """A matrix in memory with the manners of `StoredArray`."""

    def __init__(self, values: np.ndarray):
        self.values, self.shape, self._at = values, values.shape, 0

    def rows(self, n: int) -> np.ndarray:
        """The next n rows."""
        self._at += n
        return self.values[self._at - n : self._at]
