"""Run as a script: fit a file and print the peak of memory that it took beyond a small file's."""

from __future__ import annotations

import resource
import sys
import warnings
from pathlib import Path

from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron
from rosenblatt.readers import open_reader


def fit(path: str, order: str, memory: int, certify: str | bool) -> None:
    with warnings.catch_warnings():  # two passes seldom converge
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(order=order, max_iter=2, certify=certify)
        model.fit_stream(path, memory=memory)
    assert model.n_iter_ >= 2
    assert model.looks_ >= 2 * open_reader(path, chunk_bytes=1 << 16).scan().rows


def peak() -> int:
    """Bytes; Linux's ru_maxrss begins with that of the process that started this one."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    small, large, order, memory = *sys.argv[1:4], int(sys.argv[4])
    certify = "auto" if sys.argv[5:] else False
    fit(small, order, memory, certify)
    before = peak()
    fit(large, order, memory, certify)
    print(peak() - before)
