"""The rows that a certificate names, as their owner finds them: line, class and weight."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rosenblatt.data.readers.csvtable import CsvTable
from rosenblatt.lazy import cached_property
from rosenblatt.proof.certificate.inseparability import Inseparability

SHOWN_ROWS = 8  # rows of a certificate that are listed, as many as its explanation names


class Places:
    """Where the rows that were read are in their file, counted from 1 as editors do.

    Parameters
    ----------
    source, table : Source, and CsvTable, ArrowTable or None
        The file; no table for svmlight.
    raw : Raw
        What was read of it.

    Attributes
    ----------
    called : str
        ``line`` for text tables, whose heading is a line too; ``row`` for others.
    """

    def __init__(self, source: Any, table: Any, raw: Any):
        self.source, self.table, self.raw = source, table, raw
        self.called = "line" if isinstance(table, CsvTable) else "row"

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """The line or row of each row read; None where rows were left out unaccountably."""
        rows = self.raw.X.shape[0]
        if self.table is None:
            return np.arange(1, rows + 1)
        kept = np.ones(rows, bool) if self.raw.absent is None else ~self.raw.absent
        if isinstance(self.table, CsvTable):
            records = self.table._records(self.source.names[0])
            numbers = np.array([line for line, _ in records], int)[int(self.table.named) :]
        else:
            numbers = np.arange(1, len(kept) + 1)
        if len(numbers) != len(kept) or kept.sum() != rows:
            return None
        return numbers[kept]


def places_of(raw: Any) -> Places:
    """Where the rows of a table are; those of a bundled set are counted from 1."""
    from rosenblatt.data.readers.arrowtable import ArrowTable
    from rosenblatt.data.readers.sniff import sniff
    from rosenblatt.data.readers.sources import Source

    if not os.path.isfile(raw.source):
        return Places(None, None, raw)
    source = Source(raw.source)
    kind = sniff(source)
    table: Any = None
    if kind == "parquet":
        table = ArrowTable(source, parquet=True)
    elif kind in ("csv", "tsv"):
        table = CsvTable(source, "\t" if kind == "tsv" else None)
    return Places(source, table, raw)


def evidence(
    proof: Any, words: list[str], places: Places, rows: np.ndarray | None = None
) -> dict[str, Any] | None:
    """The rows of a certificate that cancel, with their weights as parts of the largest.

    Parameters
    ----------
    proof : Certificate or None
    words : list of str
        What the classes are called.
    places : Places
    rows : ndarray, optional
        The rows of the file that the certificate speaks of, where not all.

    Returns
    -------
    dict or None
        None where a certificate names no rows.
    """
    if not isinstance(proof, Inseparability) or proof.codes is None:
        return None
    numbers, shares = places.numbers, proof.shares.tolist()
    listed = []
    for k, row in enumerate(proof.rows[:SHOWN_ROWS].tolist()):
        found = row if rows is None else int(rows[row])
        listed.append(
            {
                "row": row,
                "at": None if numbers is None else int(numbers[found]),
                "class": words[proof.codes[k]],
                "rival": None if proof.rivals is None else words[proof.rivals[k]],
                "weight": shares[k],
            }
        )
    return {"called": places.called, "rows": listed, "all": len(proof.rows)}
