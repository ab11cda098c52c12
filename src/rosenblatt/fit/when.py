"""When to search for a proof: ski rental, in entries read.

A search may cost what the passes have cost so far, or ``constants.FLOOR`` where that is more; and
again when the passes have cost twice that. So proof and passes together cost a small multiple of
the cheaper of the two, whichever that turns out to be. Costs are counted in entries read, never in
seconds, so that a fit can be repeated. `benchmarks/ablation.py` tells what the constant changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop
from rosenblatt.fit import constants
from rosenblatt.places.place import Place
from rosenblatt.solve.effort import PER_SECOND, look_units
from rosenblatt.solve.prices import likely_cost


class SkiRental:
    """Says after each pass whether to search for a proof, and at what cost.

    Parameters
    ----------
    certify : {"auto", True, False}
        Search where it costs no more than the passes; at the first mistake, at any cost; or never.
    place : Place
        The rows.
    patience : int, optional
        Passes without fewer mistakes than ever before after which a run ends undecided; None for a
        run that makes all its passes.
    after : int
        Passes with mistakes before a proof that was asked for is searched for.
    earlier : sequence of Pass
        Of a run that goes on: searches after these have failed, or it would not.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> rb.Perceptron().fit(X, y == 2).stop_, rb.Perceptron(certify=False).fit(X, y == 2).stop_
    (Stop.INSEPARABLE, Stop.PASSES)
    """

    def __init__(
        self,
        certify: Any,
        place: Place,
        patience: int | None,
        after: int = 1,
        earlier: Sequence[Pass] = (),
    ):
        self.certify, self.place = certify, place
        self.patience = math.inf if patience is None else patience
        self.left = after
        self.fewest, self.stale = math.inf, 0
        self.failed = 0.0
        for made in earlier:
            self.budget(made)

    def budget(self, made: Pass) -> float:
        """What a search may cost after a pass; 0 while none is due.

        The first is due where mistakes no longer fall, or where the passes have cost as much.
        """
        self.stale = self.stale + 1 if made.mistakes >= self.fewest else 0
        self.fewest = min(self.fewest, made.mistakes)
        if self.certify != "auto":
            self.left -= 1
            return math.inf if self.certify and self.left <= 0 else 0.0
        spent, due = self.cost(made.looks), max(constants.FLOOR, 2 * self.failed)
        if spent < due and (self.failed or not self.stale):
            return 0.0
        self.failed = max(spent, due)
        return self.failed

    def cost(self, looks: int) -> float:
        """Entries that so many looks have read."""
        size = self.place.size
        return look_units(looks, size.entries_a_row, max(1, size.vectors))

    @property
    def seconds(self) -> float:
        """Estimated seconds of a proof that was not found: an order of magnitude."""
        size = self.place.size
        given = size.rows, size.columns, size.entries_a_row, max(2, size.vectors)
        return likely_cost(*given, spent=self.failed) / PER_SECOND

    @property
    def hopeless(self) -> Stop | None:
        """A reason to end: mistakes no longer fall, and a proof is dearer than the passes."""
        return Stop.COSTLY if self.failed and self.stale >= self.patience else None
