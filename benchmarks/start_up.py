"""What a user waits for before anything happens: imports, the command line, the first fit of a
process. Each is a process of its own, timed from outside. Machine code is compiled once per machine
and kept; the first fit ever, with nothing kept, is apart, timed once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from harness import QUICK, cell, heading, race, ratio, show, table, target

QUESTION = "Start: imports, the command line, a first fit"

FIT = "import numpy as np, rosenblatt as rb; rb.Perceptron().fit(np.eye(4), [0, 1, 0, 1])"
THEIRS = (
    "import numpy as np, sklearn.linear_model as m; m.Perceptron().fit(np.eye(4), [0, 1, 0, 1])"
)


def python(*words: str, codes: tuple[int, ...] = (), **more: str) -> Callable[[], None]:
    # An installed package has its bytecode; a checkout makes it at the first run, if it may.
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        command = [sys.executable, *words]
        done = subprocess.run(command, capture_output=True, env=kept | more)
        if done.returncode not in (0, *codes):  # decide answers by its code
            raise SystemExit(done.stderr.decode())

    return run


def main() -> None:
    heading(QUESTION)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "iris.csv")
        write_iris(table)
        _measure(table)


def write_iris(path: str) -> None:
    """Fisher's irises as a table with the names of the species."""
    from sklearn.datasets import load_iris

    bunch = load_iris()
    with open(path, "w") as file:
        file.write("a,b,c,d,species\n")
        for row, code in zip(bunch.data.tolist(), bunch.target, strict=True):
            file.write(",".join([*map(str, row), bunch.target_names[code]]) + "\n")


def _measure(path: str) -> None:
    contestants = {
        "python, nothing": python("-c", "pass"),
        "import numpy": python("-c", "import numpy"),
        "import rosenblatt": python("-c", "import rosenblatt"),
        "import sklearn.linear_model": python("-c", "import sklearn.linear_model"),
        "`rosenblatt --version`": python("-m", "rosenblatt", "--version"),
        "`rosenblatt --help`": python("-m", "rosenblatt", "--help"),
        "`rosenblatt fit iris`": python("-m", "rosenblatt", "fit", "iris", "--positive", "0"),
        "`rosenblatt fit iris.csv`": python("-m", "rosenblatt", "fit", path),
        "`rosenblatt decide iris.csv`": python("-m", "rosenblatt", "decide", path, codes=(1,)),
        "first fit of a process": python("-c", FIT),
        "first fit of a process, scikit-learn": python("-c", THEIRS),
    }
    if QUICK:  # those that take no second
        contestants = {name: contestants[name] for name in list(contestants)[:3]}
    times = race(contestants)
    table({"what": name, "wall clock": cell(times, name)} for name in contestants)
    more = times["import rosenblatt"].median - times["python, nothing"].median
    print(f"`import rosenblatt` adds {show(max(more, 1e-9))} to Python's own start.\n")
    least = times["import numpy"].median / times["import rosenblatt"].median
    target("import numpy over import rosenblatt", 1, least)
    if QUICK:
        return
    for command, seconds in (("`rosenblatt --version`", 0.2), ("`rosenblatt fit iris`", 2.0)):
        target(f"{command}, seconds", seconds, times[command].median, at_most=True)
    first = "first fit of a process"
    target(f"{first}, × scikit-learn", 1, ratio(times, first, f"{first}, scikit-learn"))
    cold()


def cold() -> None:
    """The first fit ever on a machine: every kernel is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        python("-c", FIT, NUMBA_CACHE_DIR=folder)()
        print(f"The first fit ever, compiling: {show(time.perf_counter() - began)} (1 run).\n")


if __name__ == "__main__":
    main()
