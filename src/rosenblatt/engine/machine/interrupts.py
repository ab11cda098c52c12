"""Ctrl-C, held back where it would do harm."""

from __future__ import annotations

# The functions behind the signal module, without its enums: ten times cheaper, and each call pays.
from _signal import SIGINT, getsignal  # pyright: ignore[reportMissingImports]
from _signal import signal as set_handler  # pyright: ignore[reportMissingImports]
from typing import Any


class Uninterrupted:
    """A block during which Ctrl-C is held back, and after which it is delivered.

    Numba's dispatcher runs some Python on its way in, and an exception there crashes the process;
    one in the middle of its import leaves it unusable.
    """

    def __enter__(self) -> None:
        self.pressed: list[Any] = []
        self.previous = getsignal(SIGINT)
        if callable(self.previous):
            try:
                set_handler(SIGINT, lambda *how: self.pressed.append(how))
            except ValueError:  # not the main thread, which alone hears Ctrl-C
                self.previous = None

    def __exit__(self, *_: object) -> None:
        if callable(self.previous):
            set_handler(SIGINT, self.previous)
            if self.pressed:
                self.previous(*self.pressed[0])
