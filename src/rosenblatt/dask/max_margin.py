"""`MaxMargin` over many machines: the local search, its constraints elsewhere."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from rosenblatt.dask.batches import batches_of
from rosenblatt.dask.lazy import LazyClassifier
from rosenblatt.dask.settings import without
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.errors import NotSeparableError
from rosenblatt.estimators.max_margin import MaxMargin as Local
from rosenblatt.places.cluster.asking import ClusterConstraints, floor
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.place import Cluster
from rosenblatt.places.place import Schedule
from rosenblatt.solve.deadline import Deadline
from rosenblatt.solve.decision import decide_in
from rosenblatt.solve.margin_search import MarginResult, MarginSearch
from rosenblatt.solve.max_margin import PASSES_TO_START, check_settings, maximise, separating

FOUND = (
    *("classes_", "coef_", "intercept_", "margin_", "slab_width_", "bracket_", "gap_"),
    *("support_", "dual_coef_", "n_iter_", "n_features_in_", "feature_names_in_"),
)
ELSEWHERE = {
    "multiclass": "each class is told from the rest, which looks at all rows; for a pair of "
    "classes, fit on their rows alone",
    "n_jobs": "the workers of the cluster are the jobs",
}


class MaxMargin(LazyClassifier):
    """The maximum-margin classifier of points on a cluster.

    Each round the workers look at all points and send those of least margin; the quadratic
    program of the working set is solved here by `rosenblatt.MaxMargin`'s own search, and its
    bracket of the margin speaks of all points.

    Parameters
    ----------
    client : Client, str or None
        As for `rosenblatt.dask.Perceptron`.
    bias, rtol, max_rounds
        As for `rosenblatt.MaxMargin`.
    persist : {"auto", True, False}
        As for `rosenblatt.dask.Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, margin_, slab_width_, bracket_, gap_, support_, dual_coef_, n_iter_
        As for `rosenblatt.MaxMargin`; points are numbered through all partitions.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     clf = MaxMargin(client).fit(da.from_array(X, chunks=(50, 4)), y == 0)
    >>> round(clf.margin_, 6), clf.support_.tolist()
    (0.817556, [23, 41, 98])
    """

    @without(Local, ELSEWHERE)
    def __init__(
        self,
        client: Any = None,
        *,
        bias: str = "free",
        rtol: float = 1e-6,
        max_rounds: int = 200,
        persist: Any = "auto",
    ):
        self.client = client
        self.bias = bias
        self.rtol = rtol
        self.max_rounds = max_rounds
        self.persist = persist

    def fit(self, X: Any, y: Any = None) -> MaxMargin:
        """Find the hyperplane.

        Parameters
        ----------
        X, y
            As for `rosenblatt.dask.Perceptron.fit`. Of more than two classes, each is told from the
            rest, one problem after the other.

        Returns
        -------
        self : MaxMargin
            The fitted estimator.

        Raises
        ------
        NotSeparableError
            Where no hyperplane exists; its ``certificate`` proves it.
        """
        check_settings(self.bias, self.rtol, self.max_rounds)
        with batches_of(self.client, X, y) as batches:
            data = Partitions(batches, persist=self.persist, fit_intercept=self.bias != "none")
            results = [self._solve(*problem) for problem in _problems(data)]
        local: Any = Local(self.bias, rtol=self.rtol, max_rounds=self.max_rounds)
        local.classes_, local.n_features_in_ = data.facts.classes, data.d
        if data.names:
            local.feature_names_in_ = np.array(data.names, dtype=object)
        local._keep(results)
        local._first = data.facts.first
        self._local: Any = local
        for name in (name for name in FOUND if hasattr(local, name)):
            setattr(self, name, getattr(local, name))
        return self

    def _solve(self, data: Partitions, name: str) -> MarginResult:
        """The margin of one problem of two classes."""
        began = time.perf_counter()
        place = Cluster(data)
        start = place.passes(
            make_rule(2), place.start(), Schedule(budget=Budget(passes=PASSES_TO_START))
        ).all()
        if start.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        search = MarginSearch(ClusterConstraints(data), start.average, data.radius, self.bias)
        try:
            return maximise(
                search,
                self.rtol,
                self.max_rounds,
                lambda: separating(decide_in(Cluster(data), Deadline(None)), self.bias),
                lambda weights: min(data.ask(floor, weights)),
                lambda weights: weights,
                began,
            )
        except NotSeparableError as error:
            raise NotSeparableError(f"{name}{error}", error.certificate) from None


def _problems(data: Partitions) -> list[tuple[Partitions, str]]:
    """Each problem of two classes, and what to call it."""
    if len(data.facts.classes) == 2:
        return [(data, "")]
    return [
        (data.against_rest(k), f"Class {label!r} against the rest: ")
        for k, label in enumerate(data.facts.classes.tolist())
    ]
