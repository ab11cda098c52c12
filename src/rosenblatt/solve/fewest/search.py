"""The search for the fewest errors: what is tried, in which order, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.run import Run
from rosenblatt.proof.certificate.tree import Branch, Node, renumbered, subsets_of
from rosenblatt.solve.attempts import prove
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.deadline import Deadline, OutOfTime
from rosenblatt.solve.fewest.answer import Ending
from rosenblatt.solve.fewest.cases import Cases, TooDeep
from rosenblatt.solve.fewest.cover import Covering
from rosenblatt.solve.fewest.descent import ErrorDescent
from rosenblatt.solve.fewest.removal import Removal
from rosenblatt.solve.fewest.starts import perceptron, regressions
from rosenblatt.solve.fewest.subsets import Finder, Subset, contradictions
from rosenblatt.solve.search import Search, Separator

# Shares of the time after which quick answers, descents and the reduction of removals end.
QUICK, DESCENTS, REDUCTION = 0.1, 0.3, 0.5
# Exchanges between two steps of the lower end.
EXCHANGES = 3
# Rounds at the root that must raise the bound by this much, or cases take over.
ROUNDS, RISE = 5, 0.01


class Found(NamedTuple):
    """What the search ends with, rows counted among those present."""

    weights: np.ndarray
    subsets: list[Subset]
    node: Node
    witnesses: dict[int, int]

    def tree(self, present: np.ndarray) -> Node:
        """The proof of the lower end, rows counted among all."""
        return _in_place(self.node, present)


def _in_place(node: Node, present: np.ndarray) -> Node:
    if not isinstance(node, Branch):
        return node
    cases = (_in_place(case, present) for case in (node.removed, node.kept))
    return Branch(int(present[node.row]), *cases)


class Bracketing:
    """Narrows the bracket from both sides until it is exact, or the time is over.

    Parameters
    ----------
    constraints : Constraints
    costs : ndarray of int
        What an error on each row costs; all positive.
    deadline : Deadline
    tell : callable
        Sees the bracket, the number of subsets and of cases, now and then.
    """

    def __init__(
        self,
        constraints: Constraints,
        costs: np.ndarray,
        deadline: Deadline,
        tell: Callable[[int, int, int, int], None] = lambda *_: None,
    ):
        self.constraints, self.costs = constraints, costs
        self.deadline, self.tell = deadline, tell
        self.rng = np.random.default_rng(0)
        self.finder = Finder(constraints, deadline.left)
        self.covering = Covering(costs)
        self.removal = Removal(self.finder, self.covering)
        self.cases = Cases(self.finder, self.covering, self.removal)

    def run(self) -> Ending:
        """Search; the reason why it ended."""
        try:
            self._search()
        except OutOfTime:
            return Ending.EXACT if self.cases.done else Ending.TIME
        except TooDeep:
            return Ending.DEPTH
        except KeyboardInterrupt:
            return Ending.INTERRUPTED
        return Ending.EXACT

    def _search(self) -> None:
        """First what is quick, which settles small and nearly separable data; then the rest."""
        if self.constraints.bias:
            self.removal.offer(self._one_answer())
        run = perceptron(self.constraints)
        descent = ErrorDescent(self.constraints, self.costs)
        self._descend(descent, [run.weights, run.average], self._over(QUICK))
        if not self._decide(run):
            return
        for subset in contradictions(self.constraints, self.costs):
            self.covering.add(subset)
        self.removal.reduce(self._over(QUICK))
        if self._open() and self.cases.root_step(self._over(QUICK)) and self._open():
            left = partial(self.deadline.left, DESCENTS)
            starts = regressions(self.constraints, self.costs, left)
            self._descend(descent, starts, self._over(DESCENTS))
            self.removal.reduce(self._over(REDUCTION))
        self._rise()
        while self._open():
            self.cases.step()
            self._exchange()
        self.removal.reduce(lambda: False, surely=True)

    def _one_answer(self) -> np.ndarray:
        """Weights that give every row the class whose rows cost most."""
        worth = np.bincount(self.constraints.codes, self.costs, minlength=self.constraints.classes)
        weights = np.zeros((self.constraints.blocks, self.constraints.d + 1))
        likeliest = int(np.argmax(worth))
        weights[0 if self.constraints.binary else likeliest, -1] = 1.0
        return (weights if likeliest or not self.constraints.binary else -weights).ravel()

    def _decide(self, run: Run) -> bool:
        """Whether there is anything to search: a separator ends it, a refutation begins it."""
        search = Search(self.constraints, self.deadline.left)
        answer = prove(search, run.weights, run.state.dual)
        if isinstance(answer, Separator):
            self.removal.offer(answer.weights)
            return False
        rivals = None if self.constraints.binary else answer.rivals
        self.covering.add(Subset.of(answer.points, list(answer.alpha), rivals))
        if search.working is not None:
            self.finder.working.add(search.working.points, search.working.rivals)
        self.removal.offer(search.best)
        return self._open()

    def _open(self) -> bool:
        """Report, and tell whether the two ends are apart."""
        cases = self.cases
        self.tell(cases.lower, self.removal.cost, len(self.covering.subsets), cases.count)
        return not cases.done

    def proof(self) -> Found:
        """What is proved so far."""
        node = self.cases.tree()
        used = sorted(subsets_of(node) | set(self.removal.witnesses.values()))
        number = {at: k for k, at in enumerate(used)}
        witnesses = {row: number[at] for row, at in self.removal.witnesses.items()}
        subsets = [self.covering.subsets[at] for at in used]
        return Found(self.removal.weights, subsets, renumbered(node, number), witnesses)

    def _descend(
        self, descent: ErrorDescent, starts: Iterable[np.ndarray], late: Callable[[], bool]
    ) -> None:
        """Descend from each start to weights with few errors."""
        for weights in starts:
            descent.run(weights, late)
            self.removal.offer(descent.weights)
            if not self._open():
                break

    def _over(self, share: float) -> Callable[[], bool]:
        """Whether a share of the time is spent."""
        return partial(self.deadline.over, share)

    def _rise(self) -> None:
        """Add subsets for all cases at once as long as that raises the bound."""
        values: list[float] = []
        while self._open() and self.cases.root_step(lambda: False):
            self._exchange()
            values.append(self.cases.root.value)
            recent = values[-ROUNDS:]
            if len(values) > ROUNDS and recent[-1] - recent[0] < RISE * recent[-1]:
                break

    def _exchange(self) -> None:
        for _ in range(EXCHANGES):
            if not self.cases.done:
                self.removal.exchange(self.rng)
