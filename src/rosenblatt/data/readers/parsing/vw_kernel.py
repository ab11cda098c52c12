"""The compiled parser of Vowpal Wabbit text, and its hash.

A line is ``[label [importance [0]]] ['tag]|namespace[:scale] name[:value] … |…``. As in Vowpal
Wabbit, a column is murmur3(name, seed=murmur3(namespace)) modulo 2^bits, except that a name of
digits only stands for that number added to the seed, and the nameless namespace has seed 0. Names
that meet in one column add up.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.data.readers.parsing.digits import BAD, HARD, HUGE, number
from rosenblatt.data.readers.parsing.svmlight_kernel import RUN, line_end, skip_blanks, sort_row

FINE, NO_LABEL, NO_BAR, NO_NAME, NO_NUMBER, TOO_LARGE, NO_WEIGHT, LEFT = range(8)

INSERTED = 256  # entries of a row up to which insertion is no slower than a heap, and stable
TAB, NEWLINE, RETURN, SPACE, QUOTE, COLON, BAR = 9, 10, 13, 32, 39, 58, 124


def room(text, start, stop):
    """A bound on the entries of a piece, and its lines: a name stands after a blank."""
    p, stop = np.uint64(start), np.uint64(stop)
    entries = lines = 0
    while p < stop:
        end = min(p + np.uint64(RUN), stop)
        blanks = ends = np.uint8(0)
        for i in range(p, end):
            c = text[i]
            blanks = np.uint8(blanks + np.uint8((c == SPACE) | (c == TAB) | (c == RETURN)))
            ends = np.uint8(ends + np.uint8(c == NEWLINE))
        entries, lines, p = entries + np.int64(blanks), lines + np.int64(ends), end
    return entries, lines


def _rotated(x, r):
    return (x << np.uint32(r)) | (x >> np.uint32(32 - r))


def _mixed(word):
    return _rotated(np.uint32(word * np.uint32(0xCC9E2D51)), 15) * np.uint32(0x1B873593)


def murmur3(text, start, stop, seed):
    """MurmurHash3_x86_32 (Appleby 2011) of ``text[start:stop]``."""
    h = np.uint32(seed)
    p = start
    while p + np.uint64(4) <= stop:
        word = np.uint32(0)
        for i in range(4):
            word |= np.uint32(text[p + np.uint64(i)]) << np.uint32(8 * i)
        h = np.uint32(_rotated(np.uint32(h ^ _mixed(word)), 13) * np.uint32(5))
        h = np.uint32(h + np.uint32(0xE6546B64))
        p += np.uint64(4)
    word = np.uint32(0)
    for i in range(stop - p):
        word |= np.uint32(text[p + np.uint64(i)]) << np.uint32(8 * i)
    h = np.uint32(h ^ np.uint32(_mixed(word)) ^ np.uint32(stop - start))
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return h ^ (h >> np.uint32(16))


def name_at(text, p, seed):
    """Where the name at p ends, and Vowpal Wabbit's hash: its number plus the seed, or murmur3."""
    end, value = p, np.uint32(0)
    while np.uint8(text[end] - np.uint8(48)) < 10:
        value = np.uint32(value * np.uint32(10) + np.uint32(text[end]) - np.uint32(48))
        end += np.uint64(1)
    if text[end] == COLON or _is_end(text[end]):
        return end, np.uint32(value + np.uint32(seed))
    while not (text[end] == COLON or _is_end(text[end])):
        end += np.uint64(1)
    return end, murmur3(text, p, end, seed)


def _is_end(c):
    return c in (SPACE, NEWLINE, TAB, RETURN, BAR)


def _prefix(text, p):
    """What stands before the first bar: label (NaN for none), importance, where, and an error."""
    label, importance, seen = np.nan, 1.0, 0
    while True:
        p = skip_blanks(text, p)
        end = p
        while not _is_end(text[end]):
            end += np.uint64(1)
        if text[end] == NEWLINE and end == p:
            return label, importance, p, NO_BAR
        if text[p] == BAR:
            return label, importance, p, FINE
        if text[end] == BAR or text[p] == QUOTE:
            p = end
            continue
        value, stop, status = number(text, p)
        if status != 0 or stop != end or seen > 2:
            return label, importance, p, NO_LABEL
        if seen == 0:
            label = value
        elif seen == 1 and 0 < value < np.inf:
            importance = value
        elif seen == 1 or value != 0:  # the initial prediction
            return label, importance, p, NO_WEIGHT
        seen += 1
        p = end


def _value(text, p):
    """The number after a colon at p, 1 where there is none: value, where, an error."""
    if text[p] != COLON:
        return 1.0, p, FINE
    token = p + np.uint64(1)
    value, end, status = number(text, token)
    if status >= BAD or not _is_end(text[end]):
        return value, token, TOO_LARGE if status == HUGE else NO_NUMBER
    return value, end, LEFT if status == HARD else FINE


def _features(text, p, k, mask, rows, hards):
    """A row's entries from its first bar on: where, how many now, hard numbers, an error."""
    scale, seed, error = 1.0, np.uint32(0), FINE
    while error == FINE:
        if text[p] == NEWLINE:
            break
        if text[p] == BAR:
            p += np.uint64(1)
            end, seed = name_at(text, p, np.uint32(0))
            scale, p, error = _value(text, end)
            if error == LEFT:  # a scale of more than 19 digits
                error = NO_NUMBER
        else:
            end, column = name_at(text, p, seed)
            if end == p:
                return p, k, hards, NO_NAME
            value, p, error = _value(text, end)
            if error == LEFT:
                rows.hard[hards, 0], rows.hard[hards, 1], rows.hard[hards, 2] = k, end + 1, p
                hards += 1
                value, error = 1.0, FINE
            if abs(value * scale) == np.inf:
                error = TOO_LARGE
            rows.indices[k], rows.data[k] = column & mask, value * scale
            k += np.uint64(1)
        if error == FINE:
            p = skip_blanks(text, p)
    return p, k, hards, error


def rising(indices, start, end):
    """Whether a row's entries are in order as they are, and none meet."""
    k = start + np.uint64(1)
    while k < end and indices[k - np.uint64(1)] < indices[k]:
        k += np.uint64(1)
    return k >= end


def in_order(indices, data, start, end):
    """Sort a row's entries by column; whether those that meet add up to what they would as written.

    A heap does not keep the order of three or more, which rounding may depend on.
    """
    if end - start > INSERTED:
        sort_row(indices[start:end], data[start:end])
        for k in range(start + np.uint64(2), end):
            meet = indices[k] == indices[k - np.uint64(2)]
            middle = data[k - np.uint64(1)]
            if meet and (data[k] != middle or data[k - np.uint64(2)] != middle):
                return False
        return True
    for k in range(start + np.uint64(1), end):
        column, value, at = indices[k], data[k], k
        while at > start and indices[at - np.uint64(1)] > column:
            indices[at], data[at] = indices[at - np.uint64(1)], data[at - np.uint64(1)]
            at -= np.uint64(1)
        indices[at], data[at] = column, value
    return True


def added_up(indices, data, start, end):
    """Add up the entries of a sorted row that meet in one column.

    Where they end now, and whether none of the sums is infinite.
    """
    last, finite = start, True
    for k in range(start + np.uint64(1), end):
        if indices[k] == indices[last]:
            data[last] += data[k]
            finite &= abs(data[last]) < np.inf
        else:
            last += np.uint64(1)
            indices[last], data[last] = indices[k], data[k]
    return min(last + np.uint64(1), end), finite


def parse(text, start, stop, bits, rows):
    """Parse ``text[start:stop]``, whose last byte is a newline, into ``rows``."""
    p, stop = np.uint64(start), np.uint64(stop)
    row, k, hards, error = np.uint64(0), np.uint64(0), 0, FINE
    mask = np.uint32((1 << bits) - 1)
    while p < stop:
        p = skip_blanks(text, p)
        if text[p] == NEWLINE:
            p += np.uint64(1)
            continue
        rows.y[row], rows.weights[row], p, error = _prefix(text, p)
        if error != FINE:
            break
        before, hard_before, first = k, hards, p
        p, k, hards, error = _features(text, p, k, mask, rows, hards)
        if error != FINE:
            break
        if hards > hard_before:  # these are still to be multiplied, where they are
            rows.info[7] = 1
        elif not rising(rows.indices, before, k):
            end, fine = k, in_order(rows.indices, rows.data, before, k)
            if fine:
                end, fine = added_up(rows.indices, rows.data, before, k)
            if fine:
                k = end
            else:  # read once more, and left as it is written to be sorted with the whole chunk
                p, k, hards, error = _features(text, first, before, mask, rows, hards)
                rows.info[7] = 1
        rows.ends[row] = k
        row += np.uint64(1)
        p = line_end(text, p) + np.uint64(1)
    info = rows.info
    info[0], info[1], info[2], info[3], info[4] = row, k, hards, 0, np.int64(mask)
    info[5], info[6] = error, p
