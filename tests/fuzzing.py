"""Mutations of valid files, and a limit on the time that reading one may take."""

from __future__ import annotations

import faulthandler
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 60.0  # seconds for one input; compiling a kernel for the first may take ten


class HangError(BaseException):
    """One input took far too long; not an Exception, so that nothing swallows it."""


@contextmanager
def limited() -> Iterator[Callable[[], None]]:
    """Yield a function that restarts the clock; call it before each input.

    A loop in Python is interrupted by an alarm. One in compiled code is not: then the process
    prints where it is and dies, which fails the test as well.
    """

    def alarm(*_):
        raise HangError(f"one input took more than {PATIENCE} s")

    def restart():
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        faulthandler.dump_traceback_later(3 * PATIENCE, exit=True)

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        yield restart
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


class Mutator:
    """Changes files a little: bytes, tokens of the format, cuts, repeats, pieces of other files.

    Parameters
    ----------
    seeds : list of bytes
        Valid files.
    tokens : list of bytes
        What means something in the format.
    """

    def __init__(self, seeds: list[bytes], tokens: list[bytes], seed: int):
        self.seeds, self.tokens = seeds, tokens
        self.rng = random.Random(seed)

    def __call__(self) -> bytes:
        data = bytearray(self.rng.choice(self.seeds))
        # One valid file in sixteen stays as it is, so that reading is tested and not only refusing.
        for _ in range(self.rng.choice((0, *[1] * 6, *[2] * 5, 3, 4, 8, 16))):
            self._change(data)
        return bytes(data)

    def _change(self, data: bytearray) -> None:
        rng = self.rng
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(8)
        if kind <= 1 and data:
            at = min(at, len(data) - 1)
            data[at] = rng.randrange(256) if kind else data[at] ^ (1 << rng.randrange(8))
        elif kind == 2:
            data[at:at] = rng.choice(self.tokens)
        elif kind == 3:
            token = rng.choice(self.tokens)
            data[at : at + len(token)] = token
        elif kind == 4:
            del data[at : at + rng.choice((1, 1, 2, 4, 8, 32))]
        elif kind == 5:
            size = rng.choice((1, 2, 4, 8, 64))
            data[at:at] = data[max(0, at - size) : at]
        elif kind == 6:
            other = rng.choice(self.seeds)
            start = rng.randrange(len(other))
            data[at : at + rng.choice((0, 4, 16))] = other[start : start + rng.choice((4, 16, 64))]
        elif kind == 7 and rng.random() < 0.3:
            del data[at:]
