"""`decide` over many machines: the search is the local one, its goal is elsewhere.

Imports ``asking``, ``rounds`` and the parts of ``decision``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.loop import learn, length
from rosenblatt.engine.margins import Bracket, outward
from rosenblatt.engine.rules import State, make_rule
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.fit.conclusion import Conclusion, certified
from rosenblatt.places.cluster.asking import Scattered
from rosenblatt.places.cluster.cluster import connected
from rosenblatt.places.cluster.guarantee import most_mistakes
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.rounds import MixingSweep, started
from rosenblatt.places.cluster.verifying import floor
from rosenblatt.proof.certificate import Inseparability, Separation, classes_of
from rosenblatt.solve.decision import PASSES, Clock, Decision, concluded, settle
from rosenblatt.solve.search import OutOfTime, Refutation, Round, Search, Separator


def decide(
    X: Any,
    y: Any = None,
    *,
    client: Any = None,
    fit_intercept: bool = True,
    persist: Any = "auto",
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
) -> Decision:
    """Decide whether the classes are linearly separable, and prove it.

    Some rounds of mixing settle the easy cases. Then, round after round, the workers look at all
    points and send the most violated, and `rosenblatt.decide`'s own search solves the small
    problem here. Its certificates name rows by their number through all partitions, and
    `rosenblatt.dask.verify` checks them where the data is.

    Parameters
    ----------
    X, y
        As for `rosenblatt.dask.Perceptron.fit`.
    client, persist
        As for `rosenblatt.dask.Perceptron`.
    fit_intercept, time_limit, progress
        As for `rosenblatt.decide`; more than two classes have one weight vector each.

    Returns
    -------
    Decision

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rosenblatt.dask import decide, verify
    >>> X = da.from_array(np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), chunks=(2, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     decision = decide(X, np.array([0, 0, 1, 1]), client=client)
    ...     decision.verdict, bool(verify(decision.certificate, X, np.array([0, 0, 1, 1])))
    (Verdict.INSEPARABLE, True)
    """
    clock = Clock(time_limit)
    with connected(client) as client:
        data = Partitions(client, X, y, persist=persist, fit_intercept=fit_intercept)
        return decided(data, clock, progress)


def decided(data: Partitions, clock: Clock, progress: Callable[[Round], None] | None) -> Decision:
    """The decision about partitions."""
    run, goal = _rounds(data, clock), Scattered(data)
    search = Search(goal, clock.left, progress)
    answer = None
    upper = length(run.weights) / float(run.state.dual[0])
    upper = outward(upper, run.updates, 2 * data.radius, data.d)
    with suppress(OutOfTime):
        answer = settle(search, run.weights, run.state.dual, separates=run.clean)
    proof = proof_of(data, goal, answer, upper)
    return concluded(proof, search, upper, clock.spent())


def _rounds(data: Partitions, clock: Clock) -> Run:
    """Some rounds of mixing within the time."""
    run = mixed_run(data, PASSES, watch=lambda _: Stop.INTERRUPTED if clock.over() else None)
    if run.stop is Stop.INTERRUPTED and not clock.over():
        raise KeyboardInterrupt
    return run


def mixed_run(data: Partitions, rounds: int, watch: Any = None) -> Run:
    """So many rounds of mixing by the plain rule, from 0."""
    return learn(
        data,  # type: ignore[arg-type]
        make_rule(len(data.facts.classes)),
        order="cyclic",
        state=started(data),
        everyone=np.arange(len(data.sources)),
        budget=Budget(passes=rounds),
        sweeper=partial(MixingSweep, Pace(order="active"), None),
        watch=watch,
    )


def answered(data: Partitions, state: State) -> tuple[Any, np.ndarray | None, Stop]:
    """Decide from where a run is: the answer, a separator as floats, and why the run ends."""
    try:
        search = Search(Scattered(data))
        answer = settle(search, state.weights, state.dual, separates=False)
    except KeyboardInterrupt:
        return None, None, Stop.INTERRUPTED
    if not isinstance(answer, Separator):
        return answer, None, Stop.INSEPARABLE
    return answer, answer.floats().reshape(state.weights.shape), Stop.SEPARATED


def conclude(data: Partitions, run: Run, answer: Any, upper: float, pace: Pace) -> Conclusion:
    """What a run and the search after it let us conclude of the data."""
    upper = outward(upper, run.updates, data.reach * pace.spread[1] / pace.spread[0], data.d)
    if isinstance(answer, Refutation):
        found = proof_of(data, Scattered(data), answer, upper)
        assert isinstance(found, Inseparability)
        bracket = Bracket(0.0, min(upper, found.epsilon))
        return Conclusion(bracket, verdict=found.verdict, certificate=found)
    if not run.clean:
        return Conclusion(Bracket(0.0, upper))
    proof = certified(partial(separation, data), run, upper, answer)
    if proof is None:
        return Conclusion(Bracket(0.0, upper))
    bound = most_mistakes(pace, data.reach, proof.margin.lower)
    # Rows that were held out were not looked at: of all the data nothing is proved.
    known = (proof.verdict, proof) if data.whole else (Verdict.UNDECIDED, None)
    return Conclusion(proof.margin, bound, *known)


def separation(data: Partitions, weights: np.ndarray, upper: float = math.inf) -> Separation:
    """The certificate of separating weights: its margin is proved on every partition.

    Raises CertificateError where they do not separate.
    """
    lower = min(data.ask(floor, np.asarray(weights)))
    classes = classes_of(data.facts.classes)[0]
    weights = np.array(weights, order="C")
    return Separation.reaching(lower, weights, classes, data.facts.fit_intercept, upper, "")


def proof_of(
    data: Partitions, goal: Scattered, answer: Separator | Refutation | None, upper: float
) -> Separation | Inseparability | None:
    """What a search found, as a certificate of the data."""
    if answer is None:
        return None
    classes = classes_of(data.facts.classes)[0]
    if isinstance(answer, Separator):
        shape = (-1,) if goal.binary else (len(classes), -1)
        return separation(data, answer.weights.reshape(shape), upper)
    ids, back = np.unique(answer.points, return_inverse=True)
    X, codes = goal.points_of(ids)
    claim = Inseparability(
        rows=back,
        alpha=tuple(answer.alpha),
        rivals=None if goal.binary else answer.rivals,
        codes=codes[back],
        classes=classes,
        fit_intercept=data.facts.fit_intercept,
        fingerprint="",
    )
    proof = claim.checked(X, codes)
    return replace(proof, rows=ids[proof.rows])
