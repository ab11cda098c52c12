"""The compiled parser of svmlight text: ``label [qid:n] index:value … [# comment]`` a line.

A kernel turns one piece of text, cut on line ends, into rows, and never looks beyond its piece; so
pieces can be parsed on any number of threads with the same result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.readers.parsing.digits import BAD, HARD, HUGE, number

LARGEST_INDEX = 2**31 - 2

# What stopped a kernel; `blocks` has the sentences.
FINE, NO_LABEL, NO_NUMBER, TOO_LARGE, NO_INDEX, NO_COLON, TOO_LOW, TOO_HIGH, REPEATED = range(9)

TAB, NEWLINE, RETURN, SPACE, HASH, COLON = 9, 10, 13, 32, 35, 58
# Bytes that are counted in one byte, which cannot overflow: a register counts in 32 such at once.
RUN = 128


class ParsedRows(NamedTuple):
    """Room for the rows of a piece, and what the kernel found.

    Attributes
    ----------
    y : float64 array
        Labels.
    ends : int64 array
        Where each row ends among this piece's entries.
    indices, data : int32 and float arrays
        The entries; ``base`` is subtracted from an index on the way in.
    hard : int64 array of shape (·, 3)
        Numbers left to ``float``: entry k or label −1 − row, and the text's start and end. What
        is stored there is to be multiplied by the number.
    weights : float64 array of shape (rows,)
        How much each row counts, of formats that say it.
    info : int64 array of shape (8,)
        Rows, entries, hard numbers, smallest index, largest index, error, and where.
    """

    y: Any
    ends: Any
    indices: Any
    data: Any
    hard: Any
    weights: Any
    info: Any


def room(text, start, stop):
    """A bound on the entries of a piece, and its lines."""
    p, stop = np.uint64(start), np.uint64(stop)
    entries = lines = 0
    while p < stop:
        end = min(p + np.uint64(RUN), stop)
        colons = ends = np.uint8(0)
        for i in range(p, end):
            colons = np.uint8(colons + np.uint8(text[i] == COLON))
            ends = np.uint8(ends + np.uint8(text[i] == NEWLINE))
        entries, lines, p = entries + np.int64(colons), lines + np.int64(ends), end
    return entries, lines


def is_end(c):
    """Whether a byte ends a token; most often it is a space."""
    return c in (SPACE, NEWLINE, TAB, RETURN, HASH)


def skip_blanks(text, p):
    """The first position from p on that holds no blank."""
    while text[p] == SPACE or text[p] == TAB or text[p] == RETURN:
        p += np.uint64(1)
    return p


def line_end(text, p):
    """Where the line ends that p is in."""
    while text[p] != NEWLINE:
        p += np.uint64(1)
    return p


def _short_index(text, p):
    """How many digits there are at p, up to eight, and their value.

    One by one: the processor guesses how many there are, and reads on meanwhile.
    """
    n, value = np.uint64(0), 0
    while n < np.uint64(8) and np.uint8(text[p + n] - np.uint8(48)) < 10:
        value = value * 10 + np.int64(text[p + n]) - 48
        n += np.uint64(1)
    return n, value


def _long_index(text, p):
    """An index of eight digits or more, and the position after it; too large ones saturate."""
    value = 0
    while np.uint8(text[p] - np.uint8(48)) < 10:
        value = min(value * 10 + np.int64(text[p]) - 48, LARGEST_INDEX + 1)
        p += np.uint64(1)
    return value, p


def _is_qid(text, p):
    return text[p] == 113 and text[p + 1] == 105 and text[p + 2] == 100 and text[p + 3] == COLON


def _swap(indices, data, i, j):
    indices[i], indices[j] = indices[j], indices[i]
    data[i], data[j] = data[j], data[i]


def _sift(indices, data, i, n):
    """Let entry i sink to its place in the heap of the first n."""
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and indices[child + 1] > indices[child]:
            child += 1
        if indices[i] >= indices[child]:
            return
        _swap(indices, data, i, child)
        i = child


def sort_row(indices, data):
    """Put a row's entries in order, by heapsort; whether any index is repeated.

    Written out because numba takes three seconds to compile ``np.argsort``.
    """
    n = len(indices)
    for i in range(n // 2 - 1, -1, -1):
        _sift(indices, data, i, n)
    for end in range(n - 1, 0, -1):
        _swap(indices, data, 0, end)
        _sift(indices, data, 0, end)
    repeated = False
    for k in range(1, n):
        repeated |= indices[k] == indices[k - 1]
    return repeated


def parse(text, start, stop, base, lowest, highest, rows):
    """Parse ``text[start:stop]``, whose last byte is a newline, into ``rows``.

    ``base`` is subtracted from the indices, which must lie in ``lowest`` … ``highest``.
    """
    y, ends, indices, data, hard = rows.y, rows.ends, rows.indices, rows.data, rows.hard
    p, stop = np.uint64(start), np.uint64(stop)
    row, k, hards = np.uint64(0), np.uint64(0), 0
    smallest, largest = LARGEST_INDEX, -1
    error = FINE
    while p < stop:
        p = skip_blanks(text, p)
        if text[p] == NEWLINE or text[p] == HASH:
            p = line_end(text, p) + np.uint64(1)
            continue
        line = token = p
        y[row], p, status = number(text, p)
        if status == HARD:
            hard[hards, 0], hard[hards, 1], hard[hards, 2] = -1 - np.int64(row), token, p
            hards += 1
            y[row] = 1.0
        if status >= BAD or not is_end(text[p]):
            p, error = token, TOO_LARGE if status == HUGE else NO_LABEL
            break
        first, previous, in_order = k, -1, True
        while True:
            p = skip_blanks(text, p)
            token = p
            n, index = _short_index(text, p)
            p += n
            if n - np.uint64(1) > np.uint64(6):  # none, or eight or more
                if text[p] == NEWLINE or text[p] == HASH:
                    break
                if n == np.uint64(8):
                    index, p = _long_index(text, token)
                elif _is_qid(text, p):
                    _, p = _long_index(text, p + np.uint64(4))
                    if is_end(text[p]):
                        continue
                    p, error = token, NO_INDEX
                    break
                else:
                    p, error = token, NO_INDEX
                    break
            if text[p] != COLON:
                p, error = token, NO_COLON
                break
            if index < lowest or index > highest:
                p, error = token, TOO_LOW if index < lowest else TOO_HIGH
                break
            p += np.uint64(1)
            token = p
            data[k], p, status = number(text, p)
            if status == HARD:
                hard[hards, 0], hard[hards, 1], hard[hards, 2] = k, token, p
                hards += 1
                data[k] = 1.0
            if status >= BAD or not is_end(text[p]):
                p, error = token, TOO_LARGE if status == HUGE else NO_NUMBER
                break
            indices[k] = index - base
            in_order &= index > previous
            previous = index
            smallest, largest = min(smallest, index), max(largest, index)
            k += np.uint64(1)
        if error != FINE:
            break
        if not in_order and sort_row(indices[first:k], data[first:k]):
            p, error = line, REPEATED
            break
        ends[row] = k
        row += np.uint64(1)
        p = line_end(text, p) + np.uint64(1)
    info = rows.info
    info[0], info[1], info[2], info[3], info[4] = row, k, hards, smallest, largest
    info[5], info[6] = error, p
