"""Compiled passes over the bytes of text tables: whole records, unclosed quotes, single blanks."""

from __future__ import annotations

import numpy as np

NEWLINE, RETURN, SPACE, QUOTE = 10, 13, 32, 34


def last_end(text, used, delimiter, spaced):
    """Where the last whole record of ``text[:used]`` ends; a quote counts at a value's start.

    ``spaced`` says whether blanks may stand before it. Also where a value begins, or -1, that none
    closes: it is open at the end, or reaches over line ends up to the quote that opens another.
    """
    end, opened, unclosed = np.uint64(0), np.int64(-1), np.int64(-1)
    inside, closed, over, at_start = False, False, False, True
    for i in range(np.uint64(used)):
        c = text[i]
        if inside:
            if c == QUOTE:
                inside, closed = False, True
            elif c == NEWLINE:
                over = True
        elif c == QUOTE and (closed or at_start):
            if not closed:  # a second quote right after is a quoted quote
                opened, over = np.int64(i), False
            inside, closed, at_start = True, False, False
        else:
            ends = c in (delimiter, NEWLINE, RETURN)
            if closed and over and unclosed < 0 and not ends and c != SPACE:
                before = text[i - np.uint64(2)]
                if before in (delimiter, NEWLINE):
                    unclosed = opened
            closed = False
            at_start = ends or (at_start and spaced and c == SPACE)
            if c == NEWLINE:
                end = i + np.uint64(1)
    if inside and unclosed < 0:
        unclosed = opened
    return np.int64(end), unclosed


def with_single_blanks(text, start, used, out):
    """Write lines with one blank between values and none at their ends; returns how many bytes."""
    size = np.uint64(0)
    blank, at_start = False, True
    for i in range(np.uint64(start), np.uint64(used)):
        c = text[i]
        if c == SPACE:
            blank = not at_start
            continue
        at_start = c in (NEWLINE, RETURN)
        if blank and not at_start:
            out[size] = SPACE
            size += np.uint64(1)
        blank = False
        out[size] = c
        size += np.uint64(1)
    return np.int64(size)
