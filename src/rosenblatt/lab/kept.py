"""What is kept of a run, last, average, vote and pocket, and what each of them gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.solutions import KeepingSweep, Voters, make_keepers
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import zero_state
from rosenblatt.lab.request import Experiment, codes_of, plane_of
from rosenblatt.lab.settings import STEPS
from rosenblatt.teaching.tracing import Trace


def solutions(experiment: Experiment, source: Trace, count: int) -> dict[str, np.ndarray | Voters]:
    """Each solution of a run on the first so many points.

    Pocket and voters watch the trace's own run once more, compiled: the same start, order, seed and
    end.
    """
    chosen, before = experiment.settings, source.run
    y = experiment.signs if experiment.two else experiment.codes
    points = make_points(
        experiment.X[:count],
        y[:count],
        fit_intercept=chosen.bias,
        steps=float(chosen.eta),
    )
    state = zero_state(points, 0 if experiment.two else len(experiment.classes))
    path = source.path
    state.weights[...] = path[0]
    keepers: dict[str, Any] = dict(make_keepers(["pocket", "vote"], STEPS))
    rule = make_rule(len(experiment.classes), float(chosen.delta), chosen.ties)
    learn(
        KeepingSweep(tuple(keepers.values()), points, rule, state),
        order=chosen.order,
        budget=Budget(max(1, before.passes), before.updates if source.cycle else None),
        rng=np.random.default_rng(chosen.seed),
    )
    return {
        "last": path[-1],
        "average": before.average.astype(float),
        "vote": keepers["vote"],
        "pocket": keepers["pocket"].weights,
    }


def errors_of(experiment: Experiment, found: np.ndarray | Voters) -> list[int]:
    """Wrong predictions on the points and on the test points; a score of 0 is the second class."""
    return [
        int(np.count_nonzero(predicted(experiment, found, plane_of(points)) != codes_of(points)))
        for points in (experiment.points, experiment.test)
    ]


def predicted(experiment: Experiment, found: np.ndarray | Voters, plane: np.ndarray) -> np.ndarray:
    """The classes that a solution gives to points of the plane, as places among the classes."""
    X = experiment.settings.features(plane)
    if isinstance(found, Voters):
        outcome = found.scores(X)
    else:
        outcome = X @ found[..., :-1].T + found[..., -1]
    return (outcome >= 0).astype(int) if experiment.two else outcome.argmax(axis=1)
