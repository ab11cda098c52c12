"""Connections to a cluster: any ``distributed.Client``, or a temporary local cluster."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.places.cluster.batches import ClusterError

# Seconds that a scheduler may take to answer.
PATIENCE = 10
# Workers ignore Ctrl-C, which a terminal sends to them as well: it is for this process to handle.
UNDISTURBED = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
# distributed says "cancelled" in a class of its own, in asyncio's and in that of futures.
CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)


@contextmanager
def connected(client: Any = None, workers: int | None = None) -> Iterator[Any]:
    """A client to work with; one that was started here is closed here.

    Parameters
    ----------
    client : Client, str or None
        A client, the address of a scheduler, or None: the current client where there is one,
        else a local cluster of one process for each core.
    workers : int, optional
        Processes of the local cluster.

    Examples
    --------
    >>> with connected("nowhere") as client:
    ...     pass
    Traceback (most recent call last):
    rosenblatt.errors.InputError: 'nowhere' is no address of a scheduler, ...
    """
    from distributed import Client, default_client

    if client is None and workers is None:
        try:
            client = default_client()
        except ValueError:
            client = None
    if isinstance(client, Client):
        yield client
    elif client is None:
        with _local(_cores() if workers is None else workers) as started:
            yield started
    else:
        with _remote(client) as started:
            yield started


@contextmanager
def _local(workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}.")
    how: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
    how["preload"] = [UNDISTURBED]
    with (
        # Failures are raised as errors; the log would only repeat them.
        LocalCluster(n_workers=workers, silence_logs=logging.CRITICAL, **how) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def _remote(address: Any) -> Iterator[Any]:
    from distributed import Client

    if not isinstance(address, str) or ":" not in address:
        raise InputError(
            f"{address!r} is no address of a scheduler, such as 'tcp://10.0.0.1:8786'; give that, "
            "a distributed.Client, or nothing for a local cluster."
        )
    _knock(address)
    with Client(address, timeout=f"{PATIENCE}s", set_as_default=False) as client:
        yield client


def _knock(address: str) -> None:
    """Refuse an address where no scheduler answers, before a client is left half initialised."""
    from distributed import Security
    from distributed.comm.core import connect

    async def knock() -> None:
        secure = Security().get_connection_args("client")
        (await connect(address, timeout=PATIENCE, **secure)).abort()

    try:
        # In a thread of its own, for a notebook has a loop running already.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, knock()).result()
    except Exception as error:  # whatever else listens there may answer anything
        raise ClusterError(
            f"{address}: no scheduler answers there ({type(error).__name__}: {error}). Start one "
            "with `dask scheduler`, or check the address."
        ) from None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def reported(client: Any) -> Iterator[None]:
    """Failures of the cluster as `ClusterError`; errors about the data pass through."""
    from distributed.comm.core import CommClosedError

    try:
        yield
    except RosenblattError:
        raise
    except (CommClosedError, *CANCELLED, TimeoutError, OSError) as error:
        where = getattr(getattr(client, "scheduler", None), "address", None) or "the scheduler"
        if client.status != "running" or isinstance(error, (CommClosedError, *CANCELLED)):
            raise ClusterError(
                f"{where}: the connection to the scheduler was lost "
                f"({type(error).__name__}: {error})."
            ) from None
        raise
