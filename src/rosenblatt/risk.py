"""The perceptron criterion of the second lecture, and descent on it.

R(w) = Σ −yᵢ w·xᵢ over the misclassified points V = {i : yᵢ w·xᵢ < 0}: convex, piecewise linear,
never negative, and R(cw) = c·R(w) for c ≥ 0. A point on the boundary is not in V, as the lecture
has it, so R(0) = 0 though 0 separates nothing: descent starts elsewhere, and ends should it come
to 0. Labels are signs ±1 here; weights have d entries (a hyperplane through the origin) or d + 1
(the bias last, by padding every point with a 1).

Descent is the package's one loop with a sweep of its own. Imports the engine and ``checks``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from rosenblatt.checks import check_finite, check_rows
from rosenblatt.errors import InputError
from rosenblatt.learn import Ended, learn, length, zero_state
from rosenblatt.points import Points, make_points, stored, stored_by
from rosenblatt.rules import State, Tally
from rosenblatt.run import Run
from rosenblatt.stopping import Budget, Stop

STEPS = ("fixed", "decaying", "line_search")
# Rows of single precision are widened this many entries at a time, never all at once.
ENTRIES_AT_ONCE = 2**20


def criterion(X: Any, y: Any, weights: Any) -> float:
    """The risk R(w) = Σ −yᵢ w·xᵢ over the misclassified points.

    Convex, piecewise linear and positively homogeneous; 0 exactly where no point is misclassified.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of ±1, shape (n,)
    weights : array of shape (d,) or (d + 1,)
        Without a bias, or with the bias last.

    Examples
    --------
    >>> criterion([[1.0, 2.0], [3.0, -1.0]], [1, -1], [1.0, 0.0])
    3.0
    """
    margins = _checked(X, y, weights).margins(weights)
    return float(0.0 - margins[margins < 0].sum())


def gradient(X: Any, y: Any, weights: Any) -> np.ndarray:
    """The gradient ∇R(w) = −Σ yᵢxᵢ over the misclassified points.

    Where some point lies on the boundary R has a crease, and this is one of its subgradients:
    R(v) ≥ R(w) + g·(v − w) for every v. Parameters are those of `criterion`.

    Examples
    --------
    >>> gradient([[1.0, 2.0], [3.0, -1.0]], [1, -1], [1.0, 0.0])
    array([ 3., -1.])
    """
    problem = _checked(X, y, weights)
    downhill = problem.downhill(problem.margins(weights) < 0)
    return 0.0 - downhill[: len(weights)]


def line_search(X: Any, y: Any, weights: Any, direction: Any) -> float:
    """The t ≥ 0 that minimises R(w + t·direction), exactly, in O(nd + n log n).

    Along a ray R is convex and piecewise linear: its slope rises by |pᵢ|, pᵢ = yᵢ direction·xᵢ,
    where point i changes sides, so that the minimum is the first break where the slope is no
    longer negative. Of an interval without errors the middle is taken, off every boundary (twice
    its beginning, if it has no end). R never increases.

    Parameters
    ----------
    X, y, weights
        As in `criterion`.
    direction : array like weights

    Examples
    --------
    >>> X, y = [[1.0, 2.0], [3.0, -1.0]], [1, -1]
    >>> t = line_search(X, y, [1.0, 0.0], [-3.0, 1.0])
    >>> t, criterion(X, y, [1 - 3 * t, t])
    (0.65, 0.0)
    """
    problem = _checked(X, y, weights)
    direction = _vector(direction, problem.X.shape[1], "direction")
    if len(direction) != len(weights):
        raise InputError(
            f"direction must have as many entries as weights, {len(weights)}; got {len(direction)}."
        )
    return _best_length(problem.margins(weights), problem.margins(direction))


def step_bound(n: int, radius: float, margin: float, start: float, epsilon: float) -> float:
    """The most steps that fixed-ε descent makes on separable points: nR²/γ² + 2‖w₀‖/(εγ).

    Novikoff's proof for batches. A step adds ε·s, s = Σ yᵢxᵢ over the |V| misclassified points.
    With u the best unit vector, u·s ≥ γ|V|; and w·s < 0, so that ‖w‖² grows by at most ε²‖s‖² ≤
    ε²R²n|V|. After steps of m mistakes in all, εγm − ‖w₀‖ ≤ ‖w‖ ≤ √(‖w₀‖² + ε²R²nm), hence m
    obeys the bound, and steps ≤ m. For mini-batches n is their size.

    Examples
    --------
    >>> step_bound(n=10, radius=2.0, margin=0.5, start=1.0, epsilon=0.1)
    200.0
    """
    return n * radius**2 / margin**2 + 2 * start / (epsilon * margin)


class Path(NamedTuple):
    """Where a descent went: one entry for each pass, before its step.

    Attributes
    ----------
    weights : ndarray of shape (T, d + 1)
        The bias is last; 0 without one. The last row is where the descent ended, and the only
        one if the weights were not to be kept.
    risk, errors : ndarray of shape (T,)
        R(w) and |V|. With mini-batches, the sums of each batch's own as it was met.
    epsilon : ndarray of shape (T,)
        The step taken from there, of the pass's last batch; 0 where no step was needed.
    best : ndarray of shape (d + 1,)
        The weights of fewest errors on the path, the last of them; once separated, the last.
    stop : Stop
        Why it ended.
    run : Run
        The loop's own record.

    Examples
    --------
    >>> path = descend([[2.0, 1.0], [1.0, -2.0]], [1, -1], fit_intercept=False)
    >>> print(path.table())
    step  risk  errors  epsilon  weights
       0     0       0        0  2 1 0
    """

    weights: np.ndarray
    risk: np.ndarray
    errors: np.ndarray
    epsilon: np.ndarray
    best: np.ndarray
    stop: Stop
    run: Run

    @property
    def steps(self) -> int:
        """The passes that moved the weights."""
        return int(np.count_nonzero(self.epsilon))

    def table(self) -> str:
        """The path as text, one line for each entry."""
        kept = [" ".join(f"{w:.4g}" for w in weights) for weights in self.weights]
        kept = [""] * (len(self.risk) - len(kept)) + kept
        rows = [
            [str(t), f"{self.risk[t]:.4g}", str(self.errors[t]), f"{self.epsilon[t]:.4g}", kept[t]]
            for t in range(len(self.risk))
        ]
        return _table(["step", "risk", "errors", "epsilon", "weights"], rows)


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
    y : array of ±1, shape (n,)
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

    Returns
    -------
    Path
        Its ``stop`` is SEPARATED (R = 0, no point misclassified, w ≠ 0), PASSES, SETTLED, OVERFLOW
        or INTERRUPTED.

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
    problem = _checked(X, y, bias=1.0 if fit_intercept else 0.0)
    rule = _check_rule(Descent(epsilon, step, batch_size))
    points = make_points(problem.X, problem.y, fit_intercept=fit_intercept)
    state = zero_state(points)
    state.weights[...] = _start(problem, init)
    record = _Record(keep_weights)
    run = learn(
        points,
        rule,
        order="cyclic" if batch_size is None else "shuffled",
        state=state,
        budget=Budget(passes=max_iter, weight_tol=weight_tol),
        rng=np.random.default_rng(random_state),
        sweeper=functools.partial(DescentSweep, problem=problem, record=record),
    )
    return _path(problem, record, run)


class Descent(NamedTuple):
    """How far a step goes, and over how many rows; see `descend`."""

    epsilon: float
    step: str
    batch_size: int | None


class DescentSweep:
    """One pass is one step of descent, or one for each mini-batch; writes the path down.

    The loop's updates are the misclassified points that a step adds up: the m of `step_bound`.
    """

    def __init__(
        self,
        points: Points,
        rule: Descent,
        state: State,
        everyone: np.ndarray,
        budget: int,
        *,
        problem: _Problem,
        record: _Record,
    ):
        self.points, self.rule, self.state, self.everyone = points, rule, state, everyone
        self.left, self.problem, self.record = budget, problem, record
        self.total = Tally(0, 0, 0, 0, 0)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """One pass; how many points it found misclassified."""
        start = self.state.weights.copy()
        risk, errors, epsilon = 0.0, 0, 0.0
        for problem, rows in self._batches(order):
            met, wrong, used = self._step(problem)
            risk, errors = risk + met, errors + wrong
            epsilon = used if wrong else epsilon
            read = stored(self.points) if rows is None else stored_by(self.points, rows)
            self._count(len(problem.y), wrong, read)
        self.record.write(start, Entry(risk, errors, epsilon))
        if not self.state.weights.any() or (errors and np.array_equal(start, self.state.weights)):
            raise Ended(Stop.SETTLED)
        return errors

    def _batches(self, order: np.ndarray) -> Any:
        if self.rule.batch_size is None:
            yield self.problem, None
            return
        for piece in gen_batches(len(order), int(self.rule.batch_size)):
            rows = order[piece]
            yield self.problem._replace(X=self.problem.X[rows], y=self.problem.y[rows]), rows

    def _step(self, problem: _Problem) -> tuple[float, int, float]:
        """Move the weights; the risk and errors before, and the ε used."""
        weights = self.state.weights
        with np.errstate(over="ignore", invalid="ignore"):
            margins = problem.margins(weights)
            wrong = margins < 0
            errors = int(np.count_nonzero(wrong))
            if errors == 0:
                return 0.0, 0, 0.0
            downhill = problem.downhill(wrong)
            epsilon = self._epsilon(problem, margins, downhill)
            weights += epsilon * downhill
            return float(-margins[wrong].sum()), errors, epsilon

    def _epsilon(self, problem: _Problem, margins: np.ndarray, downhill: np.ndarray) -> float:
        if self.rule.step == "line_search":
            return _best_length(margins, problem.margins(downhill))
        if self.rule.step == "decaying":
            return self.rule.epsilon / math.sqrt(len(self.record.entries) + 1)
        return self.rule.epsilon

    def _count(self, looks: int, errors: int, read: int) -> None:
        added = Tally(errors, looks, 0, read, errors * read // max(1, looks))
        self.total = Tally(*(a + b for a, b in zip(self.total, added, strict=True)))
        self.state.clock[0] += looks

    def mistaken(self) -> np.ndarray:
        """All points: a batch has no memory of which were mistaken."""
        return self.everyone

    def most_violated(self) -> int:
        """The point of least margin."""
        return int(np.argmin(self.problem.margins(self.state.weights)))

    def margins(self, points: Points, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side."""
        return self.problem.margins(self.state.weights)[order]

    def settle(self) -> None:
        """Nothing is late here."""


class Entry(NamedTuple):
    """One pass of a path."""

    risk: float
    errors: int
    epsilon: float


class _Record:
    """What a sweep writes down."""

    def __init__(self, keep_weights: bool):
        self.keep_weights = keep_weights
        self.entries: list[Entry] = []
        self.weights: list[np.ndarray] = []
        self.best = (math.inf, np.empty(0))

    def write(self, weights: np.ndarray, entry: Entry) -> None:
        self.entries.append(entry)
        if not self.keep_weights:
            self.weights.clear()
        self.weights.append(weights)
        if entry.errors <= self.best[0]:
            self.best = (entry.errors, weights)


def _path(problem: _Problem, record: _Record, run: Run) -> Path:
    """The path walked, its last entry where the run ended."""
    end = run.weights
    if not record.weights or not np.array_equal(record.weights[-1], end):
        with np.errstate(over="ignore", invalid="ignore"):
            margins = problem.margins(end)
        wrong = margins < 0
        errors = int(np.count_nonzero(wrong))
        record.write(end.copy(), Entry(float(-margins[wrong].sum()), errors, 0.0))
    risk, errors, epsilon = (np.array(column) for column in zip(*record.entries, strict=True))
    weights, best = np.array(record.weights), record.best[1]
    return Path(weights, risk, errors, epsilon, best, run.stop, run)


class Study(NamedTuple):
    """The same descent with one step size after another; print it for a table.

    Attributes
    ----------
    epsilons : tuple of float
        Rising.
    paths : tuple of Path
        One for each.
    """

    epsilons: tuple[float, ...]
    paths: tuple[Path, ...]

    @property
    def good(self) -> int:
        """Which step size did best: the fewest steps to separation, else the fewest errors."""
        return min(range(len(self.paths)), key=lambda k: _rank(self.paths[k]))

    def called(self, k: int) -> str:
        """Whether the k-th step size was too small, good or too large."""
        if _rank(self.paths[k]) == _rank(self.paths[self.good]):
            return "good"
        return "too small" if k < self.good else "too large"

    def __str__(self) -> str:
        rows = [
            [
                f"{epsilon:.3g}",
                str(path.steps),
                f"{path.risk[-1]:.4g}",
                str(path.errors[-1]),
                path.stop.name.lower(),
                self.called(k),
            ]
            for k, (epsilon, path) in enumerate(zip(self.epsilons, self.paths, strict=True))
        ]
        return _table(["epsilon", "steps", "risk", "errors", "stop", "step size"], rows)


def study(X: Any, y: Any, epsilons: Sequence[float] | None = None, **options: Any) -> Study:
    """Show on one problem how too small, good and too large a step size behave.

    As the second lecture describes: too small an ε takes many steps to come down the hill, too
    large a one jumps over the region of no risk, back and forth.

    Parameters
    ----------
    X, y
        As in `descend`.
    epsilons : sequence of float, optional
        What to try; by default powers of 10 about ‖w₀‖/‖∇R(w₀)‖, the step as long as the start.
    **options
        Passed on to `descend`.

    Examples
    --------
    >>> X = [[-5.0, -3.0], [3.0, -1.0], [-1.0, -5.0], [2.0, 1.0], [-3.0, 4.0], [-4.0, 5.0]]
    >>> print(study(X, [-1, 1, -1, 1, 1, 1], fit_intercept=False))
    epsilon  steps  risk  errors       stop  step size
      0.001     81     0       0  separated  too small
       0.01      8     0       0  separated  too small
        0.1      1     0       0  separated  good
          1      3     0       0  separated  too large
         10      3     0       0  separated  too large
        100      3     0       0  separated  too large
      1e+03      3     0       0  separated  too large
    """
    tried = _powers_of_ten(X, y, **options) if epsilons is None else epsilons
    chosen = tuple(sorted(float(epsilon) for epsilon in tried))
    if not chosen:
        raise InputError("epsilons must hold at least one step size, got none.")
    return Study(chosen, tuple(descend(X, y, epsilon=e, **options) for e in chosen))


def _powers_of_ten(
    X: Any, y: Any, init: Any = None, fit_intercept: bool = True, **_: Any
) -> list[float]:
    problem = _checked(X, y, bias=1.0 if fit_intercept else 0.0)
    start = _start(problem, init)
    slope = length(problem.downhill(problem.margins(start) < 0))
    unit = 10.0 ** round(math.log10(length(start) / slope)) if slope > 0 else 1.0
    return [unit * 10.0**k for k in range(-3, 4)]


def _rank(path: Path) -> tuple[bool, float]:
    separated = path.stop is Stop.SEPARATED
    return not separated, path.steps if separated else float(path.errors.min())


class _Problem(NamedTuple):
    """Checked rows and signs; the bias coordinate is 1, or 0 for none."""

    X: Any
    y: np.ndarray
    bias: float

    def margins(self, weights: Any) -> np.ndarray:
        """yᵢ w·xᵢ, the bias included if the weights have one."""
        weights = np.asarray(weights, dtype=np.float64)
        d = self.X.shape[1]
        scores = np.empty(len(self.y))
        for rows in self._pieces():
            scores[rows] = self.X[rows] @ weights[:d]
        if len(weights) > d:
            scores += self.bias * weights[d]
        return self.y * scores

    def downhill(self, chosen: np.ndarray) -> np.ndarray:
        """Σ yᵢ(xᵢ, bias) over the chosen points."""
        signs = np.where(chosen, self.y, 0.0)
        total = np.zeros(self.X.shape[1] + 1)
        for rows in self._pieces():
            total[:-1] += self.X[rows].T @ signs[rows]
        total[-1] = self.bias * signs.sum()
        return total

    def _pieces(self) -> Any:
        n, d = self.X.shape
        if self.X.dtype == np.float64:
            return [slice(0, n)]
        return gen_batches(n, max(1, ENTRIES_AT_ONCE // max(1, d)))


def _best_length(margins: np.ndarray, change: np.ndarray) -> float:
    """The t ≥ 0 that minimises Σ max(0, −(mᵢ + t·pᵢ)), m the margins and p their change."""
    wrong, mends, spoils = margins < 0, change > 0, change < 0
    with np.errstate(all="ignore"):
        breaks = -margins / change
    if not np.any(wrong & ~mends):
        first = breaks[wrong].max(initial=0.0)
        last = breaks[~wrong & spoils].min(initial=math.inf)
        if first < last:
            return float(2 * first if last == math.inf else (first + last) / 2)
    slope = -change[wrong | ((margins == 0) & spoils)].sum()
    crossing = np.flatnonzero((wrong & mends) | ((margins > 0) & spoils))
    if slope >= 0 or len(crossing) == 0:
        return 0.0
    crossing = crossing[np.argsort(breaks[crossing], kind="stable")]
    slopes = slope + np.cumsum(np.abs(change[crossing]))
    at = min(int(np.searchsorted(slopes, 0.0)), len(crossing) - 1)
    return float(breaks[crossing[at]])


def _checked(X: Any, y: Any, weights: Any = None, bias: float = 1.0) -> _Problem:
    """The rows, signs and weights, or an error that says what is wrong with them."""
    X = check_rows(None, X)
    signs = np.asarray(y)
    if signs.shape != (X.shape[0],):
        raise InputError(f"y must have one sign for each of {X.shape[0]} rows, got {signs.shape}.")
    bad = np.flatnonzero((signs != 1) & (signs != -1))
    if len(bad):
        raise InputError(f"y must hold signs -1 and +1, got {signs[bad[0]]!r} at row {bad[0]}.")
    signs = signs.astype(np.float64)
    check_finite(make_points(X, signs))
    if weights is not None:
        _vector(weights, X.shape[1], "weights")
    return _Problem(X, signs, bias)


def _vector(values: Any, d: int, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.shape not in ((d,), (d + 1,)):
        raise InputError(
            f"{name} must have {d} entries, or {d + 1} with the bias last, got shape "
            f"{values.shape}."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"{name} must hold finite numbers, got {values[at]} at entry {at}.")
    return values


def _check_rule(rule: Descent) -> Descent:
    if not 0 < rule.epsilon < math.inf:
        raise InputError(f"epsilon must be a positive finite number, got {rule.epsilon!r}.")
    if rule.step not in STEPS:
        raise InputError(f"step must be one of {', '.join(map(repr, STEPS))}, got {rule.step!r}.")
    if rule.batch_size is not None and not rule.batch_size >= 1:
        raise InputError(f"batch_size must be at least 1 or None, got {rule.batch_size!r}.")
    if rule.batch_size is not None and rule.step == "line_search":
        raise InputError(
            "step='line_search' searches the whole risk: it needs batch_size=None, got "
            f"{rule.batch_size!r}."
        )
    return rule


def _start(problem: _Problem, init: Any) -> np.ndarray:
    """Where to start: yᵢ(xᵢ, 1) of a row, or given weights; never at 0."""
    n, d = problem.X.shape
    if init is None:
        found = (i for i in range(n) if _signed_row(problem, i).any())
        init = next(found, 0)
    if isinstance(init, (int, np.integer)):
        if not -n <= init < n:
            raise InputError(f"init names row {init}, but X has {n} rows.")
        start = _signed_row(problem, int(init))
    else:
        start = np.zeros(d + 1)
        given = _vector(init, d, "init")
        start[: len(given)] = given
        if start[d] != 0 and not problem.bias:
            raise InputError("init has a bias, which needs fit_intercept=True.")
    if not start.any():
        raise InputError(
            "descent cannot start at weights of 0, where the risk is 0 though nothing is "
            "separated: choose a row that is not 0, or other weights."
        )
    return start


def _signed_row(problem: _Problem, i: int) -> np.ndarray:
    row = problem.X[[i]]
    row = row.toarray() if hasattr(row, "toarray") else row
    return problem.y[i] * np.append(row.ravel().astype(np.float64), problem.bias)


def _table(heading: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as they need to be, numbers to the right; the last column to the left."""
    widths = [max(len(row[k]) for row in [heading, *rows]) for k in range(len(heading))]
    lines = [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False))][:-1] + row[-1:])
        for row in [heading, *rows]
    ]
    return "\n".join(line.rstrip() for line in lines)
