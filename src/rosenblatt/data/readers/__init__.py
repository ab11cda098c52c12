"""Readers: files of many formats as chunks of rows and labels.

`open_reader` finds out what a file is; what it returns reads it chunk by chunk, again and again, or
all at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rosenblatt.arguments import (
    FLAG,
    PATH,
    TEXT,
    WHOLE,
    Expected,
    checked,
    either,
    is_names,
    is_whole,
    optional,
)
from rosenblatt.data.readers.base import Chunk, Column, Facts, Reader
from rosenblatt.data.readers.frames import KNOWN, FrameSource, FrameTable, has_columns, is_frame
from rosenblatt.data.readers.sniff import FORMATS
from rosenblatt.errors import InputError

__all__ = ["FORMATS", "Chunk", "Column", "Facts", "Reader", "open_reader"]

Path = str | os.PathLike[str]


def _is_label(value: Any) -> bool:
    return value is None or value is False or isinstance(value, (str, Column)) or is_whole(value)


def _is_columns(value: Any) -> bool:
    if not is_names(value) or hasattr(value, "dtype"):
        return False
    return all(isinstance(one, (str, Column)) or is_whole(one) for one in value)


def _is_type(value: Any) -> bool:
    import numpy as np

    try:
        return value is not None and np.dtype(value).kind == "f"
    except (TypeError, ValueError):
        return False


def _is_paths(value: Any) -> bool:
    return is_names(value) and not has_columns(value) and all(PATH.fits(path) for path in value)


# Those of tables are named by their names, their positions, or other readers' columns.
OF_TABLES = Expected("a sequence of names or positions of columns", _is_columns)
FRAME = Expected(KNOWN, is_frame)
COLUMN = Expected("a name, a position, False or None", _is_label)
TYPE = Expected("a type of floats, such as 'float32'", _is_type)


@checked(
    source=either(either(PATH, Expected("a sequence of paths", _is_paths)), FRAME),
    label=COLUMN,
    columns=optional(OF_TABLES),
    ignore=optional(OF_TABLES),
    text=OF_TABLES,
    missing=TEXT,
    format=optional(TEXT),
    skip_lines=WHOLE,
    delimiter=optional(TEXT),
    header=optional(FLAG),
    zero_based=optional(FLAG),
    width=optional(WHOLE),
    bits=optional(WHOLE),
    dtype=TYPE,
    chunk_bytes=WHOLE,
    threads=optional(WHOLE),
)
def open_reader(
    source: Path | Sequence[Path] | Any,
    *,
    label: str | int | Column | bool | None = None,
    columns: Sequence[str | int | Column] | None = None,
    ignore: Sequence[str | int | Column] | None = None,
    text: Sequence[str | int] = (),
    missing: str = "error",
    format: str | None = None,
    skip_lines: int = 0,
    delimiter: str | None = None,
    header: bool | None = None,
    zero_based: bool | None = None,
    width: int | None = None,
    bits: int | None = None,
    dtype: Any = "float64",
    chunk_bytes: int = 1 << 23,
    threads: int | None = None,
) -> Reader:
    r"""Open a file, several, standard input or a frame for reading.

    Parameters
    ----------
    source : str, path, sequence of them, or frame
        A file, a glob, several files read as one, or ``-``. Files may be compressed with gzip,
        bzip2, xz or zstd. Or a frame: one of Polars, also a lazy one, whose query is run anew for
        each pass; a table or data set of Arrow; whatever hands out its rows as Arrow's batches.
    label : str, int, Column, False or None
        The label column of a table, by name or position, or the array of an npz; False if there
        is none. By default the last column, or the array ``y``.
    columns, ignore : sequence of str, int or Column, optional
        Columns of a table to use, or to leave out. ``columns`` may be another reader's
        ``columns_used``, whose kinds are then kept. A name that several columns have is refused:
        say their positions.
    text : sequence of str or int
        Columns to read as text although they look like numbers.
    missing : {"error", "drop", "keep"}
        Whether a row of a table or dense matrix that lacks a value is an error, left out, or kept:
        NaN stands for a number then, and nothing for text. A row without a label is never kept.
    format : {"csv", "tsv", "parquet", "arrow", "svmlight", "vw", "npy", "npz"}, optional
        By default found by content and extension.
    skip_lines : int
        Lines of text before the table, left out of each file: a title, say, or notes.
    delimiter, header : str and bool, optional
        How a text table is written, where the guess would be wrong.
    zero_based : bool, optional
        Whether svmlight indices start at 0; by default whether index 0 is used.
    width : int, optional
        Columns of an svmlight matrix; an index beyond is an error. By default as many as needed.
    bits : int, optional
        Vowpal Wabbit names are hashed into 2^bits columns. By default 18, or those of ``width``.
    dtype : {"float64", "float32"}
        Of X.
    chunk_bytes : int
        About how many bytes of a file make one chunk.
    threads : int, optional
        Threads that parse sparse text; by default one a core. The result is the same.

    Returns
    -------
    Reader

    Notes
    -----
    Text is read to the nearest double, as ``float`` reads it. Whole numbers of tables and of numpy
    that a double cannot hold are refused, as `fit` refuses them in memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "fruit.csv")
    >>> _ = path.write_text("weight,color,kind\n150,red,apple\n118,yellow,banana\n,red,apple\n")
    >>> reader = open_reader(path, missing="drop")
    >>> reader.read().X
    array([[150.],
           [118.]])
    >>> reader.describe()
    "label: last column 'kind', 2 classes; 1 numeric column; 1 text column; 1 row dropped for
    missing values"
    """
    from rosenblatt.data.readers import sniff
    from rosenblatt.data.readers.sources import Source

    _check(missing, dtype, chunk_bytes, skip_lines)
    common: dict[str, Any] = {"chunk_bytes": chunk_bytes, "dtype": dtype}
    choice: dict[str, Any] = {"label": label, "columns": columns, "ignore": ignore, "text": text}
    if is_frame(source):
        rows: Any = FrameSource(source)
        return _table(rows, FrameTable(rows), missing=missing, **choice, **common)
    opened = Source(source, skip_lines)
    found = sniff.sniff(opened) if format is None else sniff.checked(format)
    own = label.name if isinstance(label, Column) else label
    if found in ("svmlight", "vw"):
        options: dict[str, Any] = {"zero_based": zero_based, "width": width}
        if found == "vw":
            wide = max(1, width.bit_length() - 1) if width else 18
            options = {"bits": wide if bits is None else bits}
        return _sparse_text(found, opened, own, common | options | {"threads": threads})
    if found in ("npy", "npz"):
        from rosenblatt.data.readers.arrays import ArrayReader

        return ArrayReader(opened, label=own, missing=missing, **common)
    from rosenblatt.data.readers.arrowtable import ArrowTable
    from rosenblatt.data.readers.csvtable import CsvTable

    if found in ("parquet", "arrow"):
        table: Any = ArrowTable(opened, found == "parquet")
    else:
        table = CsvTable(opened, delimiter or ("\t" if found == "tsv" else None), header)
    return _table(opened, table, missing=missing, **choice, **common)


def _table(source: Any, table: Any, **options: Any) -> Reader:
    from rosenblatt.data.readers.table import TableReader

    return TableReader(source, table, **options)


def _check(missing: str, dtype: Any, chunk_bytes: int, skip_lines: int) -> None:
    if missing not in ("error", "drop", "keep"):
        raise InputError(f"missing must be 'error', 'drop' or 'keep', got {missing!r}")
    if str(dtype) not in ("float64", "float32"):
        raise InputError(f"dtype must be 'float64' or 'float32', got {dtype!r}")
    if chunk_bytes < 1:
        raise InputError(f"chunk_bytes must be positive, got {chunk_bytes}")
    if skip_lines < 0:
        raise InputError(f"skip_lines must be 0 or more, got {skip_lines}")


def _sparse_text(
    found: str, source: Any, label: str | int | bool | None, options: dict[str, Any]
) -> Reader:
    if label not in (None, False):
        raise InputError(f"{source.label}: {found} lines start with their label, got {label!r}")
    if found == "vw":
        from rosenblatt.data.readers.vw import VowpalReader

        return VowpalReader(source, **options)
    from rosenblatt.data.readers.svmlight import SvmlightReader

    return SvmlightReader(source, **options)
