"""Checkpoints of a fit on a cluster, from which it can be resumed."""

from __future__ import annotations

import math
import os
import time
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import is_count
from rosenblatt.data.checkpoint import CheckpointFile, expect, is_size
from rosenblatt.engine.costs import RunCost
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.solutions import Pocket
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError

# Writing may take this share of a fit's time.
SHARE = 0.1
COUNTS = ("mistakes", "updates", "passes", "looks")
ARRAYS = ("weights", "drift", "dual", "clock")


class ClusterStanding(NamedTuple):
    """Where a fit stands.

    Attributes
    ----------
    run : Run
        So far, its state included.
    pocket : Pocket or None
    """

    run: Run
    pocket: Pocket | None


class Keeper:
    """Saves a fit to a file, in at most a tenth of its time; without a path, it saves nothing.

    Parameters
    ----------
    path : str, path or None
    about : dict
        As for `CheckpointFile`.

    Attributes
    ----------
    kept : int
        Rounds that the file holds; 0 before it is written.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: dict[str, Any]):
        self.file = None if path is None else CheckpointFile(path, "dask", about)
        self.kept = 0
        self._cost, self._last = 0.0, -math.inf

    def offer(self, standing: ClusterStanding) -> None:
        """Write it, if enough time has passed since the last write."""
        if time.perf_counter() - self._last >= self._cost / SHARE:
            self.write(standing)

    def write(self, standing: ClusterStanding) -> None:
        """Write it now."""
        if self.file is None:
            return
        began = time.perf_counter()
        if self.file.write(*_stored(standing), f"round {standing.run.passes:,}"):
            self.kept = standing.run.passes
        self._last = time.perf_counter()
        self._cost = self._last - began

    def load(self) -> ClusterStanding:
        """What the file holds."""
        if self.file is None:
            raise InputError("resume=True needs checkpoint=PATH to go on from.")
        content, tensors = self.file.read()
        try:
            _check(content, tensors, self.file.about["columns"])
            standing = _restored(content, tensors)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.file.unsound(error) from None
        self.kept = standing.run.passes
        return standing


def _stored(standing: ClusterStanding) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    run, pocket = standing
    tensors = {name: getattr(run.state, name) for name in ARRAYS}
    tensors["history"] = np.array(run.history, dtype=np.float64).reshape(-1, len(Pass._fields))
    if pocket is not None and pocket.weights is not None:
        tensors["pocket"] = pocket.weights
    content = {
        "classes": len(run.state.buffer),
        "seconds": run.seconds,
        "cost": list(run.cost),
        "pocket": None if pocket is None else [pocket.error, pocket.trials],
        **{name: int(getattr(run, name)) for name in COUNTS},
    }
    return content, tensors


def _check(content: dict[str, Any], tensors: dict[str, np.ndarray], columns: int) -> None:
    """Refuse values that no fit can have: the digest is not secret, so anyone can forge a file."""
    weights, history = tensors["weights"], tensors["history"]
    classes, pocket = content["classes"], content["pocket"]
    expect(weights.shape[-1:] == (columns + 1,), "weights of other columns")
    expect(weights.shape[:-1] == ((classes,) if classes else ()), "weights of other classes")
    moved = ("weights", "drift", *(("pocket",) if "pocket" in tensors else ()))
    for name in moved:
        array = tensors[name]
        same = array.dtype == np.float64 and array.shape == weights.shape
        expect(same and bool(np.isfinite(array).all()), f"{name} of another shape, or not finite")
    dual, clock = tensors["dual"], tensors["clock"]
    expect(dual.dtype == np.float64 and dual.shape == (2,), "an odd dual")
    expect(clock.dtype == np.int64 and clock.shape == (1,) and clock[0] >= 0, "an odd clock")
    counts = history[:, :2] if history.ndim == 2 else history
    whole = history.shape[1:] == (len(Pass._fields),) and bool(np.isfinite(counts).all())
    expect(whole and history.dtype == np.float64, "an odd history")
    *costs, order = content["cost"]
    found = [*costs, *(content[name] for name in COUNTS)]
    expect(len(costs) == len(RunCost._fields) - 1 and all(map(is_count, found)), "counts below 0")
    expect(isinstance(order, str) and is_size(content["seconds"]), "odd costs")
    if pocket is not None:
        error, trials = pocket  # infinite while nothing is in it
        expect((error == math.inf or is_size(error)) and is_count(trials), "an odd pocket")


def _restored(content: dict[str, Any], tensors: dict[str, np.ndarray]) -> ClusterStanding:
    arrays = {name: tensors[name].copy() for name in ARRAYS}
    state = State(pending=np.zeros(0), buffer=np.zeros(content["classes"]), **arrays)
    *costs, order = content["cost"]
    counts: dict[str, Any] = {name: int(content[name]) for name in COUNTS}
    run = Run(
        weights=state.weights,
        average=state.weights,
        state=state,
        history=tuple(Pass(int(m), int(k), *rest) for m, k, *rest in tensors["history"].tolist()),
        stop=Stop.INTERRUPTED,
        clean=False,
        seconds=float(content["seconds"]),
        cost=RunCost(*map(int, costs), order=str(order)),
        **counts,
    )
    pocket = None
    if content["pocket"] is not None:
        pocket = Pocket()
        pocket.error, pocket.trials = content["pocket"]
        pocket.weights = tensors.get("pocket")
    return ClusterStanding(run, pocket)
