"""Checkpoints: a run over a file, saved every so often, that `kill -9` cannot take back.

One safetensors file: arrays, and the rest as JSON in its head; reading it executes nothing.
Imports ``sweep`` and ``writing``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.rules import Tally
from rosenblatt.run import Pass
from rosenblatt.streaming.sweep import Place, Standing
from rosenblatt.writing import write

FORMAT, VERSION = "rosenblatt-checkpoint", "2"
AGAIN = "leave resume out to start again"
ARRAYS = ("weights", "drift", "clock", "before", "kept")
TUPLES: dict[str, Any] = {"place": Place, "begun": Tally, "total": Tally}


class CheckpointError(InputError):
    """A checkpoint cannot be used: unreadable, or of another file or other settings."""


class Checkpoint:
    """A file that holds a run.

    Parameters
    ----------
    path : str or path
    about : dict
        What the run is about, as plain JSON: the data's identity, and all settings that decide
        where it goes. A checkpoint about anything else is refused.
    every : float
        Seconds between two saves.
    """

    def __init__(self, path: str | os.PathLike[str], about: dict[str, Any], every: float):
        if not every >= 0:
            raise InputError(f"every must be a number of seconds of at least 0, got {every!r}.")
        self.path, self.every = Path(path), every
        self.about = json.loads(json.dumps(about, default=str))
        self._saved = time.monotonic()
        if not self.path.parent.is_dir():
            raise InputError(f"{self.path}: there is no folder {self.path.parent}")

    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() - self._saved >= self.every

    def save(self, standing: Standing, history: list[Pass]) -> None:
        """Replace the file by one that holds this; it is whole at any moment."""
        from safetensors.numpy import save

        tensors = {
            name: np.ascontiguousarray(getattr(standing, name))
            for name in ARRAYS
            if getattr(standing, name) is not None
        }
        values = {f.name: getattr(standing, f.name) for f in fields(standing)}
        plain = {name: value for name, value in values.items() if name not in ARRAYS}
        # NaN, which JSON does not know, becomes null: an error that nothing asked for.
        passed = [[None if x != x else x for x in row] for row in history[: standing.place.passes]]
        content = {"about": self.about, "standing": plain, "history": passed}
        content["digest"] = _digest(tensors)
        head = {"format": FORMAT, "version": VERSION, "content": json.dumps(content)}
        write(self.path, save(tensors, metadata=head))
        self._saved = time.monotonic()

    def load(self) -> tuple[Standing, list[Pass]]:
        """What the file holds; refused where it is about something else."""
        from safetensors import SafetensorError, safe_open

        if not self.path.is_file():
            raise CheckpointError(f"{self.path}: no such checkpoint; leave resume out to start")
        try:
            with safe_open(str(self.path), framework="numpy") as file:
                head = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if head.get("format") != FORMAT or head.get("version") != VERSION:
                raise CheckpointError(f"{self.path}: not a checkpoint of this version")
            content = json.loads(head["content"])
            if content["digest"] != _digest(tensors):
                raise CheckpointError(f"{self.path}: the checkpoint is damaged; {AGAIN}")
            self._compare(content["about"])
            return _standing(content["standing"], tensors), _history(content["history"])
        except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, CheckpointError):
                raise
            raise CheckpointError(
                f"{self.path}: not a sound checkpoint ({error}); {AGAIN}"
            ) from None

    def _compare(self, found: dict[str, Any]) -> None:
        for name in sorted(self.about.keys() | found.keys()):
            now, then = self.about.get(name), found.get(name)
            if now != then:
                raise CheckpointError(
                    f"{self.path}: the checkpoint was made with another {name} ({_short(then)}, "
                    f"now {_short(now)}); go on with the same, or {AGAIN}"
                )

    def remove(self) -> None:
        """Take the file away: the run has ended."""
        with suppress(FileNotFoundError):
            self.path.unlink()


def _digest(tensors: dict[str, np.ndarray]) -> str:
    """The SHA-256 of the arrays, each with its name, type and shape."""
    found = hashlib.sha256()
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:99] + "…"


def _standing(plain: dict[str, Any], tensors: dict[str, np.ndarray]) -> Standing:
    values: dict[str, Any] = {name: tensors[name] for name in ("weights", "drift", "clock")}
    values |= tensors
    values |= {name: TUPLES[name](*v) if name in TUPLES else v for name, v in plain.items()}
    return Standing(**values)


def _history(rows: list[list[Any]]) -> list[Pass]:
    def read(value: Any) -> Any:
        return math.nan if value is None else value

    return [Pass(*map(read, row)) for row in rows]
