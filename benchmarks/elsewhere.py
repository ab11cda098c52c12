"""A contestant in a process of its own."""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def clocked(
    run: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """The seconds of one call by a clock, and what it returned."""
    gc.collect()
    began = clock()
    result = run()
    return clock() - began, result


class Elsewhere:
    """A contestant in a process of its own: its cores, its memory, nothing of the others.

    ``make(*given)`` runs there once and returns what is timed, a function without arguments, whose
    result comes back. ``make`` is a function of a module, and all that travels can be pickled. A
    turn that takes longer than ``limit`` seconds ends the process; ``over`` is then True, and the
    limit is what every turn takes. Of a result that is large, ``digest`` makes what comes back.
    """

    def __init__(
        self,
        make: Callable[..., Callable[[], Any]],
        *given: Any,
        cores: int = 0,
        limit: float = math.inf,
        digest: Callable[[Any], Any] | None = None,
    ):
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.limit, self.over = limit, False
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, cores, digest))
        self._process.daemon = True
        with _pools_of(cores):
            self._process.start()
        there.close()
        self.give(make, *given)

    def give(self, make: Callable[..., Callable[[], Any]], *given: Any) -> None:
        """Have other work done by the same process."""
        self._pipe.send((make, given))
        self._receive()

    def turn(self) -> tuple[float, Any]:
        """Run once: the seconds as that process measured them, and the result."""
        if not self.over:
            self._pipe.send("turn")
            if self._pipe.poll(None if math.isinf(self.limit) else self.limit):
                return self._receive()
            self.over = True
            self.close()
        return self.limit, None

    def peak(self) -> float:
        """Run once; the bytes by which its memory exceeded what it held before."""
        self._pipe.send("peak")
        return self._receive()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()

    def _receive(self) -> Any:
        answer = self._pipe.recv()
        if isinstance(answer, BaseException):
            self.close()
            raise answer
        return answer


POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def _pools_of(count: int) -> Iterator[None]:
    """Let processes started meanwhile have pools of so many threads; 0 leaves that to them."""
    earlier = {name: os.environ.get(name) for name in POOLS}
    if count:
        os.environ.update(dict.fromkeys(POOLS, str(count)))
    try:
        yield
    finally:
        for name, value in earlier.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _serve(pipe: Any, count: int, digest: Callable[[Any], Any] | None) -> None:
    if count and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    run: Callable[[], Any] = list
    try:
        while True:
            asked = pipe.recv()
            if asked == "turn":
                seconds, result = clocked(run)
                pipe.send((seconds, digest(result) if digest else result))
            elif asked == "peak":
                pipe.send(_peak(run))
            else:
                make, given = asked
                run = make(*given)
                pipe.send(None)
    except EOFError:
        pass
    except BaseException as error:
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _peak(run: Callable[[], Any]) -> float:
    """Bytes of resident memory at their most during a call, beyond those before it."""
    gc.collect()
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not status.exists():
        return math.nan
    reset.write_text("5")  # the high-water mark falls to what is resident now
    before = _kibibytes(status.read_text(), "VmRSS")
    run()
    return 1024.0 * (_kibibytes(status.read_text(), "VmHWM") - before)


def _kibibytes(status: str, field: str) -> int:
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field))
