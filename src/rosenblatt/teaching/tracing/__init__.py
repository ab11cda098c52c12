"""Trace: a run of the perceptron, step by step, in floats or in exact fractions.

`trace` drives the one loop of ``learn`` with a sweep that records what the plain, uncompiled rules
do; it has no rule and no loop of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.arguments import ARGUMENTS, FLAG, LABELS, TEXT, checked, optional
from rosenblatt.engine import rules
from rosenblatt.engine.loop import learn
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget
from rosenblatt.errors import InputError
from rosenblatt.teaching.tracing.arguments import (
    as_fractions,
    build_points,
    build_state,
    is_rational,
    read_codes,
    read_numbers,
    read_start,
    refuse_beyond,
)
from rosenblatt.teaching.tracing.recording import RecordingSweep, TraceRecord
from rosenblatt.teaching.tracing.steps import Replay, Step, Trace
from rosenblatt.teaching.tracing.text import (
    check_bias,
    place_bias,
    shown_vector,
)

__all__ = ["RecordingSweep", "Replay", "Step", "Trace", "trace"]


@checked(
    exact=optional(FLAG),
    bias=TEXT,
    threshold=None,
    eta=None,
    classes=optional(LABELS),
    random_state=ARGUMENTS["seed"],
)
def trace(
    X: Any,
    y: Any,
    *,
    init: Any = None,
    threshold: Any = 0,
    eta: Any = 1,
    order: str | Sequence[int] = "cyclic",
    ties: str = "mistake",
    fit_intercept: bool = True,
    bias: str = "first",
    max_passes: int = 1000,
    max_steps: int = 20_000,
    exact: bool | None = None,
    random_state: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
) -> Trace:
    """Run the perceptron and record every step.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Integers, fractions or floats. Small: each step is kept.
    y : array-like of shape (n,)
        Labels; two different values, or more for one weight vector per class.
    init : array-like of shape (width,) or (K, width), optional
        The weights to start with, **the bias first**: [b, w₁, …, w_d]; see ``bias``. Without an
        intercept [w₁, …, w_d]. Zero by default.
    threshold : number, default 0
        δ ≥ 0: a mistake is y·score ≤ δ.
    eta : number, default 1
        η > 0, the multiple of a point that an update adds.
    order : {"cyclic", "shuffled", "active", "worst", "iid"} or sequence of int
        Which point next. In "worst" order a step is the most violated point; the looks that found
        it are counted, not recorded. "iid" draws each point anew from all of them. A sequence
        such as [1, 0, 1] names the rows of a pass one after another. A pass of the last two kinds
        without a mistake may have missed a point, and then ends with a look at all of them.
        "active" goes back to the points mistaken before; a fit's also to those hardly right.
    ties : {"mistake", "positive", "negative", "correct"}
        What y·score = δ is: a mistake; with δ = 0, a prediction of the positive or of the negative
        class; or never a mistake, which needs a start other than 0. With more than two classes
        only "mistake" and "correct".
    fit_intercept : bool
        Whether points have a bias coordinate of 1.
    bias : {"first", "last"}
        Where the bias stands, in ``init`` and in all that is shown.
    max_passes, max_steps : int
        Stop after so many passes; refuse to record more than so many steps.
    exact : bool, optional
        Whether to compute in `fractions.Fraction`, each float taken as the rational it is. By
        default if every number given is an integer or a fraction. Exact runs in cyclic order
        notice when they come back to an earlier state.
    random_state : int or Generator, optional
        Seed of shuffled order; 0 by default.
    classes : sequence, optional
        All labels in order, if y does not show them; of two, the second is the positive one.
    positive : label, optional
        Which of two classes is the positive one. By default the one that means yes ('+' of '+' and
        '-'), else the last of the sorted ones.

    Returns
    -------
    Trace

    Examples
    --------
    >>> X, y = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]
    >>> print(trace(X, y, init=[-1, 0, 0], max_passes=1).table())
    step | index | label | weights     | score                 | correct? | update
    1    | 0     | -1    | [-1, 0, 0]  | -1·1 + 0·1 + 0·1 = -1 | yes      | none
    2    | 1     | 1     | [-1, 0, 0]  | -1·1 + 0·3 + 0·2 = -1 | no       | + [1, 3, 2]
    3    | 2     | 1     | [0, 3, 2]   | 0·1 + 3·2 + 2·4 = 14  | yes      | none
    4    | 3     | 1     | [0, 3, 2]   | 0·1 + 3·3 + 2·4 = 17  | yes      | none
    5    | 4     | -1    | [0, 3, 2]   | 0·1 + 3·2 + 2·3 = 12  | no       | - [1, 2, 3]
    6    |       |       | [-1, 1, -1] |                       |          |
    """
    for name, value in (("max_passes", max_passes), ("max_steps", max_steps)):
        if value < 1:
            raise InputError(f"{name} must be at least 1, got {value}.")
    values = read_numbers(X.toarray() if hasattr(X, "toarray") else X, "X", 2)
    labels, codes = read_codes(y, classes, positive, len(values))
    wide = values.shape[1] + bool(fit_intercept)
    start = read_start(init, (wide,) if len(labels) == 2 else (len(labels), wide))
    start = place_bias(fit_intercept, check_bias(bias), "last", start)
    step, delta = read_numbers(eta, "eta", 0).item(), read_numbers(threshold, "threshold", 0).item()
    if step <= 0:
        raise InputError(f"eta must be positive, got {eta}.")
    if ties == "correct" and delta == 0 and not np.any(start):
        raise InputError(
            'ties="correct" needs a start other than 0, where every score is a tie and nothing '
            "would ever be learned. Pass init, for example one of the points times its sign."
        )
    if exact is None:
        exact = all(is_rational(x) for x in (*values.flat, *start.flat, step, delta))
    if not exact:
        for name, numbers in (("eta", [step]), ("threshold", [delta]), ("init", start.flat)):
            refuse_beyond(numbers, name)
        refuse_beyond(values.flat, "X")
    record = TraceRecord()
    in_turn = isinstance(order, str) and order == "cyclic"
    how = {"max_steps": max_steps, "find_cycle": exact and in_turn}
    rule = make_rule(len(labels), Fraction(delta) if exact else float(delta), ties)
    try:
        points = build_points(values, codes, len(labels), fit_intercept, step, exact)
        state = build_state(points, len(labels), start, exact)
        began = state.weights.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            run = learn(
                RecordingSweep(points, rule, state, record=record, **how),
                order=order,
                budget=Budget(passes=max_passes),
                rng=None if random_state is None else np.random.default_rng(random_state),
            )
    except OverflowError:
        raise InputError("Numbers grew beyond the range of floats. Rescale X.") from None
    shown = partial(shown_vector, fit_intercept=fit_intercept, bias=bias)
    padded = np.array([[*row, Fraction(1)] for row in values], dtype=object)
    return Trace(
        steps=_steps(record, [labels[code] for code in codes], shown),
        exact_weights=shown(np.array([began, *(look.after for look in record.looks)])),
        run=run,
        cycle=record.cycle,
        alpha=_alpha(record, codes, len(labels)),
        classes=labels,
        rows=shown(as_fractions(padded) if exact else padded.astype(float)),
        fit_intercept=fit_intercept,
        bias=bias,
        exact=exact,
        eta=step,
        threshold=delta,
        names=tuple(map(str, getattr(X, "columns", ()))),
    )


@np.errstate(over="ignore", invalid="ignore")  # a run that overflowed says so by its stop
def _steps(record: TraceRecord, y: list[Any], shown: Callable[[Any], Any]) -> list[Step]:
    """The steps; those between two updates share vectors, which therefore cannot be changed."""
    steps: list[Step] = []
    after: Any = None
    still: Any = None
    for number, look in enumerate(record.looks, 1):
        before = _fixed(shown(look.before)) if after is None else after
        if look.mistake or after is None:
            after = _fixed(shown(look.after)) if look.mistake else before
            still = _fixed(after - after)
        update = _fixed(after - before) if look.mistake else still
        label = y[look.point]
        steps.append(
            Step(number, look.point, before, look.score, label, look.mistake, update, after)
        )
    return steps


def _fixed(vector: np.ndarray) -> np.ndarray:
    vector = vector.view()
    vector.flags.writeable = False
    return vector


def _alpha(record: TraceRecord, codes: list[int], classes: int) -> np.ndarray | None:
    """How often each point, and with K classes each rival, changed the weights in the cycle."""
    if record.cycle is None:
        return None
    alpha = np.zeros((len(codes), classes), dtype=int)
    for look in record.looks[slice(*record.cycle)]:
        if look.mistake:
            true = codes[look.point]
            rival = 0 if classes == 2 else rules.strongest_rival(look.score, true)
            alpha[look.point, rival] += 1
    return alpha[:, 0] if classes == 2 else alpha
