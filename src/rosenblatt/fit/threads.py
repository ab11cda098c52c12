"""Runs side by side in threads: machine code holds no lock, and all of them read the same rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed

A = TypeVar("A")
B = TypeVar("B")


def side_by_side(
    make: Callable[[A], B],
    tasks: Sequence[A],
    n_jobs: int | None,
    interrupted: threading.Event | None = None,
) -> list[B]:
    """Make something of each task, in the order of the tasks.

    Parameters
    ----------
    make : callable
        Of one task.
    tasks : sequence
        A single one is made in the calling thread.
    n_jobs : int, optional
        Threads, as joblib counts them.
    interrupted : Event, optional
        Set by a Ctrl-C that the calling thread receives: runs that look at it end with their next
        pass.

    Examples
    --------
    >>> side_by_side(str, [1, 2, 3], 2)
    ['1', '2', '3']
    """
    if len(tasks) == 1:
        return [make(tasks[0])]
    try:
        at_once: Any = Parallel(n_jobs=n_jobs, require="sharedmem")
        return at_once(delayed(make)(task) for task in tasks)
    except KeyboardInterrupt:
        if interrupted is not None:
            interrupted.set()
        raise
