"""Run as a script: fit a file in processes that are killed at random moments, then compare.

Prints how often a process was killed, and how often one went on from a checkpoint; fails where the
model that the last process ended with is not, to the bit, that of one that was never killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.places.file.sweep import FileProgress
from rosenblatt.readers import open_reader

KILLS, PASSES = 4, 6
PATIENCE = 120.0  # seconds for what comes at once on an idle machine


def fit(path: Path, order: str, out: Path, checkpoint: Path | None, held: bool) -> None:
    """Fit; one that is ``held`` stays at work near its end until it is killed."""
    end = time.monotonic() + PATIENCE

    def progress(step: FileProgress) -> None:
        while held and step.passes >= PASSES - 1 and time.monotonic() < end:
            time.sleep(0.005)

    model = Perceptron(order=order, max_iter=PASSES, weight_tol=0.0, certify=False)
    model.fit_stream(
        open_reader(path, chunk_bytes=20_000, threads=1),
        memory=1 << 20,
        checkpoint=checkpoint,
        every=0.0,
        resume=checkpoint is not None and checkpoint.exists(),
        progress=progress,
    )
    counts = [model.mistakes_, model.looks_, model.n_iter_, model.radius_, *model.margin_]
    history = np.array([row[:5] for row in model.history_])
    run = model.run_
    np.savez(out, weights=run.weights, average=run.average, counts=counts, history=history)


def forked(path: Path, order: str, out: Path, checkpoint: Path, held: bool) -> int:
    child = os.fork()
    if child == 0:
        try:
            fit(path, order, out, checkpoint, held)
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    return child


def main(path: Path, order: str, folder: Path) -> None:
    whole, resumed = folder / "whole.npz", folder / "resumed.npz"
    fit(path, order, whole, None, False)
    checkpoint, killed, went_on = folder / "run.checkpoint", 0, 0
    while True:
        went_on += checkpoint.exists()
        child = forked(path, order, resumed, checkpoint, killed < KILLS)
        if killed < KILLS:
            time.sleep(random.uniform(0.02, 0.25))  # at whatever moment
            end = time.monotonic() + PATIENCE
            while killed == KILLS - 1 and not checkpoint.exists() and time.monotonic() < end:
                time.sleep(0.005)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            if os.waitstatus_to_exitcode(status):
                raise SystemExit("a process failed")
            break
        killed += 1
    assert not checkpoint.exists(), "the checkpoint is still there after the end"
    first, second = np.load(whole), np.load(resumed)
    for name in first.files:
        np.testing.assert_array_equal(first[name], second[name], err_msg=f"{order}: {name}")
    print(killed, went_on)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
