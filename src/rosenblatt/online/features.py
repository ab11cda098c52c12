"""Features by name, as columns: dicts, arrays and sparse rows read into one layout."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.online.checks import check, entries, plain, refusal

BIAS = 0  # The first column; features follow in the order in which they appeared.
DOUBLE = 8
NOT_NUMBERS = (struct.error, OverflowError)


class FeatureTable:
    """The names met so far, and the column of each.

    Parameters
    ----------
    bias : float
        The bias coordinate of every example, 1 or 0.

    Examples
    --------
    >>> features = FeatureTable(1.0)
    >>> features.read({"a": 3, "b": 4}, join=True)[1].tolist()
    [1.0, 3.0, 4.0]
    >>> where, row = features.read({"b": 5, "c": 6})
    >>> where.tolist(), row.tolist()
    ([0, 2], [1.0, 5.0])
    """

    def __init__(self, bias: float):
        self.bias = bias
        self.names: list[Any] = []
        self.columns: dict[Any, int] = {}
        self.positional = True  # whether the names are 0, 1, 2, … as an array's
        self.buffer = bytearray(DOUBLE)
        self._link()

    def _link(self) -> None:
        self.row = np.frombuffer(self.buffer)[: len(self.names) + 1]
        self.row[BIAS] = self.bias
        self.pack = struct.Struct(f"{len(self.names)}d").pack_into

    def join(self, names: Iterable[Any]) -> list[int]:
        """The columns of those features; new ones are given one."""
        names = list(names)
        for name in names:
            if name not in self.columns:
                self.positional &= isinstance(name, int) and name == len(self.names)
                self.names.append(plain(name))
                self.columns[name] = len(self.names)
        if DOUBLE * len(self.names) >= len(self.buffer):
            self.buffer = bytearray(2 * DOUBLE * (len(self.names) + 1))
        self._link()
        return [self.columns[name] for name in names]

    def read(self, x: Any, join: bool = False) -> tuple[Any, np.ndarray]:
        """The columns of an example, the bias first, and its values there until the next call.

        Names not met before join the features, or are left out. A dict of all features in the
        order of their columns is packed into a buffer, the fastest way from a dict to doubles.
        """
        if type(x) is dict and list(x) == self.names:
            try:
                self.pack(self.buffer, DOUBLE, *x.values())
            except NOT_NUMBERS:
                raise refusal(x) from None
            return slice(0, len(x) + 1), self.row
        x = entries(x)
        if isinstance(x, np.ndarray):
            if self.positional and len(x) <= len(self.names):
                row = self.row[: len(x) + 1]
                row[1:] = x
                return slice(0, len(row)), row
            x = dict(enumerate(x.tolist()))
        known = self.columns
        if not join:
            x = {name: value for name, value in x.items() if name in known}
        try:
            row = np.frombuffer(struct.pack(f"{len(x) + 1}d", self.bias, *x.values()))
        except NOT_NUMBERS:
            raise refusal(x) from None
        if join and not all(map(known.__contains__, x)):
            check(x, row)
            self.join(x)
        return np.array([BIAS, *map(known.__getitem__, x)]), row
