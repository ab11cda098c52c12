"""A queue for a few places, in which everyone knows how many are ahead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Queue:
    """First come, first served.

    Parameters
    ----------
    places : int
        How many are served at once.

    Examples
    --------
    >>> async def visit(queue, name, seen):
    ...     async def waiting(place):
    ...         seen.append(f"{name} is number {place}")
    ...     async with queue.place(waiting):
    ...         seen.append(f"{name} is served")
    ...         await asyncio.sleep(0.01)
    >>> async def three():
    ...     queue, seen = Queue(1), []
    ...     await asyncio.gather(*(visit(queue, name, seen) for name in "abc"))
    ...     return seen
    >>> for line in asyncio.run(three()):
    ...     print(line)
    a is served
    b is number 1
    c is number 2
    b is served
    c is number 1
    c is served
    """

    def __init__(self, places: int):
        self.free = places
        self.waiting: list[object] = []
        self._moved = asyncio.Event()

    @asynccontextmanager
    async def place(self, waiting: Callable[[int], Awaitable[None]]) -> AsyncIterator[None]:
        """A place, once it is one's turn; ``waiting`` is told one's number when it changes."""
        me = object()
        self.waiting.append(me)
        try:
            await self._turn(me, waiting)
            self.free -= 1
        finally:
            self.waiting.remove(me)
            self._move()
        try:
            yield
        finally:
            self.free += 1
            self._move()

    async def _turn(self, me: object, waiting: Callable[[int], Awaitable[None]]) -> None:
        told = None
        while True:
            moved, ahead = self._moved, self.waiting.index(me)
            if ahead < self.free:
                return
            if ahead != told:
                told = ahead
                await waiting(ahead + 1)
            else:
                await moved.wait()

    def _move(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()
