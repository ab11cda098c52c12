"""The kernel perceptron's kernels, its Gram rows, and its sweep for the one loop.

In its dual form the perceptron never sees the feature space: w = Σ cᵢφ(xᵢ), and the scores of all
points, fᵢ = Σ cⱼ(k(xⱼ, xᵢ) + bias), are kept up to date by adding one Gram row at each mistake, so
that a look costs O(1) (O(K) with K classes). Rows are computed when a mistake first asks for them.

Imports the engine, ``compiled`` and scikit-learn's kernels; numba takes half a second, so import
this late.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from sklearn import config_context
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt.compiled import dispatcher
from rosenblatt.errors import InputError
from rosenblatt.interrupts import Uninterrupted
from rosenblatt.learn import ENTRIES_PER_CALL, Ended
from rosenblatt.rules import State, Tally
from rosenblatt.stopping import Stop

# Rows computed at once: this many more each time, so that easy data costs few rows and hard data
# few calls, until a block has that many entries.
MORE_ROWS = 4
ENTRIES_AT_ONCE = 2**21
DIAGONAL_AT_ONCE = 512
# Once this share of the matrix was asked for, the rest will be: one product of the whole is best.
HARD = 1 / 16
MEGABYTE = 2**20
# The share of the mistakes that a Forgetron may lose to forgetting (Dekel et al. 2008, §5).
FORGETTING = 15 / 32


class Kernel(NamedTuple):
    """A kernel of scikit-learn's by name, a function of two rows, or "precomputed".

    Examples
    --------
    >>> Kernel("poly", {"degree": 2, "coef0": 1.0, "gamma": 1.0}).block([[1.0]], [[2.0], [3.0]])
    array([[ 9., 16.]])
    """

    metric: Any
    params: dict[str, Any]

    def block(self, A: Any, B: Any) -> np.ndarray:
        """The matrix k(aᵢ, bⱼ); of "precomputed" rows, A as it is."""
        if self.metric == "precomputed":
            return A
        named = not callable(self.metric)
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(A, B, metric=self.metric, filter_params=named, **self.params)
            total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"The kernel {self.metric!r} gave {values[i, j]} between two rows (row {i} of a "
                f"block and row {j}): it must be finite. Rescale the columns or lower the degree."
            )
        return values

    def diagonal(self, X: Any) -> np.ndarray:
        """k(xᵢ, xᵢ) of every row; infinite, with a warning, where it is negative.

        No kernel is negative there: what is has no radius, and no bound holds.
        """
        if self.metric == "precomputed":
            values = np.array(np.diagonal(X), dtype=np.float64)
        else:
            size = 1 if callable(self.metric) else DIAGONAL_AT_ONCE
            pieces = [X[at : at + size] for at in range(0, X.shape[0], size)]
            values = np.concatenate([np.diagonal(self.block(rows, rows)) for rows in pieces])
        bad = np.flatnonzero(values < 0)
        if len(bad):
            warnings.warn(
                f"k(x, x) is {values[bad[0]]} at row {bad[0]}, but no kernel is negative there: "
                f"{self.metric!r} is not positive semi-definite, and no mistake bound holds.",
                UserWarning,
                stacklevel=2,
            )
        return np.where(values < 0, math.inf, values).astype(np.float64)


class GramRows:
    """Rows of the Gram matrix, computed in blocks when asked for, within a budget of memory.

    With every row within the budget, few are computed at all on data that is easily separated;
    on other data the whole matrix is, by one BLAS product, once that is clear. Beyond it rows give
    way at random: a scan in a fixed order would never find again what the least recently used
    cache has just dropped.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix of shape (n, d), or a precomputed Gram matrix
    megabytes : float
        The budget.

    Examples
    --------
    >>> gram = GramRows(Kernel("linear", {}), np.eye(3), megabytes=1)
    >>> gram.fetch(np.array([2]))
    >>> gram.slot.tolist(), gram.rows[0].tolist()
    ([-1, -1, 0], [0.0, 0.0, 1.0])
    """

    def __init__(self, kernel: Kernel, X: Any, megabytes: float):
        n = X.shape[0]
        self.kernel, self.X, self.computed = kernel, X, 0
        if kernel.metric == "precomputed":
            self.rows, self.slot, self.capacity = X, np.arange(n), n
            return
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        wanted = int(megabytes * MEGABYTE / (n * np.dtype(dtype).itemsize))
        self.capacity = min(n, max(2, wanted))
        self.rows = np.empty((self.capacity, n), dtype=dtype)
        self.slot = np.full(n, -1)
        self._owner = np.full(self.capacity, -1)
        self._rng = np.random.default_rng(0)
        self._block = 0

    def fetch(self, wanted: np.ndarray, perhaps: Any = ()) -> None:
        """Have the rows of ``wanted`` at hand, and as many of ``perhaps`` as one block takes.

        ``perhaps`` are distinct points whose rows are not at hand, the likeliest first.
        """
        missing = [i for i in dict.fromkeys(wanted) if self.slot[i] < 0]
        if not missing:
            return
        n = len(self.slot)
        if self.capacity == n and self.computed > HARD * n * n and not callable(self.kernel.metric):
            self.rows, self.slot[:] = self.kernel.block(self.X, self.X), np.arange(n)
            self.computed += n * n
            return
        self._block += MORE_ROWS
        room = min(self._block, self.capacity // 2, ENTRIES_AT_ONCE // n)
        guesses = np.setdiff1d(perhaps, wanted, assume_unique=True)
        block = np.append(missing, guesses[: max(0, room - len(missing))]).astype(np.int64)
        places = self._places(len(block), keep=wanted)
        values = self.kernel.block(self.X[block], self.X)
        self.computed += values.size
        evicted = self._owner[places]
        self.slot[evicted[evicted >= 0]] = -1
        self.rows[places] = values
        self._owner[places], self.slot[block] = block, places

    def _places(self, count: int, keep: np.ndarray) -> np.ndarray:
        free = np.flatnonzero(self._owner < 0)[:count]
        taken = np.flatnonzero((self._owner >= 0) & ~np.isin(self._owner, keep))
        return np.append(free, self._rng.permutation(taken)[: count - len(free)])


class Dual(NamedTuple):
    """What a run in dual form changes, beside the loop's `State`.

    Attributes
    ----------
    scores : ndarray of shape (1, n) or (K, n)
        f of every point: one score for two classes, else one a class.
    codes : ndarray of shape (n,)
        The class of each point.
    log : ndarray of shape (m, 3)
        Point, rival and time of each update, for voting; without rows if nobody asked.
    queue : ndarray of shape (B + 1, 2)
        Point and rival of the remembered updates, a ring from the oldest on; B = −1 for no budget.
    share : ndarray of shape (B + 1,)
        What is left of each: σ.
    ledger : ndarray of shape (2,)
        Mistakes made, and what forgetting has cost: Q.
    ends : ndarray of shape (3,)
        Entries of the log; the oldest place of the queue; entries of the queue.
    """

    scores: Any
    codes: Any
    log: Any
    queue: Any
    share: Any
    ledger: Any
    ends: Any


class Rows(NamedTuple):
    """The Gram rows at hand, as compiled code reads them."""

    rows: Any
    slot: Any
    bias: float
    squared_radius: float


def make_dual(codes: np.ndarray, vectors: int, budget: int | None, logged: bool) -> Dual:
    """The dual of w = 0; ``vectors`` is K for a score a class, 1 for one in all."""
    entries = 0 if budget is None else budget + 1
    return Dual(
        scores=np.zeros((vectors, len(codes))),
        codes=codes,
        log=np.zeros((1024 if logged else 0, 3), dtype=np.int64),
        queue=np.zeros((entries, 2), dtype=np.int64),
        share=np.zeros(entries),
        ledger=np.zeros(2),
        ends=np.zeros(3, dtype=np.int64),
    )


@register_jitable
def standing(dual: Any, i: int) -> tuple[float, int]:
    """How far point i is on its right side, and its strongest rival (−1 of two classes)."""
    code = dual.codes[i]
    if dual.scores.shape[0] == 1:
        return (2 * code - 1) * dual.scores[0, i], -1
    rival = 1 if code == 0 else 0
    for k in range(dual.scores.shape[0]):
        if k != code and dual.scores[k, i] > dual.scores[rival, i]:
            rival = k
    return dual.scores[code, i] - dual.scores[rival, i], rival


@register_jitable
def shift(gram: Any, dual: Any, i: int, rival: int, amount: float) -> None:
    """f ← f + amount·y·(k(xᵢ, ·) + bias): of two classes, or for the class and against a rival."""
    place, code = gram.slot[i], dual.codes[i]
    if rival < 0:
        step = (2 * code - 1) * amount
        for j in range(dual.scores.shape[1]):
            dual.scores[0, j] += step * (gram.rows[place, j] + gram.bias)
        return
    for j in range(dual.scores.shape[1]):
        change = amount * (gram.rows[place, j] + gram.bias)
        dual.scores[code, j] += change
        dual.scores[rival, j] -= change


@register_jitable
def remember(gram: Any, dual: Any, i: int, rival: int) -> None:
    """Append an update to the queue; beyond the budget, shrink all and forget the oldest.

    Self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer 2008): to remove the oldest entry of
    share σ, with margin μ in the scores, costs Ψ = (φσ)² + 2φσ − 2φ²σμ of progress after everything
    has shrunk by φ; φ ≤ 1 is the largest that keeps the total Q + Ψ within 15/32 of the mistakes.
    """
    size = len(dual.share)
    place = (dual.ends[1] + dual.ends[2]) % size
    dual.queue[place, 0], dual.queue[place, 1], dual.share[place] = i, rival, 1.0
    dual.ends[2] += 1
    dual.ledger[0] += 1
    if dual.ends[2] < size:
        return
    oldest = dual.ends[1]
    r, against, share = dual.queue[oldest, 0], dual.queue[oldest, 1], dual.share[oldest]
    code = dual.codes[r]
    if against < 0:
        ahead = (2 * code - 1) * dual.scores[0, r]
    else:
        ahead = (dual.scores[code, r] - dual.scores[against, r]) / 2
    # Ψ(φ) = aφ² + bφ starts at 0 and must not pass what is left to spend.
    a, b = share * share - 2 * share * ahead / gram.squared_radius, 2 * share
    left = FORGETTING * dual.ledger[0] - dual.ledger[1]
    shrink = 1.0
    if a + b > left:
        shrink = 2 * left / (b + math.sqrt(b * b + 4 * a * left))
    for k in range(dual.scores.shape[0]):
        for j in range(dual.scores.shape[1]):
            dual.scores[k, j] *= shrink
    for e in range(size):
        dual.share[e] *= shrink
    shift(gram, dual, r, against, -share * shrink)
    dual.ledger[1] += a * shrink * shrink + b * shrink
    dual.share[oldest] = 0.0
    dual.ends[1] = (oldest + 1) % size
    dual.ends[2] -= 1


def lap(
    gram: Any, threshold: float, order: Any, at: int, most: int, dual: Any, state: Any
) -> tuple[int, int]:
    """Look at the points of ``order`` from place ``at`` on; updates made, and the place reached.

    Ends early after ``most`` updates, or before a mistake whose Gram row is not at hand.
    """
    updates = 0
    budgeted, logged = len(dual.share) > 0, len(dual.log) > 0
    while at < len(order):
        i = order[at]
        ahead, rival = standing(dual, i)
        if ahead <= threshold:
            full = budgeted and dual.ends[2] == len(dual.share) - 1
            if (
                updates == most
                or gram.slot[i] < 0
                or (full and gram.slot[dual.queue[dual.ends[1], 0]] < 0)
                or (logged and dual.ends[0] == len(dual.log))
            ):
                return updates, at
            shift(gram, dual, i, rival, 1.0)
            now = state.clock[0]
            if budgeted:
                remember(gram, dual, i, rival)
            else:
                mine = dual.codes[i] if rival >= 0 else 0
                sign = 1 if rival >= 0 else 2 * dual.codes[i] - 1
                state.weights[mine, i] += sign
                state.drift[mine, i] += sign * now
                if rival >= 0:
                    state.weights[rival, i] -= 1
                    state.drift[rival, i] -= now
            if logged:
                entry = dual.ends[0]
                dual.log[entry, 0], dual.log[entry, 1], dual.log[entry, 2] = i, rival, now
                dual.ends[0] += 1
            state.dual[i] += 1
            updates += 1
        state.clock[0] += 1
        at += 1
    return updates, at


class KernelSweep:
    """Looks at points through their scores, so that the one loop can learn in feature space.

    Parameters
    ----------
    points, rule, state, everyone, budget
        As `rosenblatt.learn.learn` hands them to every sweep; the state's weights are the
        coefficients c, of shape (1, n) or (K, n).
    gram : GramRows
    dual : Dual
    bias, radius : float
        What is added to the kernel, and R with it.
    """

    def __init__(
        self,
        points: Any,
        rule: Any,
        state: State,
        everyone: np.ndarray,
        budget: int,
        *,
        gram: GramRows,
        dual: Dual,
        bias: float,
        radius: float,
    ):
        self.points, self.rule, self.state, self.everyone = points, rule, state, everyone
        self.left, self.gram, self.dual = budget, gram, dual
        self.total = Tally(0, 0, 0, 0, 0)
        self.bias, self.squared_radius = bias, max(radius * radius, np.finfo(float).tiny)
        self._lap = dispatcher(lap)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last = 0
        for _ in range(laps):
            last = self._one_lap(np.ascontiguousarray(order, dtype=np.int64))
            if last == 0 or self.left <= 0:
                break
        if not np.isfinite(self.dual.scores).all():
            raise Ended(Stop.OVERFLOW)
        return last

    def _one_lap(self, order: np.ndarray) -> int:
        n = self.dual.scores.shape[1]
        at_once, at, last = max(1, ENTRIES_PER_CALL // n), 0, 0
        while at < len(order) and self.left > 0:
            before, most = at, min(self.left, at_once)
            rows = Rows(self.gram.rows, self.gram.slot, self.bias, self.squared_radius)
            with Uninterrupted():
                updates, at = self._lap(
                    rows, float(self.rule.threshold), order, at, most, self.dual, self.state
                )
                looks = at - before
                added = Tally(updates, looks, 0, looks, updates * n)
                self.total = Tally(*(a + b for a, b in zip(self.total, added, strict=True)))
                last, self.left = last + updates, self.left - updates
            if at < len(order):
                self._prepare(order[at:])
        return last

    def _prepare(self, ahead: np.ndarray) -> None:
        """Fetch what the next mistake asks for, and the rows of those that look like following."""
        if len(self.dual.log) and self.dual.ends[0] == len(self.dual.log):
            self.dual = self.dual._replace(log=np.concatenate([self.dual.log] * 2))
        wanted = ahead[:1]
        if len(self.dual.share) and self.dual.ends[2] == len(self.dual.share) - 1:
            wanted = np.append(wanted, self.dual.queue[self.dual.ends[1], 0])
        uncached = ahead[self.gram.slot[ahead] < 0]
        self.gram.fetch(wanted, uncached[self._margins(uncached) <= self.rule.threshold])

    def _margins(self, order: np.ndarray) -> np.ndarray:
        scores, codes = self.dual.scores[:, order], self.dual.codes[order]
        if len(scores) == 1:
            return (2 * codes - 1) * scores[0]
        own = np.take_along_axis(scores, codes[None], axis=0)[0]
        np.put_along_axis(scores, codes[None], -math.inf, axis=0)
        return own - scores.max(axis=0)

    def margins(self, points: Any, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side."""
        return self._margins(order)

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.everyone[self.state.dual[self.everyone] > 0]

    def most_violated(self) -> int:
        """The point of least margin; finding it is a look at each."""
        updates, looks, last, read, written = self.total
        n = len(self.everyone)
        self.total = Tally(updates, looks + n, last, read + n, written)
        return int(self.everyone[np.argmin(self._margins(self.everyone))])

    def settle(self) -> None:
        """Write the coefficients of a budgeted run, which are those of its queue."""
        if len(self.dual.share):
            self.state.weights[...] = queue_coefficients(self.dual)


def queue_coefficients(dual: Dual) -> np.ndarray:
    """The coefficients c that the remembered updates make."""
    coefficients = np.zeros_like(dual.scores)
    for place in np.flatnonzero(dual.share):
        (i, rival), share = dual.queue[place], dual.share[place]
        if rival < 0:
            coefficients[0, i] += (2 * dual.codes[i] - 1) * share
        else:
            coefficients[dual.codes[i], i] += share
            coefficients[rival, i] -= share
    return coefficients


def vote(
    block: Any, bias: float, moves: Any, codes: Any, lifetimes: Any, scores: Any, out: Any
) -> None:
    """Add up the votes of all intermediate hyperplanes (Freund and Schapire 1999).

    Parameters
    ----------
    block : ndarray of shape (m, S)
        Kernel between the rows to predict and the support vectors.
    bias : float
    moves : ndarray of shape (u, 2)
        Support vector and rival of each update.
    codes : ndarray of shape (S,)
        The classes of the support vectors.
    lifetimes : ndarray of shape (u,)
        Looks that the weights after each update served for.
    scores : ndarray of shape (1,) or (K,)
        Room.
    out : ndarray of shape (m, 1) or (m, K)
        Of two classes the positive votes less the negative ones, else the votes of each class.
    """
    for t in range(block.shape[0]):
        scores[:] = 0.0
        for e in range(len(lifetimes)):
            i, rival = moves[e, 0], moves[e, 1]
            value, code = block[t, i] + bias, codes[i]
            if rival < 0:
                scores[0] += value if code == 1 else -value
                out[t, 0] += lifetimes[e] if scores[0] >= 0 else -lifetimes[e]
                continue
            scores[code] += value
            scores[rival] -= value
            winner = 0
            for k in range(1, len(scores)):
                if scores[k] > scores[winner]:
                    winner = k
            out[t, winner] += lifetimes[e]
