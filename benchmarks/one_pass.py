"""Passes 2 to 11 of a cyclic run, so that neither side's validation of the input is counted, on one
core. "Read alone" is the time in which the core's BLAS reads as many bytes as the rows have (a dot
product with itself), the floor of any pass that misses the cache; the C loop makes the same
mistakes on the same arrays, and keeps neither mean, dual form nor least margin. Only rows in memory
have that floor; those in L1 and L2 show what a pass costs when it need not wait. There, most of it
is the 10 µs of Python that every pass of a fit takes, since the fit looks after each whether to
search for a proof; to make several passes in one call saved that, and was one more way to learn. So
no comparison with C is asked of them. A tenth of the
labels is turned round, which makes every fourth look a mistake: an update, and a branch that no
processor foresees, so that the next look begins when the score is known. Where rows are "seldom
wrong", a pass is all but reading.

"Fastest C loop" is the fastest that we could write by hand for dense rows (c_loop.py), and keeps as
little as the other: what it reaches of the reading speed is what the processor allows. "Noting" is
the same loop with what ours keeps of each mistake, two numbers of the row for the dual form and for
the mean: lines of memory that are far from each other, each of which costs ten of a row's. Every
fourth look a mistake, rows of float32 are not bound by memory: they are read in half the time, and
mistakes take as long as those of float64. So no more of the reading speed is asked than nearly what
the faster of these two loops reaches in the same run.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import linear_model

from c_loop import csr_passes, dense_passes, fastest_dense_passes
from harness import QUICK, cores, factor, heading, per_pass, race, reader_of, show, table, target
from peers import present
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine.interrupts import Listening
from rosenblatt.engine.points import Points, make_points
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep

QUESTION = "One cyclic pass"

PASSES = 10
# Rows and columns, and entries of a sparse row. There are many more rows than columns, and some of
# the labels are turned round, so that no run ends early: a tenth, which makes a mistake of every
# fourth look, or so few that a pass is all but reading.
MANY_TURNED, FEW_TURNED = 0.1, 0.0005
DTYPES = ("float64",) if QUICK else ("float64", "float32")
MANY = 4_000 if QUICK else 120_000
DENSE = {"in L1": (300, 10), "in L2": (800, 80), "in memory": (MANY, 100)}
SPARSE = {"in L1": (200, 40, 8), "in L2": (3_000, 300, 12), "in memory": (MANY, MANY // 3, 60)}
SELDOM = "in memory, seldom wrong"
# Of the reading speed, in per cent.
SHARES = {
    "float64": {"in memory": 85, SELDOM: 92},
    "float32": {"in memory": 75, SELDOM: 75},
}
COLUMNS = (
    "rows",
    "rosenblatt",
    "scikit-learn",
    "ratio",
    "C loop",
    "ours / C",
    "fastest C loop",
    "noting C loop",
    "read alone",
    "share of the reading speed",
    "that of the fastest C loop",
    "that of the noting C loop",
)


def turned(y: np.ndarray, rng: np.random.Generator, share: float = MANY_TURNED) -> np.ndarray:
    """Labels −1 and +1, a share of them turned round."""
    return np.where((y > 0) == (rng.random(len(y)) >= share), 1.0, -1.0)


def dense_rows(n: int, d: int, dtype: str, share: float = MANY_TURNED) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X.astype(dtype), turned(X @ rng.standard_normal(d), rng, share)


def sparse_rows(n: int, d: int, per_row: int, dtype: str) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(0, d, (n, per_row)), axis=1).ravel().astype(np.int32)
    indptr = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_matrix((rng.standard_normal(n * per_row), indices, indptr), shape=(n, d))
    X.sum_duplicates()
    return X.astype(dtype), turned(X @ rng.standard_normal(d), rng)


def passes_of(points: Points, passes: int) -> Run:
    """Passes as a fit makes them: with one handler of Ctrl-C for all."""
    with Listening():
        return learn(
            CompiledSweep(points, PerceptronRule()), order="cyclic", budget=Budget(passes=passes)
        )


def bytes_of(X: Any) -> int:
    """What a pass must read at least."""
    if isinstance(X, np.ndarray):
        return X.nbytes
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


class Measured(NamedTuple):
    """What is asked of a row.

    Ours, the fastest C loop and that which notes mistakes as shares of the reading speed,
    scikit-learn's time over ours, and ours in C loops.
    """

    share: float
    possible: float
    noting: float
    faster: float
    loops: float


def row(kind: str, X: Any, y: np.ndarray) -> tuple[dict[str, str], Measured]:
    """The table's row, and what is asked of it."""
    points = make_points(X, y)
    # Small rows are passed over often enough for a clock to see it.
    passes = PASSES * max(1, (5_000 if QUICK else 50_000) // X.shape[0])
    dense, in_memory = not sparse.issparse(X), "memory" in kind
    loop = dense_passes(X, y) if dense else csr_passes(X, y)
    fastest, noting = (
        fastest_dense_passes(X, y, noting=notes) if dense and in_memory else None
        for notes in (False, True)
    )

    def theirs(passes: int) -> Any:
        return linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)

    read = reader_of(bytes_of(X))
    contestants = {
        "ours 1": lambda: passes_of(points, 1),
        "ours": lambda: passes_of(points, 1 + passes),
        "theirs 1": lambda: theirs(1),
        "theirs": lambda: theirs(1 + passes),
        "C 1": (lambda: loop(1)) if loop else None,
        "C": (lambda: loop(1 + passes)) if loop else None,
        "fastest 1": (lambda: fastest(1)) if fastest else None,
        "fastest": (lambda: fastest(1 + passes)) if fastest else None,
        "noting 1": (lambda: noting(1)) if noting else None,
        "noting": (lambda: noting(1 + passes)) if noting else None,
        "read": lambda: [read() for _ in range(PASSES)],
    }
    times = race(contestants)
    assert times["ours"].result.passes == 1 + passes
    our_pass = per_pass(times, "ours 1", "ours", passes)
    their_pass = per_pass(times, "theirs 1", "theirs", passes)
    c_pass = per_pass(times, "C 1", "C", passes)
    fastest_pass = per_pass(times, "fastest 1", "fastest", passes)
    noting_pass = per_pass(times, "noting 1", "noting", passes)
    reading = times["read"].median / PASSES
    found = Measured(
        share=reading / our_pass.median,
        possible=reading / fastest_pass.median,
        noting=reading / noting_pass.median,
        faster=their_pass.median / our_pass.median,
        loops=our_pass.median / c_pass.median,
    )
    made = {
        "rows": f"{kind}, {X.shape[0]:,} × {X.shape[1]:,}, {bytes_of(X) / 2**20:.2g} MiB",
        "rosenblatt": str(our_pass),
        "scikit-learn": str(their_pass),
        "ratio": factor(found.faster),
        "C loop": str(c_pass),
        "ours / C": factor(found.loops),
    }
    if in_memory:
        made |= {"read alone": show(reading), "share of the reading speed": f"{found.share:.0%}"}
    if fastest:
        made["fastest C loop"] = str(fastest_pass)
        made["noting C loop"] = str(noting_pass)
        made["that of the fastest C loop"] = f"{found.possible:.0%}"
        made["that of the noting C loop"] = f"{found.noting:.0%}"
    return made, found


def by_hand() -> None:
    """What a Python programmer has without any of this, on few rows."""
    X, y = dense_rows(500 if QUICK else 2_000, 100, "float64")

    def numpy_loop() -> np.ndarray:
        w, b = np.zeros(X.shape[1]), 0.0
        for x, sign in zip(X, y, strict=True):
            if sign * (x @ w + b) <= 0:
                w, b = w + sign * x, b + sign
        return w

    def mlxtend() -> Any:
        from mlxtend.classifier import Perceptron as Other

        return Other(eta=1.0, epochs=1, random_seed=0).fit(X, (y > 0).astype(int))

    points = make_points(X, y)
    times = race(
        {
            "rosenblatt": lambda: passes_of(points, 1),
            "NumPy loop": numpy_loop,
            "mlxtend": mlxtend if present("mlxtend") else None,
        }
    )
    ours = times["rosenblatt"].median
    table(
        {
            f"one pass, {X.shape[0]:,} × 100": name,
            "seconds": str(times[name]) if name in times else "absent",
            "ratio": factor(times[name].median / ours if name in times else math.nan),
        }
        for name in ("rosenblatt", "NumPy loop", "mlxtend")
    )


def main() -> None:
    heading(QUESTION)
    found: dict[tuple[str, str, str], Measured] = {}

    def rows() -> Any:
        for dtype in DTYPES:
            for size, shape in DENSE.items():
                made, found["dense", dtype, size] = row(
                    f"dense {dtype} {size}", *dense_rows(*shape, dtype)
                )
                yield made
            made, found["dense", dtype, SELDOM] = row(
                f"dense {dtype} {SELDOM}", *dense_rows(*DENSE["in memory"], dtype, FEW_TURNED)
            )
            yield made
            for size, shape in SPARSE.items():
                made, found["CSR", dtype, size] = row(
                    f"CSR {dtype} {size}", *sparse_rows(*shape, dtype)
                )
                yield made

    with cores(1):
        table(rows(), COLUMNS)
        by_hand()
    for cache in ("L1", "L2"):
        cached = [measured.faster for key, measured in found.items() if key[-1] == f"in {cache}"]
        name = f"pass over rows in {cache}, × scikit-learn, the worst of {len(cached)} rows"
        target(name, 1, min(cached))
    for dtype in DTYPES:
        for size, asked in SHARES[dtype].items():
            measured = found["dense", dtype, size]
            name = f"dense pass of {dtype} {size}, % of the core's reading speed"
            in_c = 100 * max(measured.possible, measured.noting)
            target(name, asked, 100 * measured.share, possible=in_c, by="the faster C loop")
            if not math.isnan(measured.possible):  # there is a C compiler
                print(
                    f"The fastest C loop reaches {measured.possible:.0%} there, "
                    f"{measured.noting:.0%} if it notes mistakes.\n"
                )
        loops = found["CSR", dtype, "in memory"].loops
        target(f"CSR pass of {dtype} in memory, in C loops", 1.3, loops, at_most=True)


if __name__ == "__main__":
    main()
