"""A CSR pass against a hand-written C loop of the same memory traffic, where gcc is present."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from harness import heading, race, ratio, table
from one_pass import rows_of
from rosenblatt.learn import UNLIMITED, CompiledSweep, zero_state
from rosenblatt.points import Points, make_points
from rosenblatt.rules import Perceptron

FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")
VALUES = {"csr64": "double", "csr32": "float"}


def compiled_loop(kind: str, folder: str) -> Any:
    """The C loop for that type of entry."""
    library = Path(folder) / f"{kind}.so"
    source = str(Path(__file__).with_suffix(".c"))
    subprocess.run(
        ["gcc", *FLAGS, f"-DVALUE={VALUES[kind]}", source, "-o", str(library)], check=True
    )
    loop = ctypes.CDLL(str(library)).csr_pass
    loop.restype = ctypes.c_int64
    return loop


def by_hand(loop: Any, points: Points) -> tuple[Callable[[], int], np.ndarray]:
    state, rows = zero_state(points), points.rows
    arrays = (rows.data, rows.indices, rows.indptr, points.y, points.steps)
    arrays += (state.weights, state.dual, state.late, state.clock)
    sizes = (ctypes.c_int64(len(points.y)), ctypes.c_int64(rows.width))
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
    return lambda: loop(*sizes, *pointers), state.weights


def ours(points: Points) -> tuple[Callable[[], int], np.ndarray]:
    state, everyone = zero_state(points), np.arange(len(points.y))
    sweep = CompiledSweep(points, Perceptron(), state, everyone, UNLIMITED)
    return lambda: sweep.look(everyone), state.weights


def row(kind: str) -> dict[str, str]:
    X, y = rows_of(kind)
    points = make_points(X, y)
    with tempfile.TemporaryDirectory() as folder:
        passes = {"rosenblatt": ours(points), "C": by_hand(compiled_loop(kind, folder), points)}
        times = race({name: look for name, (look, _) in passes.items()}, repeats=15)
    np.testing.assert_allclose(passes["rosenblatt"][1], passes["C"][1], rtol=1e-6, atol=1e-6)
    return {
        "rows": kind,
        "rosenblatt": str(times["rosenblatt"]),
        "C": str(times["C"]),
        "rosenblatt / C": f"{1 / ratio(times, 'rosenblatt', 'C'):.2f}",
    }


def main() -> None:
    heading("A CSR pass against C")
    if shutil.which("gcc") is None:
        table([{"rows": kind, "C": "absent: no gcc"} for kind in VALUES])
        return
    table([row(kind) for kind in VALUES])


if __name__ == "__main__":
    main()
