"""Batches of labelled rows, and the executor that runs functions on each where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.places.cluster.mixing import tree

# Given function(batch, index), its answers for all batches, in any order.
Each = Callable[[Callable[[Any, int], Any]], Iterable[Any]]


class ClusterError(RosenblattError):
    """The cluster failed, not the data: the message says what is left, and how to go on.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> issubclass(ClusterError, rb.RosenblattError), issubclass(ClusterError, ValueError)
    (True, False)
    """


def _numbered(batch: Any, index: int, function: Callable[[Any, int], Any]) -> tuple[int, Any]:
    """The answer with the number of its batch, by which a lost one is noticed."""
    return index, function(batch, index)


class Batches:
    """Batches that an executor can reach.

    Parameters
    ----------
    each : callable
        The executor: given ``function(batch, index)``, it returns the answers for all batches, in
        any order. Functions and answers are small and can be pickled.

    Examples
    --------
    >>> batches = Batches(lambda function: map(function, ["ab", "c"], range(2)))
    >>> batches.ask(lambda batch, index, weights: (index, len(batch) * weights), 10)
    [(0, 20), (1, 10)]
    """

    # How many workers hold weights of their own.
    workers = 1

    def __init__(self, each: Each):
        if not callable(each):
            raise InputError(
                "the executor must be a function that runs another on every batch, such as "
                "lambda function: map(function, batches, range(len(batches))); "
                f"got a {type(each).__name__}."
            )
        self._each = each
        self._count: int | None = None

    def ask(self, function: Callable[..., Any], weights: Any = None, **how: Any) -> list[Any]:
        """``function(batch, index, weights=weights, **how)`` of every batch, in their order."""
        asked = partial(_numbered, function=partial(function, weights=weights, **how))
        found = self._each(asked)
        if not isinstance(found, Iterable):
            raise InputError(
                f"the executor must return the answers of all batches, got a {type(found).__name__}"
            )
        numbered = list(found)
        odd = [type(one).__name__ for one in numbered if not isinstance(one, tuple)]
        if odd:
            raise InputError(
                f"the executor must return what the function returned, got a {odd[0]}: wait for "
                "results first"
            )
        answers = dict(numbered)
        count = len(numbered) if self._count is None else self._count
        if len(numbered) != count or answers.keys() != set(range(count)):
            raise ClusterError(
                f"the executor must answer once for each batch, numbered from 0 to {count - 1} in "
                f"every round; got answers for {sorted(index for index, _ in numbered)}."
            )
        self._count = count
        return [answers[index] for index in range(count)]

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
