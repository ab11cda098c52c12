"""Rounds of mixing as passes of ``learn``, with its loop, stops, budgets and history."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import Counting
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.solutions import Pocket
from rosenblatt.engine.sweep import zero_state
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.places.cluster.guarantee import Guarantee, guarantee
from rosenblatt.places.cluster.mixing import Mixed, Pace


class MixingRound(NamedTuple):
    """Report on one round, for a progress callback.

    Attributes
    ----------
    number : int
        From 1 on.
    mistakes : int
        Of all partitions together.
    guarantee : Guarantee
        After it.
    seconds, busy : float
        Of the round, and of its longest pass: the rest is overhead.
    moved : int
        Bytes of weights that travelled, at most.
    """

    number: int
    mistakes: int
    guarantee: Guarantee
    seconds: float
    busy: float
    moved: int


class MixingSweep(Counting):
    """A sweep of ``learn`` whose look over all points is a round of mixing.

    Parameters
    ----------
    data : Partitions
        They answer ``mix`` and ``errors`` and know their ``reach``.
    rule : PerceptronRule or Multiclass
        The rule of the partitions.
    state : State
        ``state.dual`` holds the M and K of `guarantee`.
    pace : Pace
        How the partitions make their passes.
    tell : callable, optional
        Sees each `MixingRound`.
    done : int
        Rounds made before this run.
    pocket : Pocket, optional
        Offered the mixed weights of each round.

    Attributes
    ----------
    latest : ndarray
        The weights of the last round; those of ``state`` may be restored to better ones.
    """

    def __init__(
        self,
        data: Any,
        rule: Any,
        state: State,
        *,
        pace: Pace,
        tell: Callable[[MixingRound], None] | None = None,
        done: int = 0,
        pocket: Pocket | None = None,
    ):
        self.data, self.points, self.rule, self.state = data, data.none, rule, state
        self.pace, self.tell, self.done, self.pocket = pace, tell, done, pocket
        self.latest = state.weights
        # The theorem is about runs from 0, whose steps the state counts.
        self._bounded = bool(not state.weights.any() or state.dual.any())

    @property
    def moved(self) -> float:
        """M: the sum of the steps of the partitions, weighted by their shares."""
        return float(self.state.dual[0])

    def look(self, order: Any = None, laps: int = 1) -> int:
        """One round: every partition passes once, and the weights are mixed."""
        began = time.perf_counter()
        mixed, moved = self.data.mix(self.state.weights, self.pace, self.done + 1)
        if not mixed.looks:
            raise InputError("There is no point to learn from: every partition is empty.")
        # Applies a round atomically, whenever Ctrl-C is pressed.
        with Uninterrupted():
            self._take(mixed)
        if self.pocket is not None:
            self.pocket.trials += 1
            self.pocket.offer(self.state.weights, self._errors(self.data, self.pace))
        held = guarantee(self.state, self.pace, self.data.reach)
        seconds = time.perf_counter() - began
        if self.tell is not None:
            self.tell(MixingRound(self.done, mixed.updates, held, seconds, mixed.seconds, moved))
        if self._bounded and not held.holds and math.isfinite(held.length):
            raise RosenblattError(
                f"round {self.done} broke the mixing theorem ({held}), which no data can do: a "
                "worker returned wrong numbers. Check its memory, and its version of the library."
            )
        return mixed.found

    def _take(self, mixed: Mixed) -> None:
        """Set the next weights: those of the partitions, weighted by their shares."""
        state, before = self.state, self.state.weights
        after = mixed.after(before)
        if mixed.weights is None:
            looked = mixed.looks * before
        else:
            looked = 0.0 if mixed.looked is None else mixed.looked + mixed.idle_looks * before
            state.dual[...] += np.array([mixed.stepped, mixed.weighted]) / mixed.share
        if self.pace.averages:
            # Of T looks the mean is weights − drift/T, as in every other run.
            sum_of_weights = state.clock[0] * before - state.drift + looked
            state.drift[...] = (state.clock[0] + mixed.looks) * after - sum_of_weights
        state.clock[0] += mixed.looks
        state.weights[...] = self.latest = after
        made = Tally(mixed.updates, mixed.looks, mixed.found, mixed.read, mixed.written)
        self.count(made)
        self.done += 1

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of rows that the weights have on the wrong side; of partitions held out."""
        return self._errors(self.data if points is None else points, None)

    def _errors(self, data: Any, pace: Pace | None) -> float:
        wrong, rows = data.errors(self.state.weights, pace)
        return wrong / rows


def one_round(sweep: Any, rng: Any) -> int:
    """The order of a cluster: a round over all partitions."""
    return sweep.look()


def started(data: Any, earlier: State | None = None) -> State:
    """The state to start with: zero, or where an earlier run was left."""
    classes = len(data.facts.classes)
    state = zero_state(data.none, classes if classes > 2 else 0)._replace(dual=np.zeros(2))
    if earlier is None:
        return state
    if earlier.weights.shape != state.weights.shape:
        raise InputError(
            f"A run can only go on with as many features and classes as it had: its weights have "
            f"shape {earlier.weights.shape}, these partitions need {state.weights.shape}."
        )
    for name in ("weights", "drift", "dual", "clock"):
        getattr(state, name)[...] = getattr(earlier, name)
    return state
