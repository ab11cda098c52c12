"""Blocks of code during which Ctrl-C is held back, and delivered afterwards."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from signal import SIGINT, getsignal
from signal import signal as set_handler
from threading import get_ident
from typing import Any

# Seconds within which a second Ctrl-C is meant for the program, not only for the fit.
SOON = 2.0


class Listening:
    """A block with one handler of Ctrl-C, shared by the `Uninterrupted` blocks within it.

    Outside of these, Ctrl-C goes at once to the handler that was set before. To set a handler takes
    longer than a pass over a hundred rows, and a small fit calls machine code ten times.

    Attributes
    ----------
    raised : bool
        Whether a KeyboardInterrupt was raised in the block, whoever caught it.
    """

    now: Listening | None = None
    # When a Ctrl-C last ended a fit, which kept what it had learned.
    kept = -math.inf

    def __init__(self) -> None:
        # Nesting depth of `Uninterrupted` blocks.
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
            except ValueError:  # only the main thread may set a handler
                self.previous = None
            else:
                Listening.now = self
        return self

    def _hear(self, *how: Any) -> None:
        self.pressed = how
        if not self.depth:
            self.deliver()

    def deliver(self) -> None:
        """Deliver a Ctrl-C that was held back, if there is one.

        If the earlier handler raises, it is restored here: the exception may come as `__exit__`
        begins, and cut it short.
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

    def ended(self) -> bool:
        """Whether a Ctrl-C ended the block, of a fit that kept what it had learned.

        Raised anew if it comes soon after one that ended another fit: a user who presses it twice
        means the loop or the search that makes the fits.
        """
        if self.raised:
            before, Listening.kept = Listening.kept, time.monotonic()
            if Listening.kept - before < SOON:
                raise KeyboardInterrupt
        return self.raised

    def _end(self) -> None:
        """Restore the earlier handler."""
        try:
            if Listening.now is self:
                Listening.now = None
        finally:
            if getsignal(SIGINT) == self._hear:  # unless another was set meanwhile
                set_handler(SIGINT, self.previous)


def pressed() -> bool:
    """Whether Ctrl-C was pressed and is held back: a long call may end early for it."""
    return Listening.now is not None and Listening.now.pressed is not None


class Uninterrupted:
    """A block during which Ctrl-C is held back, and after which it is delivered.

    Machine code and the counts of what it changed are in the same block, so that they always agree.
    Imports of numba are in one, since an interrupted import leaves numba unusable.
    """

    def __enter__(self) -> None:
        self.own: Listening | None = None
        self.shared: Listening | None = None
        shared = Listening.now
        if shared is None:
            self.own = Listening()
            self.own.depth = 1  # before the handler is set, so that nothing is raised in here
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
