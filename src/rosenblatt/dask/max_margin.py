"""`MaxMargin` over many machines: the local search, its goal elsewhere. Imports ``maxmargin``."""

from __future__ import annotations

import copy
import time
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.dask import lazy
from rosenblatt.dask.asking import Scattered
from rosenblatt.dask.cluster import connected
from rosenblatt.dask.deciding import decided, mixed_run
from rosenblatt.dask.partitions import Partitions
from rosenblatt.decision import Clock
from rosenblatt.errors import InputError
from rosenblatt.estimators.max_margin import MaxMargin as Local
from rosenblatt.maxmargin import PASSES, MarginSearch, check_settings, maximise, separating
from rosenblatt.stopping import Stop

FOUND = (
    *("classes_", "coef_", "intercept_", "margin_", "slab_width_", "bracket_", "gap_"),
    *("support_", "dual_coef_", "n_iter_", "n_features_in_"),
)


class MaxMargin(ClassifierMixin, BaseEstimator):
    """The maximum-margin classifier of two classes whose points are elsewhere.

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
            As for `rosenblatt.dask.Perceptron.fit`; two classes.

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
        began = time.perf_counter()
        with connected(self.client) as client:
            data = Partitions(client, X, y, persist=self.persist, fit_intercept=self.bias != "none")
            if len(data.facts.classes) > 2:
                raise InputError(
                    f"a margin is between two classes, but y has {len(data.facts.classes)}; "
                    "relabel them as one against the rest."
                )
            start = mixed_run(data, PASSES)
            if start.stop is Stop.INTERRUPTED:
                raise KeyboardInterrupt
            search = MarginSearch(Scattered(data), start.average, data.radius, self.bias)
            found = maximise(
                search,
                self.rtol,
                self.max_rounds,
                lambda: separating(decided(data, Clock(None), None), self.bias),
                began,
            )
        local: Any = Local(self.bias, rtol=self.rtol, max_rounds=self.max_rounds)
        local.classes_, local.n_features_in_ = data.facts.classes, data.d
        if data.names:
            local.feature_names_in_ = data.names
        local._keep([found])
        self._local = local
        for name in FOUND:
            setattr(self, name, getattr(local, name))
        return self

    def to_local(self) -> Local:
        """The same model as an ordinary `rosenblatt.MaxMargin`, which saves as one."""
        check_is_fitted(self)
        return copy.copy(self._local)

    def decision_function(self, X: Any) -> Any:
        """The scores w·x + b, lazily: as `rosenblatt.dask.Perceptron.decision_function`."""
        check_is_fitted(self)
        return lazy.decision_function(self._local, X)

    def predict(self, X: Any) -> Any:
        """The class of each row, lazily: as `rosenblatt.dask.Perceptron.predict`."""
        check_is_fitted(self)
        return lazy.predict(self._local, X)

    def score(self, X: Any, y: Any = None, sample_weight: None = None) -> Any:
        """The share of rows predicted right, lazily: as `rosenblatt.dask.Perceptron.score`."""
        check_is_fitted(self)
        return lazy.score(self._local, X, y)
