"""A limit of seconds."""

from __future__ import annotations

import math
import time

from rosenblatt.errors import InputError


class OutOfTime(Exception):
    """The deadline has passed."""


class Deadline:
    """Seconds spent and left since it was made.

    Parameters
    ----------
    limit : float, optional
        Seconds; None for no limit.

    Examples
    --------
    >>> Deadline().left(), Deadline(60.0).over()
    (inf, False)
    """

    def __init__(self, limit: float | None = None):
        if limit is not None and not limit > 0:
            raise InputError(f"time_limit must be a positive number of seconds, got {limit!r}.")
        self.limit = math.inf if limit is None else limit
        self.restart()

    def restart(self) -> None:
        """The whole limit again."""
        self.began = time.perf_counter()

    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    def left(self, share: float = 1.0) -> float:
        """Seconds until the limit, or until a share of it is spent; infinity without one."""
        return math.inf if self.limit == math.inf else share * self.limit - self.spent()

    def over(self, share: float = 1.0) -> bool:
        """Whether the limit is reached, or a share of it spent."""
        return self.left(share) <= 0

    def check(self) -> None:
        """Raise `OutOfTime` where the limit is reached."""
        if self.over():
            raise OutOfTime
