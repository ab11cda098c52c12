"""Binary tables: Parquet, Arrow and Feather, read by pyarrow."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from rosenblatt.data.readers.sources import Source
from rosenblatt.errors import InputError

# What pandas calls an index that has no name: row numbers, neither a feature nor a label.
INDEX = re.compile(r"__index_level_\d+__")
READ_AT_ONCE = 1 << 16  # bytes of a column of Parquet


def kind_of(kind: Any) -> str:
    """What an arrow type holds: ``whole``, ``real``, ``text``, or its own name for anything else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> kind_of(pa.int8()), kind_of(pa.dictionary(pa.int8(), pa.string())), kind_of(pa.date32())
    ('whole', 'text', 'date32[day]')
    """
    from pyarrow import types

    if types.is_dictionary(kind):
        return kind_of(kind.value_type)
    if types.is_integer(kind) or types.is_boolean(kind):
        return "whole"
    if types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return "real"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "text"
    return str(kind)


class ArrowTable:
    """One or more Parquet or Arrow files with the same columns; attributes as of `CsvTable`."""

    rows_called = "row"
    named = True
    strays: ClassVar[dict[str, Any]] = {}  # cells of these tables have types
    guesses: ClassVar[list[str]] = []
    padded = False  # blanks around a label are part of it
    repeated: ClassVar[dict[str, list[int]]] = {}

    def __init__(self, source: Source, parquet: bool):
        self.source, self.parquet = source, parquet
        self.format = "parquet" if parquet else "arrow"
        self._memory: Any = source.seekable("-") if source.once else None
        self._take(self._schema(source.names[0]))

    def _take(self, schema: Any) -> None:
        """The columns by the schema of a table."""
        found = [(field.name, kind_of(field.type)) for field in schema]
        index = _index(schema.metadata)
        self.names: tuple[str, ...] = tuple(n for n, _ in found if not INDEX.fullmatch(n))
        if len(set(self.names)) < len(self.names):
            raise InputError(
                f"{self.source.label}: expected column names that differ, got some twice"
            )
        self.kinds = {name: kind for name, kind in found if name in self.names}
        self.left_out = {name: "index" for name in self.names if name in index}

    def _schema(self, name: str) -> Any:
        """The schema of a file."""
        with self._opened(name) as file, explained(name):
            return file.schema_arrow if self.parquet else file.schema

    def batches(self, stream: Any, kinds: dict[str, str], chunk_bytes: int) -> Iterator[Any]:
        """Record batches of the named columns of one file, of bounded size."""
        rows = max(1, chunk_bytes // (8 * max(1, len(kinds))))
        with self._opened(stream.name) as file, explained(stream.name):
            if self.parquet:
                yield from _all_rows(file, rows, list(kinds))
                return
            for batch in _ipc_batches(file):
                part = batch.select(list(kinds))
                part.validate(full=True)  # nothing in the file vouches for offsets and text
                for start in range(0, part.num_rows, rows):
                    yield part.slice(start, rows)
                del batch, part  # before the next one is read

    def check_file(self, name: str) -> None:
        """Refuse a further file that lacks a column."""
        found = self._schema(name).names
        for column in self.names:
            if column not in found:
                raise InputError(
                    f"{name}: expected the columns of {self.source.names[0]}, has no {column!r}"
                )

    def where(self, name: str, row: int) -> str:
        """A row in words, counted from 0."""
        return f"{name}, row {row}"

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        file = self._memory or self.source.seekable(name)
        file.seek(0)
        one_thread = pa.ipc.IpcReadOptions(use_threads=False)  # several hold several times as much
        with explained(name):
            if self.parquet:
                # Columns are read page by page: by default pyarrow reads a whole row group ahead,
                # and a file may be one.
                table = parquet.ParquetFile(file, pre_buffer=False, buffer_size=READ_AT_ONCE)
            elif file.read(6) == b"ARROW1":
                file.seek(0)
                table = pa.ipc.open_file(file, options=one_thread)
            else:
                file.seek(0)
                table = pa.ipc.open_stream(file, options=one_thread)
        try:
            yield table
        finally:
            if self._memory is None:
                file.close()


def _index(metadata: Any) -> list[Any]:
    """The columns that pandas wrote as an index, by what it notes beside the schema.

    Examples
    --------
    >>> import pandas as pd, pyarrow as pa
    >>> frame = pd.DataFrame({"x": [1.0], "key": ["a"]}).set_index("key")
    >>> _index(pa.Table.from_pandas(frame).schema.metadata), _index(None)
    (['key'], [])
    """
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return [*json.loads(metadata[b"pandas"])["index_columns"]]
    return []


def _all_rows(file: Any, rows: int, columns: list[str]) -> Iterator[Any]:
    """Batches of a Parquet file; without a word, pyarrow would end with its shortest column."""
    left = file.metadata.num_rows
    for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
        left -= batch.num_rows
        yield batch
    if left:
        raise ValueError(f"{left} of {file.metadata.num_rows} rows are not there")


def _ipc_batches(file: Any) -> Iterator[Any]:
    if hasattr(file, "num_record_batches"):
        for i in range(file.num_record_batches):
            yield file.get_batch(i)
    else:
        yield from file


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Errors of pyarrow, and of what it reads, become an `InputError` that names the source."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, ValueError, TypeError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{name}: damaged or cut short ({said})") from error
