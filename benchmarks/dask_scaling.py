"""Many machines: how does mixing scale, what does a round cost, and does large data fit?

Processes of this machine stand in for machines, so the limit is its cores and its memory's
bandwidth, not a network; the docs work out from these constants what a network would add.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

import dask
import numpy as np
from distributed import Client, LocalCluster

from harness import QUICK, heading, race, ratio, show, table
from rosenblatt.dask import Perceptron, read_files

ROWS, COLUMNS = (20_000, 50) if QUICK else (100_000, 100)
PARTITIONS = 8
ROUNDS = 10 if QUICK else 150
WIDE = (10_000, 1_000_000) if QUICK else (10_000, 1_000_000, 10_000_000)
WORKER_MEMORY = 600_000_000


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
    X.resize((40, columns))
    return X, np.arange(40) % 2


def parts(count: int, make, *args) -> list:
    return [dask.delayed(make)(seed, *args) for seed in range(count)]


def cluster(workers: int, memory: int | str = "auto") -> LocalCluster:
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit=memory,
        silence_logs=50,
    )


def scaling(one: Client, two: Client) -> None:
    """The same data, and twice the data, on one worker and on two."""

    def fit(client: Client, partitions: int) -> Perceptron:
        model = Perceptron(client, order="cyclic", max_iter=ROUNDS, solution="last", persist=True)
        return model.fit(parts(partitions, noisy, ROWS, COLUMNS))

    times = race(
        {
            "one": lambda: fit(one, PARTITIONS),
            "two": lambda: fit(two, PARTITIONS),
            "twice": lambda: fit(two, 2 * PARTITIONS),
        },
        repeats=3,
    )
    same = np.array_equal(times["one"].result.coef_, times["two"].result.coef_)
    size = ROWS * COLUMNS * 8 * PARTITIONS / 1e9
    print(f"\n{ROUNDS} rounds over {PARTITIONS} partitions, {size:.2g} GB; same weights: {same}.\n")
    table(
        [
            {"fit": "one worker", "seconds": str(times["one"]), "against one": "1"},
            {
                "fit": "two workers, same data (strong)",
                "seconds": str(times["two"]),
                "against one": f"{ratio(times, 'two', 'one'):.2f} × as fast",
            },
            {
                "fit": "two workers, twice the data (weak)",
                "seconds": str(times["twice"]),
                "against one": f"{ratio(times, 'twice', 'one'):.0%} efficient",
            },
        ]
    )


def overhead(two: Client) -> None:
    """What a round costs besides its passes, by the width of the weights."""
    rows = []
    for columns in WIDE:
        model = Perceptron(two, max_iter=20, solution="last", persist=True)
        model.fit(parts(2, narrow, columns))
        spent = statistics.median(row.seconds - row.busy for row in model.rounds_[1:])
        moved = max(row.moved for row in model.rounds_)
        rows.append(
            {
                "weights": f"{columns:,} ({columns * 8 / 1e6:.3g} MB)",
                "overhead of a round": show(spent),
                "bytes moved": f"{moved / 1e6:.3g} MB",
                "bytes a second": f"{moved / spent / 1e6:.3g} MB/s",
            }
        )
    print()
    table(rows)


def larger_than_memory(folder: Path) -> None:
    """Files four times the workers' memory limit."""
    limit = 2 * WORKER_MEMORY
    rows, columns = 125_000, 100
    size = rows * columns * 8
    count = -(-4 * limit // size)
    X, y = noisy(0, rows, columns)
    for k in range(count):
        np.savez(folder / f"part-{k:03}.npz", X=np.roll(X, k, axis=0), y=np.roll(y, k))
    with cluster(2, WORKER_MEMORY) as small, Client(small) as client:
        before = sorted(client.run(os.getpid).values())
        model = Perceptron(client, order="cyclic", max_iter=2, solution="last")
        model.fit(read_files(folder / "part-*.npz"))
        after = sorted(client.run(os.getpid).values())
        peak = max(client.run(_peak).values())
    print(
        f"\n{count} files of {size / 1e6:.0f} MB, {count * size / limit:.1f} times the limit of "
        f"2 × {WORKER_MEMORY / 1e6:.0f} MB: {model.n_iter_} rounds in "
        f"{show(model.run_.seconds)}, workers {'the same' if before == after else 'replaced'}, "
        f"peak of a worker {peak / 1e6:.0f} MB."
    )


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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
