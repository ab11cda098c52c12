"""The compiled search for the last whole record of quoted text."""

from __future__ import annotations

import numpy as np

NEWLINE, RETURN, SPACE, QUOTE = 10, 13, 32, 34


def last_end(text, used, delimiter, spaced):
    """Where the last whole record of ``text[:used]`` ends; a quote counts at a value's start.

    ``spaced`` says whether blanks may stand before it.
    """
    end = np.uint64(0)
    inside, at_start = False, True
    for i in range(np.uint64(used)):
        c = text[i]
        if inside:
            inside = c != QUOTE
            at_start = not inside  # a second quote right after is a quoted quote
        elif c == QUOTE and at_start:
            inside = True
        else:
            at_start = c in (delimiter, NEWLINE, RETURN) or (at_start and spaced and c == SPACE)
            if c == NEWLINE:
                end = i + np.uint64(1)
    return np.int64(end)
