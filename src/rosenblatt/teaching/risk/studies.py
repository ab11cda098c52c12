"""The same descent with one step size after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.arguments import checked
from rosenblatt.engine.pieces import length
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.teaching.risk.descent import Path, descend
from rosenblatt.teaching.risk.problem import checked_problem, starting_weights
from rosenblatt.teaching.risk.text import named_positive, table_text


class Study(NamedTuple):
    """The same descent with one step size after another; print it for a table.

    Attributes
    ----------
    epsilons : tuple of float
        Rising.
    paths : tuple of Path
        One for each.

    Examples
    --------
    >>> from rosenblatt import datasets, risk
    >>> found = risk.study(*datasets.three_samples()[:2], fit_intercept=False)
    >>> len(found.epsilons) == len(found.paths)
    True
    """

    epsilons: tuple[float, ...]
    paths: tuple[Path, ...]

    @property
    def good(self) -> int:
        """Which step size did best: the fewest steps to separation, else the least risk at the end.

        Weights that shrank to 0 have a risk of 0 and separate nothing: they come last.
        """
        return min(range(len(self.paths)), key=lambda k: _rank(self.paths[k]))

    def called(self, k: int) -> str:
        """The k-th step size: "too small", "good" or "too large".

        Where none separated the points none is good: the best is called "least risk".

        Examples
        --------
        >>> print(study([[1.0], [2.0], [-1.0]], [1, -1, -1], [0.001, 0.03, 10], max_iter=50))
        epsilon  steps   risk  errors    stop  step size
          0.001     50  2.775       1  passes  too small
           0.03     50   0.09       1  passes  least risk
             10     50      3       1  passes  too large
        """
        if _rank(self.paths[k]) == _rank(self.paths[self.good]):
            return "good" if self.paths[k].stop is Stop.SEPARATED else "least risk"
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
        text = table_text(["epsilon", "steps", "risk", "errors", "stop", "step size"], rows)
        return text + named_positive(self.paths[0].classes)


@checked()
def study(X: Any, y: Any, epsilons: Sequence[float] | None = None, **options: Any) -> Study:
    """Show on one problem how too small, good and too large a step size behave.

    As the second lecture describes: too small an ε takes many steps to come down the hill, too
    large a one jumps over the region of no risk, back and forth. Step sizes are judged by what they
    reached: a separation in the fewest steps, or, where none separates, the least risk at the end.

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
    X: Any, y: Any, init: Any = None, fit_intercept: bool = True, positive: Any = None, **_: Any
) -> list[float]:
    problem = checked_problem(X, y, bias=1.0 if fit_intercept else 0.0, positive=positive)
    start = starting_weights(problem, init)
    slope = length(problem.downhill(problem.margins(start) < 0))
    unit = 10.0 ** round(math.log10(length(start) / slope)) if slope > 0 else 1.0
    return [unit * 10.0**k for k in range(-3, 4)]


def _rank(path: Path) -> tuple[bool, float]:
    """Whether it failed to separate; then its steps, or the risk that it ended at."""
    if path.stop is Stop.SEPARATED:
        return False, path.steps
    end = float(path.risk[-1])
    return True, end if path.weights[-1].any() and math.isfinite(end) else math.inf
