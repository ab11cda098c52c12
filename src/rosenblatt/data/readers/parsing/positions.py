"""Where rows are in a text file: the numbers of their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.data.readers.parsing.blocks import NEWLINE, read_blocks, sparse_blocks

BLOCK = 1 << 23
BLANKS = b" \t\r"


def lines_of_rows(stream: Any, comments: bool, blanks: bool = False) -> Iterator[np.ndarray]:
    r"""The numbers, from 1 on, of the lines that are rows, block by block.

    Parameters
    ----------
    stream : Stream
    comments : bool
        Whether a line of blanks is none, nor one that starts with ``#``; else only an empty one.
    blanks : bool
        Whether a line of blanks is none in any case.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.readers.sources import Source
    >>> path = pathlib.Path(tempfile.mkdtemp(), "rows.svm")
    >>> _ = path.write_text("1 1:2\n# no row\n\n-1 1:3\n")
    >>> [lines.tolist() for lines in lines_of_rows(Source(path).open(str(path)), comments=True)]
    [[1, 4]]
    """
    done = 0
    for block in (sparse_blocks if comments or blanks else read_blocks)(stream, BLOCK):
        text = block.text[: block.used]
        ends = np.flatnonzero(text == NEWLINE[0])
        starts = np.concatenate([[0], ends[:-1] + 1])
        odd = np.isin(text[starts], np.frombuffer(b"\n#" + BLANKS, np.uint8))
        row = np.ones(len(starts), bool)
        for i in np.flatnonzero(odd):
            line = bytes(text[starts[i] : ends[i]])
            kept = line.strip(BLANKS) if comments or blanks else line.rstrip(b"\r")
            row[i] = bool(kept) and not (comments and kept.startswith(b"#"))
        yield np.flatnonzero(row) + done + 1
        done += len(ends)


def lines_in_words(
    names: Sequence[str], lines_of: Callable[[str], Iterator[np.ndarray]], rows: np.ndarray
) -> list[str]:
    """The lines of sorted rows, counted over all files, with the file where there are several."""
    words: list[str] = []
    for name in names:
        found, count = numbered(lines_of(name), rows[rows >= 0])
        file = f"{name}, " if len(names) > 1 else ""
        words += [f"{file}line {line}" for line in found]
        rows = rows - count
    return words


def numbered(lines: Iterator[np.ndarray], rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Of lines that come in parts, those at some sorted places; and how many there are in all.

    Examples
    --------
    >>> numbered(iter([np.array([1, 4]), np.array([5, 7])]), np.array([1, 2]))
    (array([4, 5]), 4)
    """
    found, done = [np.zeros(0, np.int64)], 0
    for some in lines:
        here = rows[(rows >= done) & (rows < done + len(some))]
        found.append(some[here - done])
        done += len(some)
    return np.concatenate(found), done
