"""Sharded files: one partition for each file, read on the workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.readers import Column, open_reader
from rosenblatt.data.readers.sources import Source
from rosenblatt.errors import InputError
from rosenblatt.places.cluster.raw import RawPartition

Path = str | os.PathLike[str]


class Shard(NamedTuple):
    """One file, and how it is read."""

    path: str
    options: dict[str, Any]

    def read(self) -> RawPartition:
        """All rows of the file; none of an empty one."""
        if not Source(self.path).head.bytes.strip():
            width = len(self.options.get("columns") or ())
            return RawPartition(np.zeros((0, width)), np.zeros(0))
        if self.options["format"] == "parquet" and not _rows(self.path):
            return RawPartition(np.zeros((0, len(self.options["columns"]))), np.zeros(0))
        reader: Any = open_reader(self.path, threads=1, **self.options)
        chunk = reader.read()
        if chunk.y is None:
            raise InputError(f"{self.path}: no labels; name the label column")
        # svmlight counts columns from 0 or 1, and only all shards together tell from which.
        return RawPartition(chunk.X, chunk.y, first=int(getattr(reader, "first_index", 0)))


def _rows(path: str) -> int:
    from pyarrow import parquet

    return parquet.read_metadata(path).num_rows


class Shards(NamedTuple):
    """Files read as one data set, one partition each.

    Attributes
    ----------
    shards : tuple of Shard
    format : str
    columns : tuple of Column
        The raw columns of a table that become features.
    label : str or None
        The label column of a table.
    nbytes : int
        Of the files as they lie on the disk.

    Examples
    --------
    >>> Shards((), "svmlight", (), None, 0)
    <Shards: 0 svmlight files, 0 bytes>
    """

    shards: tuple[Shard, ...]
    format: str
    columns: tuple[Column, ...]
    label: str | None
    nbytes: int

    def __len__(self) -> int:
        return len(self.shards)

    def __repr__(self) -> str:
        return f"<Shards: {len(self.shards)} {self.format} files, {self.nbytes:,} bytes>"


def read_files(
    source: Path | Sequence[Path],
    *,
    label: str | int | None = None,
    columns: Sequence[str | int] | None = None,
    ignore: Sequence[str | int] | None = None,
    missing: str = "error",
    format: str | None = None,
    zero_based: bool | None = None,
    width: int | None = None,
    dtype: Any = "float64",
) -> Shards:
    r"""Files that the workers read, one partition each; nothing is read here but the first bytes.

    Every worker must see the files under the same names.

    Parameters
    ----------
    source, label, columns, ignore, missing, format, zero_based, width, dtype
        As for `rosenblatt.readers.open_reader`. Of a table only numeric columns are used, and the
        first file says which; where svmlight indices start is found from all files together.

    Returns
    -------
    Shards

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "part-0.csv").write_text("height,kind\n1.5,a\n2,b\n")
    >>> _ = (folder / "part-1.csv").write_text("height,kind\n3,b\n")
    >>> shards = read_files(folder / "part-*.csv")
    >>> len(shards), shards.label, [column.name for column in shards.columns]
    (2, 'kind', ['height'])
    """
    files = Source(source)
    if files.once:
        raise InputError("standard input and pipes cannot be shared: save them to files first")
    filled = next((name for name in files.names if Source(name).head.bytes.strip()), None)
    if filled is None:
        raise InputError(f"{files.label}: every file is empty")
    common: dict[str, Any] = {"label": label, "missing": missing, "dtype": dtype}
    sparse = {"zero_based": zero_based, "width": width}
    reader: Any = open_reader(
        filled, format=format, columns=columns, ignore=ignore, **common, **sparse
    )
    # Arrays are npy or npz, which each file tells for itself.
    options = {**common, "format": None if reader.format == "numpy" else reader.format}
    if reader.format == "svmlight":
        options |= sparse
    numeric = tuple(column for column in reader.columns_used if column.kind == "numeric")
    if reader.columns_used:
        if not numeric:
            raise InputError(f"{filled}: no numeric columns to learn from")
        options |= {"columns": numeric, "label": reader.label_used}
    return Shards(
        tuple(Shard(name, options) for name in files.names),
        reader.format,
        numeric,
        getattr(reader, "label", None) if numeric else None,
        files.size or 0,
    )


def read_svmlight(
    source: Path | Sequence[Path],
    *,
    zero_based: bool | None = None,
    width: int | None = None,
    dtype: Any = "float64",
) -> Shards:
    r"""`read_files` of svmlight lines, compressed or not, such as ``"part-*.svm.gz"``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "part-0.svm")
    >>> _ = path.write_text("+1 1:0.5\n-1 2:1\n")
    >>> len(read_svmlight(path))
    1
    """
    how: dict[str, Any] = {"zero_based": zero_based, "width": width, "dtype": dtype}
    return read_files(source, format="svmlight", **how)


def read_parquet(
    source: Path | Sequence[Path],
    label: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    dtype: Any = "float64",
) -> Shards:
    """`read_files` of Parquet; the label is the last column unless named.

    Examples
    --------
    >>> import tempfile, pathlib, pandas
    >>> path = pathlib.Path(tempfile.mkdtemp(), "part-0.parquet")
    >>> pandas.DataFrame({"height": [1.5, 2.0], "kind": ["a", "b"]}).to_parquet(path)
    >>> read_parquet(path, "kind").columns
    (Column(name='height', kind='numeric'),)
    """
    return read_files(source, format="parquet", label=label, columns=columns, dtype=dtype)
