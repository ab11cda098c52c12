"""Vowpal Wabbit text, hashed into columns as Vowpal Wabbit does."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data.readers.base import Chunk
from rosenblatt.data.readers.parsing.blocks import Entries, Parser
from rosenblatt.data.readers.sources import Source
from rosenblatt.data.readers.svmlight import SparseTextReader, csr
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.errors import InputError


class VowpalReader(SparseTextReader):
    """Lines of ``label [importance] ['tag]|namespace[:scale] name[:value] … |…``.

    A name becomes column murmur3(name, seed=murmur3(namespace)) modulo 2^bits; a name of digits
    only stands for that number plus the seed, and the nameless namespace has seed 0. Names that
    meet in one column add up. Rows are all labelled or all not. Importances other than 1 become
    the chunk's weights.
    """

    format = "vw"

    def __init__(
        self,
        source: Source,
        *,
        chunk_bytes: int,
        dtype: Any = np.float64,
        threads: int | None = None,
        bits: int = 18,
    ):
        super().__init__(source, chunk_bytes, dtype, threads)
        if not 1 <= bits <= 30:
            raise InputError(f"bits must lie in 1 … 30, got {bits}")
        self.bits = bits

    def _begin(self) -> None:
        super()._begin()
        self._labelled: bool | None = None
        self._seen = 0

    def _parser(self) -> Parser:
        from rosenblatt.data.readers.parsing import vw_kernel as kernel
        from rosenblatt.data.readers.parsing.plain import parse_vw, room_of_vw

        problems = {
            kernel.NO_LABEL: "label ['tag] before the first '|'",
            kernel.NO_BAR: "a '|' before the features",
            kernel.NO_NAME: "name[:value]",
            kernel.NO_NUMBER: "a number after ':'",
            kernel.TOO_LARGE: "a number within the range of a double",
            kernel.NO_WEIGHT: "a positive importance, and no initial prediction but 0",
        }
        kernels = dispatcher(kernel.parse, parse_vw), dispatcher(kernel.room, room_of_vw)
        return Parser(*kernels, problems, self.threads)

    def _entries(self) -> Entries:
        return Entries(self.dtype, weighted=True)

    def _options(self) -> tuple[int]:
        return (self.bits,)

    def _chunk(self, entries: Entries) -> Chunk:
        y = self._labels(entries.y.done())
        shape = (entries.y.total, 2**self.bits)
        parts = entries.data.done(), entries.indices.done(), entries.indptr.done()
        X = csr(*(parts if entries.in_order else self._added_up(*parts)), shape)
        self._seen += entries.y.total
        weights = entries.weights.done()
        return Chunk(X, y, {}, None if (weights == 1).all() else weights)

    def _added_up(self, *parts: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same rows, what meets in one column added up; refused where that is infinite."""
        sums, indices, indptr = _added_up(*parts)
        infinite = np.flatnonzero(np.isinf(sums))
        if len(infinite) and np.isfinite(parts[0]).all():
            row = int(np.searchsorted(indptr, infinite[0], side="right")) - 1
            several = len(self.source.names) > 1  # then the place says which
            file, (place,) = self.source.label, self.places([self._seen + row])
            raise InputError(
                f"{place if several else f'{file}, {place}'}: expected a finite sum of the names "
                f"that meet in one column, got {sums[infinite[0]]}"
            )
        return sums, indices, indptr

    def _labels(self, y: Any) -> Any:
        missing = np.isnan(y)
        if self._labelled is None and len(y):
            self._labelled = not missing[0]
        if missing.all() and not self._labelled:
            return None
        if missing.any():
            raise InputError(
                f"{self.source.label}: some lines have a label and some have none; "
                "expected all or none"
            )
        return y

    def _words(self) -> list[str]:
        label = self._label_words("label: first number of each line")
        words = [label if self._labelled is not False else "no label"]
        words.append(f"names hashed into 2^{self.bits} columns")
        if self.facts:
            words.insert(1, f"{self.facts.rows} sparse rows")
        return words


def _added_up(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows in the order of their columns; what meets in one is added up in the order written.

    Examples
    --------
    >>> _added_up(np.array([1.0, 2.0, 3.0, 4.0]), np.array([7, 2, 7, 7]), np.array([0, 3, 4]))
    (array([2., 4., 4.]), array([2, 7, 7]), array([0, 2, 3]))
    """
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, rows))
    indices, rows = indices[order], rows[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (indices[1:] != indices[:-1]) | (rows[1:] != rows[:-1])
    sums = np.zeros(np.count_nonzero(new), dtype=data.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        np.add.at(sums, np.cumsum(new) - 1, data[order])
    ends = np.searchsorted(rows[new], np.arange(len(indptr)))
    return sums, indices[new], ends.astype(indptr.dtype)
