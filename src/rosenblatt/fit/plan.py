"""`Task` and `Plan` of a fit, and the rule and the state that each run starts with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rosenblatt.engine.rules import State, make_rule
from rosenblatt.engine.rules.margin_share import make_margin_rule
from rosenblatt.engine.rules.penalties import pace_of, penalised
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
    seed : int or source of permutations
        Of its passes; an integer seeds `Permutations`.
    kept : dict
        Keepers of the solutions asked for.
    earlier : rule, optional
        An earlier run's rule, whose memory goes on.
    """

    part: Part | None
    start: Any
    seed: Any
    kept: dict[str, Any]
    earlier: Any = None


@dataclass(frozen=True)
class Plan:
    """How every run of a fit is made.

    Attributes
    ----------
    order, budget
        As in `learn`.
    rule : callable
        Makes the rule, given the place, the state to start with and an earlier run's rule or None.
    certify : {"auto", True, False}
        When to decide.
    solution : str
        Which weights are asked for.
    averages : bool
        Whether the mean over shuffled passes is wanted.
    callback_of : callable, optional
        Makes, from a run's state and rule, the callback that sees each pass and may stop the run.
    decide_after : int
        Passes with mistakes before a proof that was asked for is searched for.
    """

    order: Any
    budget: Budget
    rule: Callable[[Place, State, Any], Any]
    certify: Any
    solution: str
    averages: bool = False
    callback_of: Callable[[State, Any], Callable[[Pass], Stop | None]] | None = None
    decide_after: int = 1

    @property
    def patience(self) -> int | None:
        """Passes without fewer mistakes after which a run ends undecided; None for all passes."""
        return self.budget.patience if self.order == "active" else None

    def schedule(self, task: Task, held_out: Any = None) -> Schedule:
        """How the passes of a task are to be made."""
        return Schedule(self.order, self.budget, task.seed, held_out, task.kept)


def begun(place: Place, plan: Plan, start: Any, earlier: Any = None) -> tuple[State, Any]:
    """The state and the rule that a run starts with; of an earlier one, if that goes on."""
    state = place.start(start if isinstance(start, State) else None)
    if start is not None and not isinstance(start, State):
        state.weights[...] = start
    return state, plan.rule(place, state, earlier)


def perceptron_rule(settings: Any, place: Any, state: State, earlier: Any) -> Any:
    """The rule of a `Perceptron`: of a threshold, with a penalty, or for a margin.

    Parameters
    ----------
    settings : Settings
    place : Place
        In memory, if there is a penalty.
    state : State
        To start with.
    earlier : rule or None
        An earlier run's, whose memory goes on.
    """
    classes, from_zero = max(2, place.size.vectors), not state.weights.any()
    if settings.margin:
        rule = make_margin_rule(classes, settings.margin, earlier)
        if from_zero or rule.memory.any():
            return rule
        raise InputError(
            f"margin={settings.margin!r} counts the steps since weights of 0, and these weights "
            "are no sum of such steps: they are given (coef_init, intercept_init), of a fit "
            "without a margin, or of one that ended early and whose separator was solved for. "
            "Start anew, with fit; partial_fit goes on from a fit with certify=False, or with "
            "passes enough."
        )
    rule = make_rule(classes, float(settings.threshold), settings.ties)
    if from_zero and settings.ties == "correct" and not settings.threshold > 0:
        raise InputError(
            "ties='correct' never moves from weights of 0: give fit a coef_init that is not 0, use "
            "ties='mistake', or set a threshold above 0."
        )
    if settings.penalty is None:
        return rule
    given = settings.penalty, settings.alpha, settings.l1_ratio, float(settings.eta0), earlier
    return penalised(rule, state.weights, *given, pace_of(place.some_entries()))
