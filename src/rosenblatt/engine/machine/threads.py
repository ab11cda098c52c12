"""Threads: calls for pieces of many rows, side by side on all cores.

Machine code and BLAS release Python's lock, so threads suffice, and share the rows. No result
depends on the number of threads.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from typing import Any, TypeVar

from rosenblatt.engine.machine.interrupts import Uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """The processors that this process may use."""
    return len(_processors())


def _processors() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


LINALG = "scipy.linalg"
# The limits in force, one for each active `one_blas_thread`.
_LIMITS: list[ExitStack] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it BLAS and LAPACK use one thread.

    Small matrices gain nothing from more, and threads that wait for work keep a core busy: beside
    other processes that costs more than the work itself. A nested use costs nothing.
    """
    if _LIMITS:
        yield
        return
    with ExitStack() as limits:
        _limit(limits, LINALG in sys.modules)
        _LIMITS.append(limits)
        try:
            yield
        finally:
            _LIMITS.remove(limits)


def scipy_linalg() -> Any:
    """``scipy.linalg``, imported when it is first needed: that takes longer than a small fit.

    It has its own BLAS, which an active `one_blas_thread` must limit as well.
    """
    late = LINALG not in sys.modules
    linalg = importlib.import_module(LINALG)
    for limits in _LIMITS if late else ():
        _limit(limits, True)
    return linalg


def _limit(limits: ExitStack, with_scipy: bool) -> None:
    """Set each BLAS to one thread until the limits end, if it has more."""
    for library in _blas(with_scipy):
        before = library.get_num_threads()
        if before != 1:
            limits.callback(library.set_num_threads, before)
            library.set_num_threads(1)


@cache
def _blas(with_scipy: bool) -> list[Any]:
    """The BLAS libraries that are loaded; cached separately with and without SciPy's."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers


def threads_for(n_jobs: int | None) -> int:
    """How many threads scikit-learn's ``n_jobs`` asks for: −1 is one a processor, None one.

    Examples
    --------
    >>> threads_for(None), threads_for(3), threads_for(-1) == cores()
    (1, 3, True)
    """
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, cores() + 1 + n_jobs)


def side_by_side(
    call: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int,
    interrupted: threading.Event | None = None,
) -> list[Result]:
    """The results of a call for each item, in threads.

    After an error or a Ctrl-C, calls not yet begun are dropped. If calls watch an event in order to
    end early, the first Ctrl-C sets it, and all of them are waited for. If no thread can be
    started, the caller makes the calls one after the other.

    Examples
    --------
    >>> side_by_side(abs, [-1, 2], threads=2)
    [1, 2]
    """
    if threads == 1:
        return [call(item) for item in items]
    helpers, left = min(threads, len(items)), iter(list(enumerate(items)))
    made: list[Any] = [None] * len(items)
    pools: list[Any] = []
    jobs: list[Any] = []

    def work() -> None:
        try:
            for at, item in left:
                made[at] = call(item)
        finally:
            _drop(left)

    def pool() -> Any:
        from concurrent.futures import ThreadPoolExecutor

        pools.append(ThreadPoolExecutor(helpers))
        return pools[0]

    try:
        with _told(interrupted), Uninterrupted():
            jobs.extend(handed_out(work, helpers, pool))
        if not jobs:
            work()
        for job in jobs:
            with _told(interrupted):
                job.result()
        for job in jobs:
            job.result()
        return made
    finally:
        _drop(left)
        for own in pools:
            own.shutdown(wait=False, cancel_futures=True)


def _drop(left: Iterator[Any]) -> None:
    """Drop all work not yet begun, after an error or a Ctrl-C."""
    for _ in left:
        pass


@contextmanager
def _told(interrupted: threading.Event | None) -> Iterator[None]:
    """Within it, a Ctrl-C sets the event, if there is one that is not yet set."""
    try:
        yield
    except KeyboardInterrupt:
        if interrupted is None or interrupted.is_set():
            raise
        interrupted.set()


def in_slices(n: int, at_once: int) -> list[slice]:
    """Consecutive slices of at most ``at_once`` of n rows.

    Examples
    --------
    >>> in_slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(at, min(n, at + at_once)) for at in range(0, n, at_once)]


def in_pieces(call: Callable[[slice], object], n: int, at_once: int) -> None:
    """Call for each piece of at most ``at_once`` of n rows, on all cores.

    The caller works too, and does not wait for helpers that have not begun: if other work keeps the
    cores busy, or within a piece, it makes all calls itself. After an error or a Ctrl-C, pieces not
    yet begun are dropped.

    Examples
    --------
    >>> done = []
    >>> in_pieces(done.append, 5, at_once=2)
    >>> sorted(piece.start for piece in done)
    [0, 2, 4]
    """
    if n <= at_once:
        if n:
            call(slice(0, n))
        return
    pieces = in_slices(n, at_once)
    left, helpers = iter(pieces), min(cores(), len(pieces)) - 1

    def work() -> None:
        try:
            for piece in left:
                call(piece)
        finally:
            _drop(left)

    def pool() -> Any:
        return _helpers(os.getpid(), _processors(), cores() - 1)

    jobs = handed_out(work, helpers, pool) if helpers > 0 else []
    try:
        work()
    finally:
        errors = [job.exception() for job in jobs if not job.cancel()]
    for error in errors:
        if error is not None:
            raise error


def handed_out(work: Callable[[], None], helpers: int, pool: Callable[[], Any]) -> list[Any]:
    """Submit the work to ``helpers`` threads, or to as many as can be started.

    Once the main thread has ended there are none: Python starts no threads then.
    """
    jobs: list[Any] = []
    try:
        threads = pool()
        jobs.extend(threads.submit(work) for _ in range(helpers))
    except RuntimeError:  # too many threads, or the interpreter is shutting down
        pass
    return jobs


@lru_cache(maxsize=4)
def _helpers(process: int, processors: frozenset[int], count: int) -> Any:
    """A pool of threads that wait for work: waking one takes a tenth of the time of starting one.

    Cached by process, since forked processes do not have these threads, and by processors, since
    threads keep those that the thread which started them could use.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool, begin = ThreadPoolExecutor(count, thread_name_prefix="rosenblatt"), threading.Event()
    try:
        # All are started now: if that fails, none of them has work yet.
        for _ in range(count):
            pool.submit(begin.wait)
    finally:
        begin.set()
    return pool
