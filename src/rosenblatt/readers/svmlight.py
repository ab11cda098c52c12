"""svmlight text (LIBSVM's too), parsed by compiled code. Imports ``blocks``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.readers.base import Reader
from rosenblatt.readers.blocks import Block, Entries, Parser, read_blocks
from rosenblatt.readers.sources import Source


class SparseTextReader(Reader):
    """Sparse rows of text: what svmlight and Vowpal Wabbit have in common."""

    def __init__(self, source: Source, chunk_bytes: int, dtype: Any, threads: int | None):
        super().__init__(source, chunk_bytes, dtype)
        self.threads = threads

    def _parser(self) -> Parser:
        raise NotImplementedError

    def _options(self) -> tuple[Any, ...]:
        """What the kernel is told besides the text."""
        raise NotImplementedError

    def _parsed(self, into: Entries, fresh: bool) -> Iterator[Entries]:
        """Parse block after block into the same arrays, emptied or new before each if ``fresh``."""
        with self._parser() as parser:
            waiting = None
            for block in self._blocks():
                if waiting is not None:
                    waiting()
                    yield into
                waiting = parser.start(block, self._options(), into, 0 if fresh else self._ahead())
            if waiting is not None:
                waiting()
                yield into

    def _blocks(self) -> Iterator[Block]:
        from rosenblatt.readers.digits import PADDING

        for stream in self._streams():
            yield from read_blocks(stream, self.chunk_bytes, PADDING)
