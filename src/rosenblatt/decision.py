"""Separable or not: always an answer, always with a certificate.

The perceptron settles the easy cases, contradictory duplicates the hopeless ones, and working sets
all others. Imports the engine, ``working_set`` and ``certificate``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.certificate import Inseparability, Separation, require_proof
from rosenblatt.checks import check_finite, check_labels, check_rows
from rosenblatt.errors import InputError
from rosenblatt.learn import learn, length
from rosenblatt.margins import Bracket, outward
from rosenblatt.narrowing import columns_in_use, widened
from rosenblatt.notebook import table
from rosenblatt.points import Points, make_points
from rosenblatt.requirements import Requirements
from rosenblatt.rules import make_rule
from rosenblatt.run import Run
from rosenblatt.settling import settle
from rosenblatt.stopping import Budget, Stop, Verdict
from rosenblatt.working_set import OutOfTime, Refutation, Round, Search, Separator

# Passes of the perceptron before working sets take over.
PASSES, PASSES_WIDE = 10, 2000

HINT = "rosenblatt.fewest_errors tells how few errors are needed, and which rows to look at."


@dataclass(frozen=True)
class Decision:
    """The answer to "are these classes linearly separable?".

    Attributes
    ----------
    verdict : Verdict
        UNDECIDED only where a time limit ran out. Any other verdict without an exact certificate
        of it, here or in the parts, is refused with a CertificateError.
    certificate : Separation, Inseparability or None
        The proof; ``certificate.verify(X, y)`` checks it without trusting what found it.
    margin : Bracket
        lower ≤ γ ≤ upper for the best margin of unit weights, bias included.
    weights : ndarray or None
        The separator, or the weights that made the fewest errors on the way; bias last. None where
        the time ran out before any were tried on all rows.
    errors : int
        Training points that these weights do not have on their right side.
    rounds : int
        Working sets solved.
    seconds : float
        Wall-clock time.
    parts : dict
        With ``multiclass="ovr"`` or ``"ovo"``, the decision of each class or pair of classes.
    """

    verdict: Verdict
    certificate: Separation | Inseparability | None
    margin: Bracket
    weights: np.ndarray | None
    errors: int
    rounds: int
    seconds: float
    parts: dict[Any, Decision] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_proof(self.verdict, self.certificate, self.parts.values())

    @property
    def separable(self) -> bool | None:
        """True, False, or None where undecided."""
        return {Verdict.SEPARABLE: True, Verdict.INSEPARABLE: False}.get(self.verdict)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, without its proof."""
        if self.verdict is not Verdict.UNDECIDED:
            return f"{str(self.verdict).capitalize()}, decided in {self.seconds:.2g} s."
        so_far = f"the best weights so far leave {self.errors:,} errors"
        if self.weights is None:
            so_far = "no weights were tried on all rows yet"
        return f"Undecided after {self.seconds:.2g} s: {so_far}. Raise time_limit to go on."

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.certificate is not None:
            lines.append(self.certificate.explain())
        if self.verdict is Verdict.INSEPARABLE:
            lines.append(HINT)
        lines += [f"  {name}: {part.verdict}" for name, part in self.parts.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines: list[tuple[Any, Any]] = []
        if self.certificate is not None:
            lines.append(("proof", self.certificate.explain()))
        if self.verdict is not Verdict.INSEPARABLE:
            lines.append(("margin", str(self.margin)))
        lines += [(str(name), part.sentence) for name, part in self.parts.items()]
        return table(lines, caption=self.sentence)


def decide(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    multiclass: str = "native",
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
) -> Decision:
    """Decide whether the classes are linearly separable, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows; every float counts as the rational number it is.
    y : array of shape (n,)
        Labels of any kind.
    fit_intercept : bool
        Whether a hyperplane may miss the origin.
    multiclass : {"native", "ovr", "ovo"}
        With more than two classes: one weight vector for each class, all at once; each class
        against the rest; or each pair of classes (see `pairs`).
    time_limit : float, optional
        Seconds; without it there is always a verdict.
    progress : callable, optional
        Sees each `Round` of working sets.

    Returns
    -------
    Decision

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
    >>> decision = rb.decide(X, y)
    >>> decision.verdict
    Verdict.INSEPARABLE
    >>> bool(decision.certificate.verify(X, y))
    True
    >>> rb.decide(X, [0, 1, 1, 1]).verdict
    Verdict.SEPARABLE
    """
    if multiclass not in ("native", "ovr", "ovo"):
        raise InputError(f"multiclass must be 'native', 'ovr' or 'ovo', got {multiclass!r}.")
    data = Data.checked(X, y)
    clock = Clock(time_limit)
    if len(data.classes) == 2 or multiclass == "native":
        return _decide(data, fit_intercept, clock, progress)
    if multiclass == "ovr":
        parts = {
            name: _decide(data.one_against_rest(k), fit_intercept, clock, progress)
            for k, name in enumerate(data.classes.tolist())
        }
    else:
        parts = {
            (data.classes[j].item(), data.classes[k].item()): _decide(
                data.pair(j, k), fit_intercept, clock, progress
            )
            for j, k in combinations(range(len(data.classes)), 2)
        }
    return _together(parts, clock.spent())


def _together(parts: dict[Any, Decision], seconds: float) -> Decision:
    """Separable if every part is; inseparable if any part is."""
    verdicts = {part.verdict for part in parts.values()}
    by_weight = (Verdict.INSEPARABLE, Verdict.UNDECIDED, Verdict.SEPARABLE)
    return Decision(
        verdict=next(v for v in by_weight if v in verdicts),
        certificate=None,
        margin=Bracket(
            min(part.margin.lower for part in parts.values()),
            min(part.margin.upper for part in parts.values()),
        ),
        weights=None,
        errors=max(part.errors for part in parts.values()),
        rounds=sum(part.rounds for part in parts.values()),
        seconds=seconds,
        parts=parts,
    )


def pairs(X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None) -> Pairs:
    """Which pairs of classes are linearly separable, and by what margin.

    Parameters
    ----------
    X, y, fit_intercept, time_limit
        As for `decide`.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.datasets import load_iris
    >>> print(rb.pairs(*load_iris(return_X_y=True)))
          0   1   2
      0   - yes yes
      1 yes   -  no
      2 yes  no   -
    """
    decision = decide(X, y, fit_intercept=fit_intercept, multiclass="ovo", time_limit=time_limit)
    classes = tuple(np.unique(np.asarray(y)).tolist())
    parts = decision.parts or {classes: decision}
    return Pairs(classes, parts)


@dataclass(frozen=True)
class Pairs:
    """The decision of every pair of classes.

    Attributes
    ----------
    classes : tuple
        The labels, sorted.
    decisions : dict
        From pairs of labels, in that order, to `Decision`.
    """

    classes: tuple[Any, ...]
    decisions: dict[tuple[Any, Any], Decision]

    def __getitem__(self, pair: tuple[Any, Any]) -> Decision:
        return self.decisions[pair if pair in self.decisions else (pair[1], pair[0])]

    @property
    def separable(self) -> np.ndarray:
        """K × K: 1 for separable, 0 for not, NaN for undecided and on the diagonal."""
        return self._table(lambda d: {True: 1.0, False: 0.0, None: math.nan}[d.separable])

    @property
    def margins(self) -> np.ndarray:
        """K × K: the margin known to be reached, 0 where inseparable, NaN on the diagonal."""
        return self._table(lambda d: d.margin.lower)

    def _table(self, value: Callable[[Decision], float]) -> np.ndarray:
        values = np.full((len(self.classes), len(self.classes)), math.nan)
        for j, k in combinations(range(len(self.classes)), 2):
            values[j, k] = values[k, j] = value(self[self.classes[j], self.classes[k]])
        return values

    def _words(self) -> list[list[str]]:
        """One line a class: its name, and yes, no or ? for each other."""
        words = {1.0: "yes", 0.0: "no"}
        return [
            [str(name), *("-" if j == k else words.get(v, "?") for k, v in enumerate(row))]
            for j, (name, row) in enumerate(zip(self.classes, self.separable, strict=True))
        ]

    def __str__(self) -> str:
        names = [str(name) for name in self.classes]
        wide = max(3, *map(len, names))
        return "\n".join(
            " ".join(f"{cell:>{wide}}" for cell in line) for line in [["", *names], *self._words()]
        )

    def _repr_html_(self) -> str:
        return table(self._words(), ["", *self.classes], "Which pairs are linearly separable?")


class Clock:
    """Seconds spent and left."""

    def __init__(self, limit: float | None):
        if limit is not None and not limit > 0:
            raise InputError(f"time_limit must be a positive number of seconds, got {limit!r}.")
        self.began, self.limit = time.perf_counter(), limit

    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    def left(self) -> float | None:
        """Seconds until the limit; None without one."""
        return None if self.limit is None else self.limit - self.spent()

    def over(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.spent() >= self.limit


class Data(NamedTuple):
    """Checked data: rows, class codes, the classes, and the labels that a certificate names."""

    X: Any
    codes: np.ndarray
    classes: np.ndarray
    y: Any

    @classmethod
    def checked(cls, X: Any, y: Any) -> Data:
        """Refuse what cannot be decided about, with a reason."""
        rows = check_rows(None, X)
        classes, codes = check_labels(y, rows.shape[0])
        return cls(rows, codes, classes, np.ravel(y))

    def one_against_rest(self, k: int) -> Data:
        """Class k against all others, labelled True and False."""
        codes = (self.codes == k).astype(np.intp)
        return Data(self.X, codes, np.array([False, True]), codes == 1)

    def pair(self, j: int, k: int) -> Data:
        """The rows of two classes."""
        rows = np.flatnonzero((self.codes == j) | (self.codes == k))
        codes = (self.codes[rows] == k).astype(np.intp)
        return Data(self.X[rows], codes, self.classes[[j, k]], self.y[rows])


def _decide(
    data: Data, fit_intercept: bool, clock: Clock, progress: Callable[[Round], None] | None
) -> Decision:
    began = clock.spent()
    classes = len(data.classes)
    y = data.codes if classes > 2 else 2.0 * data.codes - 1.0
    columns = columns_in_use(data.X)
    X = data.X if columns is None else data.X[:, columns]
    points = make_points(X, y, fit_intercept=fit_intercept)
    radius = check_finite(points)
    goal = Requirements(X, data.codes, classes, fit_intercept)
    run = _passes(points, classes, Budget(passes=PASSES), clock)
    # With more columns than rows a separator is likely, passes are cheap and programs large.
    if goal.n <= goal.d and not run.clean and goal.contradiction() is None:
        run = _passes(points, classes, Budget(PASSES_WIDE, max(1000, 10 * goal.n)), clock)
    answer = None
    search = Search(goal, clock.left, progress)
    with suppress(OutOfTime):
        answer = settle(search, run.weights, run.state.dual, separates=run.clean)
    search.best = _of_all(search.best, goal, columns, data.X.shape[1])
    if isinstance(answer, Separator):
        answer = Separator(_of_all(answer.weights, goal, columns, data.X.shape[1]))
    upper = outward(length(run.weights) / run.updates, run.updates, 2 * radius, data.X.shape[1])
    proof = certificate_of(answer, data, fit_intercept, upper=upper)
    return concluded(proof, search, upper, clock.spent() - began)


def _of_all(
    weights: np.ndarray, goal: Requirements, columns: np.ndarray | None, width: int
) -> np.ndarray:
    """Weights of the columns in use as weights of all columns."""
    return widened(weights.reshape(goal.blocks, -1), columns, width).ravel()


def concluded(
    proof: Separation | Inseparability | None, search: Search, upper: float, seconds: float
) -> Decision:
    """The decision that a proof makes, or where the search is without one."""
    verdict, bracket = Verdict.UNDECIDED, Bracket(0.0, upper)
    weights, errors = search.best, search.fewest
    if isinstance(proof, Separation):
        verdict, bracket, weights, errors = Verdict.SEPARABLE, proof.margin, proof.weights, 0
    elif isinstance(proof, Inseparability):
        verdict, bracket = proof.verdict, Bracket(0.0, min(upper, proof.epsilon))
    return Decision(
        verdict=verdict,
        certificate=proof,
        margin=bracket,
        weights=weights,
        errors=errors,
        rounds=search.rounds,
        seconds=seconds,
    )


def _passes(points: Points, classes: int, budget: Budget, clock: Clock) -> Run:
    """Run a perceptron within the budget and the time."""
    run = learn(
        points,
        make_rule(classes),
        budget=budget,
        watch=lambda _: Stop.INTERRUPTED if clock.over() else None,
    )
    if run.stop is Stop.INTERRUPTED and not clock.over():
        raise KeyboardInterrupt
    return run


def certificate_of(
    answer: Separator | Refutation | None, data: Data, fit_intercept: bool, upper: float
) -> Separation | Inseparability | None:
    """What was found, as a certificate of the data."""
    if answer is None:
        return None
    if isinstance(answer, Separator):
        shape = (len(data.classes), -1) if len(data.classes) > 2 else (-1,)
        weights = answer.weights.reshape(shape)
        return Separation.of(data.X, data.y, weights, fit_intercept=fit_intercept, upper=upper)
    return Inseparability.of(
        data.X,
        data.y,
        answer.points,
        answer.alpha,
        rivals=answer.rivals if len(data.classes) > 2 else None,
        fit_intercept=fit_intercept,
    )
