"""What the progress bars of fits show."""

from __future__ import annotations

import sys
from typing import Any

from rosenblatt.cli.streams import Features


class Bytes:
    """What the bar of a streamed fit shows: how much of the file is read, and what came of it."""

    def __init__(self, made: Features):
        self.made, self.seen = made, None

    def see(self, progress: Any) -> None:
        """Take note."""
        self.seen = progress

    def fraction(self) -> float | None:
        """How much of the file is read in this pass."""
        return self.made.position / self.made.size if self.made.size else None

    def words(self) -> tuple[str, float | None]:
        """What is going on, and how far this pass is."""
        seen, size = self.seen, self.made.size
        if seen is None:
            return "reading", self.fraction()
        of = f" of {size / 1e6:,.0f}" if size else ""
        kept = f", {seen.kept:,} rows kept{' (no room for more)' if seen.full else ''}"
        return (
            f"pass {seen.passes + 1:,}: {self.made.position / 1e6:,.0f}{of} MB read, "
            f"{seen.mistakes:,} mistakes in {seen.looks:,} looks{kept if seen.kept else ''}"
        ), self.fraction()


class Passes:
    """A callback of scikit-learn's that counts the passes of a fit for the progress bar."""

    def __init__(self, model: Any):
        self.count, self.model = -1, model
        if sys.stderr.isatty() and hasattr(model, "set_callbacks"):
            model.set_callbacks(self)

    def words(self) -> tuple[str, float | None]:
        """What is going on; of a budget of passes no fraction is known, as most runs end early."""
        return f"fitting: pass {self.count + 1:,} of at most {self.model.max_iter:,}", None

    def forget(self) -> None:
        """Leave the model as it would be without."""
        if hasattr(self.model, "set_callbacks"):
            self.model.set_callbacks()

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to clear away."""

    def on_fit_task_begin(self, estimator: Any, context: Any, **_: Any) -> None:
        """A pass begins; the first task is the fit itself."""
        self.count += 1

    def on_fit_task_end(self, estimator: Any, context: Any, **_: Any) -> bool:
        """Go on."""
        return False
