"""What the progress bars of fits show."""

from __future__ import annotations

from typing import Any

from rosenblatt.cli.streams import StreamFeatures
from rosenblatt.text import plural


class Bytes:
    """What the bar of a streamed fit shows: how much of the file is read, and what came of it."""

    def __init__(self, made: StreamFeatures):
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
        kept = f", {plural(seen.kept, 'row')} kept{' (no room for more)' if seen.full else ''}"
        return (
            f"pass {seen.passes + 1:,}: {self.made.position / 1e6:,.0f}{of} MB read, "
            f"{plural(seen.mistakes, 'mistake')} in {plural(seen.looks, 'look')}"
            f"{kept if seen.kept else ''}"
        ), self.fraction()


class Passes:
    """What the bar of a fit shows: how many passes it has made."""

    def __init__(self, most: int):
        self.count, self.most = 0, most

    def see(self, _: Any) -> None:
        """Take note of a pass."""
        self.count += 1

    def words(self) -> tuple[str, float | None]:
        """What is going on; of a budget of passes no fraction is known, as most runs end early.

        A pass is named once there is something to keep, should the fit be interrupted.
        """
        if not self.count:
            return "fitting", None
        return f"fitting: pass {self.count + 1:,} of at most {self.most:,}", None
