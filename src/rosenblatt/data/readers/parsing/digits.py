"""Decimal text to the nearest double, compiled: the same number as Python's ``float``, always.

A short number is read digit by digit, since a processor guesses where it ends and reads on
meanwhile, and is one exact division (Clinger 1990). Digits of a long one are read eight at a time
(Lemire's SWAR trick), and it takes Eisel and Lemire's 128-bit product ("Number parsing at a
gigabyte per second", 2021), which is right without a fall-back for up to 19 digits (Mushtak and
Lemire 2023). More digits are cut to 19 and tried from both sides; what is still open after that is
HARD, and the caller asks ``float``.

Texts are uint8 arrays with at least ``PADDING`` readable bytes after the last one of interest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PADDING = 16

GOOD, HARD, BAD, HUGE = 0, 1, 2, 3

_SMALLEST_POWER, _LARGEST_POWER = -342, 308

_TEN = 10.0 ** np.arange(23)
_TEN_WHOLE = 10 ** np.arange(9, dtype=np.uint64)


def _powers_of_five() -> np.ndarray:
    """The 128 leading bits of 5^q as two words, rounded down for q ≥ 0 and up for q < 0."""
    table = []
    for q in range(_SMALLEST_POWER, _LARGEST_POWER + 1):
        five = 5 ** abs(q)
        if q >= 0:
            bits = five.bit_length()
            leading = five >> (bits - 128) if bits > 128 else five << (128 - bits)
        else:
            leading = (1 << (five.bit_length() + 127)) // five + 1
        table.append((leading >> 64, leading & (2**64 - 1)))
    return np.array(table, dtype=np.uint64)


_FIVE = _powers_of_five()


def word_at(text, p):
    """Eight bytes as one little-endian word; LLVM makes one load of it."""
    word = np.uint64(0)
    for i in range(8):
        word |= np.uint64(text[p + np.uint64(i)]) << np.uint64(8 * i)
    return word


def digits(text, p) -> Any:
    """How many of the eight bytes from p on are leading digits, and their value."""
    word = word_at(text, p) ^ np.uint64(0x3030303030303030)
    other = (word | (word + np.uint64(0x0606060606060606))) & np.uint64(0xF0F0F0F0F0F0F0F0)
    first = other & (~other + np.uint64(1))
    whole = ((first - np.uint64(1)) & np.uint64(0x8080808080808080)) >> np.uint64(7)
    n = (whole * np.uint64(0x0101010101010101)) >> np.uint64(56)
    if n == np.uint64(0):
        return n, n
    word <<= np.uint64(64) - np.uint64(8) * n
    word = word * np.uint64(10) + (word >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    low = (word & mask) * np.uint64(0x000F424000000064)
    high = ((word >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    return n, ((low + high) & np.uint64(0xFFFFFFFFFFFFFFFF)) >> np.uint64(32)


def _high_product(a, b):
    """The upper 64 bits of a·b."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (other >> half)


def _leading_zeros(w):
    zeros = np.uint64(0)
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == np.uint64(0):
            zeros += np.uint64(step)
            w <<= np.uint64(step)
    return zeros


def nearest_double(w, q):
    """The double nearest to w·10^q, ties to even (Eisel and Lemire); inf when there is none."""
    if w == np.uint64(0) or q < _SMALLEST_POWER:
        return 0.0
    if q > _LARGEST_POWER:
        return np.inf
    zeros = _leading_zeros(w)
    w <<= zeros
    row = np.uint64(q - _SMALLEST_POWER)
    five = _FIVE[row, np.uint64(0)]
    high, low = _high_product(w, five), w * five
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the lower word of 5^q may carry into it
        more = _high_product(w, _FIVE[row, np.uint64(1)])
        low += more
        if more > low:
            high += np.uint64(1)
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    power = ((217706 * q) >> 16) + 63 + np.int64(upper) - np.int64(zeros) + 1023
    one = np.uint64(1)
    if power <= 0:  # subnormal
        if power <= -63:
            return 0.0
        mantissa >>= np.uint64(1 - power)
        mantissa = (mantissa + (mantissa & one)) >> one
        # A carry into bit 52 is the smallest normal double.
        return np.uint64(mantissa).view(np.float64)
    tie = low <= one and -4 <= q <= 23 and mantissa & np.uint64(3) == one
    if tie and mantissa << shift == high:
        mantissa &= ~one
    mantissa = (mantissa + (mantissa & one)) >> one
    if mantissa >= np.uint64(1) << np.uint64(53):
        mantissa = np.uint64(1) << np.uint64(52)
        power += 1
    if power >= 0x7FF:
        return np.inf
    fraction = mantissa & ((np.uint64(1) << np.uint64(52)) - one)
    return np.uint64(fraction | (np.uint64(power) << np.uint64(52))).view(np.float64)


def _exponent(text, p):
    """The exponent at p (on the letter e) and the position after it; None there: same p."""
    q = p + np.uint64(1)
    negative = text[q] == 45
    if negative or text[q] == 43:
        q += np.uint64(1)
    start, value = q, 0
    while np.uint8(text[q] - np.uint8(48)) < 10:
        value = min(value * 10 + np.int64(text[q]) - 48, 1 << 56)
        q += np.uint64(1)
    if q == start:
        return 0, p
    return -value if negative else value, q


def _long_number(text, p) -> Any:
    """A number of any length at p, sign already read: value, end, status."""
    w, kept, q, read = np.uint64(0), 0, 0, 0
    cut = fraction = False
    while True:
        n, v = digits(text, p)
        if n > np.uint64(0) and kept + np.int64(n) <= 19:
            w = w * _TEN_WHOLE[n] + v
            kept += np.int64(n) if w > np.uint64(0) else 0
            q -= np.int64(n) if fraction else 0
        elif n > np.uint64(0):
            n, digit = np.uint64(1), np.uint8(text[p] - np.uint8(48))
            if kept < 19:
                w = w * np.uint64(10) + np.uint64(digit)
                kept += 1
                q -= fraction
            else:
                cut |= digit > 0
                q += not fraction
        elif text[p] == 46 and not fraction:
            fraction = True
            p += np.uint64(1)
            continue
        else:
            break
        read += 1
        p += n
    if read == 0:
        return 0.0, p, BAD
    if text[p] | 32 == 101:
        exponent, end = _exponent(text, p)
        if end == p:
            return 0.0, p, BAD
        q, p = q + exponent, end
    value = nearest_double(w, q)
    if cut and value != nearest_double(w + np.uint64(1), q):
        return value, p, HARD
    return value, p, HUGE if value == np.inf else GOOD


def number(text, p) -> Any:
    """The number at p: value, position after it, status.

    The grammar is that of ``float`` less ``inf``, ``nan``, underscores and surrounding space.
    BAD: no number here, and the position is where the text stopped making sense. HUGE: beyond the
    largest double.
    """
    negative = text[p] == 45
    if negative or text[p] == 43:
        p += np.uint64(1)
    start = p
    # Most often a single digit comes before the point; where the processor has guessed that, what
    # follows need not wait for a count of digits.
    if text[p + np.uint64(1)] == 46 and np.uint8(text[p] - np.uint8(48)) < 10:
        n, w = np.uint64(1), np.uint64(text[p]) - np.uint64(48)
    else:
        n, w = digits(text, p)
    p += n
    read = n
    fraction = np.uint64(0)
    if text[p] == 46:
        p += np.uint64(1)
        while fraction < np.uint64(8) and np.uint8(text[p] - np.uint8(48)) < 10:
            w = w * np.uint64(10) + np.uint64(text[p]) - np.uint64(48)
            p += np.uint64(1)
            fraction += np.uint64(1)
        read += fraction
    c = text[p]
    ended = np.uint8(c - np.uint8(48)) > 9 and c | 32 != 101 and c != 46
    if ended and read > np.uint64(0) and n < np.uint64(8):
        value = np.float64(w) / _TEN[fraction]  # at most 15 digits: both exact, one rounding
        status = GOOD
    else:
        value, p, status = _long_number(text, start)
    return -value if negative else value, p, status
