"""Solutions: the weights kept of a run besides the last and their average.

A `KeepingSweep` is the compiled sweep stopped at each update, so that a keeper sees every
hyperplane of the run; the loop and the rules stay those of ``learn`` and ``rules``.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.counting import UNLIMITED
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import Points
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.errors import InputError

SOLUTIONS = ("auto", "last", "average", "pocket", "vote", "separator")
# Most updates during which Ctrl-C is held back: some milliseconds.
HELD_BACK = 512
# Scores held at once while hyperplanes vote on rows.
SCORES_AT_ONCE = 2**22


class Pocket:
    """Gallant 1990: the pocket with ratchet, the best weights seen so far by training error.

    Weights are tried on all training points when their streak of right looks becomes the longest
    so far, and at the end of each sweep; they enter the pocket only if their error is less than
    that of those in it. (Gallant tries every streak longer than that of the pocket's weights. On n
    noisy points that costs n looks every few updates; the longest streak so far, as in his pocket
    without ratchet, grows like a record: about ln m times in m updates.)

    The ratchet never gets worse, and the pocket is never worse than the last weights. If each look
    is at a random point, the pocket is optimal with probability tending to 1 (Gallant 1990, Muselli
    1997); no rate is known, and finding the least error is NP-hard.

    Attributes
    ----------
    weights : ndarray or None
        The best so far.
    error : float
        The share of training points on their wrong side or on the boundary, each counted by its
        weight.
    trials : int
        Weights tried: each costs a look at every point.
    """

    def __init__(self) -> None:
        self.weights: np.ndarray | None = None
        self.error = math.inf
        self.trials = 0
        self.streak = self.longest = 0
        self.tried = False

    def copy(self) -> Pocket:
        """A pocket to go on with, this one unchanged."""
        return copy.copy(self)

    def widen(self, columns: UsedColumns) -> None:
        """Convert the weights from these columns to all columns, after a run."""
        if self.weights is not None:
            self.weights = columns.widened(self.weights)

    def begin(self, sweep: CompiledSweep) -> None:
        """Before a run, measure what is in the pocket on that run's points."""
        self.streak, self.longest, self.tried = 0, 0, False
        if self.weights is not None:
            self.error = _error(sweep, self.weights)

    def patience(self) -> int:
        """Right looks after which the weights are to be tried."""
        return UNLIMITED if self.tried else self.longest - self.streak + 1

    def saw(self, tally: Tally, sweep: CompiledSweep) -> None:
        """Take note of some right looks, and of the update after them if there was one."""
        self.streak += tally.looks - tally.updates
        if self.streak > self.longest:
            self.longest = self.streak
            if not tally.updates:
                self.rest(sweep)
        if tally.updates:
            self.streak, self.tried = 0, False

    def rest(self, sweep: CompiledSweep) -> None:
        """At the end of a sweep, try the weights unless they have been."""
        if not self.tried:
            self.trials += 1
            self.tried = True
            self.offer(sweep.state.weights, _error(sweep, sweep.state.weights))

    def end(self, sweep: CompiledSweep) -> None:
        """At the end of a run, which may have been interrupted, try the last weights."""
        self.rest(sweep)

    def offer(self, weights: np.ndarray, error: float) -> None:
        """Put these weights in the pocket if their error is less."""
        if error < self.error:
            self.weights, self.error = weights.copy("K"), error


def _error(sweep: CompiledSweep, weights: np.ndarray) -> float:
    state = sweep.state._replace(weights=weights)
    return weighted_error(sweep.points, sweep.rule, state, sweep.in_play)


def weighted_error(points: Points, rule: Any, state: State, chosen: np.ndarray) -> float:
    """The share of those points on their wrong side or on the boundary, each by its step."""
    steps = points.steps[chosen]
    # Not "≤ 0", which NaN would pass.
    wrong = ~(all_margins(points, rule, state, chosen) > 0)
    return float(np.sum(steps[wrong]) / np.sum(steps))


class Voters:
    """Freund and Schapire 1999: every hyperplane of a run, with as many votes as looks it lasted.

    A hyperplane has one vote for the update that made it and one for each right look until the
    next. Σ votes·w / Σ votes is the average of the weights. If m points are drawn independently
    from one distribution and passed over once, the expected error on the next one is at most
    2/(m + 1)·E[inf ((R + D)/γ)²], with the infimum over unit vectors and γ > 0 and
    D² = Σ max(0, γ − y u·x)². That speaks of all hyperplanes: once ``max_voters`` is passed only
    those with the most votes are kept, and ``dropped`` counts the votes lost.

    Parameters
    ----------
    max_voters : int
        The most hyperplanes kept: each takes the memory of one set of weights, of the columns in
        use where the run was on these.

    Attributes
    ----------
    weights : ndarray of shape (V, d + 1) or (V, K, d + 1)
        The hyperplanes in the order they were made.
    votes : ndarray of shape (V,)
        Theirs.
    dropped : int
        Votes of those not kept.

    Examples
    --------
    >>> voters = Voters(max_voters=2)
    >>> for at, votes in [(1.0, 5), (2.0, 1), (3.0, 2)]:
    ...     voters.add(np.array([at, 0.0]), votes)
    >>> voters.weights[:, 0].tolist(), voters.votes.tolist(), voters.dropped
    ([1.0, 3.0], [5, 2], 1)
    """

    def __init__(self, max_voters: int = 1000) -> None:
        self.max_voters = max_voters
        self.dropped = 0
        # Fewest votes first; of those, the newest. With each the columns that it has weights for.
        self._heap: list[tuple[int, int, np.ndarray, UsedColumns | None]] = []
        self._made = 0
        self._current: np.ndarray | None = None
        self._votes = 0

    def __len__(self) -> int:
        return len(self._heap)

    def _in_order(self) -> list[tuple[int, int, np.ndarray, UsedColumns | None]]:
        return sorted(self._heap, key=lambda entry: -entry[1])

    @property
    def weights(self) -> np.ndarray:
        """The hyperplanes in the order they were made."""
        return np.array([_wide(own, columns) for _, _, own, columns in self._in_order()])

    @property
    def votes(self) -> np.ndarray:
        """The votes of each."""
        return np.array([entry[0] for entry in self._in_order()], dtype=np.int64)

    @property
    def columns(self) -> UsedColumns | None:
        """The columns in use, if all hyperplanes share them; None for all columns."""
        found = [entry[3] for entry in self._heap]
        return found[0] if found and all(columns is found[0] for columns in found) else None

    @property
    def in_use(self) -> np.ndarray:
        """The hyperplanes in the order they were made, of ``columns``."""
        if self.columns is None:
            return self.weights
        return np.array([own for _, _, own, _ in self._in_order()])

    def widen(self, columns: UsedColumns) -> None:
        """Convert to all columns, after a run on these; weights are stored as they were."""
        self._heap = [(votes, made, own, columns) for votes, made, own, _ in self._heap]

    def copy(self) -> Voters:
        """Voters to go on with, these unchanged."""
        other = copy.copy(self)
        other._heap = self._heap.copy()
        return other

    def begin(self, sweep: CompiledSweep) -> None:
        """Before a run, take its start as the first hyperplane."""
        self._current, self._votes = sweep.state.weights.copy("K"), 0

    def patience(self) -> int:
        """No limit: any number of right looks may pass before the next update."""
        return UNLIMITED

    def saw(self, tally: Tally, sweep: CompiledSweep) -> None:
        """Count the votes of the current hyperplane; after an update, those of the next."""
        self._votes += tally.looks - tally.updates
        if tally.updates:
            self._retire()
            self._current, self._votes = sweep.state.weights.copy("K"), 1

    def rest(self, sweep: CompiledSweep) -> None:
        """Nothing to do at the end of a sweep."""

    def end(self, sweep: CompiledSweep) -> None:
        """At the end of a run, its last hyperplane joins."""
        self._retire()

    def _retire(self) -> None:
        if self._votes and self._current is not None:
            self.add(self._current, self._votes)
        self._current, self._votes = None, 0

    def add(self, weights: np.ndarray, votes: int) -> None:
        """Let a hyperplane join with that many votes."""
        entry = (votes, -self._made, weights, None)
        self._made += 1
        if len(self._heap) < self.max_voters:
            heapq.heappush(self._heap, entry)
        else:
            self.dropped += heapq.heappushpop(self._heap, entry)[0]

    def scores(self, X: Any) -> np.ndarray:
        """The outcome of the vote on each row.

        Two classes: the mean of the signs, from −1 to 1, a score of 0 being positive. K classes:
        each set of weights votes for its class of highest score, and the shares are returned.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, d)

        Returns
        -------
        outcome : ndarray of shape (n,) or (n, K)
        """
        weights, votes = self.in_use, self.votes
        if not len(votes):
            raise InputError("There is no hyperplane to vote: the run made no look.")
        if self.columns is not None:
            X = X[:, self.columns.numbers]
        shape = (X.shape[0],) if weights.ndim == 2 else (X.shape[0], weights.shape[1])
        out = np.zeros(shape)
        at_once = max(1, SCORES_AT_ONCE // max(1, X.shape[0]))
        for at in range(0, len(votes), at_once):
            some, theirs = weights[at : at + at_once], votes[at : at + at_once]
            if weights.ndim == 2:
                out += np.where(_scores(X, some) >= 0, 1.0, -1.0) @ theirs
                continue
            for table, count in zip(some, theirs, strict=True):
                out[np.arange(len(out)), _scores(X, table).argmax(axis=1)] += count
        return out / votes.sum()


def _wide(weights: np.ndarray, columns: UsedColumns | None) -> np.ndarray:
    return weights if columns is None else columns.widened(weights)


def _scores(X: Any, table: np.ndarray) -> np.ndarray:
    return X @ table[:, :-1].T + table[:, -1]


class KeepingSweep(CompiledSweep):
    """A compiled sweep that stops at each update to show its weights to keepers."""

    def __init__(self, keepers: Sequence[Pocket | Voters], *args: Any, **given: Any):
        super().__init__(*args, **given)
        self.keepers = keepers
        for keeper in keepers:
            keeper.begin(self)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order``, and tell the keepers that the sweep has ended."""
        last, order = 0, np.asarray(order)
        for _ in range(laps):
            last = self._once(order)
            if last == 0 or self.left <= 0:
                break
        self.came_clean = last == 0 and self.rule.is_plain
        for keeper in self.keepers:
            keeper.rest(self)
        return last

    def _once(self, order: np.ndarray) -> int:
        at, made = 0, 0
        while at < len(order) and self.left > 0:
            until, before = at + self._rows_per_call, made
            with Uninterrupted():
                while at < min(until, len(order)) and self.left > 0 and made < before + HELD_BACK:
                    tally = self._to_next_update(order[at:])
                    at += tally.looks
                    made += tally.updates
        return made

    def _to_next_update(self, order: np.ndarray) -> Tally:
        ahead = min(self._rows_per_call, *[keeper.patience() for keeper in self.keepers])
        tally = self.call(order[:ahead], 1, 1)
        for keeper in self.keepers:
            keeper.saw(tally, self)
        return tally

    def finish(self) -> None:
        """Bring the drift up to date, and tell the keepers that the run has ended."""
        super().finish()
        for keeper in self.keepers:
            keeper.end(self)


def make_keepers(names: Collection[str], max_voters: int) -> dict[str, Pocket | Voters]:
    """A keeper for each of those solutions that needs one.

    Examples
    --------
    >>> sorted(make_keepers(("last", "pocket", "vote"), 10))
    ['pocket', 'vote']
    """
    if not max_voters >= 1:
        raise InputError(f"max_voters must be at least 1, got {max_voters!r}.")
    keepers: dict[str, Pocket | Voters] = {}
    if "pocket" in names:
        keepers["pocket"] = Pocket()
    if "vote" in names:
        keepers["vote"] = Voters(max_voters)
    return keepers
