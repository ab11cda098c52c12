"""``--stream``: the verbs on files that are read chunk by chunk."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any

from typer import Option

from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.inputs import is_bundled
from rosenblatt.cli.shell import say, waiting
from rosenblatt.data.tables.columns import Columns, learn_columns_of
from rosenblatt.data.tables.reading import Choice, Opened, open_file
from rosenblatt.errors import InputError

PANEL = "Files larger than memory"
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}

Stream = Annotated[
    bool,
    Option("--stream", help="Read DATA in chunks, pass after pass.", rich_help_panel=PANEL),
]
MEMORY = "512MiB"
Memory = Annotated[
    str | None,
    Option(
        help="The memory that rows may take, with --stream.",
        rich_help_panel=PANEL,
        show_default=MEMORY,
    ),
]


@dataclass(frozen=True)
class Streaming:
    """The options of streaming."""

    memory: int
    checkpoint: str | None = None
    resume: bool = False
    classes: str | None = None
    width: int | None = None


def refuse_without_stream(given: dict[str, Any]) -> None:
    """Refuse flags that mean nothing without ``--stream``."""
    for name, value in given.items():
        if value:
            raise InputError(f"--{name} needs --stream")


def refuse_with_dask(given: dict[str, Any]) -> None:
    """Refuse flags that mean nothing with ``--dask``."""
    for name, value in given.items():
        if value:
            raise InputError(f"--{name} and --dask exclude each other; leave one of them out")


def memory_of(stream: bool, size: str | None) -> int | None:
    """Bytes of memory for rows with ``--stream``; else None, and ``--memory`` is an error."""
    if stream:
        return bytes_of(size or MEMORY)
    refuse_without_stream({"memory": size})
    return None


def bytes_of(size: str) -> int:
    """The bytes that a size such as 500MB or 2GiB stands for.

    Examples
    --------
    >>> bytes_of("500MB"), bytes_of("1.5 GiB"), bytes_of("4096")
    (500000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*)\s*(?:([KMG]I?)?B?)\s*", size.upper())
    if found is None:
        raise InputError(f"--memory: expected a size such as 500MB or 2GiB, got {size!r}")
    return int(float(found[1]) * UNITS[found[2] or ""])


class StreamFeatures:
    """The rows of a file as features and labels: a reader, as `fit_stream` wants it."""

    def __init__(self, opened: Opened, columns: Columns, only: Iterator[Any] | None = None):
        self.opened, self.columns, self._only = opened, columns, only
        self.source, self.chunk_bytes = opened.reader.source, opened.reader.chunk_bytes
        said = columns.to_dict()
        # These follow from the file, which a checkpoint identifies by itself.
        for name in ("first_index", "hashed", "text_label", "rarer"):
            del said[name]
        self.settings = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        self._facts: Any = None

    @property
    def watch(self) -> Callable[[], None]:
        """Called before each chunk is read."""
        return self.opened.reader.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        self.opened.reader.watch = watch

    @property
    def position(self) -> int:
        """Bytes read so far in this pass."""
        return self.opened.reader.position

    @property
    def size(self) -> int | None:
        """Bytes in all."""
        return self.opened.reader.size

    @property
    def width(self) -> int:
        """Features, those of text included."""
        return self.columns.width + sum(map(len, self.columns.categories.values()))

    @property
    def learned(self) -> Columns:
        """The columns for the model file; where a pipe's indices start is known only afterwards."""
        return replace(self.columns, first_index=getattr(self.opened.reader, "first_index", None))

    def chunks(self) -> Iterator[Any]:
        """One pass over features and labels; of a pipe, the only one."""
        from rosenblatt.data.readers import Chunk

        chunks, self._only = self._only or self.opened.reader.chunks(), None
        for chunk in chunks:
            raw = self.opened.raw(chunk)
            y = None if raw.y is None else self.columns.labels(raw.y)
            yield Chunk(self.columns.features(raw), y, {}, raw.weights)

    def scan(self) -> Any:
        """The facts; those of the raw labels unless one class is told from all others."""
        if self.columns.positive is None:
            return self.opened.reader.scan()._replace(width=self.width)
        if self._facts is None:
            from rosenblatt.data.readers.base import Facts, LabelCounts

            tally = LabelCounts()
            for chunk in self.chunks():
                tally.add(chunk.X.shape[0], chunk.X.shape[1], chunk.y)
            parts = (tally.rows, tally.width, tally.classes, 0, tally.counts, tally.changes)
            self._facts = Facts(*parts)
        return self._facts


def features(
    data: str,
    choice: Choice,
    memory: int,
    width: int | None = None,
    watch: Callable[[], None] | None = None,
) -> StreamFeatures:
    """Open DATA for streaming, and tell the user what was guessed; ``watch`` is the reader's."""
    if is_bundled(data):
        raise InputError(f"{data}: a bundled set is in memory anyway; leave --stream out")
    from rosenblatt.places.file.rows import chunk_bytes_within

    opened = open_file(data, choice, width=width, chunk_bytes=chunk_bytes_within(memory))
    if watch is not None:
        opened.reader.watch = watch
    if opened.reader.source.once:
        return _once(opened, choice)
    opened.reader.keep()
    with waiting(opened.progress):
        note = in_flags(opened.note())
        columns = learn_columns_of(
            lambda: (opened.raw(chunk) for chunk in opened.reader.chunks()), choice
        )
    say(f"{opened.reader.source.label}: {note}", style="dim")
    return StreamFeatures(opened, columns)


def _once(opened: Opened, choice: Choice) -> StreamFeatures:
    """The rows of a pipe, whose first chunk says what the columns are."""
    label = opened.reader.source.label
    for flag, asked in (("--one-hot", choice.one_hot), ("--scale", choice.scale)):
        if asked:
            raise InputError(
                f"{flag} needs a pass over all rows first, but {label} can be read only once; "
                "save it to a file"
            )
    chunks = opened.reader.chunks()
    first = next(chunks, None)
    if first is None:
        raise InputError(f"{label}: no rows to read")
    columns = learn_columns_of(lambda: [opened.raw(first)], replace(choice, positive=None))
    if choice.positive is not None:
        others = f"not {choice.positive}"
        columns = replace(columns, positive=choice.positive, negative=others)
    return StreamFeatures(opened, columns, chain([first], chunks))


def known_classes(made: StreamFeatures, given: str | None) -> Any:
    """The classes of rows that can be read only once; else None, as a pass finds them."""
    if not made.source.once:
        return None
    if made.columns.positive is not None:
        return [False, True]
    if given is None:
        raise InputError(
            f"{made.source.label} can be read only once, so its labels must be named: "
            "--classes no,yes (or --positive yes)"
        )
    words = [word.strip() for word in given.split(",") if word.strip()]
    with suppress(ValueError):
        return [float(word) for word in words]
    return words
