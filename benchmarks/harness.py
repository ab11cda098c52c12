"""Timing that noise cannot bend much: warm-up, interleaved repeats, medians and spread, ratios."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[2] / "shared" / "data"))
QUICK = bool(os.environ.get("QUICK"))


class Timing(NamedTuple):
    """Seconds of one contestant."""

    median: float
    fastest: float
    slowest: float
    result: Any

    def __str__(self) -> str:
        return f"{show(self.median)} [{show(self.fastest)}, {show(self.slowest)}]"


def show(seconds: float) -> str:
    """Seconds in a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def race(contestants: dict[str, Callable[[], Any]], repeats: int = 5) -> dict[str, Timing]:
    """Time each contestant, turn by turn, after one untimed turn each."""
    results = {name: run() for name, run in contestants.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(3 if QUICK else repeats):
        for name, run in contestants.items():
            gc.collect()
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    return {
        name: Timing(statistics.median(s), min(s), max(s), results[name])
        for name, s in seconds.items()
    }


def ratio(times: dict[str, Timing], ours: str, theirs: str) -> float:
    """How many times faster ours is, median against median."""
    return times[theirs].median / times[ours].median


def read_bandwidth(nbytes: int = 2**27) -> float:
    """Bytes a second that one core reads from memory, by summing an array larger than cache."""
    block = np.ones(nbytes // 8)
    return nbytes / race({"sum": block.sum}, repeats=9)["sum"].median


def gaussian(n: int, d: int, margin: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian cloud pushed away from a random hyperplane through the origin."""
    from rosenblatt.datasets import gaussian as cloud

    data = cloud(n, d, margin, seed=seed)
    return data.X, data.y


def heading(question: str) -> None:
    """Print the question, and where it is answered."""
    import numba
    import sklearn

    print(f"\n## {question}\n")
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, "
        f"scikit-learn {sklearn.__version__}. Medians [fastest, slowest] of interleaved repeats.\n"
    )


def table(rows: list[dict[str, str]]) -> None:
    """Print rows as a Markdown table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    print("| " + " | ".join(names) + " |")
    print("|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(row.get(name, "") for name in names) + " |")
