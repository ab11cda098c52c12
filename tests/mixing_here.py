"""Mixing without a cluster: the batches one after the other, in this process."""

from __future__ import annotations

from itertools import count

from rosenblatt.engine.loop import learn
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget
from rosenblatt.places.cluster.batches import Batches
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.rounds import MixingSweep, one_round, started


def here(pieces, classes, fit_intercept=True):
    """Partitions whose executor is Python's map."""
    batches = Batches(lambda function: map(function, pieces, count()))
    return Partitions(batches, classes=classes, fit_intercept=fit_intercept)


def simulate(data, pace=None, rounds=1000, pocket=None):
    """The run of a fit, and its rounds."""
    pace = pace or Pace(order="active")
    made = []
    rule = make_rule(len(data.facts.classes), pace.threshold, pace.ties)
    sweep = MixingSweep(data, rule, started(data), pace=pace, tell=made.append, pocket=pocket)
    run = learn(sweep, order=one_round, budget=Budget(passes=rounds))
    return run, made
