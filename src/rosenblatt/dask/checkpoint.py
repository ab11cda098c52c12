"""Checkpoints: all that a fit needs to go on, in one file that cannot execute code.

The file is complete or not touched at all. Imports ``model_file``'s manners of writing.
"""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cost import RunCost
from rosenblatt.errors import InputError
from rosenblatt.rules import State
from rosenblatt.run import Pass, Run
from rosenblatt.solutions import Pocket
from rosenblatt.stopping import Stop
from rosenblatt.writing import write

FORMAT, VERSION = "rosenblatt-dask-checkpoint", "1"
# Writing may take this share of a fit's time.
SHARE = 0.1
COUNTS = ("mistakes", "updates", "passes", "looks")
ARRAYS = ("weights", "drift", "dual", "clock")


class Checkpoint(NamedTuple):
    """Where a fit stands.

    Attributes
    ----------
    run : Run
        So far, its state included.
    pocket : Pocket or None
    identity : dict
        Of the data and of the parameters that a fit must share to go on.
    """

    run: Run
    pocket: Pocket | None
    identity: dict[str, Any]


class Keeper:
    """Writes checkpoints to a path, as often as a tenth of the time allows; without one, never."""

    def __init__(self, path: str | os.PathLike[str] | None):
        self.path = None if path is None else Path(path)
        self._cost, self._last = 0.0, -math.inf

    def offer(self, checkpoint: Checkpoint) -> None:
        """Write it, if the time has come."""
        if time.perf_counter() - self._last >= self._cost / SHARE:
            self.write(checkpoint)

    def write(self, checkpoint: Checkpoint) -> None:
        """Write it now."""
        if self.path is None:
            return
        began = time.perf_counter()
        save(checkpoint, self.path)
        self._last = time.perf_counter()
        self._cost = self._last - began


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint."""
    from safetensors.numpy import save as to_bytes

    run, pocket = checkpoint.run, checkpoint.pocket
    tensors = {name: np.ascontiguousarray(getattr(run.state, name)) for name in ARRAYS}
    tensors["history"] = np.array(run.history, dtype=np.float64).reshape(-1, len(Pass._fields))
    if pocket is not None and pocket.weights is not None:
        tensors["pocket"] = np.ascontiguousarray(pocket.weights)
    content = {
        "identity": checkpoint.identity,
        "classes": len(run.state.buffer),
        "seconds": run.seconds,
        "cost": list(run.cost),
        "pocket": None if pocket is None else [pocket.error, pocket.trials],
        **{name: int(getattr(run, name)) for name in COUNTS},
    }
    head = {"format": FORMAT, "version": VERSION, "fit": json.dumps(content)}
    write(path, to_bytes(tensors, metadata=head))


def load(path: str | os.PathLike[str], identity: dict[str, Any]) -> Checkpoint:
    """Read a checkpoint, which must be of a fit with that identity."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            head = file.metadata() or {}
            if head.get("format") != FORMAT or head.get("version") != VERSION:
                raise InputError(f"{path}: not a checkpoint of rosenblatt.dask")
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        content = json.loads(head["fit"])
        found = _restored(content, tensors)
    except FileNotFoundError:
        raise InputError(f"{path}: no such checkpoint; fit without resuming first") from None
    except (SafetensorError, OSError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: not a checkpoint, or damaged ({error})") from None
    for name, value in json.loads(json.dumps(identity)).items():
        if found.identity.get(name) != value:
            raise InputError(
                f"{path}: the checkpoint is of another fit: its {name} is "
                f"{_short(found.identity.get(name))}, this one's {_short(value)}"
            )
    return found


def _restored(content: dict[str, Any], tensors: dict[str, np.ndarray]) -> Checkpoint:
    arrays = {name: tensors[name].copy() for name in ARRAYS}
    state = State(late=np.zeros(0), buffer=np.zeros(content["classes"]), **arrays)
    *counts, order = content["cost"]
    run = Run(
        weights=state.weights,
        average=state.weights,
        state=state,
        history=tuple(Pass(int(m), int(k), *rest) for m, k, *rest in tensors["history"].tolist()),
        stop=Stop.INTERRUPTED,
        clean=False,
        seconds=float(content["seconds"]),
        cost=RunCost(*map(int, counts), order=str(order)),
        **{name: int(content[name]) for name in COUNTS},
    )
    pocket = None
    if content["pocket"] is not None:
        pocket = Pocket()
        pocket.error, pocket.trials = content["pocket"]
        pocket.weights = tensors.get("pocket")
    return Checkpoint(run, pocket, content["identity"])


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
