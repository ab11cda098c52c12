"""Linear programs of working sets, by HiGHS.

Maximise t subject to aᵢ·z ≥ t for the rows so far, |z_j| ≤ 1, t ≤ 1, by the dual simplex method,
which continues from its last basis as rows are added. It works in floating point: its answers are
candidates, never verdicts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.interrupts import Uninterrupted, pressed

# Below this a program's answer is within its tolerances, and a share of the largest multiplier is
# taken for rounding.
ROUNDING = 1e-9
# Iterations per row and column that a program hardly ever exceeds, unless it goes round in circles.
USUAL_ITERATIONS = 20
# Largest entry of a row that is given to HiGHS as it is.
LARGEST_ENTRY = 1e6


def new_model(**options: Any) -> Any:
    """An empty program of HiGHS's, on one thread and silent."""
    import highspy

    model = highspy.Highs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        model.setOptionValue(name, value)
    model.cbSimplexInterrupt += lambda event: event.interrupt(pressed())
    return model


def run(model: Any) -> None:
    """Solve a program, to its end or to a limit.

    A Ctrl-C ends the call at the next iteration, and is delivered after it: HiGHS could not pass an
    exception on. If its handler raises none, the program is solved all the same.
    """
    while True:
        with Uninterrupted():
            model.run()
        status = model.getModelStatus()
        if status != type(status).kInterrupt:
            return


class Solution(NamedTuple):
    """What a program was solved to.

    Attributes
    ----------
    height : float
        The objective: t, or that of `Program.aim`.
    z : ndarray
    alpha : ndarray
        The multipliers α ≥ 0 of the rows; of equations, their absolute values.
    """

    height: float
    z: np.ndarray
    alpha: np.ndarray


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
        tight = {f"{side}_feasibility_tolerance": ROUNDING / 10 for side in ("primal", "dual")}
        self.dimension, self.model = dimension, new_model(presolve="off", **tight)
        self.model.addVars(dimension + 1, -np.ones(dimension + 1), np.ones(dimension + 1))
        self.model.changeColCost(dimension, -1.0)
        self.equal, self.sizes = np.zeros(0, dtype=bool), np.zeros(0)
        self.iterations = 0

    def add(self, rows: Any, *, depth: float = 1.0, equal: bool = False, floors: Any = 0.0) -> None:
        """Add constraints a·z − depth·t ≥ floor, or = floor."""
        count, sizes = rows.shape[0], _sizes(rows)
        floors = np.broadcast_to(floors, count) / sizes
        self.equal = np.append(self.equal, np.full(count, equal))
        self.sizes = np.append(self.sizes, sizes)
        indptr, indices, data = _with_depth(rows, depth, sizes)
        self.model.addRows(
            count,
            floors,
            floors if equal else np.full(count, np.inf),
            len(data),
            indptr[:-1].astype(np.int32),
            indices.astype(np.int32),
            data,
        )

    def aim(self, direction: np.ndarray) -> None:
        """Maximise direction·z instead of t; the basis of the last solution stays feasible."""
        columns = np.arange(self.dimension + 1, dtype=np.int32)
        self.model.changeColsCost(len(columns), columns, np.append(-direction, 0.0))

    def lower(self, floors: np.ndarray) -> None:
        """Set the floors of all rows."""
        count = len(floors)
        rows, above = np.arange(count, dtype=np.int32), np.full(count, np.inf)
        self.model.changeRowsBounds(count, rows, floors / self.sizes, above)

    def solve(self, seconds: float = math.inf, iterations: float = math.inf) -> Solution | None:
        """Solve the program; None at a limit of seconds or of iterations."""
        import highspy

        limits = highspy.HighsModelStatus
        self.model.setOptionValue("time_limit", self.model.getRunTime() + max(0.0, seconds))
        usual = USUAL_ITERATIONS * (50 + self.model.getNumRow() + self.model.getNumCol())
        self.iterations = 0
        # The dual method may go round in circles from the last basis: then the primal one, anew.
        methods = highspy.simplex_constants.SimplexStrategy
        dual, primal = methods.kSimplexStrategyDual, methods.kSimplexStrategyPrimal
        for method, most in ((dual, min(iterations, usual)), (primal, iterations)):
            status = self._run(method.value, max(0, most - self.iterations))
            if status == limits.kOptimal or self.iterations >= iterations:
                break
            if status == limits.kTimeLimit:
                break
            self.model.clearSolver()
        if status in (limits.kTimeLimit, limits.kIterationLimit):
            return None
        solution = self.model.getSolution()
        duals = np.asarray(solution.row_dual)
        alpha = np.where(self.equal, np.abs(duals), np.maximum(0.0, duals)) / self.sizes
        height = -float(self.model.getInfo().objective_function_value)
        return Solution(height, np.asarray(solution.col_value)[:-1], alpha)

    def _run(self, method: int, iterations: float) -> Any:
        """Run at most so many iterations of a method; return HiGHS's status."""
        most = int(min(iterations, 2**31 - 1))
        self.model.setOptionValue("simplex_strategy", method)
        self.model.setOptionValue("simplex_iteration_limit", most)
        run(self.model)
        self.iterations += self.model.getInfo().simplex_iteration_count
        return self.model.getModelStatus()


def _sizes(rows: Any) -> np.ndarray:
    """Divisors of rows: powers of two for those with huge entries, else 1."""
    largest = abs(rows).max(axis=1)
    largest = largest.toarray().ravel() if hasattr(largest, "toarray") else largest
    powers = np.ldexp(1.0, np.minimum(np.frexp(largest)[1], 1000))
    return np.where(largest > LARGEST_ENTRY, powers, 1.0)


def _with_depth(
    rows: Any, depth: float, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows, divided, and a last column of −depth: starts, columns, entries of sparse rows."""
    count, width = rows.shape
    if hasattr(rows, "indptr"):
        from scipy import sparse

        column = sparse.csr_array(np.full((count, 1), -depth))
        matrix: Any = sparse.hstack([sparse.diags_array(1 / sizes) @ rows, column], format="csr")
        return matrix.indptr, matrix.indices, _finite(matrix.data)
    table = np.empty((count, width + 1))
    table[:, :-1], table[:, -1] = rows / sizes[:, None], -depth
    height, columns = np.nonzero(table)
    return np.searchsorted(height, np.arange(count + 1)), columns, _finite(table[height, columns])


def _finite(data: np.ndarray) -> np.ndarray:
    """Entries with large numbers in place of infinite ones, and 0 of none."""
    return np.nan_to_num(data, posinf=LARGEST_ENTRY, neginf=-LARGEST_ENTRY)
