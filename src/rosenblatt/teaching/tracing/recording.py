"""The sweep that records every look of an uncompiled run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.counting import Counting, points_in_play
from rosenblatt.engine.loop import Ended
from rosenblatt.engine.points import Points, dot, scores
from rosenblatt.engine.rules import Rule, State, Tally
from rosenblatt.engine.rules.perceptron import correct
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError


class Look(NamedTuple):
    """A step as the engine has it: the bias last, always there."""

    point: int
    before: Any
    score: Any
    mistake: bool
    after: Any


@dataclass
class TraceRecord:
    """What a recording sweep hands back."""

    looks: list[Look] = field(default_factory=list)
    cycle: tuple[int, int] | None = None


class Noting(Rule):
    """A `PerceptronRule` that notes the score of the point it looks at: fractions are slow."""

    rule: Any
    score: Any

    def step(rule, points, i, state):
        """The step of the rule."""
        rule.score[0] = dot(points, i, state.weights)
        return correct(rule.rule, points, i, points.y[i] * rule.score[0], state)


class RecordingSweep(Counting):
    """Looks at points through the plain rules, one at a time, and writes down each look.

    Parameters
    ----------
    points, rule, state, in_play
        As for `CompiledSweep`.
    record : Record
        Where to write.
    max_steps : int
        The most looks to write before giving up.
    find_cycle : bool
        Whether to end the run when it comes back to an earlier state. The next point must depend
        on the position alone, as in cyclic order, for that to mean that it repeats itself.

    Examples
    --------
    >>> from rosenblatt.engine.loop import learn
    >>> from rosenblatt.engine.points import exact_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import zero_state
    >>> points = exact_points([[1], [-1]], [1, -1])
    >>> record = TraceRecord()
    >>> how = {"record": record, "max_steps": 9, "find_cycle": False}
    >>> sweep = RecordingSweep(points, PerceptronRule(), zero_state(points), **how)
    >>> learn(sweep, order="cyclic").stop
    Stop.SEPARATED
    >>> [(look.point, look.mistake) for look in record.looks]
    [(0, True), (1, True), (0, False), (1, False)]
    """

    def __init__(
        self,
        points: Points,
        rule: Any,
        state: State,
        in_play: np.ndarray | None = None,
        *,
        record: TraceRecord,
        max_steps: int,
        find_cycle: bool,
    ):
        self.points, self.rule, self.state = points, rule, state
        self.in_play = points_in_play(points, in_play)
        self.record, self.max_steps = record, max_steps
        self._weights = state.weights.copy()
        self._noting = Noting(rule, [None]) if isinstance(rule, rules.PerceptronRule) else None
        self._seen: dict[tuple[int, int], tuple[int, int]] | None = {} if find_cycle else None
        self._known: dict[tuple[Any, ...], int] = {}  # weights met so far: a number for each
        self._number = self._known.setdefault(tuple(self._weights.flat), 0)
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
        before = self._weights
        score, tally = self._look(i)
        if tally.updates:
            self._weights = self.state.weights.copy()
            self._number = self._known.setdefault(tuple(self._weights.flat), len(self._known) + 1)
        self.count(tally)
        looks.append(Look(i, before, score, tally.updates > 0, self._weights))
        self._end_if_seen()
        return tally.updates

    def _look(self, i: int) -> tuple[Any, Tally]:
        """The score, or one for each class, and what the rule did about it."""
        if self._noting is not None:
            tally = rules.cycle(self._noting, self.points, [i], 1, self.left, self.state)
            return self._noting.score[0], tally
        if self.state.weights.ndim == 1:
            score = dot(self.points, i, self.state.weights)
        else:
            scores(self.points, i, self.state.weights, self.state.buffer)
            score = self.state.buffer.copy()
        return score, rules.cycle(self.rule, self.points, [i], 1, self.left, self.state)

    def _end_if_seen(self) -> None:
        """End the run if these weights were met before at this position, by way of updates."""
        if self._seen is None:
            return
        now = len(self.record.looks)
        key = (now % len(self.in_play), self._number)
        before, updates = self._seen.setdefault(key, (now, self.total.updates))
        if updates < self.total.updates:
            self.record.cycle = before, now
            raise Ended(Stop.CYCLES)

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.in_play[self.state.dual[self.in_play] > 0]

    def margins(self, points: Points, order: Any) -> np.ndarray:
        """How far each of those points is on its right side, at the current weights."""
        out = np.empty(len(order), dtype=self.state.weights.dtype)
        rules.margins(self.rule, points, order, self.state, out)
        return out

    def finish(self) -> None:
        """Bring the drift up to date."""
        if self.state.weights.ndim == 1:
            late = np.flatnonzero(self.state.pending)
            self.averaged += rules.add_pending(self.points, late, self.state) if len(late) else 0
