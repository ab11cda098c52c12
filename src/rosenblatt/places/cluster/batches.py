"""Batches of labelled rows, and the executor that runs functions on each where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from rosenblatt.errors import RosenblattError
from rosenblatt.places.cluster.mixing import tree

# Given function(batch, index), its answers for all batches, in their order.
Each = Callable[[Callable[[Any, int], Any]], Iterable[Any]]


class ClusterError(RosenblattError):
    """The cluster failed, not the data: the message says what is left, and how to go on.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> issubclass(ClusterError, rb.RosenblattError), issubclass(ClusterError, ValueError)
    (True, False)
    """


class Batches:
    """Batches that an executor can reach.

    Parameters
    ----------
    each : callable
        The executor: given ``function(batch, index)``, it returns the answers for all batches, in
        their order. Functions and answers are small and can be pickled.

    Examples
    --------
    >>> batches = Batches(lambda function: map(function, ["ab", "c"], range(2)))
    >>> batches.ask(lambda batch, index, weights: (index, len(batch) * weights), 10)
    [(0, 20), (1, 10)]
    """

    # How many workers hold weights of their own.
    workers = 1

    def __init__(self, each: Each):
        self._each = each

    def ask(self, function: Callable[..., Any], weights: Any = None, **how: Any) -> list[Any]:
        """``function(batch, index, weights=weights, **how)`` of every batch."""
        return list(self._each(partial(function, weights=weights, **how)))

    def combined(
        self,
        combine: Callable[[Sequence[Any]], Any],
        function: Callable[..., Any],
        weights: Any,
        **how: Any,
    ) -> Any:
        """The answers of every batch, as dealt, combined to one, neighbours first (`tree`)."""
        return tree(self.ask(function, weights, **how), combine)

    def has_room(self, nbytes: int) -> bool:
        """Whether the workers can keep so much between two questions; an executor keeps nothing."""
        return False

    def keep(self, function: Callable[..., Any], **how: Any) -> None:
        """Put ``function(batch, index, **how)`` in the place of every batch."""
        raise NotImplementedError

    def deal(self, order: Sequence[int], seed: int) -> None:
        """Deal the rows of kept batches out anew, for `combined`."""
        raise NotImplementedError
