"""Whether weights for so many columns fit into memory, checked before they are allocated."""

from __future__ import annotations

import math
import os
import re
from contextlib import suppress
from typing import Any

import numpy as np

from rosenblatt.errors import InputError

# Bytes that a fit takes for each column, and for each weight of each vector (measured: 75 for a
# decision of two classes, 120 for a fit).
COLUMN = 60
# Always allowed, whatever the system says is free.
LEAST = 1 << 30
CGROUP = "/sys/fs/cgroup/memory.max"


def check_room(d: int, vectors: int = 1, X: Any = None) -> None:
    """Refuse columns whose weights would not fit, before the system kills the process.

    Parameters
    ----------
    d : int
        Columns.
    vectors : int
        Weight vectors.
    X : CSR matrix, optional
        The rows, if they are known: how many columns they use is told.

    Examples
    --------
    >>> check_room(10**15)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: expected fewer columns than 1,000,000,000,000,000: ...
    """
    needed = COLUMN * d * (1 + max(1, vectors))
    if needed <= LEAST or needed <= (there := available()):
        return
    used = f", of which {len(np.unique(X.indices)):,} are in use" if hasattr(X, "indptr") else ""
    raise InputError(
        f"expected fewer columns than {d:,}{used}: their weights take some {needed / 1e9:,.0f} GB, "
        f"and the memory left is {there / 1e9:,.1f} GB. Number the columns that are in use from 1 "
        "on without gaps (of a CSR matrix, numpy.unique(X.indices, return_inverse=True) does it), "
        "or hash them into fewer."
    )


def available() -> float:
    """Bytes that can still be taken; inf where the system does not say.

    Examples
    --------
    >>> available() > 0
    True
    """
    there = math.inf
    with suppress(OSError, AttributeError, ValueError):
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError), open("/proc/meminfo") as file:
        found = re.search(r"MemAvailable:\s*(\d+) kB", file.read())
        there = 1024 * int(found[1]) if found else there
    with suppress(OSError, ValueError), open(CGROUP) as file:  # "max" where there is no limit
        there = min(there, int(file.read()))
    return there
