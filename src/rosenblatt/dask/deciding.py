"""`decide` over many machines: the one procedure, its rows elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.data.positive import positive_code
from rosenblatt.places.cluster.cluster import connected
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.place import Cluster
from rosenblatt.solve.decision import Clock, Decision, decide_in
from rosenblatt.solve.search import SearchRound


def decide(
    X: Any,
    y: Any = None,
    *,
    client: Any = None,
    fit_intercept: bool = True,
    positive: Any = None,
    persist: Any = "auto",
    time_limit: float | None = None,
    progress: Callable[[SearchRound], None] | None = None,
) -> Decision:
    """Decide whether the classes are linearly separable, and prove it.

    Some rounds of mixing settle the easy cases. Then, round after round, the workers look at all
    points and send the most violated, and `rosenblatt.decide`'s own search solves the small
    problem here. Its certificates name rows by their number through all partitions, and
    `rosenblatt.dask.verify` checks them where the data is.

    Parameters
    ----------
    X, y
        As for `rosenblatt.dask.Perceptron.fit`.
    client, persist
        As for `rosenblatt.dask.Perceptron`.
    fit_intercept, positive, time_limit, progress
        As for `rosenblatt.decide`; more than two classes have one weight vector each.

    Returns
    -------
    Decision

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from distributed import Client
    >>> from rosenblatt.dask import decide, verify
    >>> X = da.from_array(np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), chunks=(2, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     decision = decide(X, np.array([0, 0, 1, 1]), client=client)
    ...     decision.verdict, bool(verify(decision.certificate, X, np.array([0, 0, 1, 1])))
    (Verdict.INSEPARABLE, True)
    """
    clock = Clock(time_limit)
    with connected(client) as client:
        data = Partitions(client, X, y, persist=persist, fit_intercept=fit_intercept)
        place = Cluster(data)
        code = positive_code(place.classes, positive)
        return decide_in(place, clock, progress).facing(code)
