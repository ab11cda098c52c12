"""`Task` and `Plan` of a fit, and the rule and the state that each run starts with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rosenblatt.engine.rules import State, make_rule
from rosenblatt.engine.rules.margin_share import make_margin_rule
from rosenblatt.engine.rules.penalties import penalised
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.errors import InputError
from rosenblatt.places.parts import Part
from rosenblatt.places.place import Place, Schedule


class Task(NamedTuple):
    """One run to make.

    Attributes
    ----------
    part : Part or None
        The binary problem; None is all classes at once.
    start : State, ndarray or None
        An earlier run's state to go on with, or weights to start at, or 0.
    seed : int
        Of its permutations.
    kept : dict
        Keepers of the solutions asked for.
    earlier : rule, optional
        An earlier run's rule, whose memory goes on.
    """

    part: Part | None
    start: Any
    seed: int
    kept: dict[str, Any]
    earlier: Any = None


@dataclass(frozen=True)
class Plan:
    """How every run of a fit is made.

    Attributes
    ----------
    order, budget
        As in `learn`.
    eta : float
        The step.
    threshold, ties : float, str
        Of the rule.
    margin : float
        The share of the best margin to reach; 0 for the rule of the threshold.
    penalty, alpha, l1_ratio
        Of the penalty.
    certify : {"auto", True, False}
        When to decide.
    solution : str
        Which weights are asked for.
    averages : bool
        Whether the mean over shuffled passes is wanted.
    callback_of : callable, optional
        Makes, from a run's state, the callback that sees each pass and may stop the run.
    decide_after : int
        Passes with mistakes before a proof that was asked for is searched for.
    pace : float
        Of the bias, where there is a penalty: that of an appended coordinate about as large as
        entries are.
    """

    order: Any
    budget: Budget
    eta: float
    threshold: float
    ties: str
    margin: float
    penalty: str | None
    alpha: float
    l1_ratio: float
    certify: Any
    solution: str
    averages: bool = False
    callback_of: Callable[[State], Callable[[Pass], Stop | None]] | None = None
    decide_after: int = 1
    pace: float = 1.0

    @property
    def patience(self) -> int | None:
        """Passes without fewer mistakes after which a run ends undecided; None for all passes."""
        return self.budget.patience if self.order == "active" else None

    def schedule(self, task: Task, held_out: Any = None) -> Schedule:
        """How the passes of a task are to be made."""
        return Schedule(self.order, self.budget, task.seed, held_out, task.kept)


def rule_of(place: Place, plan: Plan, state: State, earlier: Any) -> Any:
    """The rule that the plan asks for, with the memory of an earlier one."""
    classes = max(2, place.size.vectors)
    if not plan.margin:
        rule = make_rule(classes, plan.threshold, plan.ties)
        given = plan.penalty, plan.alpha, plan.l1_ratio, plan.eta, earlier
        return penalised(rule, state.weights, *given, plan.pace)
    rule = make_margin_rule(classes, plan.margin, earlier)
    if state.weights.any() and not rule.memory.any():
        raise InputError(
            f"margin={plan.margin!r} counts the steps since weights of 0, and these weights are no "
            "sum of such steps: they are given (coef_init, intercept_init), of a fit without a "
            "margin, or of one that ended early and whose separator was solved for. Start anew, "
            "with fit; partial_fit goes on from a fit with certify=False, or with passes enough."
        )
    return rule


def started(place: Place, start: Any, plan: Plan) -> State:
    """The state to start with."""
    if isinstance(start, State):
        return place.start(start)
    state = place.start()
    if start is not None:
        state.weights[...] = start
    moves = plan.ties != "correct" or plan.threshold > 0
    if not moves and not state.weights.any():
        raise InputError(
            "ties='correct' never moves from weights of 0: give fit a coef_init that is not 0, use "
            "ties='mistake', or set a threshold above 0."
        )
    return state
