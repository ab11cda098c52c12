"""Mixing without a cluster: the partitions one after the other, in this process."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import DenseRows, Points, SparseRows
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget
from rosenblatt.places.cluster import mixing, work
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.rounds import MixingSweep, one_round, started


class Here:
    """What `MixingSweep` asks of partitions, answered in order."""

    def __init__(self, pieces, classes, fit_intercept=True, held_out=0.0):
        self.facts = work.PartitionFacts(
            pieces[0][0].shape[1], 0, np.asarray(classes), fit_intercept, held_out
        )
        self.blocks = [work.prepare(p, self.facts, i, f"{i}") for i, p in enumerate(pieces)]
        pieces = [piece[:2] for piece in pieces]
        padding = 1.0 if fit_intercept else 0.0
        squares = [_squares(X) for X, _ in pieces if X.shape[0]]
        self.radius = float(np.sqrt(max(s.max() for s in squares) + padding))
        self.reach = self.radius * (2**0.5 if len(classes) > 2 else 1.0)
        self.which = "train"
        rows = DenseRows(np.empty((0, self.facts.width)))
        if sparse.issparse(pieces[0][0]):
            rows = SparseRows(
                np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int32), self.facts.width
            )
        self.none = Points(rows, np.empty(0), np.empty(0), padding)

    def mix(self, weights, pace, number):
        leaves = [
            mixing.one_pass(block, index, weights, pace, number)
            for index, block in enumerate(self.blocks)
        ]
        mixed = mixing.tree(leaves, mixing.add_up)
        return mixed, mixed.moved

    def errors(self, weights, pace=None):
        found = [mixing.wrong(b, i, weights, self.which, pace) for i, b in enumerate(self.blocks)]
        return sum(w for w, _ in found), sum(n for _, n in found)


def _squares(X):
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else (X**2).sum(1)


def simulate(data, pace=None, rounds=1000, pocket=None):
    """The run of a fit, and its rounds."""
    pace = pace or Pace(order="active")
    made = []
    rule = make_rule(len(data.facts.classes), pace.threshold, pace.ties)
    sweep = MixingSweep(data, rule, started(data), pace=pace, tell=made.append, pocket=pocket)
    run = learn(sweep, order=one_round, budget=Budget(passes=rounds))
    return run, made
