"""Signals: Ctrl-C, SIGTERM and SIGHUP end a verb, and what it had done by then is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CAME: list[int] = []  # the signals since the verb began


def interrupted() -> bool:
    """Whether a signal has come since the verb began."""
    return bool(CAME)


@contextmanager
def terminable() -> Iterator[list[int]]:
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that the work done is kept.

    The signals that came are appended to the list. If Ctrl-C is ignored, as shells arrange for
    background jobs, it stays ignored, but by a Python handler: `Uninterrupted` can delay only
    signals that have one.
    """
    came = CAME
    came.clear()

    def terminate(number: int, _: Any) -> None:
        if not came:  # a second signal must not interrupt the saving
            came.append(number)
            signal.raise_signal(signal.SIGINT)

    def interrupt(number: int, _: Any) -> None:
        if not (ignored or came):
            came.append(number)
        if came:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    handlers: dict[signal.Signals, Any] = {signal.SIGINT: interrupt, signal.SIGTERM: terminate}
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none; nohup ignores it
    if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:
        handlers[hang_up] = terminate
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Ended(BaseException):
    """Ctrl-C that ends the whole command, not just the current fit."""


@contextmanager
def ending_at_once() -> Iterator[None]:
    """A block of fits that Ctrl-C ends as a whole, once the compiled loop returns."""
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def end(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt as pressed:
            raise Ended from pressed

    signal.signal(signal.SIGINT, end)
    try:
        yield
    except Ended as pressed:
        raise KeyboardInterrupt from pressed
    finally:
        signal.signal(signal.SIGINT, before)
