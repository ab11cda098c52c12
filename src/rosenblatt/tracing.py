"""Trace: a run of the perceptron, step by step, in floats or in exact fractions.

`trace` drives the one loop of ``learn`` with a sweep that records what the plain, uncompiled rules
do; it has no rule and no loop of its own. Imports the engine (errors, points, rules, stopping, run,
learn); pandas and rich only when they are asked for.
"""

from __future__ import annotations

import html
import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import rules
from rosenblatt.errors import InputError
from rosenblatt.learn import Ended, learn, zero_state
from rosenblatt.points import Points, dot, exact_points, make_points, scores
from rosenblatt.rules import State, Tally, make_rule
from rosenblatt.run import Run
from rosenblatt.stopping import Budget, Stop

SHOWN_ROWS = 100  # of a table in a notebook or a terminal; `Trace.table` prints them all
SHOWN_TERMS = 8  # of a vector or a sum of products


# --- What is recorded ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One look at one point. Weights have the bias where `trace` was told to put it.

    Attributes
    ----------
    number : int
        1 for the first step.
    index : int
        The row of X that was looked at, 0 for the first.
    before : ndarray of shape (width,) or (K, width)
        The weights that the score was taken with.
    score : number, or ndarray of shape (K,)
        w·x + b; with K classes, one for each.
    label : object
        The point's own label.
    mistake : bool
        Whether the point changed the weights.
    update : ndarray like before
        ``after - before``: zero where there was no mistake.
    after : ndarray like before
        The weights from here on.

    Examples
    --------
    >>> step = trace([[1, 1], [-1, -1]], [1, -1]).steps[0]
    >>> step.number, step.index, step.label, step.mistake, str(step.score)
    (1, 0, 1, True, '0')
    >>> step.after.astype(int)
    array([1, 1, 1])
    """

    number: int
    index: int
    before: Any
    score: Any
    label: Any
    mistake: bool
    update: Any
    after: Any


class Replay(NamedTuple):
    """The weights before and after a step.

    Examples
    --------
    >>> Replay(before=0, after=1).after
    1
    """

    before: Any
    after: Any


class _Look(NamedTuple):
    """A step as the engine has it: the bias last, always there."""

    point: int
    before: Any
    score: Any
    mistake: bool
    after: Any


@dataclass
class _Record:
    """What a recording sweep hands back."""

    looks: list[_Look] = field(default_factory=list)
    cycle: tuple[int, int] | None = None


class RecordingSweep:
    """Looks at points through the plain rules, one at a time, and writes down each look.

    Parameters
    ----------
    points, rule, state, everyone, budget
        As `rosenblatt.learn.learn` hands them to every sweep.
    record : _Record
        Where to write.
    max_steps : int
        The most looks to write before giving up.
    find_cycle : bool
        Whether to end the run when it comes back to an earlier state. The next point must depend
        on the position alone, as in cyclic order, for that to mean that it repeats itself.

    Examples
    --------
    >>> from rosenblatt.rules import Perceptron
    >>> points = exact_points([[1], [-1]], [1, -1])
    >>> record = _Record()
    >>> sweeper = partial(RecordingSweep, record=record, max_steps=9, find_cycle=False)
    >>> learn(points, Perceptron(), order="cyclic", sweeper=sweeper).stop
    Stop.SEPARATED
    >>> [(look.point, look.mistake) for look in record.looks]
    [(0, True), (1, True), (0, False), (1, False)]
    """

    def __init__(
        self,
        points: Points,
        rule: Any,
        state: State,
        everyone: np.ndarray,
        budget: int,
        *,
        record: _Record,
        max_steps: int,
        find_cycle: bool,
    ):
        self.points, self.rule, self.state, self.everyone = points, rule, state, everyone
        self.left, self.record, self.max_steps = budget, record, max_steps
        self.total = Tally(0, 0, 0, 0, 0)
        self._weights = state.weights.copy()
        self._seen: dict[Any, tuple[int, int]] | None = {} if find_cycle else None
        self._end_if_seen()

    def look(self, order: Any, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last = 0
        while laps > 0 and self.left > 0:
            last = 0
            for i in order:
                last += self._step(int(i))
                if self.left <= 0:
                    return last
            if last == 0:
                break
            laps -= 1
        return last

    def _step(self, i: int) -> int:
        looks = self.record.looks
        if len(looks) >= self.max_steps:
            raise InputError(
                f"The run is not over after {self.max_steps:,} recorded steps. Lower max_passes "
                "to see how it begins, raise max_steps to record more, or fit a "
                "rosenblatt.Perceptron, which records no steps and is far faster."
            )
        before, score = self._weights, self._score(i)
        tally = rules.cycle(self.rule, self.points, [i], 1, self.left, self.state)
        if tally.updates:
            self._weights = self.state.weights.copy()
        self.total = Tally(*(a + b for a, b in zip(self.total, tally, strict=True)))
        self.left -= tally.updates
        looks.append(_Look(i, before, score, tally.updates > 0, self._weights))
        self._end_if_seen()
        return tally.updates

    def _score(self, i: int) -> Any:
        if self.state.weights.ndim == 1:
            return dot(self.points, i, self.state.weights)
        scores(self.points, i, self.state.weights, self.state.buffer)
        return self.state.buffer.copy()

    def _end_if_seen(self) -> None:
        """End the run if these weights were met before at this position, by way of updates."""
        if self._seen is None:
            return
        now = len(self.record.looks)
        key = (now % len(self.everyone), tuple(self._weights.flat))
        before, updates = self._seen.setdefault(key, (now, self.total.updates))
        if updates < self.total.updates:
            self.record.cycle = before, now
            raise Ended(Stop.CYCLES)

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.everyone[self.state.dual[self.everyone] > 0]

    def margins(self, points: Points, order: Any) -> np.ndarray:
        """How far each of those points is on its right side, at the current weights."""
        out = np.empty(len(order), dtype=self.state.weights.dtype)
        rules.margins(self.rule, points, order, self.state, out)
        return out

    def most_violated(self) -> int:
        """The point of least margin; finding it is a look at each, none of them recorded."""
        looks = self.total.looks + len(self.everyone)
        read = self.total.read + sum(rules.size(self.points, i) for i in self.everyone)
        self.total = self.total._replace(looks=looks, read=read)
        return int(self.everyone[np.argmin(self.margins(self.points, self.everyone))])

    def settle(self) -> None:
        """Bring the drift up to date."""
        if self.state.weights.ndim == 1:
            rules.settle(self.points, self.everyone, self.state)


# --- The trace -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, eq=False)
class Trace:
    """Every step of a run: iterate over it, print it, replay it.

    Attributes
    ----------
    steps : list of Step
        One for each look, in order.
    weights : ndarray of shape (steps + 1, width) or (steps + 1, K, width)
        Row t holds the weights after t steps, row 0 the start. `fractions.Fraction` entries if the
        run was exact; ``weights.astype(float)`` makes them floats.
    run : Run
        What `rosenblatt.learn.learn` returned: counts, history, stop. Its weights have the bias
        last, whatever is shown here.
    cycle : (int, int) or None
        Two step counts t₁ < t₂ after which the run was in the same state: equal rows of
        ``weights``, the same point next. It would go round for ever.
    alpha : ndarray of int, or None
        With a cycle, how often each point changed the weights between the two. The changes cancel,
        Σ αᵢ·yᵢ·(xᵢ, 1) = 0, which proves that nothing separates the classes (Gordan). With K > 2
        classes of shape (n, K): point i against rival k, Σ αᵢₖ·(e_yᵢ − e_k)⊗(xᵢ, 1) = 0.
    classes : list
        The labels; of two, the second is the positive one.
    rows : ndarray of shape (n, width)
        The points as they are shown, with their bias coordinate.
    fit_intercept, bias, exact
        As `trace` was asked.

    Examples
    --------
    >>> xor = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> xor.stop, xor.alpha
    (Stop.CYCLES, array([1, 1, 1, 1]))
    >>> first, second = xor.cycle
    >>> bool((xor.weights[first] == xor.weights[second]).all())
    True
    """

    steps: list[Step]
    weights: Any
    run: Run
    cycle: tuple[int, int] | None
    alpha: Any
    classes: list[Any]
    rows: Any
    fit_intercept: bool
    bias: str
    exact: bool

    @property
    def stop(self) -> Stop:
        """Why the run ended."""
        return self.run.stop

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def replay(self, step: int) -> Replay:
        """The weights before and after a step.

        Parameters
        ----------
        step : int
            The step's number, from 1; 0 is the start, where nothing has happened yet.

        Returns
        -------
        Replay

        Examples
        --------
        >>> before, after = trace([[2], [-1]], [1, -1]).replay(1)
        >>> before.astype(int), after.astype(int)
        (array([0, 0]), array([1, 2]))
        """
        if not 0 <= step <= len(self):
            raise InputError(f"step must be from 0 to {len(self)}, the last one, got {step}.")
        return Replay(self.weights[max(0, step - 1)], self.weights[step])

    def table(self, bias: str | None = None, *, max_rows: int | None = None) -> str:
        """The run as a table of text, each score written out, the final weights in the last row.

        Parameters
        ----------
        bias : {"first", "last"}, optional
            Where to show the bias; as in the trace by default.
        max_rows : int, optional
            Leave out steps in the middle to show no more than about this many; all by default.

        Returns
        -------
        str

        Examples
        --------
        >>> print(trace([[2], [-1]], [1, -1], max_passes=1).table(bias="last"))
        step | index | label | weights | score             | correct? | update
        1    | 0     | 1     | [0, 0]  | 0·2 + 0·1 = 0     | no       | + [2, 1]
        2    | 1     | -1    | [2, 1]  | 2·(-1) + 1·1 = -1 | yes      | none
        3    |       |       | [2, 1]  |                   |          |
        """
        cells = [self._heading(), *self._cells(bias, max_rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = (
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        )
        return "\n".join(line.rstrip() for line in lines)

    def to_pandas(self) -> Any:
        """The steps as a pandas DataFrame, one row each, indexed by the step's number.

        Returns
        -------
        pandas.DataFrame
            Columns index, label, score, mistake, before, update, after; vectors are arrays.

        Examples
        --------
        >>> frame = trace([[2], [-1]], [1, -1]).to_pandas()
        >>> frame["mistake"].tolist()
        [True, False, False, False]
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("Trace.to_pandas needs pandas: pip install pandas") from error
        columns = ["number", "index", "label", "score", "mistake", "before", "update", "after"]
        rows = [[getattr(step, name) for name in columns] for step in self.steps]
        return pandas.DataFrame(rows, columns=columns).set_index("number")

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        return (
            f"<Trace of {len(self)} steps, {self.run.updates} updates, {kind}: "
            f"Stop.{self.stop.name}>"
        )

    def __str__(self) -> str:
        return self.table(max_rows=SHOWN_ROWS)

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(*self._heading(), caption=Text(str(self.stop)))
        for row in self._cells(None, SHOWN_ROWS):
            table.add_row(*map(Text, row))
        return table

    def _repr_html_(self) -> str:
        def line(tag: str, row: Sequence[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in row)}</tr>"

        body = "".join(line("td", row) for row in self._cells(None, SHOWN_ROWS))
        return (
            f"<table><caption>{html.escape(str(self.stop))}</caption>"
            f"<thead>{line('th', self._heading())}</thead><tbody>{body}</tbody></table>"
        )

    def _heading(self) -> list[str]:
        score = "score" if len(self.classes) == 2 else "scores"
        return ["step", "index", "label", "weights", score, "correct?", "update"]

    def _cells(self, bias: str | None, max_rows: int | None) -> list[list[str]]:
        """The table's rows, the last of them the weights that the run ended with."""
        place = partial(_place, self.fit_intercept, self.bias, _bias(bias or self.bias))
        last = [str(len(self) + 1), "", "", _text(place(self.weights[-1])), "", "", ""]
        if max_rows is None or len(self) < max_rows:
            return [*(self._row(step, place) for step in self.steps), last]
        tail = max(1, max_rows // 5)
        head = max(1, max_rows - tail)
        shown = [self._row(step, place) for step in (*self.steps[:head], *self.steps[-tail:])]
        return [*shown[:head], ["…"] * len(last), *shown[head:], last]

    def _row(self, step: Step, place: Callable[[Any], Any]) -> list[str]:
        return [
            str(step.number),
            str(step.index),
            str(step.label),
            _text(place(step.before)),
            self._score(step, place),
            "no" if step.mistake else "yes",
            self._update(step, place) if step.mistake else "none",
        ]

    def _score(self, step: Step, place: Callable[[Any], Any]) -> str:
        if step.before.ndim == 2:
            named = zip(self.classes, step.score, strict=True)
            return ", ".join(_elide([f"{label}: {_text(score)}" for label, score in named]))
        factors = zip(place(step.before), place(self.rows[step.index]), strict=True)
        terms = [f"{_factor(w, first=k == 0)}·{_factor(x)}" for k, (w, x) in enumerate(factors)]
        return f"{' + '.join(_elide(terms))} = {_text(step.score)}"

    def _update(self, step: Step, place: Callable[[Any], Any]) -> str:
        """Signed as the lectures do: the multiple of the point that was added or taken away."""
        code = self.classes.index(step.label)
        if step.before.ndim == 1:
            return _signed(place(step.update), code == 1)
        rival = rules.strongest_rival(step.score, code)
        reward = f"{step.label}: {_signed(place(step.update[code]), True)}"
        return f"{reward}, {self.classes[rival]}: {_signed(place(step.update[rival]), False)}"


def trace(
    X: Any,
    y: Any,
    *,
    init: Any = None,
    threshold: Any = 0,
    eta: Any = 1,
    order: str = "cyclic",
    ties: str = "mistake",
    fit_intercept: bool = True,
    bias: str = "first",
    max_passes: int = 1000,
    max_steps: int = 20_000,
    exact: bool | None = None,
    random_state: Any = None,
    classes: Sequence[Any] | None = None,
) -> Trace:
    """Run the perceptron and record every step.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Integers, fractions or floats. Small: each step is kept.
    y : array-like of shape (n,)
        Labels; two different values, or more for one weight vector per class.
    init : array-like of shape (width,) or (K, width), optional
        The weights to start with, **the bias first**: [b, w₁, …, w_d]; see ``bias``. Without an
        intercept [w₁, …, w_d]. Zero by default.
    threshold : number, default 0
        δ ≥ 0: a mistake is y·score ≤ δ.
    eta : number, default 1
        η > 0, the multiple of a point that an update adds.
    order : {"cyclic", "shuffled", "active", "worst"}
        Which point next. In "worst" order a step is the most violated point; the looks that found
        it are counted, not recorded.
    ties : {"mistake", "positive", "negative", "correct"}
        What y·score = δ is: a mistake; with δ = 0, a prediction of the positive or of the negative
        class; or never a mistake, which needs a start other than 0. With more than two classes
        only "mistake" and "correct".
    fit_intercept : bool
        Whether points have a bias coordinate of 1.
    bias : {"first", "last"}
        Where the bias stands, in ``init`` and in all that is shown.
    max_passes, max_steps : int
        Stop after so many passes; refuse to record more than so many steps.
    exact : bool, optional
        Whether to compute in `fractions.Fraction`, each float taken as the rational it is. By
        default if every number given is an integer or a fraction. Exact runs in cyclic order
        notice when they come back to an earlier state.
    random_state : int or Generator, optional
        Seed of shuffled order; 0 by default.
    classes : sequence, optional
        All labels in order, if y does not show them; of two, the second is the positive one.

    Returns
    -------
    Trace

    Examples
    --------
    >>> X, y = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]
    >>> print(trace(X, y, init=[-1, 0, 0], max_passes=1).table())
    step | index | label | weights     | score                 | correct? | update
    1    | 0     | -1    | [-1, 0, 0]  | -1·1 + 0·1 + 0·1 = -1 | yes      | none
    2    | 1     | 1     | [-1, 0, 0]  | -1·1 + 0·3 + 0·2 = -1 | no       | + [1, 3, 2]
    3    | 2     | 1     | [0, 3, 2]   | 0·1 + 3·2 + 2·4 = 14  | yes      | none
    4    | 3     | 1     | [0, 3, 2]   | 0·1 + 3·3 + 2·4 = 17  | yes      | none
    5    | 4     | -1    | [0, 3, 2]   | 0·1 + 3·2 + 2·3 = 12  | no       | - [1, 2, 3]
    6    |       |       | [-1, 1, -1] |                       |          |
    """
    for name, value in (("max_passes", max_passes), ("max_steps", max_steps)):
        if value < 1:
            raise InputError(f"{name} must be at least 1, got {value}.")
    values = _numbers(X.toarray() if hasattr(X, "toarray") else X, "X", 2)
    labels, codes = _labels(y, classes, len(values))
    wide = values.shape[1] + bool(fit_intercept)
    start = _start(init, (wide,) if len(labels) == 2 else (len(labels), wide))
    start = _place(fit_intercept, _bias(bias), "last", start)
    step, delta = _numbers(eta, "eta", 0).item(), _numbers(threshold, "threshold", 0).item()
    if step <= 0:
        raise InputError(f"eta must be positive, got {eta}.")
    if ties == "correct" and delta == 0 and not np.any(start):
        raise InputError(
            'ties="correct" needs a start other than 0, where every score is a tie and nothing '
            "would ever be learned. Pass init, for example one of the points times its sign."
        )
    if exact is None:
        exact = all(_is_rational(x) for x in (*values.flat, *start.flat, step, delta))
    rule = make_rule(len(labels), Fraction(delta) if exact else float(delta), ties)
    record = _Record()
    sweeper = partial(
        RecordingSweep, record=record, max_steps=max_steps, find_cycle=exact and order == "cyclic"
    )
    try:
        points = _points(values, codes, len(labels), fit_intercept, step, exact)
        state = _state(points, len(labels), start, exact)
        began = state.weights.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            run = learn(
                points,
                rule,
                order=order,
                state=state,
                budget=Budget(passes=max_passes),
                rng=None if random_state is None else np.random.default_rng(random_state),
                sweeper=sweeper,
            )
    except OverflowError:
        raise InputError("Numbers grew beyond the range of floats. Rescale X.") from None
    shown = partial(_shown, fit_intercept=fit_intercept, bias=bias)
    padded = np.array([[*row, Fraction(1)] for row in values], dtype=object)
    return Trace(
        steps=_steps(record, [labels[code] for code in codes], shown),
        weights=shown(np.array([began, *(look.after for look in record.looks)])),
        run=run,
        cycle=record.cycle,
        alpha=_alpha(record, codes, len(labels)),
        classes=labels,
        rows=shown(_fractions(padded) if exact else padded.astype(float)),
        fit_intercept=fit_intercept,
        bias=bias,
        exact=exact,
    )


@np.errstate(over="ignore", invalid="ignore")  # a run that overflowed says so by its stop
def _steps(record: _Record, y: list[Any], shown: Callable[[Any], Any]) -> list[Step]:
    return [
        Step(
            number=number,
            index=look.point,
            before=shown(look.before),
            score=look.score,
            label=y[look.point],
            mistake=look.mistake,
            update=shown(look.after - look.before),
            after=shown(look.after),
        )
        for number, look in enumerate(record.looks, 1)
    ]


def _alpha(record: _Record, codes: list[int], classes: int) -> np.ndarray | None:
    """How often each point, and with K classes each rival, changed the weights in the cycle."""
    if record.cycle is None:
        return None
    alpha = np.zeros((len(codes), classes), dtype=int)
    for look in record.looks[slice(*record.cycle)]:
        if look.mistake:
            true = codes[look.point]
            rival = 0 if classes == 2 else rules.strongest_rival(look.score, true)
            alpha[look.point, rival] += 1
    return alpha[:, 0] if classes == 2 else alpha


# --- What comes in -------------------------------------------------------------------------------


def _numbers(values: Any, name: str, ndim: int) -> np.ndarray:
    """An array of Fractions (from whole or rational numbers) and finite floats."""
    array = np.array(values, dtype=object)
    if array.ndim != ndim:
        shape = ("one number", "a list of numbers", "a table: n rows of d numbers")[ndim]
        raise InputError(f"{name} must be {shape}, got an array of shape {array.shape}.")
    if array.size == 0:
        raise InputError(f"{name} holds no numbers: its shape is {array.shape}.")
    out = np.empty(array.shape, dtype=object)
    for at in np.ndindex(array.shape):
        out[at] = _number(array[at], name, at)
    return out


def _number(value: Any, name: str, at: tuple[int, ...]) -> Fraction | float:
    where = "".join(f"[{k}]" for k in at)
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if isinstance(value, numbers.Rational):
        # numpy integers are rationals too, but would overflow inside a Fraction
        return Fraction(int(value.numerator), int(value.denominator))
    if not isinstance(value, numbers.Real):
        raise InputError(f"{name}{where} must be a real number, got {value!r}.")
    if not math.isfinite(value):
        raise InputError(f"{name}{where} must be finite, got {value}.")
    return float(value)


def _is_rational(x: Fraction | float) -> bool:
    """Whether a number is a fraction by type or whole by value."""
    return isinstance(x, Fraction) or float(x).is_integer()


def _labels(y: Any, classes: Any, n: int) -> tuple[list[Any], list[int]]:
    """The classes, and the code of each point among them."""
    y = np.asarray(y)
    if y.shape != (n,):
        raise InputError(f"y must hold one label for each of the {n} rows of X, got {y.shape}.")
    labels = _classes(y) if classes is None else np.asarray(classes).tolist()
    if len(set(labels)) != len(labels) or len(labels) < 2:
        raise InputError(f"classes must be two or more different labels, got {labels}.")
    code = {label: k for k, label in enumerate(labels)}
    for i, label in enumerate(y.tolist()):
        if label not in code:
            raise InputError(f"y[{i}] is {label!r}, which is not among classes = {labels}.")
    return labels, [code[label] for label in y.tolist()]


def _classes(y: np.ndarray) -> list[Any]:
    try:
        labels = np.unique(y).tolist()
    except TypeError:
        raise InputError("y mixes kinds of labels that have no order; pass classes=.") from None
    if len(labels) > 1:
        return labels
    if labels[0] in (-1, 1):
        return [-1, 1]
    raise InputError(
        f"y has only one label, {labels[0]!r}. Pass classes=[negative, positive] to trace it."
    )


def _start(init: Any, shape: tuple[int, ...]) -> np.ndarray:
    if init is None:
        return np.full(shape, Fraction(0), dtype=object)
    start = _numbers(init, "init", np.ndim(init))
    if start.shape != shape:
        raise InputError(
            f"init must have shape {shape}, got {start.shape}: one weight for each column of X "
            'and, with fit_intercept, one for the bias, which comes first unless bias="last".'
        )
    return start


def _points(
    values: np.ndarray, codes: list[int], classes: int, fit_intercept: bool, eta: Any, exact: bool
) -> Points:
    signs = [2 * code - 1 for code in codes] if classes == 2 else codes
    if exact:
        return exact_points(values.tolist(), signs, fit_intercept=fit_intercept, eta=eta)
    return make_points(values.astype(float), signs, fit_intercept=fit_intercept, steps=float(eta))


def _state(points: Points, classes: int, start: np.ndarray, exact: bool) -> State:
    state = zero_state(points, 0 if classes == 2 else classes)
    if exact:
        state = State(*(np.full(part.shape, Fraction(0), dtype=object) for part in state))
    state.weights[..., : start.shape[-1]] = _fractions(start) if exact else start
    return state


def _fractions(values: np.ndarray) -> np.ndarray:
    """Every number as the rational it is."""
    return np.vectorize(Fraction, otypes=[object])(values)


# --- What is shown -------------------------------------------------------------------------------


def _bias(place: str) -> str:
    if place not in ("first", "last"):
        raise InputError(f"bias must be 'first' or 'last', got {place!r}.")
    return place


def _place(fit_intercept: bool, now: str, wanted: str, vector: Any) -> Any:
    """Move the bias of one or more weight vectors from one end to the other."""
    if not fit_intercept or now == wanted:
        return vector
    return np.roll(vector, 1 if wanted == "first" else -1, axis=-1)


def _shown(vector: Any, fit_intercept: bool, bias: str) -> Any:
    """A vector of the engine, whose bias is last and always there, as the user wants it."""
    return _place(True, "last", bias, vector) if fit_intercept else vector[..., :-1]


def _text(value: Any) -> str:
    if np.ndim(value):
        return f"[{', '.join(_elide([_text(x) for x in value]))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _factor(value: Any, first: bool = False) -> str:
    """A number inside a product, in brackets where a sign or a slash could be misread."""
    text = _text(value)
    plain = "/" not in text and (first or not text.startswith("-"))
    return text if plain else f"({text})"


def _signed(update: Any, plus: bool) -> str:
    return f"+ {_text(update)}" if plus else f"- {_text(0 - update)}"


def _elide(items: list[str]) -> list[str]:
    if len(items) <= SHOWN_TERMS:
        return items
    return [*items[: SHOWN_TERMS - 2], "…", items[-1]]
