"""What a run leaves behind for the next one to go on from, as plain values and back.

The points of a run are not kept, only how far they moved the weights altogether.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.data.model_file.values import NUMBERS, Fields, require
from rosenblatt.engine.costs import RunCost
from rosenblatt.engine.progress import Recent
from rosenblatt.engine.rules import State, make_rule
from rosenblatt.engine.rules.margin_share import make_margin_rule
from rosenblatt.engine.rules.penalties import OWED, account_of, penalised
from rosenblatt.engine.run import Pass, Run, WideRun
from rosenblatt.engine.solutions import Pocket, Voters
from rosenblatt.engine.stopping import Stop
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.fit.settings import KEPT

COUNTS = ("mistakes", "updates", "passes", "looks")


def run_values(run: Run) -> dict[str, Any]:
    """A run as plain values; one on the columns in use as it was made."""
    if isinstance(run, WideRun):
        return {**run_values(run.narrow), "columns": run.columns}
    return {
        "weights": run.weights,
        "average": run.average,
        "now": run.state.weights,
        "drift": run.state.drift,
        "clock": run.state.clock,
        "moved": float(run.state.dual.sum()),
        **{name: getattr(run, name) for name in COUNTS},
        "history": run.history,
        "stop": run.stop,
        "clean": bool(run.clean),
        "cost": [*map(int, run.cost[:-1]), run.cost.order],
        "best": run.best,
        "missed": run.missed,
        "averaged": run.averaged,
        "recent": list(run.recent),
    }


def run_of(values: Any, shape: Sequence[int]) -> Run:
    """The run that `run_values` wrote, with weights of that shape."""
    fields = Fields(values, "a run")
    if "columns" in fields.values:
        columns = _columns_of(fields, shape)
        narrow = {k: v for k, v in fields.values.items() if k != "columns"}
        return run_of(narrow, (*shape[:-1], columns.count + 1)).widened(columns)
    weights, average, now, drift = (
        fields.array(name, "f", *shape) for name in ("weights", "average", "now", "drift")
    )
    clock = fields.array("clock", "i", 1)
    # The clock counts looks since the mean began: negative before that.
    require(abs(int(clock[0])) < 2**62, "the clock of a run is wrong")
    moved = float(fields.take("moved", *NUMBERS))
    classes = shape[0] if len(shape) == 2 else 0
    state = State(now, drift, np.array([moved]), np.zeros(1), clock, np.zeros(classes))
    counts: dict[str, Any] = {name: fields.count(name) for name in COUNTS}
    return Run(
        weights=weights,
        average=average,
        state=state,
        **counts,
        history=history_of(fields, "history"),
        stop=fields.take("stop", Stop),
        clean=fields.take("clean", bool),
        # Files hold no seconds, so that equal fits are equal files; older ones did.
        seconds=0.0,
        cost=_cost(fields.take("cost", list)),
        # Older files do not hold what follows.
        best=None if fields.values.get("best") is None else fields.array("best", "f", *shape),
        missed=fields.count("missed") if "missed" in fields.values else 0,
        averaged=fields.count("averaged") if "averaged" in fields.values else 0,
        recent=_recent(fields) if "recent" in fields.values else Recent(),
    )


def _columns_of(fields: Fields, shape: Sequence[int]) -> UsedColumns:
    """The columns that weights are of, among all that a run with weights of that shape has."""
    columns = fields.take("columns", UsedColumns)
    require(columns.width == shape[-1] - 1, "a run is of other columns")
    return columns


def _recent(fields: Fields) -> Recent:
    values = fields.take("recent", list)
    sound = len(values) == len(Recent._fields) and all(isinstance(v, NUMBERS) for v in values)
    require(sound and all(0 <= v < math.inf for v in values), "what came lately is wrong")
    return Recent(*map(float, values))


def history_of(fields: Fields, name: str) -> tuple[Pass, ...]:
    """A history, which may be empty."""
    history = fields.take(name, tuple)
    require(all(isinstance(row, Pass) for row in history), f"{name} is no history")
    return history


def _cost(values: list[Any]) -> RunCost:
    numbers, order = values[:-1], values[-1:]
    require(len(values) == len(RunCost._fields) and isinstance(order[0], str), "bad cost")
    require(all(type(number) is int for number in numbers), "bad cost")
    return RunCost(*numbers, order=order[0])


def kept_values(kept: dict[str, Any]) -> dict[str, Any]:
    """Pocket and voters as plain values."""
    values: dict[str, Any] = {}
    for name, keeper in kept.items():
        if name == "pocket":
            found = (keeper.weights, keeper.error, keeper.trials)
            values[name] = dict(zip(("weights", "error", "trials"), found, strict=True))
        else:
            found = (keeper.in_use, keeper.votes, keeper.dropped, keeper.max_voters, keeper.columns)
            names = ("weights", "votes", "dropped", "max_voters", "columns")
            values[name] = dict(zip(names, found, strict=True))
    return values


def kept_of(values: Any, shape: Sequence[int]) -> dict[str, Any]:
    """The pocket and voters of a run with weights of that shape."""
    fields = Fields(values, "what is kept")
    require(set(fields.values) <= set(KEPT), "unknown solutions are kept")
    kept: dict[str, Any] = {}
    if "pocket" in fields.values:
        kept["pocket"] = _pocket(Fields(fields.values["pocket"], "the pocket"), shape)
    if "vote" in fields.values:
        kept["vote"] = _voters(Fields(fields.values["vote"], "the voters"), shape)
    return kept


def _pocket(fields: Fields, shape: Sequence[int]) -> Pocket:
    pocket = Pocket()
    if fields.values.get("weights") is not None:
        pocket.weights = fields.array("weights", "f", *shape)
    pocket.error = float(fields.take("error", *NUMBERS))
    pocket.trials = fields.count("trials")
    return pocket


def _voters(fields: Fields, shape: Sequence[int]) -> Voters:
    columns = fields.values.get("columns")  # older files have none
    if columns is not None:
        columns = _columns_of(fields, shape)
        shape = (*shape[:-1], columns.count + 1)
    votes = fields.array("votes", "i", None)
    empty = not len(votes)
    weights = np.zeros((0, *shape)) if empty else fields.array("weights", "f", len(votes), *shape)
    require(((votes > 0).all() and votes.sum() > 0) or empty, "votes must be positive")
    voters = Voters(fields.count("max_voters"))
    require(len(votes) <= voters.max_voters, "there are more voters than there may be")
    for hyperplane, count in zip(weights, votes.tolist(), strict=True):
        voters.add(hyperplane, count)
    if columns is not None:
        voters.widen(columns)
    voters.dropped = fields.count("dropped")
    return voters


def accounts_of_rule(rule: Any) -> list[Any] | None:
    """The penalties pending and paid of a penalised rule; the state of a margin rule."""
    if rule is None:
        return None
    if rule.share:
        return [rule.memory]
    if not rule.owes_penalty:
        return None
    return [np.array([rule.account[OWED], rule.pace]), rule.paid]


def rule_of(values: Any, model: Any, run: Run) -> Any:
    """The rule of a run, with the accounts that `accounts_of_rule` wrote."""
    weights, classes = run.state.weights, max(2, len(run.state.buffer))
    if model.margin:
        return _margin_rule(values, classes, model.margin)
    rule = make_rule(classes, float(model.threshold), model.ties)
    rule = penalised(rule, weights, model.penalty, model.alpha, model.l1_ratio, model.eta0)
    if values is None or not rule.owes_penalty:
        return rule
    require(isinstance(values, list) and len(values) in (2, 3), "bad accounts of a penalty")
    fields = Fields({"account": values[0], "paid": values[1]}, "a penalty")
    if len(values) == 3:  # no mean was kept then: that of the looks so far is the weights
        run.state.drift[...] = 0.0
    owed, pace = fields.array("account", "f", 2).tolist()
    require(0 < pace < math.inf, "bad accounts of a penalty")
    paid = fields.array("paid", "f", *weights[..., :-1].shape)
    return rule._replace(account=account_of(owed), paid=paid, pace=pace)


def _margin_rule(values: Any, classes: int, share: float) -> Any:
    """The rule of a share of the margin; None where nothing is known of the steps made.

    So it is of weights that came from elsewhere, and in files of before they were kept.
    """
    rule = make_margin_rule(classes, share)
    if values is None:
        return None
    require(isinstance(values, list) and len(values) == 1, "bad memory of a margin")
    memory = Fields({"memory": values[0]}, "a margin").array("memory", "f", 2)
    require((np.isfinite(memory) & (memory >= 0)).all(), "bad memory of a margin")
    return rule._replace(memory=memory)
