"""Frames as sources: lazy ones, and whatever hands out its rows as Arrow's batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.data.readers.arrowtable import ArrowTable, explained
from rosenblatt.errors import InputError

LABEL = "the frame"
KNOWN = "a frame of pandas, Polars or Arrow"  # in words, of those of which `is_frame` is true


def has_columns(value: Any) -> bool:
    """Whether it is a frame of some library, or a data set.

    Examples
    --------
    >>> import pyarrow as pa
    >>> has_columns(pa.table({"x": [1]})), has_columns(["x"])
    (True, False)
    """
    kind = type(value)  # a lazy frame would be asked for its columns with a warning
    return hasattr(kind, "columns") or hasattr(kind, "schema")


def is_frame(value: Any) -> bool:
    """Whether rows can be taken from it batch by batch, as from frames, lazy frames and data sets.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_frame(pa.table({"x": [1]})), is_frame([[1]]), is_frame("x.parquet")
    (True, False, False)
    """
    ways = ("collect_batches", "to_batches", "__arrow_c_stream__")
    return has_columns(value) and any(hasattr(type(value), way) for way in ways)


def record_batches(frame: Any) -> Iterator[Any]:
    """The rows of a frame as Arrow's batches, from the first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [batch.num_rows for batch in record_batches(pa.table({"x": [1, 2]}))]
    [2]
    """
    if hasattr(frame, "collect_batches"):  # a query of Polars, run without holding what it yields
        for part in frame.collect_batches():
            yield from part.to_arrow().to_batches()
    elif hasattr(frame, "to_arrow"):  # of Polars, with text as pyarrow has long known it
        yield from frame.to_arrow().to_batches()
    elif hasattr(frame, "to_batches"):  # a table or data set of Arrow
        yield from frame.to_batches()
    else:
        import pyarrow as pa

        yield from pa.RecordBatchReader.from_stream(frame)


class FrameSource:
    """A frame in the place of a file; attributes as of `Source`. It has no bytes on a disk."""

    label = name = LABEL
    size, position = None, 0

    def __init__(self, frame: Any):
        self.frame, self.names = frame, [LABEL]
        self.once = hasattr(frame, "read_next_batch")  # an open stream of Arrow

    def open(self, name: str) -> FrameSource:
        """Itself, as there is nothing to open."""
        return self

    def close(self) -> None:
        """Nothing is open."""

    def marks(self) -> list[Any]:
        """Empty: a later process cannot tell whether a frame is the same."""
        return []


class FrameTable(ArrowTable):
    """The batches of a frame; attributes as of `CsvTable`."""

    def __init__(self, source: FrameSource):
        self.source: Any = source
        self.format = "arrow"
        with explained(LABEL):
            self._take(_schema_of(source.frame))

    def batches(self, stream: Any, kinds: dict[str, str], chunk_bytes: int) -> Iterator[Any]:
        """Record batches of the named columns, of bounded size."""
        rows = max(1, chunk_bytes // (8 * max(1, len(kinds))))
        with explained(LABEL):
            chosen = (batch.select(list(kinds)) for batch in record_batches(stream.frame))
            yield from _of_size(chosen, rows)


def _of_size(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """The same rows in batches of one size, so that no fit depends on how a frame was made.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one = pa.RecordBatch.from_pydict({"x": [1, 2, 3]})
    >>> [batch.num_rows for batch in _of_size(iter([one, one, one]), 4)]
    [4, 4, 1]
    """
    import pyarrow as pa

    held, count = [], 0
    for batch in batches:
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            whole = pa.Table.from_batches(held).combine_chunks()
            full = count - count % rows
            for start in range(0, full, rows):
                yield from whole.slice(start, rows).to_batches()
            held, count = whole.slice(full).to_batches(), count - full
    if count:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _schema_of(frame: Any) -> Any:
    if hasattr(frame, "collect_batches"):
        return frame.head(0).collect().to_arrow().schema
    if hasattr(frame, "to_arrow"):
        return frame.head(0).to_arrow().schema
    schema = getattr(frame, "schema", None)  # that of Polars is a dict
    if hasattr(schema, "names") and hasattr(schema, "field"):
        return schema
    import pyarrow as pa

    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"a {type(frame).__name__} hands out no rows as Arrow's batches")
    return pa.RecordBatchReader.from_stream(frame).schema
