"""Batches on a Dask cluster: the executor that a fit, a decision or a check asks."""

from __future__ import annotations

import operator
import pickle
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rosenblatt.dask.connection import connected, reported
from rosenblatt.dask.sources import sources_of
from rosenblatt.errors import InputError, RosenblattError, users_line
from rosenblatt.lazy import cached_property
from rosenblatt.places.cluster import work
from rosenblatt.places.cluster.batches import Batches, ClusterError
from rosenblatt.places.cluster.mixing import tree
from rosenblatt.places.cluster.raw import name_of
from rosenblatt.places.cluster.shards import Shard

# Share of the workers' memory that blocks may take; if they need more, they are read every round.
MEMORY_SHARE = 0.4
# Bytes of weights up to which they are sent with each task, which is cheaper than a message.
BYTES_IN_A_MESSAGE = 2**16
# Seconds in which workers that are just starting, or starting anew, have told the scheduler.
STARTING = 3
# The most partitions whose rows are dealt into one: so many tasks are made for each.
SHARES = 16


@contextmanager
def batches_of(client: Any, *data: Any) -> Iterator[DaskBatches]:
    """Batches on a cluster, released at the end.

    Parameters
    ----------
    client : Client, str or None
        As for `connected`.
    *data : X, y, sample_weight
        As for `sources_of`.
    """
    with connected(client) as connection:
        batches = DaskBatches(connection, *data)
        try:
            yield batches
        finally:
            batches.release()


class DaskBatches(Batches):
    """Batches that the workers of a cluster hold or read.

    Parameters
    ----------
    client : Client
    *data : X, y, sample_weight
        As for `sources_of`.
    """

    def __init__(self, client: Any, *data: Any):
        self.client, self.sources = client, sources_of(*data)
        # Futures of the batches that workers keep, and of the same rows dealt out anew.
        self.kept: list[Any] | None = None
        self.dealt: list[Any] | None = None
        if not workers_of(client) and not _workers_come(client):
            warnings.warn(
                "the cluster has no workers yet: the fit waits for some, such as those of "
                f"`dask worker {client.scheduler.address}`.",
                stacklevel=users_line(),
            )

    @cached_property
    def workers(self) -> int:  # type: ignore[override]
        """How many there were when this was first asked."""
        with reported(self.client):
            return len(workers_of(self.client))

    def ask(self, function: Callable[..., Any], weights: Any = None, **how: Any) -> list[Any]:
        """``function(batch, index, weights=weights, **how)`` of every batch."""
        with reported(self.client):
            futures = self._each(function, self._here(), weights, how)
            return self._answered(futures, lambda: self.client.gather(futures))

    def combined(
        self,
        combine: Callable[[Sequence[Any]], Any],
        function: Callable[..., Any],
        weights: Any,
        **how: Any,
    ) -> Any:
        """The answers of every batch, as dealt, combined on the workers, neighbours first."""

        def together(group: list[Any]) -> Any:
            return self.client.submit(combine, group, pure=False)

        with reported(self.client):
            futures = self._each(function, self.dealt or self._here(), weights, how)
            return self._answered(futures, tree(futures, together).result)

    def has_room(self, nbytes: int) -> bool:
        """Whether the workers can keep so much between two questions."""
        limits = [worker["memory_limit"] for worker in workers_of(self.client).values()]
        return all(limit is None for limit in limits) or nbytes <= MEMORY_SHARE * sum(
            limit or float("inf") for limit in limits
        )

    def keep(self, function: Callable[..., Any], **how: Any) -> None:
        """Put ``function(batch, index, **how)`` in the place of every batch."""
        with reported(self.client):
            self.kept = self._each(function, self._here(), None, how)

    def deal(self, order: Sequence[int], seed: int) -> None:
        """Deal the rows of kept batches out anew, for `combined`.

        Each takes a share of `SHARES` batches, at even distances in that order. A share that is
        lost with its worker is made again.
        """
        assert self.kept is not None
        n = len(order)
        pieces = min(n, SHARES)
        with reported(self.client):
            dealt = self._each(work.shares, self.kept, None, {"pieces": pieces, "seed": seed})
            taken = [(order[(j + k * n // pieces) % n], k) for j in range(n) for k in range(pieces)]
            picked = self.client.map(
                operator.getitem,
                [dealt[i] for i, _ in taken],
                [k for _, k in taken],
                pure=False,
                key="share",
            )
            groups = [picked[at : at + pieces] for at in range(0, len(picked), pieces)]
            self.dealt = self.client.map(work.joined, groups, pure=False, key="dealt")

    def release(self) -> None:
        """Release the batches on the workers, even while this object is referenced."""
        for future in [*(self.kept or ()), *(self.dealt or ())]:
            future.release()
        self.kept = self.dealt = None

    def _here(self) -> list[Any]:
        """The batches as arguments of a task: shards are read in it, delayed ones before it."""
        if self.kept is not None:
            return self.kept
        if isinstance(self.sources[0], Shard):
            return self.sources
        return self.client.compute(self.sources)

    def _each(
        self, function: Callable[..., Any], batches: list[Any], weights: Any, how: dict[str, Any]
    ) -> list[Any]:
        name = how.get("question", function).__name__
        how = {**how, "weights": self._spread(weights)}
        if "args" in how and len(pickle.dumps(how["args"])) > BYTES_IN_A_MESSAGE:
            how["args"] = self._sent(how["args"])  # Dask would name all of them alike
        return self.client.map(function, batches, range(len(batches)), pure=False, key=name, **how)

    def _spread(self, weights: Any) -> Any:
        """The weights as an argument of tasks: wide ones are sent once, from worker to worker.

        As a task they are made again if their worker dies; scattered ones would be lost, and a
        broadcast waits for ever if a worker dies meanwhile.
        """
        return (
            weights
            if weights is None or weights.nbytes <= BYTES_IN_A_MESSAGE
            else self._sent(weights)
        )

    def _sent(self, value: Any) -> Any:
        """The result of a task of its own."""
        from dask.config import set as setting

        key = f"sent-{uuid.uuid4().hex}"
        with setting({"distributed.admin.large-graph-warning-threshold": sys.maxsize}):
            return self.client.submit(_itself, value, pure=False, key=key)

    def _answered(self, futures: list[Any], answer: Callable[[], Any]) -> Any:
        """The answer; Ctrl-C cancels the tasks, and an error names its batch."""
        try:
            return answer()
        except KeyboardInterrupt:
            self.client.cancel(futures)
            raise
        except Exception as error:
            failed = [i for i, future in enumerate(futures) if future.status == "error"]
            if not failed:
                raise
            raise _named(error, name_of(self.sources[failed[0]], failed[0])) from error


def _named(error: Exception, name: str) -> Exception:
    """An error of a task, which says the name of the batch."""
    from distributed import KilledWorker

    if isinstance(error, RosenblattError):
        return error
    if isinstance(error, KilledWorker):
        return ClusterError(
            f"{name}: the workers that tried it died, the last on {error.last_worker}. Most often "
            "it did not fit into their memory: make the partitions smaller, or give the workers "
            "more."
        )
    return InputError(f"{name}: it could not be computed ({type(error).__name__}: {error})")


def _itself(value: Any) -> Any:
    return value


def _workers_come(client: Any) -> bool:
    """Whether there is a worker in a moment: one that was ended may be starting anew."""
    try:
        client.wait_for_workers(1, timeout=STARTING)
    except TimeoutError:
        return False
    return True


def workers_of(client: Any) -> dict[str, Any]:
    """The workers by address."""
    return client.scheduler_info(n_workers=-1)["workers"]
