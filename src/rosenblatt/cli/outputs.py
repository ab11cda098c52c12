"""Output files of verbs: checked before any work is done, and never one of the inputs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable

from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.shell import BAD_INPUT, say
from rosenblatt.data.files import check_target
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.errors import InputError, RosenblattError


def check_places(*read: str, written: dict[str, str | None], checkpoint: str | None = None) -> None:
    """Refuse output files that cannot be written, that are also read, or that are named twice.

    Parameters
    ----------
    *read : str
        What the verb reads: files, globs, ``-`` or names of bundled sets.
    written : dict of str to str or None
        The files that it writes, by the options that name them.
    checkpoint : str or None
        What ``--checkpoint`` names, where nothing but a checkpoint may be.
    """
    sources = [file for name in read for file in _files(name)]
    taken: dict[str, str] = {}
    for option, path in {**written, "--checkpoint": checkpoint}.items():
        if not path:
            continue
        target = str(check_target(path))
        for source in sources:
            if os.path.isfile(target) and os.path.samefile(source, target):
                raise InputError(
                    f"{path}: {option} would overwrite {source}, which is read; name another file"
                )
        if target in taken:
            raise InputError(f"{path}: {taken[target]} and {option} name the same file")
        taken[target] = option
    if checkpoint:
        from rosenblatt.data.checkpoint import check_place

        check_place(checkpoint)


def _files(name: str) -> list[str]:
    """The existing files that a name or a pattern stands for."""
    return [name] if os.path.exists(name) else glob.glob(name, recursive=True)


def failure_of(write: Callable[[], object]) -> str | None:
    """Write a file beside an answer; return the error, if any, to report after the answer.

    Ctrl-C waits until the file is written.

    Examples
    --------
    >>> from rosenblatt.data.files import write
    >>> failure_of(lambda: write("no/such/folder/file", b""))
    'no/such/folder/file: cannot be written (there is no folder no/such/folder)'
    """
    try:
        with Uninterrupted():
            write()
    except RosenblattError as error:
        return in_flags(str(error))
    return None


def in_answer(*failures: str | None) -> dict[str, str]:
    """The ``error`` entry of a JSON answer if files could not be written, else an empty dict."""
    happened = [failure for failure in failures if failure is not None]
    return {"error": "; ".join(happened)} if happened else {}


def code_after(code: int, *failures: str | None) -> int:
    """The exit code after an answer; prints which files could not be written, if any."""
    told = in_answer(*failures)
    if not told:
        return code
    say(f"error: {told['error']}", style="bold red")
    return BAD_INPUT
