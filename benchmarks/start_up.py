"""Import, and a second process's first fit: what a user waits for before anything happens."""

from __future__ import annotations

import subprocess
import sys

from harness import heading, race, show, table

FIT = "import numpy as np, rosenblatt as rb; rb.Perceptron().fit(np.eye(4), [0, 1, 0, 1])"


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    heading("Start-up")
    times = race(
        {
            "python": lambda: run("pass"),
            "import numpy": lambda: run("import numpy"),
            "import rosenblatt": lambda: run("import rosenblatt"),
            "import sklearn.linear_model": lambda: run("import sklearn.linear_model"),
            "first fit of a process": lambda: run(FIT),
        },
        repeats=7,
    )
    table([{"what": name, "wall clock": str(t)} for name, t in times.items()])
    extra = times["import rosenblatt"].median - times["import numpy"].median
    print(f"\nimport rosenblatt − import numpy: {show(max(extra, 0.0))}.")


if __name__ == "__main__":
    main()
