"""The linear program of a working set: how far can all its requirements be fulfilled at once?

maximise t subject to aᵢ·z ≥ t for the rows so far, |z_j| ≤ 1, t ≤ 1, by HiGHS's dual simplex, which
goes on from its last basis as rows are added. Floating point: its answers are candidates, never
verdicts. Imports nothing of the package; highspy at the first program.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Program:
    """A linear program that grows.

    Parameters
    ----------
    dimension : int
        Coordinates of z.
    time_limit : float, optional
        Seconds for each solve.

    Examples
    --------
    >>> program = Program(2)
    >>> program.add(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> t, z, alpha = program.solve()
    >>> round(t, 6), z.tolist()
    (1.0, [1.0, 1.0])
    """

    def __init__(self, dimension: int):
        import highspy

        self.dimension = dimension
        self.model = highspy.Highs()
        self.model.setOptionValue("output_flag", False)
        self.model.setOptionValue("presolve", "off")
        self.model.setOptionValue("threads", 1)
        self.model.setOptionValue("dual_feasibility_tolerance", 1e-10)
        self.model.setOptionValue("primal_feasibility_tolerance", 1e-10)
        lower = np.append(-np.ones(dimension), -1.0)
        upper = np.append(np.ones(dimension), 1.0)
        self.model.addVars(dimension + 1, lower, upper)
        self.equal = np.zeros(0, dtype=bool)
        self.model.changeColCost(dimension, -1.0)

    def add(self, rows: Any, *, depth: float = 1.0, equal: bool = False) -> None:
        """Add requirements a·z − depth·t ≥ 0, or = 0."""
        from scipy import sparse

        count = rows.shape[0]
        self.equal = np.append(self.equal, np.full(count, equal))
        column = sparse.csr_array(np.full((count, 1), -depth))
        matrix: Any = sparse.hstack([sparse.csr_array(rows), column], format="csr")
        self.model.addRows(
            count,
            np.zeros(count),
            np.full(count, 0.0 if equal else np.inf),
            matrix.nnz,
            matrix.indptr[:-1].astype(np.int32),
            matrix.indices.astype(np.int32),
            matrix.data,
        )

    def solve(self, seconds: float | None = None) -> tuple[float, np.ndarray, np.ndarray] | None:
        """t, z, and the rows' multipliers α ≥ 0, of equations their sizes; None if time ran out."""
        import highspy

        if seconds is not None:
            limit = self.model.getRunTime() + max(0.0, seconds)
            self.model.setOptionValue("time_limit", limit)
        self.model.run()
        if self.model.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
            return None
        solution = self.model.getSolution()
        values = np.asarray(solution.col_value)
        duals = np.asarray(solution.row_dual)
        alpha = np.where(self.equal, np.abs(duals), np.maximum(0.0, duals))
        return float(values[-1]), values[:-1], alpha
