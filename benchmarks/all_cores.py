"""The same work on one core and on all, each in a process of its own that has so many: pools of
threads and the right to run on other cores are set before anything is imported. What comes out must
not depend on it; a checksum of each result is compared. What the machine allows stands below: the
speed-up of threads that only multiply numbers in their own cache, and of reading memory. Two
processors may be two threads of one core.
"""

from __future__ import annotations

import functools
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from harness import (
    QUICK,
    Elsewhere,
    cell,
    core_count,
    factor,
    heading,
    race,
    ratio,
    table,
    target,
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


def reading() -> Callable[[], Arrays]:
    """What the memory allows: threads that only read, each with BLAS's dot product on one core."""
    from threadpoolctl import threadpool_limits

    from rosenblatt.engine.machine.threads import in_pieces

    numbers, at_once = np.ones(200 * N), 2**21
    sums = np.zeros(-(-len(numbers) // at_once))

    def read(piece: slice) -> None:
        sums[piece.start // at_once] = numbers[piece] @ numbers[piece]

    def run() -> Arrays:
        with threadpool_limits(1):
            in_pieces(read, len(numbers), at_once)
        return (sums,)

    return run


def computing() -> Callable[[], Arrays]:
    """What the cores allow: threads that share nothing multiply numbers in their own cache."""
    from rosenblatt.engine.machine.threads import in_pieces
    from rosenblatt.engine.scoring import scorer

    rng, pieces = np.random.default_rng(0), 16
    # Some 100 µs a call: far more than Python's own part, which threads share.
    rows, classes = 512, 64
    write = scorer(rng.random((rows, 50)), rng.random((classes, 50)), np.zeros(classes))
    rooms = np.empty((pieces, rows, classes))

    def work(piece: slice) -> None:
        for _ in range(2 if QUICK else 50):
            write(slice(0, rows), rooms[piece.start])

    def run() -> Arrays:
        in_pieces(work, pieces, 1)
        return (rooms,)

    return run


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
            "multiply numbers (the limit)": (computing, lambda _: ()),
            "read memory (the limit)": (reading, lambda _: ()),
        }
        running = {
            f"{count} core{'s' * (count > 1)}": Elsewhere(reading, cores=count, digest=checksum)
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
    for name, faster in faster_by.items():
        if "limit" not in name and "all of it" not in name:
            target(f"{name}, {core_count()} cores over one", 0.85 * core_count(), faster)


if __name__ == "__main__":
    main()
