"""Timing that noise cannot bend much: warm-up, interleaved repeats, medians and spread, ratios.

What a script needs to ask its question: `race` and `ratio`, `table` and `target`, `cores` for the
number of cores, `Elsewhere` for a process of its own (written in `elsewhere`), `read_bandwidth` for
the memory's own speed. Data is in `problems`, other libraries are in `peers`, pictures in `plots`.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from elsewhere import Elsewhere, clocked
from machine import ABSENT, core_count, machine, version

__all__ = [
    "ABSENT",
    "DATA",
    "LIMIT",
    "QUICK",
    "REPEATS",
    "REST",
    "Elsewhere",
    "Timing",
    "cell",
    "clocked",
    "core_count",
    "cores",
    "factor",
    "gaussian",
    "geometric_mean",
    "growth",
    "heading",
    "interrupted_after",
    "machine",
    "per_pass",
    "race",
    "ratio",
    "read_bandwidth",
    "reader_of",
    "show",
    "table",
    "target",
    "timed",
    "version",
]

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[2] / "shared" / "data"))
QUICK = os.environ.get("QUICK", "") not in ("", "0")
REPEATS = 3 if QUICK else 5
# What all turns of one contestant may take before there are fewer of them.
LIMIT = 0.3 if QUICK else 10.0
# Seconds of a turn.
TURN = 0.01
# Seconds between the turns of those that use all cores: an idle thread of OpenBLAS spins for 2^28
# ticks of the processor's clock, 0.1 s at 2.6 GHz, and whoever comes before has a core less.
REST = 0.15


class Timing(NamedTuple):
    """Seconds of one contestant: of its turns, and what the untimed turn returned."""

    median: float
    fastest: float
    slowest: float
    result: Any
    seconds: tuple[float, ...] = ()

    @property
    def runs(self) -> int:
        """How many turns were timed."""
        return len(self.seconds)

    @classmethod
    def of(cls, seconds: Sequence[float], result: Any = None) -> Timing:
        """The timing that those turns make."""
        return cls(statistics.median(seconds), min(seconds), max(seconds), result, tuple(seconds))

    def __str__(self) -> str:
        if math.isnan(self.median):
            return ABSENT
        size, unit = unit_of(self.median)
        low, high = (f"{bound / size:.3g}" for bound in (self.fastest, self.slowest))
        few = "" if self.runs >= REPEATS else f" ({self.runs} run{'s' * (self.runs > 1)})"
        return f"{self.median / size:.3g} {unit} [{low}, {high}]{few}"


def unit_of(seconds: float) -> tuple[float, str]:
    """The unit in which so many seconds are read easily: its length and its name."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return size, unit
    return 1e-9, "ns"


def show(seconds: float) -> str:
    """Seconds in a readable unit; of a contestant that is not there, that."""
    if math.isnan(seconds):
        return ABSENT
    size, unit = unit_of(seconds)
    return f"{seconds / size:.3g} {unit}"


def race(
    contestants: dict[str, Callable[[], Any] | Elsewhere | None],
    repeats: int = 5,
    limit: float = LIMIT,
    slow: Collection[str] = (),
    rest: float = 0.0,
) -> dict[str, Timing]:
    """Time each contestant, turn by turn, after one untimed turn each.

    A turn is one run, or as many as take TURN seconds, after one that is not timed: what takes
    less than that would be measured by how much of it others have pushed out of the caches.
    A contestant that is None is absent, and has no timing. One whose turns would take longer than
    ``limit`` seconds in all has fewer of them. One of ``slow`` whose first turn alone does has no
    other: that one is then its time (of what compiles, it would not be). Those that use all cores
    need a ``rest`` before each turn, of REST seconds where one of them uses BLAS.
    """
    there = {name: run for name, run in contestants.items() if run is not None}
    firsts = {name: timed(run) for name, run in there.items()}
    results = {name: result for name, (_, result) in firsts.items()}
    seconds = {
        name: [spent] if spent > limit and name in slow else []
        for name, (spent, _) in firsts.items()
    }
    gc.collect()
    gc.freeze()  # what is there now need not be looked at again before each turn
    for _ in range(3 if QUICK else repeats):
        for name, run in there.items():
            spent = seconds[name]
            if not spent or sum(spent) + spent[-1] <= limit:
                time.sleep(rest)
                spent.append(turn(run, firsts[name][0]))
    gc.unfreeze()
    return {name: Timing.of(seconds[name], results[name]) for name in there}


def turn(run: Callable[[], Any] | Elsewhere, likely: float) -> float:
    """The seconds of a run in one turn."""
    if isinstance(run, Elsewhere) or likely >= TURN:
        return timed(run)[0]
    once = timed(run)[0]
    count = math.ceil(TURN / max(once, TURN / 1000))
    return timed(lambda: [run() for _ in range(count)][-1])[0] / count


def timed(run: Callable[[], Any] | Elsewhere) -> tuple[float, Any]:
    """The seconds of one turn, and what it returned."""
    return run.turn() if isinstance(run, Elsewhere) else clocked(run)


def interrupted_after(seconds: float, run: Callable[[], Any]) -> Any:
    """What a call returns when Ctrl-C is pressed after so many processor seconds, or None."""
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return run()
    except KeyboardInterrupt:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGINT, earlier)


def per_pass(times: dict[str, Timing], short: str, long: str, passes: int) -> Timing:
    """One pass: two fits of the same turn differ by so many passes, so that set-up cancels."""
    if short not in times or long not in times:
        return Timing(math.nan, math.nan, math.nan, None)
    pairs = zip(times[short].seconds, times[long].seconds, strict=False)
    return Timing.of([max(more - less, 1e-12) / passes for less, more in pairs])


def ratio(times: dict[str, Timing], ours: str, theirs: str) -> float:
    """How many times faster ours is, median against median; NaN where one of them is absent."""
    if ours not in times or theirs not in times:
        return math.nan
    return times[theirs].median / times[ours].median


def cell(times: dict[str, Timing], name: str) -> str:
    """A contestant's median and spread, as a table shows it."""
    return str(times[name]) if name in times else ABSENT


def factor(value: float) -> str:
    """A ratio, as a table shows it."""
    if math.isnan(value):
        return ABSENT
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios that treats twice as fast and half as fast alike; NaN of none."""
    known = [value for value in ratios if not math.isnan(value)]
    return math.exp(statistics.fmean(map(math.log, known))) if known else math.nan


def growth(sizes: Sequence[float], times: Sequence[Timing | float]) -> Any:
    """The power law of medians over sizes: `rosenblatt.cost.Growth`."""
    from rosenblatt.cost import growth_exponent

    medians = [time.median if isinstance(time, Timing) else time for time in times]
    return growth_exponent(sizes, medians)


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Run on so many cores: pools of threads that large, this thread on those cores only.

    Pools that exist already keep their threads; what must start on one core runs `Elsewhere`.
    """
    from threadpoolctl import threadpool_limits

    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    with threadpool_limits(count):
        if allowed:
            os.sched_setaffinity(0, allowed[:count])
        try:
            yield
        finally:
            if allowed:
                os.sched_setaffinity(0, allowed)


def reader_of(nbytes: int) -> Callable[[], Any]:
    """A contestant that only reads so many bytes, as fast as one core's BLAS does."""
    block = np.ones(max(1, nbytes // 8))
    return lambda: float(block @ block)


def read_bandwidth(nbytes: int = 2**27) -> float:
    """Bytes a second that one core reads from memory, from an array larger than cache."""
    with cores(1):
        return nbytes / race({"read": reader_of(nbytes)}, repeats=9)["read"].median


def gaussian(n: int, d: int, margin: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian cloud pushed away from a random hyperplane through the origin."""
    from rosenblatt.datasets import gaussian as cloud

    data = cloud(n, d, margin, seed=seed)
    return data.X, data.y


def heading(question: str) -> None:
    """Print the question, how it is asked (the script's docstring), and, alone, on what machine."""
    script = sys.modules["__main__"]
    print(f"\n## {question}\n")
    print(f"`python benchmarks/{Path(getattr(script, '__file__', None) or '-').name}`\n")
    if script.__doc__:
        print(script.__doc__.strip() + "\n")
    if "BENCH_RUN" not in os.environ:
        print("\n".join(machine()) + "\n")
    sys.stdout.flush()


def table(rows: Iterable[dict[str, str]], columns: Sequence[str] = ()) -> None:
    """Print rows as a Markdown table; with ``columns`` given, each row as soon as it is known."""
    if not columns:
        rows = list(rows)
        columns = list(dict.fromkeys(name for row in rows for name in row))
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(row.get(name, "") for name in columns) + " |", flush=True)
    print(flush=True)


# The share of what was shown to be possible that is asked where less is possible than was asked.
NEARLY = 0.9


def target(
    what: str,
    asked: float,
    got: float,
    *,
    at_most: bool = False,
    possible: float = math.nan,
    by: str = "",
) -> None:
    """Print what was asked, what was measured, and whether that is met.

    Where something that does nothing but the work was measured beside it, no more is asked than
    nearly what was ``possible``, and the line says ``by`` what. The runner collects these lines,
    all of which start alike, at the head of the results.
    """
    sign, limit = "≤" if at_most else "≥", ""
    least = asked
    if at_most and possible / NEARLY > asked:
        least = possible / NEARLY
        limit = f", or {1 / NEARLY:.0%} of the {possible:.3g} taken by {by} in the same run"
    elif not at_most and possible * NEARLY < asked:
        least = possible * NEARLY
        limit = f", or {NEARLY:.0%} of the {possible:.3g} reached by {by} in the same run"
    if math.isnan(got):
        outcome = "not measured (a peer or data is absent)"
    else:
        met = got <= least if at_most else got >= least
        outcome = f"measured {got:.3g}: {'met' if met else 'NOT met'}"
    print(f"Asked: {what} {sign} {asked:g}{limit}; {outcome}.\n", flush=True)
