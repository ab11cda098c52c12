"""The whole problem at once: linear and quadratic programs of all points, and who solves them.

Like the other libraries in `peers`, each at the setting that serves it best.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from peers import present


class Programs:
    """The linear programs of separability on all points, solved by HiGHS.

    Primal: max t with yᵢ(w·xᵢ + b) ≥ t and |w|, |b|, t ≤ 1; inseparable if t = 0. Dual: α ≥ 0 with
    Σαᵢ = 1 and Σαᵢyᵢ(xᵢ, 1) = 0, which exists exactly if the classes are inseparable.
    """

    def __init__(self, X: Any, y: np.ndarray, limit: float):
        ones = np.ones((X.shape[0], 1))
        rows = sparse.hstack([X, ones]) if sparse.issparse(X) else np.hstack([X, ones])
        self.rows = sparse.csr_matrix(sparse.diags_array(y.astype(float)) @ sparse.csr_matrix(rows))
        self.limit = limit

    def primal(self, method: str) -> bool | None:
        """Whether the classes are separable; None if the time ran out."""
        from scipy.optimize import linprog

        n, d = self.rows.shape
        answer = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=sparse.hstack([-self.rows, np.ones((n, 1))], format="csc"),
            b_ub=np.zeros(n),
            bounds=[(-1, 1)] * (d + 1),
            method=method,
            options={"time_limit": self.limit},
        )
        return bool(-answer.fun > 1e-9) if answer.status == 0 else None

    def dual(self, method: str) -> bool | None:
        """Whether the classes are separable; None if the time ran out."""
        from scipy.optimize import linprog

        n, d = self.rows.shape
        answer = linprog(
            np.zeros(n),
            A_eq=sparse.vstack([self.rows.T, np.ones((1, n))], format="csc"),
            b_eq=np.append(np.zeros(d), 1.0),
            bounds=(0, None),
            method=method,
            options={"time_limit": self.limit},
        )
        return {0: False, 2: True}.get(answer.status)

    def forms(self) -> dict[str, Callable[[], bool | None]]:
        """Every way to ask."""
        return {
            "dual, simplex": lambda: self.dual("highs-ds"),
            "dual, interior point": lambda: self.dual("highs-ipm"),
            "primal, simplex": lambda: self.primal("highs-ds"),
        }


def highs_form(X: Any, y: np.ndarray, limit: float) -> str:
    """The fastest way for HiGHS: each form once, for no longer than the best before it took."""
    best, least = "dual, simplex", limit
    for name in Programs(X, y, limit).forms():
        program = Programs(X, y, least)
        began = time.perf_counter()
        answer = program.forms()[name]()
        seconds = time.perf_counter() - began
        if answer is not None and seconds < least:
            best, least = name, seconds
    return best


def clarabel_max_margin(X: np.ndarray, y: np.ndarray, tolerance: float = 1e-8) -> Any:
    """The maximum-margin program on all points: min ½‖w‖² with yᵢ(w·xᵢ + b) ≥ 1."""
    if not present("clarabel"):
        return None
    import clarabel

    n, d = X.shape
    rows = sparse.csc_array(-y[:, None] * np.column_stack([X, np.ones(n)]))
    squares = sparse.diags_array(np.append(np.ones(d), 0.0), format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.NonnegativeConeT(n)]

    def run() -> np.ndarray:
        solver = clarabel.DefaultSolver(
            squares, np.zeros(d + 1), rows, -np.ones(n), cones, settings
        )
        return np.array(solver.solve().x)

    return run


def svc_max_margin(X: Any, y: np.ndarray) -> Callable[[], np.ndarray]:
    """scikit-learn's SVC with a C that forbids errors."""
    from sklearn.svm import SVC

    def run() -> np.ndarray:
        model = SVC(kernel="linear", C=1e10, cache_size=2000).fit(X, y)
        return np.append(np.ravel(model.coef_), model.intercept_)

    return run
