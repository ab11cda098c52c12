"""Ctrl-C, held back where it would do harm."""

from __future__ import annotations

import math
import time

# The functions behind the signal module, without its enums: ten times cheaper, and each call pays.
from _signal import SIGINT, getsignal  # pyright: ignore[reportMissingImports]
from _signal import signal as set_handler  # pyright: ignore[reportMissingImports]
from _thread import get_ident
from collections.abc import Callable
from typing import Any

# Seconds within which a second Ctrl-C means more than the fit that it comes in.
SOON = 2.0


class Listening:
    """A block that hears Ctrl-C by a handler of ours, which the `Uninterrupted` ones in it share.

    Elsewhere in the block it does at once what it did before. Setting a handler takes longer than a
    pass over a hundred rows, and a small fit calls machine code ten times.

    Attributes
    ----------
    raised : bool
        Whether a KeyboardInterrupt was raised in the block, whoever caught it.
    """

    now: Listening | None = None
    # When a fit last ended by it with what it had learned.
    kept = -math.inf

    def __init__(self) -> None:
        # How many `Uninterrupted` blocks we are in, one within the other.
        self.depth = 0
        self.raised = False
        self.pressed: tuple[Any, ...] | None = None
        self.previous: Callable[..., Any] | None = None
        self.thread = get_ident()

    def __enter__(self) -> Listening:
        previous: Any = getsignal(SIGINT)
        if Listening.now is None and callable(previous):
            self.previous = previous
            try:
                set_handler(SIGINT, self._hear)
            except ValueError:  # not the main thread, which alone hears Ctrl-C
                self.previous = None
            else:
                Listening.now = self
        return self

    def _hear(self, *how: Any) -> None:
        self.pressed = how
        if not self.depth:
            self.deliver()

    def deliver(self) -> None:
        """Do what was held back, if anything was.

        Where it raises, nobody listens any more: it may come as `__exit__` begins, and end it.
        """
        how, self.pressed = self.pressed, None
        if how is not None and self.previous is not None:
            try:
                self.previous(*how)
            except KeyboardInterrupt:
                self.raised = True
                self._end()
                raise

    def __exit__(self, *_: object) -> None:
        if self.previous is not None:
            self._end()

    @classmethod
    def insisted(cls) -> bool:
        """Whether the Ctrl-C that ends a fit comes soon after one that ended another.

        Who presses it twice means the loop or the search that makes the fits.
        """
        before, cls.kept = cls.kept, time.monotonic()
        return cls.kept - before < SOON

    def _end(self) -> None:
        """Let who heard Ctrl-C before hear it again."""
        try:
            if Listening.now is self:
                Listening.now = None
        finally:
            if getsignal(SIGINT) == self._hear:  # else somebody has set another meanwhile
                set_handler(SIGINT, self.previous)


class Uninterrupted:
    """A block during which Ctrl-C is held back, and after which it is delivered.

    What machine code has changed is counted in the same block, so that the two always agree; and an
    exception in the middle of numba's import leaves it unusable.
    """

    def __enter__(self) -> None:
        self.own: Listening | None = None
        self.shared: Listening | None = None
        shared = Listening.now
        if shared is None:
            self.own = Listening()
            self.own.depth = 1  # before it listens: nothing is to be raised in here
            self.own.__enter__()
        elif shared.thread == get_ident():
            self.shared = shared
            shared.depth += 1

    def __exit__(self, *_: object) -> None:
        shared = self.shared
        if shared is not None:
            shared.depth -= 1
            if shared.pressed is not None and not shared.depth:
                shared.deliver()
        elif self.own is not None:
            self.own.__exit__()
            self.own.deliver()
