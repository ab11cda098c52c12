"""Rounds of mixing on any executor: what a round does is two pure functions.

A round is `one_pass` over every batch, from the same weights, wherever the batch lies; then
`combine` of what these return, all at once or neighbours first; then `Mixed.after`, which gives the
next weights. `fit` makes rounds until there is reason to stop, and only asks the executor to run
functions on batches. `rosenblatt.dask` is the same on a Dask cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.dask.perceptron import Perceptron as OverBatches
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.places.cluster.batches import Batches, Each
from rosenblatt.places.cluster.mixing import Mixed, Pace, combine, one_pass
from rosenblatt.places.cluster.rounds import MixingRound
from rosenblatt.places.cluster.work import PartitionFacts, prepare

__all__ = ["Mixed", "Pace", "PartitionFacts", "combine", "fit", "one_pass", "prepare"]


def fit(
    each: Each,
    *,
    resume: bool = False,
    progress: Callable[[MixingRound], None] | None = None,
    **parameters: Any,
) -> Perceptron:
    """Learn from batches by rounds of mixing, until there is reason to stop.

    Parameters
    ----------
    each : callable
        The executor. It is given a ``function(batch, index)``, runs it on every batch, and returns
        the answers, in any order; one that is missing is an error. A batch is (X, y) or
        (X, y, sample_weight), or has a method ``read`` that returns that; ``index`` counts from 0.
        Function and answers are small, and can be pickled.
    resume, progress
        As for `rosenblatt.dask.Perceptron.fit`.
    **parameters
        Those of `rosenblatt.dask.Perceptron`, without ``client`` and ``persist``: whether batches
        are kept or read again is the executor's own business.

    Returns
    -------
    rosenblatt.Perceptron
        Fitted; its weights are those of `rosenblatt.dask.Perceptron` on the same batches, to the
        bit.

    Examples
    --------
    >>> from rosenblatt import rounds
    >>> batches = [([[0.0], [1.0]], ["a", "b"]), ([[0.2], [0.9]], ["a", "b"])]
    >>> model = rounds.fit(lambda function: map(function, batches, range(len(batches))))
    >>> model.stop_, model.predict([[0.1], [0.8]]).tolist()
    (Stop.SEPARATED, ['a', 'b'])
    """
    model = OverBatches(persist=False, **parameters)
    model._learn(Batches(each), resume=resume, progress=progress)
    return model.to_local()
