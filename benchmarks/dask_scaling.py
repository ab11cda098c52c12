"""Many machines: how does mixing scale, what does a round cost, and does large data fit?

Processes of this machine stand in for machines, so the limit is its cores and its memory's
bandwidth, not a network; the docs work out from these constants what a network would add. What the
hardware allows is measured too: two processes that make the same passes and know nothing of Dask or
of each other, against one.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

from harness import QUICK, Timing, heading, show, table, target
from rosenblatt.dask import Perceptron, read_files
from rosenblatt.places.cluster.mixing import Pace, one_pass
from rosenblatt.places.cluster.work import PartitionFacts, prepare

ROWS, COLUMNS, PARTITIONS = (10_000, 50, 4) if QUICK else (150_000, 100, 8)
ORDER = "active"
# Seconds that the rounds of one worker take at least, and turns of each contestant.
LONG, TURNS = (0.3, 1) if QUICK else (10.5, 1)
# Rounds by the features of the weights.
WIDE = {10_000: 15, 1_000_000: 5} if QUICK else {10_000: 40, 1_000_000: 20, 10_000_000: 4}
WORKER_MEMORY = 600_000_000
FILES, FILE_ROWS = (2, 20_000) if QUICK else (8, 125_000)


def noisy(seed: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that no hyperplane separates, so that every round makes its pass."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, (X[:, 0] + rng.standard_normal(rows) > 0).astype(int)


def narrow(seed: int, columns: int) -> tuple[object, np.ndarray]:
    """A few sparse rows in many columns: the pass is nothing, the weights are all."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    X = sparse.csr_array(
        (np.ones(40), rng.integers(0, columns - 1, 40), np.arange(41)), shape=(40, columns)
    )
    return X, np.arange(40) % 2


def parts(count: int, make: Any, *args: Any) -> list[Any]:
    return [dask.delayed(make)(seed, *args) for seed in range(count)]


def cluster(workers: int, memory: int | str = "auto") -> LocalCluster:
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit=memory,
        silence_logs=50,
    )


def alone(passes: int, start: Any, spent: Any) -> None:
    """The passes of two partitions in this process, once all are ready."""
    facts = PartitionFacts(COLUMNS, 0, np.array([0, 1]))
    blocks = [prepare(noisy(k, ROWS, COLUMNS), k, facts=facts) for k in range(2)]
    weights, pace = np.zeros(COLUMNS + 1), Pace(order=ORDER, averages=False)
    one_pass(blocks[0], 0, weights, pace, 1)
    start.wait()
    began = time.perf_counter()
    for number in range(passes):
        for index, block in enumerate(blocks):
            one_pass(block, index, weights, pace, number)
    spent.put(time.perf_counter() - began)


def ceiling() -> float:
    """How many times faster two processes are than one at the same work, without Dask."""
    context, passes = multiprocessing.get_context("spawn"), 2 if QUICK else 8

    def slowest(processes: int) -> float:
        start, spent = context.Barrier(processes), context.Queue()
        running = [
            context.Process(target=alone, args=(passes, start, spent)) for _ in range(processes)
        ]
        for process in running:
            process.start()
        times = [spent.get() for _ in running]
        for process in running:
            process.join()
        return max(times)

    turns = [2 * slowest(1) / slowest(2) for _ in range(TURNS)]
    return statistics.median(turns)


def spent(model: Perceptron) -> float:
    """Seconds of the rounds after the first, which waits for the data to be made."""
    return sum(row.seconds for row in model.rounds_[1:])


def scaling(one: Client, two: Client) -> None:
    """The same data, and twice the data, on one worker and on two."""
    allowed = ceiling()

    def fit(client: Client, data: list[Any], rounds: int) -> Perceptron:
        model = Perceptron(client, order=ORDER, max_iter=rounds, solution="last", persist=True)
        return model.fit(data)

    contestants = {
        "one": (one, parts(PARTITIONS, noisy, ROWS, COLUMNS)),
        "two": (two, parts(PARTITIONS, noisy, ROWS, COLUMNS)),
        "twice": (two, parts(2 * PARTITIONS, noisy, ROWS, COLUMNS)),
    }
    rounds = math.ceil(LONG / spent(fit(*contestants["one"], 4)) * 3) + 1
    numbers = {"one": rounds, "two": rounds, "twice": max(1, rounds // 2)}
    results: dict[str, list[Perceptron]] = {name: [] for name in contestants}
    for _ in range(TURNS):
        for name, contestant in contestants.items():
            results[name].append(fit(*contestant, numbers[name]))
    seconds = {name: [spent(model) for model in made] for name, made in results.items()}
    times = {name: Timing.of(found) for name, found in seconds.items()}
    same = np.array_equal(results["one"][0].coef_, results["two"][0].coef_)
    strong = statistics.median(a / b for a, b in zip(seconds["one"], seconds["two"], strict=True))
    weak = statistics.median(
        (a / numbers["one"]) / (b / numbers["twice"])
        for a, b in zip(seconds["one"], seconds["twice"], strict=True)
    )
    size = ROWS * COLUMNS * 8 * PARTITIONS / 1e9
    print(f"\n{PARTITIONS} partitions, {size:.2g} GB in memory; same weights: {same}.\n")
    table(
        [
            _row("one worker", numbers["one"], times["one"], "1"),
            _row("two workers, same data (strong)", rounds, times["two"], f"{strong:.2f} ×"),
            _row(
                "two workers, twice the data (weak)",
                numbers["twice"],
                times["twice"],
                f"{weak:.0%} efficient",
            ),
            {"fit": "two processes without Dask: the ceiling", "against one": f"{allowed:.2f} ×"},
        ]
    )
    if not QUICK:
        target("Dask, two workers over one", 1.6, strong)
        print(f"That is {strong / allowed:.0%} of what this machine allows two processes.\n")


def _row(fit: str, rounds: int, timing: Timing, against: str) -> dict[str, str]:
    return {"fit": fit, "rounds": f"{rounds:,}", "seconds": str(timing), "against one": against}


def overhead(two: Client) -> None:
    """What a round costs besides its passes, by the width of the weights."""
    rows, least = [], math.nan
    for columns, rounds in WIDE.items():
        model = Perceptron(two, max_iter=rounds, solution="last", persist=True)
        model.fit(parts(2, narrow, columns))
        spent = statistics.median(row.seconds - row.busy for row in model.rounds_[1:])
        least = spent if math.isnan(least) else least
        moved = max(row.moved for row in model.rounds_)
        rows.append(
            {
                "weights": f"{columns:,} ({columns * 8 / 1e6:.3g} MB)",
                "overhead of a round (median)": show(spent),
                "bytes moved": f"{moved / 1e6:.3g} MB",
                "bytes a second": f"{moved / spent / 1e6:.3g} MB/s",
            }
        )
    table(rows)
    if not QUICK:
        target("Dask, overhead of a round in ms", 50, 1000 * least, at_most=True)


def larger_than_memory(folder: Path) -> None:
    """Files four times the workers' memory limit; some are the same under another name."""
    limit, size = 2 * WORKER_MEMORY, FILE_ROWS * COLUMNS * 8
    count = FILES if QUICK else -(-4 * limit // size)
    for k in range(count):
        path = folder / f"part-{k:03}.npz"
        if k < FILES:
            X, y = noisy(k, FILE_ROWS, COLUMNS)
            np.savez(path, X=X, y=y)
        else:
            os.link(folder / f"part-{k % FILES:03}.npz", path)
    with cluster(2, WORKER_MEMORY) as small, Client(small) as client:
        before = sorted(client.run(os.getpid).values())
        model = Perceptron(client, order="cyclic", max_iter=2, solution="last")
        model.fit(read_files(folder / "part-*.npz"))
        after = sorted(client.run(os.getpid).values())
        peak = max(client.run(_peak).values())
    print(
        f"{count} files of {size / 1e6:.0f} MB, {count * size / limit:.1f} times the limit of "
        f"2 × {WORKER_MEMORY / 1e6:.0f} MB: {model.n_iter_} rounds in "
        f"{show(model.run_.seconds)}, workers {'the same' if before == after else 'REPLACED'}, "
        f"peak of a worker {peak / 1e6:.0f} MB."
    )


def _peak() -> int:
    """The most memory that this process ever held; getrusage would count its parent's before."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def main() -> None:
    heading("Many machines: strong and weak scaling, the cost of a round, data beyond memory")
    with cluster(2) as b, Client(b, set_as_default=False) as two:
        overhead(two)
        with cluster(1) as a, Client(a, set_as_default=False) as one:
            scaling(one, two)
    with tempfile.TemporaryDirectory() as folder:
        larger_than_memory(Path(folder))


if __name__ == "__main__":
    main()
