"""The same work on one core and on all, each in a process of its own that has so many: pools of
threads and the right to run on other cores are set before anything is imported. What comes out must
not depend on it; a checksum of each result is compared. Two processors may be two threads of one
core, and memory is one for all: what a machine allows is measured in C, without Python, by threads
that share nothing but memory. "Limit" is such a loop over the same rows or the same text, in the
same race, or of what fits in a core's own cache one that adds up numbers there: it shows whether
there was another core at the time. Where it gains less than was asked, no more is asked than nearly
what it reaches. The last rows are such loops alone: numbers in cache, and numbers from memory, as
many as the dense look reads.

Runs of pairs of classes are made side by side where they are long. Short ones are made one after
the other, whatever `n_jobs`; the row below theirs shows what threads would make of them, and the
sentence below the table what they would cost. Their limit is Python's, which runs in one thread at
a time and hands over at every call of machine code: calls of C (checksums), one for each of theirs,
as long as that and after as much Python. To wake a thread that waits for its turn may take as long
as a short call.
"""

from __future__ import annotations

import functools
import math
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from c_loop import adding_up, scores_by, text_by
from harness import (
    QUICK,
    REPEATS,
    Elsewhere,
    cell,
    clocked,
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
# Rows and columns of fits: runs of pairs too short for threads, and as many numbers as MNIST has.
SMALL_SIZE, LARGE_SIZE = (N // 5, 100), (3 * N // 5, 784)
SMALL, LARGE = (f"{n:,} × {d}" for n, d in (SMALL_SIZE, LARGE_SIZE))
THREADED = f"the same, ovo, {SMALL}, with threads"


def classes_of(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=n)
    return rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((classes, d))[y], y


def checksum(arrays: Sequence[np.ndarray]) -> int:
    """A number that differs where any bit does."""
    return functools.reduce(lambda sum, array: zlib.crc32(array.tobytes(), sum), arrays, 0)


def fitting(multiclass: str, n: int, d: int, cores: int) -> Callable[[], Arrays]:
    from rosenblatt import Perceptron

    X, y = classes_of(n, d, 10)
    model = Perceptron(multiclass=multiclass, n_jobs=cores, max_iter=10, certify=False)

    def run() -> Arrays:
        model.fit(X, y)
        return model.coef_, model.intercept_

    return run


def in_threads(n: int, d: int, cores: int) -> Callable[[], Arrays]:
    """The fit of pairs with its runs side by side, however short they are."""
    from rosenblatt.fit import one_vs

    one_vs.FEW_WITHOUT_PROOFS = 0
    return fitting("ovo", n, d, cores)


def predicting(kind: str) -> Callable[[], Arrays]:
    from prediction import rows_of, with_weights
    from rosenblatt import Perceptron

    X = rows_of(N // 2, 20_000, 60) if kind == "CSR" else rows_of(N // 2, 500, 0)
    rng = np.random.default_rng(1)
    W, b = rng.standard_normal((50, X.shape[1])), rng.standard_normal(50)
    model = with_weights(Perceptron(max_iter=1, certify=False), W, b, X)
    return lambda: (model.predict(X),)


def rows_to_look_at(kind: str) -> tuple[Any, np.ndarray]:
    """Rows and weights, the bias last."""
    from prediction import rows_of

    X = rows_of(2 * N, 20_000, 60) if kind == "CSR" else rows_of(2 * N, 100, 0)
    return X, np.random.default_rng(0).standard_normal(X.shape[1] + 1)


def looking(kind: str) -> Callable[[], Arrays]:
    """The look of `decide` over all points: every margin at given weights."""
    from rosenblatt.solve.constraints import Constraints

    X, weights = rows_to_look_at(kind)
    goal = Constraints(X, np.arange(2 * N) % 2, 2, True)
    return lambda: (goal.look(weights)[0],)


def scoring_in_c(n: int, d: int, cores: int) -> Callable[[], Arrays]:
    """Every score of as many dense rows, in C."""
    from prediction import rows_of

    return tuple_of(scores_by(rows_of(n, d, 0), np.ones(d), cores))


def looking_in_c(kind: str, cores: int) -> Callable[[], Arrays]:
    """Every score of the same rows, in C."""
    return tuple_of(scores_by(*rows_to_look_at(kind), cores))


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


def reading_text(path: Path, cores: int) -> Callable[[], Arrays]:
    """The numbers of the same text added up, in C."""
    return tuple_of(text_by(path, cores))


def tuple_of(run: Callable[[], np.ndarray] | None) -> Callable[[], Arrays]:
    assert run is not None, "there is a compiler: it was looked for"
    return lambda: (run(),)


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


class Call(NamedTuple):
    """A call of machine code: seconds of Python before it, and seconds in it."""

    before: float
    inside: float


def machine_calls(make: Callable[[], Callable[[], Arrays]]) -> tuple[float, list[Call]]:
    """Seconds of work on one core, at its fastest, and its calls of machine code."""
    from rosenblatt.engine.machine.jit import Kernel

    spans: list[tuple[float, float]] = []
    call = Kernel.__call__

    def timed_call(kernel: Any, *given: Any) -> Any:
        began = time.perf_counter()
        try:
            return call(kernel, *given)
        finally:
            spans.append((began, time.perf_counter()))

    def once(run: Callable[[], Arrays]) -> tuple[float, list[Call]]:
        began = time.perf_counter()
        spans[:] = [(began, began)]
        run()
        whole = time.perf_counter() - began
        return whole, [Call(on - off, end - on) for (_, off), (on, end) in pairwise(spans)]

    with cores(1):
        run = make()
        run()
        Kernel.__call__ = timed_call  # type: ignore[method-assign]
        try:
            return min(once(run) for _ in range(REPEATS))
        finally:
            Kernel.__call__ = call


# Bytes below which a checksum is taken without letting other threads run.
FEWEST_BYTES = 6000


def in_c(calls: Sequence[Call]) -> list[tuple[int, int]]:
    """The same in C: turns of an empty loop, and the bytes of which a checksum takes as long."""
    many = 2**22
    block = bytes(many)
    a_byte = min(timed(lambda: zlib.crc32(block))[0] for _ in range(5)) / many
    a_turn = min(timed(lambda: turn(many))[0] for _ in range(5)) / many
    return [
        (int(call.before / a_turn), max(FEWEST_BYTES, int(call.inside / a_byte))) for call in calls
    ]


def turn(times: int) -> None:
    for _ in range(times):
        pass


def mixed(calls: Sequence[tuple[int, int]], cores: int) -> Callable[[], Arrays]:
    """Calls of C with Python before each, in one thread a core, each of which makes its share."""
    block, share = memoryview(bytes(max(size for _, size in calls))), -(-len(calls) // cores)

    def work(begin: int) -> int:
        some = calls[begin : begin + share]
        for turns, size in some:
            turn(turns)
            zlib.crc32(block[:size])
        return len(some)

    def run() -> Arrays:
        with ThreadPoolExecutor(cores) as threads:
            return (np.array([sum(threads.map(work, range(0, len(calls), share)))]),)

    return run


def processor_time(run: Callable[[], Arrays]) -> float:
    """The least processor time of some runs, of all threads together."""
    run()
    return min(clocked(run, time.process_time)[0] for _ in range(REPEATS))


def svmlight_file(folder: str) -> Path:
    """Rows as text; Vowpal Wabbit's lines are svmlight's but for the bar."""
    from one_pass import sparse_rows

    path = Path(folder, "rows.svm")
    vw_text(*sparse_rows(N, N // 3, 30, "float64"), path)
    path.write_text(path.read_text().replace(" | ", " "))
    return path


class Work(NamedTuple):
    """What is to be done, given the number of cores; a limit to it; and what is asked of both."""

    make: Callable[[int], tuple[Any, ...]]
    limit: Callable[[int], tuple[Any, ...]] | None = None
    by: str = ""
    asked: float = 0.85


Processes = dict[str, Any]


def row(name: str, work: Work, ours: Processes, limits: Processes) -> tuple[dict[str, str], Any]:
    """The table's row, the speed-up and that of the limit."""
    if work.limit is None or shutil.which("cc") is None:
        limits = {}
    for make, processes in ((work.make, ours), (work.limit, limits)):
        for count, process in zip((1, core_count()), processes.values(), strict=False):
            assert make is not None, "there is a limit"
            process.give(*make(count))
    times = race(ours | limits)
    one, many = ours
    faster, possible = (
        ratio(times, *reversed(pair)) if pair else math.nan for pair in (ours, limits)
    )
    same = times[one].result == times[many].result
    cells = {"work": name} | {contestant: cell(times, contestant) for contestant in ours}
    cells |= {"speed-up": factor(faster), "same result": "yes" if same else "NO"}
    if limits:
        cells |= {"limit": work.by, "its speed-up": factor(possible)}
    return cells, (faster, possible)


def all_work(path: Path, pairs: Sequence[tuple[int, int]]) -> dict[str, Work]:
    """What is measured, by its name; ``pairs`` is what the fit of short pairs is in C."""
    cores_alone = (lambda count: (computing, count), "adding in cache in C")
    looks = {
        f"decide's look over all points, {kind}": Work(
            lambda _, kind=kind: (looking, kind),
            lambda count, kind=kind: (looking_in_c, kind, count),
            "the same scores in C",
        )
        for kind in ("dense", "CSR")
    }
    return {
        f"fit, ovr, 10 classes, {SMALL}": Work(
            lambda count: (fitting, "ovr", *SMALL_SIZE, count), *cores_alone
        ),
        f"fit, ovo, 10 classes, {SMALL}": Work(
            lambda count: (fitting, "ovo", *SMALL_SIZE, count),
            lambda count: (mixed, pairs, count),
            "calls of C as long, after as much Python",
            asked=0.75,
        ),
        THREADED: Work(lambda count: (in_threads, *SMALL_SIZE, count), asked=0),
        f"fit, ovo, 10 classes, {LARGE}": Work(
            lambda count: (fitting, "ovo", *LARGE_SIZE, count),
            lambda count: (scoring_in_c, *LARGE_SIZE, count),
            "scores of its rows in C",
            asked=0.75,
        ),
        "predict, dense, 50 classes": Work(lambda _: (predicting, "dense"), *cores_alone),
        "predict, CSR, 50 classes": Work(lambda _: (predicting, "CSR"), *cores_alone),
        **looks,
        "decide, all of it": Work(lambda _: (deciding,), asked=0),
        "parse svmlight text": Work(
            lambda _: (parsing, path),
            lambda count: (reading_text, path, count),
            "its numbers added up in C",
        ),
    }


def limits_alone() -> dict[str, Work]:
    """What every thread is bound by, in C."""
    if shutil.which("cc") is None:
        return {}
    return {
        "add numbers in cache, C": Work(lambda count: (computing, count), asked=0),
        "read memory, C": Work(lambda count: (reading, count), asked=0),
    }


def main() -> None:
    heading(QUESTION)
    if core_count() == 1:
        print("There is only one core here.\n")
        return
    measured: dict[str, Any] = {}
    whole, calls = machine_calls(lambda: fitting("ovo", *SMALL_SIZE, 1))
    with tempfile.TemporaryDirectory() as folder:
        work = all_work(svmlight_file(folder), in_c(calls)) | limits_alone()
        ours, limits = (
            {
                f"{count} core{'s' * (count > 1)}{of}": Elsewhere(
                    nothing, cores=count, digest=checksum
                )
                for count in (1, core_count())
            }
            for of in ("", " in C")
        )

        def rows() -> Iterator[dict[str, str]]:
            for name, one in work.items():
                cells, measured[name] = row(name, one, ours, limits)
                yield cells

        table(rows(), ("work", *ours, "speed-up", "same result", "limit", "its speed-up"))
        for process in (ours | limits).values():
            process.close()
    alone, together = (processor_time(in_threads(*SMALL_SIZE, n)) for n in (1, core_count()))
    print(
        f"Of the {show(whole)} of the fit, ovo, {SMALL}, on one core "
        f"{show(sum(call.inside for call in calls))} are machine code, in {len(calls)} calls; "
        f"the rest is Python, which runs in one thread at a time. With "
        f"threads its {show(alone)} of processor time become {show(together)}: they work side by "
        "side, and each takes longer.\n"
    )
    for name, (faster, possible) in measured.items():
        if work[name].asked:
            asked = work[name].asked * core_count()
            what = f"{name}, {core_count()} cores over one"
            target(what, asked, faster, possible=possible, by=work[name].by)


if __name__ == "__main__":
    main()
