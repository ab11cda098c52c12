"""Where a verb writes: looked at before any work is done, and never over what it reads."""

from __future__ import annotations

import glob
import os

from rosenblatt.data.files import check_target
from rosenblatt.errors import InputError


def check_places(*read: str, written: dict[str, str | None], checkpoint: str | None = None) -> None:
    """Refuse files that could not be written, and those that are read or written otherwise too.

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
    """The files that are there under a name, or that match it."""
    return [name] if os.path.exists(name) else glob.glob(name, recursive=True)
