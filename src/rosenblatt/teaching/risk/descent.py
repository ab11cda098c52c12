"""Descent on the risk, its path, and the bound on its steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import ARGUMENTS, NUMBERS, WHOLE, checked, either, optional
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import zero_state
from rosenblatt.errors import InputError
from rosenblatt.teaching.risk.problem import Problem, checked_problem, starting_weights
from rosenblatt.teaching.risk.sweep import (
    Descent,
    DescentRecord,
    DescentSweep,
    Entry,
    check_rule,
    weight_of,
)
from rosenblatt.teaching.risk.text import named_positive, table_text
from rosenblatt.text import plural


@checked()
def step_bound(n: int, radius: float, margin: float, start: float, epsilon: float) -> float:
    """The most steps that fixed-ε descent makes on separable points: nR²/γ² + 2‖w₀‖/(εγ).

    Novikoff's proof for batches. A step adds ε·s, s = Σ yᵢxᵢ over the ``|V|`` misclassified points.
    With u the best unit vector, u·s ≥ γ·``|V|``; and w·s < 0, so that ‖w‖² grows by at most
    ε²‖s‖² ≤ ε²R²n·``|V|``. After steps of m mistakes in all, εγm − ‖w₀‖ ≤ ‖w‖ ≤ √(‖w₀‖² + ε²R²nm),
    hence m obeys the bound, and steps ≤ m. For mini-batches n is their size.

    Examples
    --------
    >>> step_bound(n=10, radius=2.0, margin=0.5, start=1.0, epsilon=0.1)
    200.0
    """
    for name, value in (("margin", margin), ("epsilon", epsilon)):
        if not value > 0:
            raise InputError(f"{name} must be positive, got {value!r}.")
    return n * radius**2 / margin**2 + 2 * start / (epsilon * margin)


class Path(NamedTuple):
    """Where a descent went: one entry for each pass, before its step; print it for the outcome.

    Attributes
    ----------
    weights : ndarray of shape (T, d + 1)
        The bias is last; 0 without one. The last row is where the descent ended, and the only
        one if the weights were not to be kept.
    risk, errors : ndarray of shape (T,)
        R(w) and ``|V|``; of weighted rows, the weight of V. With mini-batches, the sums of each
        batch's own as it was met.
    epsilon : ndarray of shape (T,)
        The step taken from there, of the pass's last batch; 0 where no step was needed.
    best : ndarray of shape (d + 1,)
        The weights of fewest errors on the path, the last of them; once separated, the last.
    stop : Stop
        Why it ended.
    run : Run
        The loop's own record.
    classes : tuple
        The labels whose signs are −1 and +1.

    Examples
    --------
    >>> path = descend([[2.0, 1.0], [1.0, -2.0]], [1, -1], fit_intercept=False)
    >>> print(path.table())
    step  risk  errors  epsilon  weights
       0     0       0        0  2 1 0
    >>> X, y = [[1.0, 2.0], [3.0, -1.0], [-1.0, -1.0]], ["yes", "no", "no"]
    >>> print(descend(X, y, epsilon=0.5, fit_intercept=False, init=2))
    Perceptron criterion: risk from 2 to 0, errors from 1 to 0, in 1 step.
    Separated: every training point is on its right side.
    positive class: yes
    """

    weights: np.ndarray
    risk: np.ndarray
    errors: np.ndarray
    epsilon: np.ndarray
    best: np.ndarray
    stop: Stop
    run: Run
    classes: tuple[Any, Any] = (-1, 1)

    @property
    def steps(self) -> int:
        """The passes that moved the weights."""
        return int(np.count_nonzero(self.epsilon))

    def __str__(self) -> str:
        risks, errors = self.risk[[0, -1]], self.errors[[0, -1]]
        return (
            f"Perceptron criterion: risk from {risks[0]:.4g} to {risks[1]:.4g}, errors from "
            f"{errors[0]:.6g} to {errors[1]:.6g}, in {plural(self.steps, 'step')}.\n"
            f"{self.stop}{named_positive(self.classes)}"
        )

    def table(self) -> str:
        """The path as text, one line for each entry."""
        kept = [" ".join(f"{w:.4g}" for w in weights) for weights in self.weights]
        kept = [""] * (len(self.risk) - len(kept)) + kept
        rows = [
            [
                str(t),
                f"{self.risk[t]:.4g}",
                f"{self.errors[t]:.6g}",
                f"{self.epsilon[t]:.4g}",
                kept[t],
            ]
            for t in range(len(self.risk))
        ]
        text = table_text(["step", "risk", "errors", "epsilon", "weights"], rows)
        return text + named_positive(self.classes)


@checked(random_state=ARGUMENTS["seed"], init=optional(either(WHOLE, NUMBERS)))
def descend(
    X: Any,
    y: Any,
    *,
    epsilon: float = 1.0,
    step: str = "fixed",
    batch_size: int | None = None,
    init: Any = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    weight_tol: float | None = None,
    keep_weights: bool = True,
    random_state: Any = 0,
    sample_weight: Any = None,
    positive: Any = None,
) -> Path:
    """Descend on the perceptron criterion: w ← w + ε·Σ yᵢxᵢ over the misclassified points.

    On separable points a fixed ε ends within `step_bound` steps, and so does a decaying
    ε/√t after finitely many: both Σεₜ and Σεₜ/√Σεₜ² grow without end. Exact line search never
    increases the risk, but may come to rest on a crease, where the direction found from one side
    leads uphill on the other; it then stops as SETTLED, with points on the boundary itself. On
    inseparable points the least risk is R(0) = 0, and shrinking weights are no success: judge by
    the errors.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of shape (n,)
        Signs ±1, or labels of two classes.
    epsilon : float
        The step size, if it is fixed, and the first one if it decays.
    step : {"fixed", "decaying", "line_search"}
        ε, ε/√t in pass t, or the exact minimum along −∇R.
    batch_size : int, optional
        Rows to a step, drawn anew in each pass; all of them by default.
    init : int or array of shape (d + 1,) or (d,), optional
        Start at yᵢxᵢ of that row, or at these weights; by default at the first row that is not 0.
    fit_intercept : bool
        Whether to pad the rows with a 1.
    max_iter : int
        The most passes; without mini-batches a pass is a step.
    weight_tol : float, optional
        SETTLED once a pass changes the weights by at most this fraction of their length.
    keep_weights : bool
        Whether the path holds the weights of every pass, or of the last only.
    random_state : int, Generator or None
        Draws the mini-batches.
    sample_weight : array of shape (n,), optional
        How often each row counts in the risk and its errors; by default once.
    positive : label, optional
        Which class has the sign +1; as for `rosenblatt.decide`.

    Returns
    -------
    Path
        Its ``stop`` is SEPARATED (every point on its right side), SEPARATED_IN_PLAY (all but some
        of weight 0), ROUNDING (R = 0 at w ≠ 0, but a point is on the boundary), PASSES, SETTLED,
        OVERFLOW or INTERRUPTED.

    References
    ----------
    Rosenblatt 1958; Duda and Hart 1973, §5.5 (batch perceptron).

    Examples
    --------
    >>> X, y = [[1.0, 2.0], [3.0, -1.0], [-1.0, -1.0]], [1, -1, -1]
    >>> path = descend(X, y, epsilon=0.5, fit_intercept=False, init=2)
    >>> path.stop, path.risk.tolist()
    (Stop.SEPARATED, [2.0, 0.0])
    """
    problem = checked_problem(X, y, bias=1.0 if fit_intercept else 0.0, positive=positive)
    rule = check_rule(Descent(epsilon, step, batch_size))
    whole, problem = problem, problem.weighted(sample_weight)
    points = make_points(problem.X, problem.y, fit_intercept=fit_intercept)
    state = zero_state(points)
    # A row that is named is one of all; the first that is not 0, of those in play.
    named = isinstance(init, (int, np.integer))
    state.weights[...] = starting_weights(whole if named else problem, init)
    record = DescentRecord(keep_weights)
    run = learn(
        DescentSweep(points, rule, state, problem=problem, record=record),
        order="cyclic" if batch_size is None else "shuffled",
        budget=Budget(passes=max_iter, weight_tol=weight_tol),
        rng=np.random.default_rng(random_state),
    )
    path = _path(problem, record, run)
    if path.stop is Stop.SEPARATED and not (whole.margins(run.weights) > 0).all():
        path = path._replace(stop=Stop.SEPARATED_IN_PLAY)
    return path if sample_weight is not None else path._replace(errors=path.errors.astype(np.intp))


def _path(problem: Problem, record: DescentRecord, run: Run) -> Path:
    """The path walked, its last entry where the run ended."""
    end = run.weights
    if not record.weights or not np.array_equal(record.weights[-1], end):
        with np.errstate(over="ignore", invalid="ignore"):
            margins = problem.margins(end)
        wrong = margins < 0
        record.write(
            end.copy(), Entry(float(0.0 - margins[wrong].sum()), weight_of(problem, wrong), 0.0)
        )
    risk, errors, epsilon = (np.array(column) for column in zip(*record.entries, strict=True))
    weights, best = np.array(record.weights), record.best[1]
    stop = run.stop
    if stop is Stop.SEPARATED and not (problem.margins(end) > 0).all():
        stop = Stop.ROUNDING  # the risk of a point on the boundary is 0
    return Path(weights, risk, errors, epsilon, best, stop, run, problem.classes)
