"""Shared set-up: reproducible hypothesis runs, and no machine code older than its source."""

from __future__ import annotations

import os
import pathlib

import hypothesis

SOURCE = pathlib.Path(__file__).parents[1] / "src" / "rosenblatt"

hypothesis.settings.register_profile(
    "default",
    deadline=None,  # the first example of a test may have to compile
    max_examples=int(os.environ.get("ROSENBLATT_EXAMPLES", "100")),
    derandomize=True,
)
hypothesis.settings.load_profile("default")


def pytest_configure() -> None:
    """Drop compiled kernels that are older than a source file.

    numba looks only at the file of the kernel itself, not at those whose code it inlines.
    """
    newest = max(path.stat().st_mtime for path in SOURCE.rglob("*.py"))
    for cached in SOURCE.rglob("*.nb?"):
        if cached.stat().st_mtime < newest:
            cached.unlink(missing_ok=True)
