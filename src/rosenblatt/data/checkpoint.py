"""A run in a file: written whole or not at all, with a digest, for one data set and settings.

One safetensors file: arrays, and the rest as JSON in its head; reading it executes nothing. What a
run consists of is up to the callers, ``streaming`` and ``dask``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.files import check_target, write
from rosenblatt.errors import InputError, users_line

FORMAT, VERSION = "rosenblatt-checkpoint", "3"
AGAIN = "remove the file to start again"


class CheckpointError(InputError):
    """A checkpoint cannot be used: unreadable, or of other data or other settings."""


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a path where a checkpoint cannot be written, or would overwrite other data.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "rows.csv")
    >>> _ = path.write_text("x,y")
    >>> check_place(path)
    Traceback (most recent call last):
    rosenblatt.data.checkpoint.CheckpointError: ...not a sound checkpoint...
    """
    target = check_target(path)
    if target.exists() and not _is_ours(target):
        raise CheckpointError(
            f"{path}: not a sound checkpoint, and it would be overwritten; name another file, or "
            "remove this one"
        )


def _is_ours(path: Path) -> bool:
    """Whether a file is a checkpoint, perhaps a damaged one, or empty."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")  # of the header of a safetensors file
        if length > path.stat().st_size:
            return False
        text = file.read(length)
    with suppress(ValueError, KeyError, TypeError):
        return json.loads(text)["__metadata__"]["format"] == FORMAT
    return not start


class CheckpointFile:
    """A file that holds a run.

    Parameters
    ----------
    path : str or path
    kind : str
        What kind of run it is, in a word; a run of another kind is refused.
    about : dict
        What the run is about, as plain JSON: the data's identity, and all settings that decide
        where it goes. A run about anything else is refused.

    Attributes
    ----------
    holds : str or None
        What the file is known to hold, in words; None before it is written or read.

    Examples
    --------
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/run.checkpoint"
    >>> CheckpointFile(path, "stream", {"seed": 1}).write({"passes": 3}, {"w": np.zeros(2)})
    True
    >>> CheckpointFile(path, "stream", {"seed": 1}).read()
    ({'passes': 3}, {'w': array([0., 0.])})
    >>> CheckpointFile(path, "stream", {"seed": 2}).read()
    Traceback (most recent call last):
    rosenblatt.data.checkpoint.CheckpointError: ...made with another seed (1, now 2); go on with ...
    """

    def __init__(self, path: str | os.PathLike[str], kind: str, about: dict[str, Any]):
        self.path, self.kind = Path(path), kind
        self.about = json.loads(json.dumps(about, default=str))
        self.holds: str | None = None
        check_place(path)

    def write(
        self, content: dict[str, Any], tensors: dict[str, np.ndarray], holds: str = "a run"
    ) -> bool:
        """Replace the file by one that holds this; it is whole at any moment.

        A file that cannot be written at all is an error. Once it holds something, a failure to
        write, such as a full disk, only warns: the run goes on. Returns whether it was written.
        """
        from safetensors.numpy import save

        tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        text = json.dumps({"about": self.about, "content": content})
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind, "content": text}
        try:
            write(self.path, save(tensors, metadata={**head, "digest": digest(text, tensors)}))
        except InputError as error:
            if self.holds is None:
                raise
            warnings.warn(
                f"{error}: it holds {self.holds}, and the fit goes on.", stacklevel=users_line()
            )
            return False
        self.holds = holds
        return True

    def read(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What the file holds; refused where it is damaged, or about something else."""
        from safetensors import SafetensorError, safe_open

        if not self.path.is_file():
            raise CheckpointError(f"{self.path}: no such checkpoint; leave resume out to start")
        try:
            with safe_open(str(self.path), framework="numpy") as file:
                head = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, ValueError) as error:
            raise self.unsound(error) from None
        if head.get("format") != FORMAT or head.get("version") != VERSION:
            raise CheckpointError(f"{self.path}: not a checkpoint of this version; {AGAIN}")
        if head.get("digest") != digest(head.get("content", ""), tensors):
            raise CheckpointError(f"{self.path}: the checkpoint is damaged; {AGAIN}")
        if head.get("kind") != self.kind:
            raise CheckpointError(
                f"{self.path}: a checkpoint of another kind of fit ({head.get('kind')}, now "
                f"{self.kind}); {AGAIN}"
            )
        try:
            held = json.loads(head["content"])
            about, content = dict(held["about"]), dict(held["content"])
        except (KeyError, TypeError, ValueError) as error:
            raise self.unsound(error) from None
        self._compare(about)
        self.holds = "the run that goes on"
        return content, tensors

    def unsound(self, error: Exception) -> CheckpointError:
        """The error of a file whose content makes no sense."""
        return CheckpointError(f"{self.path}: not a sound checkpoint ({error}); {AGAIN}")

    def _compare(self, found: dict[str, Any]) -> None:
        """Refuse a run about anything else; what earlier versions did not record may differ."""
        for name in sorted(found):
            now, then = self.about.get(name), found.get(name)
            if now != then:
                raise CheckpointError(
                    f"{self.path}: the checkpoint was made with another {name} ({_short(then)}, "
                    f"now {_short(now)}); go on with the same, or {AGAIN}"
                )

    def remove(self) -> None:
        """Remove the file, once the run has ended."""
        with suppress(FileNotFoundError):
            self.path.unlink()


def digest(text: str, tensors: dict[str, np.ndarray]) -> str:
    """The SHA-256 of the text and of the arrays, each with its name, type and shape.

    Examples
    --------
    >>> digest("a run", {"w": np.zeros(2)})[:8] == digest("a run", {"w": np.ones(2)})[:8]
    False
    """
    found = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def expect(sound: bool, what: str) -> None:
    """Raise an error that names what is wrong unless the content is sound."""
    if not sound:
        raise ValueError(what)


def is_size(value: Any) -> bool:
    """Whether a value of JSON is a finite number that is not negative."""
    return isinstance(value, (int, float)) and 0 <= value < math.inf


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:99] + "…"
