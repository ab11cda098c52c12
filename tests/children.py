"""Processes that tests start, wait for by what they say, and end whatever happens."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

PATIENCE = 120.0  # seconds for what comes at once on an idle machine
CPU_SECONDS = 600  # the most that a child may compute: it ends even if the tests are killed
# What the bar of a fit says once a pass is made: it says "pass 1" before the fit has begun, too.
A_PASS_IS_MADE = r"pass (?!1[ :])\d"
AT_TERMINAL = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "NO_COLOR": "1"}


def until(condition: Callable[[], Any], what: str, pause: float = 0.02) -> Any:
    """Wait until a condition holds; its value. The test fails where that takes too long."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited {PATIENCE:.0f} s in vain: {what}")
        time.sleep(pause)
    return value


class Child:
    """A process in a group of its own, and what it has said so far.

    Parameters
    ----------
    command : sequence of str
    terminal : bool
        Whether it is at a terminal, where all that it says is in ``out``.
    **how
        Passed on to `subprocess.Popen`.
    """

    def __init__(self, command: Any, terminal: bool = False, **how: Any):
        if terminal:
            master, end = pty.openpty()
            pipes = {"stdin": end, "stdout": end, "stderr": end}
        else:
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, **{**pipes, **how}, start_new_session=True)
        self._pipes = [file for file in (self.process.stdout, self.process.stderr) if file]
        self._files = [file.fileno() for file in self._pipes]
        if terminal:
            os.close(end)
            self._files = [master]
        self._said = [b"" for _ in self._files]
        self._open = list(self._files)
        if sys.platform == "linux":
            import resource

            with suppress(ProcessLookupError):
                resource.prlimit(self.process.pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    @property
    def out(self) -> str:
        """What it said on standard output, or at its terminal."""
        return self._said[0].decode(errors="replace").replace("\r\n", "\n")

    @property
    def err(self) -> str:
        """What it said on standard error."""
        return self._said[-1].decode(errors="replace") if len(self._said) > 1 else ""

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until it has said what matches; the test fails where it ends without."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.out + self.err)):
            if not self._open:
                pytest.fail(f"it ended without saying {pattern!r}:\n{self.out}{self.err}")
            if time.monotonic() > end:
                pytest.fail(f"not said in {PATIENCE:.0f} s: {pattern!r}:\n{self.out}{self.err}")
            self._read(0.2)
        return found

    def press(self, number: int = signal.SIGINT) -> None:
        """Send a signal to the process alone, Ctrl-C unless another is named."""
        self.process.send_signal(number)

    def code(self) -> int:
        """Its exit code, once it has ended; the test fails where it does not."""
        end = time.monotonic() + PATIENCE
        while (code := self.process.poll()) is None:
            if time.monotonic() > end:
                pytest.fail(f"not ended after {PATIENCE:.0f} s:\n{self.out}{self.err}")
            self._read(0.05)
        while self._read(0):
            pass
        return code

    def _read(self, seconds: float) -> bool:
        """Read what has been said by then; whether there was anything to read."""
        ready = select.select(self._open, [], [], seconds)[0]
        if not self._open:
            time.sleep(seconds)
        for file in ready:
            try:
                part = os.read(file, 1 << 16)
            except OSError:  # so a terminal says that nobody is there any more
                part = b""
            self._said[self._files.index(file)] += part
            if not part:
                self._open.remove(file)
        return bool(ready)

    def end(self) -> None:
        """End it, and what it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for file in self._pipes or self._files:
            os.close(file) if isinstance(file, int) else file.close()
        self._files = self._open = self._pipes = []
