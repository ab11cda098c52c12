"""How time grows with the rows n, the columns d and the classes K: over three decades, dense, CSR
and wide, for everything that is asked of data. "Exponent" is that of the power law fitted to the
least time of each size, "last decade" that of the largest sizes alone: small ones have a fixed
price and grow slower. "Must" is what theory asks: a pass, a look and a check are linear in the
entries; a proof of inseparability, a maximum margin and a separation kind end in a linear system of
d + 1 unknowns, which takes the cube of them, and to verify such a proof is to add up numbers as
long as that system has unknowns; of wide data the rows are the unknowns, and n is the same here.
Twenty columns hold more classes only nearer to each other: 3 are told apart in 2 passes, 3,000 in
12, each of which is linear in K. Fit, maximum margin and prediction have separable classes;
decision, its verification and the separation kind have every twentieth label turned (wide data
stays separable). What would take longer than {LONGEST:g} s at the next size is not enlarged.
Rows that no longer fit in a cache are read more slowly, by anyone: "reading" is how much faster
than their bytes the time grows in which BLAS reads them (a dot product with themselves), in turns
with the operation, over its last decade. An operation may grow by as much more than it must.
"Memory" is the peak of the largest size beyond the data, in multiples of the bytes of the rows and
one vector of weights (which of wide CSR data is the larger), in a process of its own. Everything is
on one core, and times are the processor's: some are of a single run, which others may interrupt.
"""

from __future__ import annotations

import ctypes
import gc
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import plots
from harness import QUICK, Elsewhere, clocked, cores, growth, heading, show, table, target
from one_pass import bytes_of
from rosenblatt.engine.machine.jit import compile_seconds

QUESTION = "Growth with n, d and K: fit, decide, maximum margin, separation kind, verify, predict"

# A size whose run is likely to take longer is not run; runs of one size, and when enough are made.
LONGEST, REPEATS, ENOUGH = (0.3, 2, 0.02) if QUICK else (8.0, 5, 0.1)
__doc__ = (__doc__ or "").format(LONGEST=LONGEST)
LADDER = [first * 10**k for k in range(7) for first in (1, 3)]
# How far above what theory and reading ask the exponent of the last decade may be: times are noisy,
# and what is written leaves the caches, too.
SLACK = 0.35
COLUMNS = ("data", "grows", "what", "sizes", "from", "to", "exponent", "last decade", "must")
COLUMNS = (*COLUMNS, "reading", "memory", "")


@dataclass
class Data:
    """Rows, labels that can be separated, labels of which some are turned, what was decided of
    these (once it was asked).
    """

    X: Any
    y: np.ndarray
    noisy: np.ndarray
    decision: Any = None


def dense(n: int, d: int) -> Data:
    """A Gaussian cloud, its halves pushed apart."""
    rng = np.random.default_rng(0)
    X, u = rng.standard_normal((n, d)), rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X[:2] *= np.copysign([1, -1], X[:2] @ u)[:, None]  # both classes, however few the rows
    y = np.where(X @ u > 0, 1, -1)
    return Data(X + 0.2 * np.outer(y, u), y, turned(y))


def turned(y: np.ndarray) -> np.ndarray:
    """The labels, every twentieth that of the next class."""
    labels = np.unique(y)
    after = labels[(np.searchsorted(labels, y) + 1) % len(labels)]
    return np.where(np.arange(len(y)) % 20 == 10, after, y)


def thin(n: int, d: int, entries: int) -> Data:
    """CSR rows of so many entries, one of them the label's own in a column of its class."""
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(2, d, size=(n, entries)).astype(np.int32), axis=1)
    y = np.where(np.arange(n) % 2 == 1, 1, -1)
    indices[:, 0] = (y > 0).astype(np.int32)
    starts = np.arange(0, n * entries + 1, entries, dtype=np.int32)
    values = rng.standard_normal((n, entries))
    values[:, 0] = 1.0
    X = sparse.csr_matrix((values.ravel(), indices.ravel(), starts), shape=(n, d))
    return Data(X, y, turned(y))


def many(n: int, d: int, classes: int) -> Data:
    """Clouds about points of a sphere: each class can be told from all others at once."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((classes, d))
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    y = np.arange(n) % classes
    return Data(centres[y] + 0.02 * rng.standard_normal((n, d)), y, turned(y))


def fit(data: Data) -> Callable[[], Any]:
    from rosenblatt import Perceptron

    return lambda: Perceptron().fit(data.X, data.y)


def predict(data: Data) -> Callable[[], Any]:
    from rosenblatt import Perceptron

    model = Perceptron(max_iter=1, certify=False).fit(data.X, data.y)
    return lambda: model.predict(data.X)


def decide(data: Data) -> Callable[[], Any]:
    import rosenblatt as rb

    def run() -> Any:
        data.decision = rb.decide(data.X, data.noisy, time_limit=3 * LONGEST)
        if data.decision.certificate is None:
            raise TimeoutError(f"undecided after {show(data.decision.seconds)}")
        return data.decision

    return run


def verify(data: Data) -> Callable[[], Any]:
    proof = (data.decision or decide(data)()).certificate
    return lambda: proof.verify(data.X, data.noisy)


def max_margin(data: Data) -> Callable[[], Any]:
    from rosenblatt import MaxMargin

    return lambda: MaxMargin().fit(data.X, data.y)


def separation_kind(data: Data) -> Callable[[], Any]:
    import rosenblatt as rb

    def run() -> Any:
        found = rb.separation_kind(data.X, data.noisy, time_limit=3 * LONGEST)
        if found.separation is None and found.inseparability is None:
            raise TimeoutError(f"undecided after {3 * LONGEST:g} s")
        return found

    return run


OPERATIONS = {
    "fit": fit,
    "decide": decide,
    "maximum margin": max_margin,
    "separation kind": separation_kind,
    "verify": verify,
    "predict": predict,
}


class Law(NamedTuple):
    """What grows: the data in words, the variable, its sizes, the data of a size, what theory asks.

    ``must`` is the exponent of each operation, in the order of `OPERATIONS`.
    """

    data: str
    variable: str
    first: int
    make: Callable[..., Data]
    given: Callable[[int], tuple[int, ...]]
    must: tuple[float, ...]
    every: int = 1

    @property
    def sizes(self) -> list[int]:
        """Three decades of 1, 3, 10, 30, … (or every so many of these)."""
        decades = [size for size in LADDER if self.first <= size <= 1000 * self.first]
        return decades[:: self.every][: 3 if QUICK else None]


LAWS = (
    Law("dense, d = 20", "n", 100, dense, lambda n: (n, 20), (1, 1, 1, 1, 1, 1)),
    Law("dense, n = 3,000", "d", 1, dense, lambda d: (3_000, d), (1, 3, 3, 3, 3, 1)),
    Law("CSR, d = 50, 5 a row", "n", 300, thin, lambda n: (n, 50, 5), (1, 1, 1, 1, 1, 1)),
    Law("wide: dense, n = 100", "d", 100, dense, lambda d: (100, d), (1, 1, 1, 1, 1, 1), 2),
    Law(
        "wide: CSR, n = 1,000, 100 a row", "d", 1_000, thin, lambda d: (1_000, d, 100), (1,) * 6, 2
    ),
    Law("dense, n = 3,000, d = 20", "K", 3, many, lambda K: (3_000, 20, K), (2, 3, 1, 3, 1, 1)),
)


def reader(X: Any) -> Callable[[], Any]:
    """What reads the numbers of the rows and does nothing else."""
    numbers = (X if isinstance(X, np.ndarray) else X.data).ravel()
    return lambda: numbers @ numbers


def seconds_of(run: Callable[[], Any], read: Callable[[], Any]) -> tuple[float, float]:
    """The least processor time of some runs, and of reading in turns; none counts that compiles."""
    spent: list[float] = []
    reading: list[float] = []
    while not spent or (len(spent) < REPEATS and sum(spent) < ENOUGH):
        before = compile_seconds()
        seconds = clocked(run, time.process_time)[0]
        if compile_seconds() == before:
            spent.append(seconds)
            read()  # what the run has pushed out of the caches is not counted
            reading.append(clocked(read, time.process_time)[0])
    return min(spent), min(reading)


def trimmed(make: Callable[..., Data], given: tuple[int, ...], name: str) -> Callable[[], Any]:
    """An operation on data, after one on a little of it; memory that is free is given back."""
    warnings.simplefilter("ignore")
    OPERATIONS[name](dense(40, 3))()
    run = OPERATIONS[name](make(*given))
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return run


class Measured:
    """The times of one operation as its data grows."""

    def __init__(self, must: float):
        self.must, self.sizes, self.seconds, self.note = must, [], [], ""
        self.per_byte: list[float] = []

    def next_size(self, size: int, make: Callable[[], Callable[[], Any]], X: Any) -> None:
        """Measure that size too, on those rows, unless it is likely to take too long."""
        if self.note:
            return
        if len(self.seconds) > 1:
            # What is small yet may grow faster at the next size, up to what it must.
            slope = min(max(0.5, self._slope() + 0.5), self.must + 0.5)
            likely = self.seconds[-1] * (size / self.sizes[-1]) ** slope
            if likely > LONGEST:
                self.note = f"not {size:,}: about {show(likely)}"
                return
        try:
            seconds, reading = seconds_of(make(), reader(X))
            self.seconds.append(seconds)
            self.per_byte.append(reading / bytes_of(X))
            self.sizes.append(size)
        except TimeoutError as error:
            self.note = f"not {size:,}: {error}"

    def _slope(self) -> float:
        """The exponent between the last two sizes."""
        return math.log(self.seconds[-1] / self.seconds[-2]) / math.log(
            self.sizes[-1] / self.sizes[-2]
        )

    def cells(self) -> dict[str, str]:
        """What the table says of it."""
        law = growth(self.sizes, self.seconds)
        return {
            "sizes": f"{self.sizes[0]:,} to {self.sizes[-1]:,}",
            "from": show(self.seconds[0]),
            "to": show(self.seconds[-1]),
            "exponent": f"{law.exponent:.2f}",
            "last decade": f"{self.last_decade(self.seconds):.2f}",
            "must": f"{self.must:g}",
            "reading": f"{self.reading():.2f}",
            "": self.note,
        }

    def faster(self) -> bool:
        """Whether it grows faster than it must."""
        return self.last_decade(self.seconds) > self.must + self.reading() + SLACK

    def reading(self) -> float:
        """The exponent by which reading a byte takes longer; a fixed price makes it no shorter."""
        return max(0.0, self.last_decade(self.per_byte))

    def last_decade(self, seconds: list[float]) -> float:
        """The exponent of the sizes from a tenth of the largest."""
        count = sum(10 * size >= self.sizes[-1] for size in self.sizes)
        return growth(self.sizes[-count:], seconds[-count:]).exponent


def measured(law: Law) -> dict[str, Measured]:
    """Every operation's times over the sizes of a law."""
    found = {name: Measured(must) for name, must in zip(OPERATIONS, law.must, strict=True)}
    for size in law.sizes:
        began = time.perf_counter()
        data = law.make(*law.given(size))
        for name, times in found.items():
            times.next_size(size, lambda name=name, data=data: OPERATIONS[name](data), data.X)
            if name == "decide" and times.note:
                found["verify"].note = found["verify"].note or f"not {size:,}: no proof"
        say(f"{law.data}: {law.variable} = {size:,}", began)
    return {name: times for name, times in found.items() if len(times.sizes) > 1}


def say(what: str, began: float) -> None:
    """Progress, for whoever waits."""
    print(f"{what}: {show(time.perf_counter() - began)}", file=sys.stderr, flush=True)


def memory(law: Law, found: dict[str, Measured]) -> dict[str, str]:
    """Of each operation at its largest size, the peak beyond the data over the data's bytes."""
    apart = Elsewhere(trimmed, dense, (40, 3), "fit", cores=1)
    shown, began = {}, time.perf_counter()
    for name, times in found.items():
        given = law.given(times.sizes[-1])
        apart.give(trimmed, law.make, given, name)
        data = law.make(*given)
        classes = len(np.unique(data.y))
        weights = 8 * (data.X.shape[1] + 1) * (classes if classes > 2 else 1)
        shown[name] = f"{apart.peak() / (bytes_of(data.X) + weights):.2g}"
    apart.close()
    say(f"{law.data}: memory", began)
    return shown


def rows(law: Law, panels: dict[str, Any], faster: list[str]) -> Iterator[dict[str, str]]:
    found = measured(law)
    peaks = memory(law, found)
    panels[f"{law.data}: {law.variable}"] = [
        plots.Line(name, times.sizes, times.seconds) for name, times in found.items()
    ]
    for name, times in found.items():
        if times.faster():
            faster.append(f"{name} in {law.variable} ({law.data})")
        yield {
            "data": law.data,
            "grows": law.variable,
            "what": name,
            "memory": peaks[name],
            **times.cells(),
        }


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    panels: dict[str, Any] = {}
    faster: list[str] = []
    with cores(1):
        for operation in OPERATIONS.values():
            for make, *given in ((dense, 60, 3), (thin, 60, 9, 3), (many, 60, 3, 3)):
                operation(make(*given))()  # compiled and loaded
        gc.collect()
        gc.freeze()  # what is loaded need not be looked at again before each of a thousand runs
        laws = LAWS[::3] if QUICK else LAWS
        table((row for law in laws for row in rows(law, panels, faster)), COLUMNS)
    target("operations that grow faster than they must", 0, len(faster), at_most=True)
    if faster:
        print(f"Those are: {', '.join(faster)}.\n")
    plots.draw("growth", panels, x=[law.variable for law in laws], y="time")


if __name__ == "__main__":
    main()
