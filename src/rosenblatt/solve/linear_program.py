"""The linear program of a working set.

Maximise t subject to aᵢ·z ≥ t for the rows so far, |z_j| ≤ 1, t ≤ 1, by HiGHS's dual simplex, which
continues from its last basis as rows are added. It works in floating point: its answers are
candidates, never verdicts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# No limit, as HiGHS writes it.
MOST = 2**31 - 1
# Iterations that a program hardly ever exceeds: a fixed number, and so many per row and column.
FEW, USUAL = 1_000, 20
# HiGHS refuses rows with larger numbers.
LARGEST = 1e14


class Program:
    """A linear program that grows.

    Parameters
    ----------
    dimension : int
        Coordinates of z.

    Attributes
    ----------
    iterations : int
        Simplex iterations of the last solve.

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
        self.iterations = 0
        self.model.changeColCost(dimension, -1.0)

    def add(
        self, rows: Any, *, depth: float = 1.0, equal: bool = False, slack: float = 0.0
    ) -> None:
        """Add requirements a·z − depth·t ≥ −slack, or = 0."""
        count = rows.shape[0]
        self.equal = np.append(self.equal, np.full(count, equal))
        indptr, indices, data = _with_depth(rows, depth)
        self.model.addRows(
            count,
            np.full(count, -slack),
            np.full(count, 0.0 if equal else np.inf),
            len(data),
            indptr[:-1].astype(np.int32),
            indices.astype(np.int32),
            np.clip(np.nan_to_num(data), -LARGEST, LARGEST),
        )

    def aim(self, direction: np.ndarray) -> None:
        """Maximise direction·z instead of t; the basis of the last solution stays feasible."""
        columns = np.arange(self.dimension + 1, dtype=np.int32)
        self.model.changeColsCost(len(columns), columns, np.append(-direction, 0.0))

    def solve(
        self, seconds: float | None = None, iterations: float = MOST
    ) -> tuple[float, np.ndarray, np.ndarray] | None:
        """The objective (t, or that of `aim`), z, and the multipliers α ≥ 0 of the rows.

        For equations, the absolute values of the multipliers. None at a limit.
        """
        import highspy

        if seconds is not None:
            limit = self.model.getRunTime() + max(0.0, seconds)
            self.model.setOptionValue("time_limit", limit)
        most = int(max(0, min(iterations, MOST)))
        usual = FEW + USUAL * (self.model.getNumRow() + self.model.getNumCol())
        status = self._run(min(most, usual))
        if status == highspy.HighsModelStatus.kIterationLimit and usual < most:
            # The simplex method may cycle from the basis of the last solution: start without it.
            began, _ = self.iterations, self.model.clearSolver()
            status = self._run(most - began)
            self.iterations += began
        if status in (
            highspy.HighsModelStatus.kTimeLimit,
            highspy.HighsModelStatus.kIterationLimit,
        ):
            return None
        solution = self.model.getSolution()
        values = np.asarray(solution.col_value)
        duals = np.asarray(solution.row_dual)
        alpha = np.where(self.equal, np.abs(duals), np.maximum(0.0, duals))
        return -float(self.model.getInfo().objective_function_value), values[:-1], alpha

    def _run(self, iterations: int) -> Any:
        """Run at most so many iterations; return HiGHS's status."""
        self.model.setOptionValue("simplex_iteration_limit", iterations)
        self.model.run()
        self.iterations = self.model.getInfo().simplex_iteration_count
        return self.model.getModelStatus()


def _with_depth(rows: Any, depth: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows and a last column of −depth, as the starts, columns and entries of sparse rows."""
    count, width = rows.shape
    if hasattr(rows, "indptr"):
        from scipy import sparse

        column = sparse.csr_array(np.full((count, 1), -depth))
        matrix: Any = sparse.hstack([rows, column], format="csr")
        return matrix.indptr, matrix.indices, matrix.data
    table = np.empty((count, width + 1))
    table[:, :-1], table[:, -1] = rows, -depth
    height, columns = np.nonzero(table)
    return np.searchsorted(height, np.arange(count + 1)), columns, table[height, columns]
