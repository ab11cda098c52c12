"""The same work on one core and on all, each in a process of its own that has so many: pools of
threads and the right to run on other cores are set before anything is imported. What comes out must
not depend on it; a checksum of each result is compared. What the machine allows stands below, in C
and without Python: the speed-up of threads that only add numbers in their own cache, and that of
reading as many bytes from memory as the dense look does. Two processors may be two threads of one
core. What Python allows stands below the table: only machine code runs beside other threads. A fit
of pairs this small makes its runs one after the other, whatever `n_jobs`.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from c_loop import adding_up
from harness import (
    QUICK,
    Elsewhere,
    cell,
    core_count,
    cores,
    factor,
    heading,
    race,
    ratio,
    show,
    table,
    target,
    timed,
)
from peers import vw_text

QUESTION = "All cores against one"

N = 2_000 if QUICK else 100_000
Arrays = tuple[np.ndarray, ...]


def classes_of(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=n)
    return rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((classes, d))[y], y


def checksum(arrays: Sequence[np.ndarray]) -> int:
    """A number that differs where any bit does."""
    return functools.reduce(lambda sum, array: zlib.crc32(array.tobytes(), sum), arrays, 0)


def fitting(multiclass: str, cores: int) -> Callable[[], Arrays]:
    from rosenblatt import Perceptron

    X, y = classes_of(N // 5, 100, 10)
    model = Perceptron(multiclass=multiclass, n_jobs=cores, max_iter=10, certify=False)

    def run() -> Arrays:
        model.fit(X, y)
        return model.coef_, model.intercept_

    return run


def predicting(kind: str) -> Callable[[], Arrays]:
    from prediction import rows_of, with_weights
    from rosenblatt import Perceptron

    X = rows_of(N // 2, 20_000, 60) if kind == "CSR" else rows_of(N // 2, 500, 0)
    rng = np.random.default_rng(1)
    W, b = rng.standard_normal((50, X.shape[1])), rng.standard_normal(50)
    model = with_weights(Perceptron(max_iter=1, certify=False), W, b, X)
    return lambda: (model.predict(X),)


def looking(kind: str) -> Callable[[], Arrays]:
    """The look of `decide` over all points: every margin at given weights."""
    from prediction import rows_of
    from rosenblatt.solve.constraints import Constraints

    X = rows_of(2 * N, 20_000, 60) if kind == "CSR" else rows_of(2 * N, 100, 0)
    goal = Constraints(X, np.arange(2 * N) % 2, 2, True)
    weights = np.random.default_rng(0).standard_normal(X.shape[1] + 1)
    return lambda: (goal.look(weights)[0],)


def deciding() -> Callable[[], Arrays]:
    import rosenblatt as rb
    from rosenblatt.datasets import flipped

    cloud = flipped(N, 50, 0.02)
    return lambda: (rb.decide(cloud.X, cloud.y).weights,)


def parsing(path: Path) -> Callable[[], Arrays]:
    from rosenblatt.readers import open_reader

    def run() -> Arrays:
        chunk = open_reader(path, format="svmlight").read()
        return chunk.X.data, chunk.X.indices, chunk.y

    return run


def nothing() -> Callable[[], Arrays]:
    """Before there is work."""
    return tuple


def reading(cores: int) -> Callable[[], Arrays]:
    """What the memory allows: as many bytes as the look over all points reads, added up in C."""
    return adding(200 * N, 1, cores)


def computing(cores: int) -> Callable[[], Arrays]:
    """What the cores allow: numbers that fit into a core's own cache, added up in C."""
    return adding(1024 * cores, 4 * N // cores, cores)


def adding(n: int, times: int, cores: int) -> Callable[[], Arrays]:
    run = adding_up(n, times, cores)
    assert run is not None, "there is a compiler: it was looked for"

    def total() -> Arrays:
        # The shares are equal; their sum is that of all numbers only where each is added up once.
        return (np.sum(run()) if times == 1 else run()[:1],)

    return total


def in_machine_code(multiclass: str) -> tuple[float, float]:
    """Seconds of a fit on one core, and those of them in which Python's lock is not held."""
    from rosenblatt.engine.machine.native import Native

    spent, call = [0.0], Native.__call__

    def timed_call(native: Any, *args: Any) -> Any:
        began = time.perf_counter()
        try:
            return call(native, *args)
        finally:
            spent[0] += time.perf_counter() - began

    with cores(1):
        run = fitting(multiclass, 1)
        run()
        Native.__call__ = timed_call  # type: ignore[method-assign]
        try:
            whole = min(timed(run)[0] for _ in range(3))
        finally:
            Native.__call__ = call
    return whole, spent[0] / 3


def svmlight_file(folder: str) -> Path:
    """Rows as text; Vowpal Wabbit's lines are svmlight's but for the bar."""
    from one_pass import sparse_rows

    path = Path(folder, "rows.svm")
    vw_text(*sparse_rows(N, N // 3, 30, "float64"), path)
    path.write_text(path.read_text().replace(" | ", " "))
    return path


def row(name: str, running: dict[str, Elsewhere]) -> tuple[dict[str, str], float]:
    times = race(running)
    one, many = running
    same = times[one].result == times[many].result
    faster = ratio(times, many, one)
    cells = {"work": name} | {contestant: cell(times, contestant) for contestant in times}
    return cells | {"speed-up": factor(faster), "same result": "yes" if same else "NO"}, faster


def main() -> None:
    heading(QUESTION)
    if core_count() == 1:
        print("There is only one core here.\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = svmlight_file(folder)
        work = {
            "fit, ovr, 10 classes": (fitting, lambda count: ("ovr", count)),
            "fit, ovo, 10 classes": (fitting, lambda count: ("ovo", count)),
            "predict, dense, 50 classes": (predicting, lambda _: ("dense",)),
            "predict, CSR, 50 classes": (predicting, lambda _: ("CSR",)),
            "decide's look over all points, dense": (looking, lambda _: ("dense",)),
            "decide's look over all points, CSR": (looking, lambda _: ("CSR",)),
            "decide, all of it": (deciding, lambda _: ()),
            "parse svmlight text": (parsing, lambda _: (path,)),
        }
        if shutil.which("cc"):
            work |= {
                "add numbers in cache, C (the limit)": (computing, lambda count: (count,)),
                "read memory, C (the limit)": (reading, lambda count: (count,)),
            }
        running = {
            f"{count} core{'s' * (count > 1)}": Elsewhere(nothing, cores=count, digest=checksum)
            for count in (1, core_count())
        }
        faster_by: dict[str, float] = {}

        def rows() -> Iterator[dict[str, str]]:
            for name, (make, given) in work.items():
                for count, contestant in zip((1, core_count()), running.values(), strict=True):
                    contestant.give(make, *given(count))
                cells, faster_by[name] = row(name, running)
                yield cells

        table(rows(), ("work", *running, "speed-up", "same result"))
        for contestant in running.values():
            contestant.close()
    whole, outside = in_machine_code("ovo")
    most = whole / (whole - outside + outside / core_count())
    print(
        f"Of the {show(whole)} of the fit, ovo, on one core {show(outside)} are machine code. The "
        f"rest is Python, which runs in one thread at a time: {core_count()} cores make it at most "
        f"{factor(most)} times faster, even if handing Python's lock over cost nothing.\n"
    )
    for name, faster in faster_by.items():
        if "limit" not in name and "all of it" not in name:
            target(f"{name}, {core_count()} cores over one", 0.85 * core_count(), faster)


if __name__ == "__main__":
    main()
