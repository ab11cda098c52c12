"""Decisions whether classes are separable, each with a certificate.

The perceptron settles easy separable cases, equal rows of different classes easy inseparable ones,
and working sets all others. `decide_in` is the procedure for every place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.data.checks import check_rows
from rosenblatt.data.labels import check_labels, listed
from rosenblatt.data.positive import positive_code
from rosenblatt.engine.margins import Bracket, outward
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import REST, Part, parts_of
from rosenblatt.places.place import Place, Schedule, certificate_of
from rosenblatt.proof.certificate import Inseparability, Separation
from rosenblatt.solve.answer import Decision, Pairs
from rosenblatt.solve.attempts import PASSES_TO_START, meets_all, prove
from rosenblatt.solve.deadline import Deadline, OutOfTime
from rosenblatt.solve.linear_constraints import LinearConstraints
from rosenblatt.solve.search import Refutation, Search, SearchRound, Separator


@checked()
def decide(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    multiclass: str = "native",
    positive: Any = None,
    time_limit: float | None = None,
    progress: Callable[[SearchRound], None] | None = None,
) -> Decision:
    """Decide whether the classes are linearly separable, and prove it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows; every float counts as the rational number it is.
    y : array of shape (n,)
        Labels of any kind.
    fit_intercept : bool
        Whether a hyperplane may miss the origin.
    multiclass : {"native", "ovr", "ovo"}
        With more than two classes: one weight vector for each class, all at once; each class
        against the rest; or each pair of classes (see `pairs`).
    positive : label, optional
        Which of two classes the weights are to score above 0. By default the one that means yes
        ('+' of '+' and '-'), else the last of the sorted ones.
    time_limit : float, optional
        Seconds; without it there is always a verdict.
    progress : callable, optional
        Sees each `SearchRound` of working sets.

    Returns
    -------
    Decision

    Warns
    -----
    TakesLong
        Before linear programs and exact arithmetic that are likely to take longer than 20 s, and
        about how long, to an order of magnitude: they grow with the cube of the columns in use, or
        of the rows if these are fewer.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
    >>> decision = rb.decide(X, y)
    >>> decision.verdict
    Verdict.INSEPARABLE
    >>> bool(decision.certificate.verify(X, y))
    True
    >>> rb.decide(X, [0, 1, 1, 1]).verdict
    Verdict.SEPARABLE
    """
    if multiclass not in ("native", "ovr", "ovo"):
        raise InputError(f"multiclass must be 'native', 'ovr' or 'ovo', got {multiclass!r}.")
    X = check_rows(X)
    classes, codes = check_labels(y, X.shape[0])
    code = positive_code(classes, positive)
    place = Memory.of(X, classes, codes, fit_intercept=fit_intercept)
    deadline = Deadline(time_limit)
    parts = parts_of(len(classes), multiclass)
    if len(parts) == 1:
        return decide_in(place.part(parts[0]), deadline, progress).facing(code)
    decisions = {
        _name(classes, part): decide_in(place.part(part), deadline, progress) for part in parts
    }
    return _together(decisions, deadline.spent(), classes)


def _name(classes: np.ndarray, part: Part | None) -> Any:
    """The key of a part's decision: a class, or a pair of classes."""
    assert part is not None
    if part.negative == REST:
        return listed(classes)[part.positive]
    return listed(classes)[part.negative], listed(classes)[part.positive]


@checked()
def decide_stream(
    reader: Any,
    *,
    fit_intercept: bool = True,
    positive: Any = None,
    memory: int = 1 << 29,
    time_limit: float | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Decision:
    r"""Decide whether the classes in a file are linearly separable, and prove it.

    Like `rosenblatt.decide`, for two classes and more (one weight vector for each class), but the
    file is read chunk by chunk as often as needed, and only a working set of its rows is held.

    Parameters
    ----------
    reader : Reader, str or path
        From `rosenblatt.readers.open_reader`, or a file to open as it guesses; standard input can
        be read only once, which is not enough.
    fit_intercept : bool
        Whether a hyperplane may miss the origin.
    positive : label, optional
        As for `decide`.
    memory : int
        Bytes for rows during the perceptron's passes. The search for a proof needs some 50 bytes
        a row of the file besides, and what its working set takes.
    time_limit : float, optional
        Seconds, looked at before each chunk is read; without it there is always a verdict.
    progress : callable, optional
        Sees the `FileProgress` of the passes and each `SearchRound` of working sets.

    Returns
    -------
    Decision
        Its certificate counts rows as they come in the file, from 0.

    Examples
    --------
    >>> import pathlib, tempfile, rosenblatt as rb
    >>> path = pathlib.Path(tempfile.mkdtemp(), "parity.csv")
    >>> _ = path.write_text("a,b,sum is\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n")
    >>> reader = rb.readers.open_reader(path)
    >>> decision = rb.decide_stream(reader)
    >>> decision.verdict, decision.certificate.rows.tolist()
    (Verdict.INSEPARABLE, [0, 1, 2, 3])
    >>> bool(rb.verify_stream(decision.certificate, reader))
    True
    """
    from rosenblatt.places.file.place import File
    from rosenblatt.places.file.rows import opened, parsed_once, rows_of

    deadline = Deadline(time_limit)
    reader = opened(reader, memory)
    reader.watch, before = watch_of(deadline), getattr(reader, "watch", None)
    try:
        with parsed_once(reader):
            place = File(rows_of(reader, fit_intercept), memory=memory, progress=progress)
            code = positive_code(place.classes, positive)
            return decide_in(place, deadline, progress).facing(code)
    except OutOfTime:
        return undecided(deadline)
    finally:
        reader.watch = before or (lambda: None)


def watch_of(deadline: Deadline) -> Callable[[], None]:
    """A callback for a reader that ends the reading when the time is over."""

    def watch() -> None:
        if deadline.over():
            raise OutOfTime

    return watch


def undecided(deadline: Deadline) -> Decision:
    """The decision where the time ran out before any weights were tried on all rows."""
    return Decision(
        verdict=Verdict.UNDECIDED,
        certificate=None,
        margin=Bracket(0.0, math.inf),
        weights=None,
        errors=0,
        rounds=0,
        seconds=deadline.spent(),
    )


def _together(parts: dict[Any, Decision], seconds: float, classes: np.ndarray) -> Decision:
    """Separable if every part is; inseparable if any part is."""
    verdicts = {part.verdict for part in parts.values()}
    by_weight = (Verdict.INSEPARABLE, Verdict.UNDECIDED, Verdict.SEPARABLE)
    return Decision(
        verdict=next(v for v in by_weight if v in verdicts),
        certificate=None,
        margin=Bracket(
            min(part.margin.lower for part in parts.values()),
            min(part.margin.upper for part in parts.values()),
        ),
        weights=None,
        errors=max(part.errors for part in parts.values()),
        rounds=sum(part.rounds for part in parts.values()),
        seconds=seconds,
        parts=parts,
        classes=tuple(listed(classes)),
    )


@checked()
def pairs(X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None) -> Pairs:
    """Which pairs of classes are linearly separable, and by what margin.

    Parameters
    ----------
    X, y, fit_intercept, time_limit
        As for `decide`.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.datasets import load_iris
    >>> print(rb.pairs(*load_iris(return_X_y=True)))
          0   1   2
      0   - yes yes
      1 yes   -  no
      2 yes  no   -
    """
    decision = decide(X, y, fit_intercept=fit_intercept, multiclass="ovo", time_limit=time_limit)
    return Pairs(decision.classes, decision.parts or {decision.classes: decision})


def decide_in(
    place: Place, deadline: Deadline, progress: Callable[[SearchRound], None] | None = None
) -> Decision:
    """Decide about the rows of a place: the perceptron first, then working sets.

    Parameters
    ----------
    place : Place
        The rows: in memory, in a file, on a cluster.
    deadline : Deadline
    progress : callable, optional
        Sees each `SearchRound` of working sets.

    Returns
    -------
    Decision
    """
    began = deadline.spent()
    constraints: Any = place.constraints()
    run = _passes(place, deadline)
    search, proof = Search(constraints, deadline.left, progress), None
    upper = length(run.weights) / run.moved
    upper = outward(upper, run.updates, 2 * place.radius, place.size.columns)
    with suppress(OutOfTime):
        weights = constraints.columns.narrowed(run.weights).ravel()
        if run.clean and meets_all(search, weights):
            answer = Separator(weights)
        else:
            answer = prove(search, weights, place.dual(run.state))
        proof = certificate_of(place, _of_all(answer, constraints), upper)
    search.best = _widened(search.best, constraints)
    found = concluded(proof, search, upper, deadline.spent() - began)
    return replace(found, classes=tuple(listed(place.classes)))


def _of_all(
    answer: Separator | Refutation, constraints: LinearConstraints
) -> Separator | Refutation:
    """The answer with a separator's weights for all columns instead of those in use."""
    if isinstance(answer, Refutation):
        return answer
    return Separator(_widened(answer.weights, constraints))


def _widened(weights: np.ndarray, constraints: LinearConstraints) -> np.ndarray:
    return constraints.columns.widened(weights.reshape(constraints.blocks, -1)).ravel()


def concluded(
    proof: Separation | Inseparability | None, search: Search, upper: float, seconds: float
) -> Decision:
    """The decision by a proof, or by the state of the search if there is none."""
    verdict, bracket = Verdict.UNDECIDED, Bracket(0.0, upper)
    weights, errors = search.best, search.fewest
    if isinstance(proof, Separation):
        verdict, bracket, weights, errors = Verdict.SEPARABLE, proof.margin, proof.weights, 0
    elif isinstance(proof, Inseparability):
        verdict, bracket = proof.verdict, Bracket(0.0, min(upper, proof.epsilon))
    return Decision(
        verdict=verdict,
        certificate=proof,
        margin=bracket,
        weights=weights,
        errors=errors,
        rounds=search.rounds,
        seconds=seconds,
    )


def _passes(place: Place, deadline: Deadline) -> Run:
    """Run a perceptron for some passes, within the time."""
    budget = Budget(passes=PASSES_TO_START)
    learning = place.passes(make_rule(len(place.classes)), place.start(), Schedule(budget=budget))
    for _ in learning:
        if deadline.over():
            break
    run = learning.end(Stop.INTERRUPTED)
    if run.stop is Stop.INTERRUPTED and not deadline.over():
        raise KeyboardInterrupt
    return run
