"""Room for titles, legends and notes around axes. Imports matplotlib: to be imported late."""

from __future__ import annotations

from typing import Any

from matplotlib.layout_engine import ConstrainedLayoutEngine


class SettledLayout(ConstrainedLayoutEngine):
    """matplotlib's constrained layout, carried out twice before the first picture.

    It takes the room beside axes of one scale, which do not fill their place, for room that their
    titles may have. What is left of it at the second time is what there is.
    """

    settled = False

    def execute(self, fig: Any) -> None:
        """Place the axes of a figure."""
        if not self.settled:
            super().execute(fig)
            self.settled = True
        super().execute(fig)
