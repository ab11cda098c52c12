"""Checkpoints of a run over a file, saved at intervals, which survive `kill -9`."""

from __future__ import annotations

import math
import operator
import os
import time
from dataclasses import fields
from typing import Any

import numpy as np

from rosenblatt.data.checkpoint import CheckpointError, CheckpointFile, expect, is_size
from rosenblatt.engine.rules import Tally
from rosenblatt.engine.run import Pass
from rosenblatt.errors import InputError
from rosenblatt.places.file.sweep import FileStanding, Position

ARRAYS = ("weights", "drift", "clock", "before", "kept")
TUPLES: dict[str, Any] = {"place": Position, "begun": Tally, "total": Tally}


class Checkpoint:
    """A file that holds a run over a file.

    Parameters
    ----------
    path, about
        As for `CheckpointFile`.
    every : float
        Seconds between two saves.
    """

    def __init__(self, path: str | os.PathLike[str], about: dict[str, Any], every: float):
        if not every >= 0:
            raise InputError(f"every must be a number of seconds of at least 0, got {every!r}.")
        self.file, self.every = CheckpointFile(path, "stream", about), every
        self._saved = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() - self._saved >= self.every

    def save(self, standing: FileStanding, history: list[Pass]) -> None:
        """Replace the file by one that holds this."""
        values = {f.name: getattr(standing, f.name) for f in fields(standing)}
        tensors = {name: values[name] for name in ARRAYS if values[name] is not None}
        plain = {name: value for name, value in values.items() if name not in ARRAYS}
        # NaN, which JSON does not know, becomes null: an error that nothing asked for.
        passed = [[None if x != x else x for x in row] for row in history[: standing.place.passes]]
        holds = f"the run within pass {standing.place.passes + 1:,}"
        self.file.write({"standing": plain, "history": passed}, tensors, holds)
        self._saved = time.monotonic()

    def load(self) -> tuple[FileStanding, list[Pass]]:
        """The content of the file; refused if it is of other data or settings."""
        content, tensors = self.file.read()
        try:
            standing, history = (
                _standing(content["standing"], tensors),
                _history(content["history"]),
            )
            _check(standing, history, self.file.about.get("rows"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.file.unsound(error) from None
        return standing, history

    def refuse_to_lose(self) -> None:
        """Refuse to begin a run in a file that holds one, this or another."""
        path = self.file.path
        if path.exists() and path.stat().st_size:
            raise CheckpointError(
                f"{path}: holds a run that was cut short; resume=True goes on with it, or name "
                "another file, or remove this one to start again"
            )

    def refuse_spent(self, done: int, allowed: int | None) -> None:
        """Refuse to go on with a run that has made all the passes that are allowed."""
        if allowed is not None and done >= allowed:
            raise CheckpointError(
                f"{self.file.path}: expected a run of fewer passes than max_iter={allowed}, got "
                f"one cut short after {done:,}; allow more, or remove the file to start again"
            )

    def exists(self) -> bool:
        """Whether there is a file to go on from."""
        return self.file.path.exists()

    def remove(self) -> None:
        """Remove the file, since the run has ended."""
        self.file.remove()


def _standing(plain: dict[str, Any], tensors: dict[str, np.ndarray]) -> FileStanding:
    values: dict[str, Any] = {name: tensors[name] for name in ("weights", "drift", "clock")}
    values |= tensors
    values |= {name: TUPLES[name](*v) if name in TUPLES else v for name, v in plain.items()}
    return FileStanding(**values)


def _check(standing: FileStanding, history: list[Pass], rows: int | None) -> None:
    """Refuse values that no run can have: the digest is not secret, so anyone can forge a file."""
    weights, kept = standing.weights, standing.kept
    before = weights if standing.before is None else standing.before
    for name, array in (("weights", weights), ("drift", standing.drift), ("before", before)):
        same = array.dtype == np.float64 and array.shape == weights.shape
        expect(same, f"{name} of another shape")
        expect(bool(np.isfinite(array).all()), f"{name} that are not finite")
    clock = standing.clock
    expect(clock.dtype == np.int64 and clock.shape == (1,) and clock[0] >= 0, "an odd clock")
    expect(kept.dtype == np.int64 and kept.ndim == 1, "row numbers that are none")
    expect(bool((np.diff(kept) > 0).all()), "row numbers out of order")
    last = math.inf if rows is None else rows
    expect(not len(kept) or (kept[0] >= 0 and kept[-1] < last), "row numbers that are not there")
    counts = (*standing.place, *standing.begun, *standing.total, standing.averaged)
    counts += (standing.kept_bytes, *(count for row in history for count in row[:2]))
    expect(all(isinstance(n, int) and n >= 0 for n in counts), "counts below 0")
    expect(all(map(operator.le, standing.begun, standing.total)), "counts that have shrunk")
    sizes = [standing.moved, standing.radius]
    sizes += [size for row in history for size in (row.norm, row.seconds)]
    expect(all(is_size(size) for size in sizes), "lengths below 0")
    errors = [share for row in history for share in row[3:5]]
    expect(all(share != share or is_size(share) for share in errors), "odd shares of errors")
    expect(isinstance(standing.kept_full, bool), "a flag that is none")
    expect(len(history) == standing.place.passes, "a history of another length")


def _history(rows: list[list[Any]]) -> list[Pass]:
    def read(value: Any) -> Any:
        return math.nan if value is None else value

    return [Pass(*map(read, row)) for row in rows]
