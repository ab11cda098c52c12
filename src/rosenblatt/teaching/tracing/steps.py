"""Step and Trace: what a traced run is, printed, replayed, framed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.notebook import table
from rosenblatt.engine import rules
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.teaching.tracing.proof import proof_lines
from rosenblatt.teaching.tracing.text import (
    as_text,
    check_bias,
    elided,
    factor_texts,
    place_bias,
    signed_text,
)
from rosenblatt.text import plural

SHOWN_ROWS = 100  # of a table in a notebook or a terminal; `Trace.table` prints them all


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
    >>> from rosenblatt import trace
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
    >>> from rosenblatt import trace
    >>> Replay(before=0, after=1).after
    1
    """

    before: Any
    after: Any


@dataclass(frozen=True, repr=False, eq=False)
class Trace:
    """Every step of a run: iterate over it, print it, replay it.

    Attributes
    ----------
    steps : list of Step
        One for each look, in order.
    weights : ndarray of shape (steps + 1, width) or (steps + 1, K, width)
        Row t holds the weights after t steps, row 0 the start, as floats.
    exact_weights : ndarray like weights
        The same as the run computed them: `fractions.Fraction` entries if it was exact.
    run : Run
        What the loop returned: counts, history, stop. Its weights have the bias
        last, whatever is shown here.
    cycle : (int, int) or None
        Two step counts t₁ < t₂ after which the run was in the same state: equal rows of
        ``exact_weights``, the same point next. It would go round for ever.
    alpha : ndarray of int, or None
        With a cycle, how often each point changed the weights between the two. The changes cancel,
        Σ αᵢ·yᵢ·(xᵢ, 1) = 0, which proves that nothing separates the classes (Gordan). With K > 2
        classes of shape (n, K): point i against rival k, Σ αᵢₖ·(e_yᵢ − e_k)⊗(xᵢ, 1) = 0.
    classes : list
        The labels; of two, the second is the positive one.
    rows : ndarray of shape (n, width)
        The points as they are shown, with their bias coordinate.
    fit_intercept, bias, exact, eta, threshold
        As `trace` was asked.
    names : tuple of str
        The columns' names, where X was a data frame; else empty.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> xor = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> xor.stop, xor.alpha
    (Stop.CYCLES, array([1, 1, 1, 1]))
    >>> first, second = xor.cycle
    >>> bool((xor.exact_weights[first] == xor.exact_weights[second]).all())
    True
    """

    steps: list[Step]
    exact_weights: Any
    run: Run
    cycle: tuple[int, int] | None
    alpha: Any
    classes: list[Any]
    rows: Any
    fit_intercept: bool
    bias: str
    exact: bool
    eta: Any = 1
    threshold: Any = 0
    names: tuple[str, ...] = ()

    @property
    def stop(self) -> Stop:
        """Why the run ended."""
        return self.run.stop

    @property
    def weights(self) -> np.ndarray:
        """The weights at the start and after every step as floats.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> run = trace([[2], [-1]], [1, -1], max_passes=1)
        >>> np.linalg.norm(run.weights, axis=1).round(3)
        array([0.   , 2.236, 2.236])
        >>> run.exact_weights[-1]
        array([Fraction(1, 1), Fraction(2, 1)], dtype=object)
        """
        return np.asarray(self.exact_weights).astype(float)

    @property
    def path(self) -> np.ndarray:
        """The weights at the start and after every step as floats: the bias last, 0 without one.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> trace([[2], [-1]], [1, -1], max_passes=1).path
        array([[0., 0.],
               [2., 1.],
               [2., 1.]])
        """
        weights = self.weights
        if not self.fit_intercept:
            return np.concatenate([weights, np.zeros((*weights.shape[:-1], 1))], axis=-1)
        return np.roll(weights, -1, axis=-1) if self.bias == "first" else weights

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
        >>> from rosenblatt import trace
        >>> before, after = trace([[2], [-1]], [1, -1]).replay(1)
        >>> before, after
        (array([0., 0.]), array([1., 2.]))
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
        >>> from rosenblatt import trace
        >>> print(trace([[2], [-1]], [1, -1], max_passes=1).table(bias="last"))
        step | index | label | weights | score             | correct? | update
        1    | 0     | 1     | [0, 0]  | 0·2 + 0·1 = 0     | no       | + [2, 1]
        2    | 1     | -1    | [2, 1]  | 2·(-1) + 1·1 = -1 | yes      | none
        3    |       |       | [2, 1]  |                   |          |
        """
        cells = self.cells(bias, max_rows=max_rows)
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = (
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        )
        return "\n".join(line.rstrip() for line in lines)

    def cells(self, bias: str | None = None, *, max_rows: int | None = None) -> list[list[str]]:
        """The cells of `table` as text, row by row, the heading first.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> trace([[2], [-1]], [1, -1], max_passes=1).cells()[1]
        ['1', '0', '1', '[0, 0]', '0·1 + 0·2 = 0', 'no', '+ [1, 2]']
        """
        return [self._heading(), *self._cells(bias, max_rows)]

    def to_pandas(self, separator: Any = None) -> Any:
        """The steps as a pandas DataFrame, one row each, indexed by the step's number.

        Parameters
        ----------
        separator : array-like like the weights, optional
            Any direction that separates the points, the bias where this trace shows it.

        Returns
        -------
        pandas.DataFrame
            Columns index, label, score, mistake, before, update, after; vectors are arrays. Then
            the lines of the convergence proof after each step: k, the updates so far; norm, ‖w‖;
            upper, √(‖w₀‖² + k(η²R² + 2ηδ)), which is √k·R from a start at 0; and with a separator
            of unit vector u and margin γ also inner, w·u, and lower, w₀·u + kηγ. In every row
            lower ≤ inner ≤ norm ≤ upper.

        Examples
        --------
        >>> from rosenblatt import datasets, trace
        >>> data = datasets.six_points()
        >>> frame = trace(data.X, data.y, **data.settings).to_pandas(separator=[1, 0])
        >>> print(frame.loc[[1, 3, 5], ["k", "lower", "inner", "norm", "upper"]].round(3))
                k  lower  inner   norm  upper
        number
        1       1    1.0    1.0  2.236  2.236
        3       2    2.0    2.0  2.236  3.162
        5       3    3.0    3.0  3.162  3.873
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("Trace.to_pandas needs pandas: pip install pandas") from error
        columns = ["number", "index", "label", "score", "mistake", "before", "update", "after"]
        rows = [[getattr(step, name) for name in columns] for step in self.steps]
        frame = pandas.DataFrame(rows, columns=columns).set_index("number")
        return frame.assign(**proof_lines(self, separator))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        return (
            f"<Trace of {plural(len(self), 'step')}, {plural(self.run.updates, 'update')}, {kind}: "
            f"Stop.{self.stop.name}>"
        )

    def __str__(self) -> str:
        return "\n".join([self.table(max_rows=SHOWN_ROWS), *self._about()])

    def _about(self) -> list[str]:
        return [f"positive class: {self.classes[1]}"] if len(self.classes) == 2 else []

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(*self._heading(), caption=Text("; ".join([str(self.stop), *self._about()])))
        for row in self._cells(None, SHOWN_ROWS):
            table.add_row(*map(Text, row))
        return table

    def _repr_html_(self) -> str:
        caption = "; ".join([str(self.stop), *self._about()])
        return table(self._cells(None, SHOWN_ROWS), self._heading(), caption)

    def _heading(self) -> list[str]:
        score = "score" if len(self.classes) == 2 else "scores"
        return ["step", "index", "label", "weights", score, "correct?", "update"]

    def _cells(self, bias: str | None, max_rows: int | None) -> list[list[str]]:
        """The table's rows, the last of them the weights that the run ended with."""
        place = partial(place_bias, self.fit_intercept, self.bias, check_bias(bias or self.bias))
        last = [str(len(self) + 1), "", "", as_text(place(self.exact_weights[-1])), "", "", ""]
        if max_rows is not None and (not isinstance(max_rows, Integral) or max_rows < 1):
            raise InputError(
                f"max_rows must be a whole number from 1 on, or None, got {max_rows!r}."
            )
        if max_rows is None or len(self) < max_rows:
            return [*self._rows(self.steps, place), last]
        tail = max(1, max_rows // 5)
        head = max(1, max_rows - tail)
        shown = [*self._rows([*self.steps[:head], *self.steps[-tail:]], place)]
        return [*shown[:head], ["…"] * len(last), *shown[head:], last]

    def _rows(self, steps: list[Step], place: Callable[[Any], Any]) -> Iterator[list[str]]:
        """A row for each step. Steps share weights and points come back: each is written once."""
        point = cache(lambda index: factor_texts(place(self.rows[index])))
        before, weights, factors = None, "", []
        for step in steps:
            if step.before is not before:
                before = step.before
                placed = place(before)
                weights = as_text(placed)
                factors = factor_texts(placed, lead=True) if before.ndim == 1 else []
            products = zip(factors, point(step.index), strict=True) if factors else ()
            yield [
                str(step.number),
                str(step.index),
                str(step.label),
                weights,
                self._score(step, [f"{w}·{x}" for w, x in products]),
                "no" if step.mistake else "yes",
                self._update(step, place) if step.mistake else "none",
            ]

    def _score(self, step: Step, terms: list[str]) -> str:
        if step.before.ndim == 2:
            named = zip(self.classes, step.score, strict=True)
            return ", ".join(elided([f"{label}: {as_text(score)}" for label, score in named]))
        return f"{' + '.join(elided(terms))} = {as_text(step.score)}"

    def _update(self, step: Step, place: Callable[[Any], Any]) -> str:
        """Signed as the lectures do: the multiple of the point that was added or taken away."""
        code = self.classes.index(step.label)
        if step.before.ndim == 1:
            return signed_text(place(step.update), code == 1)
        rival = rules.strongest_rival(step.score, code)
        reward = f"{step.label}: {signed_text(place(step.update[code]), True)}"
        return f"{reward}, {self.classes[rival]}: {signed_text(place(step.update[rival]), False)}"
