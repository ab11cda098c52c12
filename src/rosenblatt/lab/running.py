"""The run of an experiment, leg by leg: points that join begin a new leg from the weights so far.

Drives `rosenblatt.trace` and `rosenblatt.risk.descend`; nothing here learns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.solutions import Voters
from rosenblatt.engine.stopping import Stop
from rosenblatt.lab.kept import errors_of, solutions
from rosenblatt.lab.request import Experiment
from rosenblatt.lab.settings import STEPS
from rosenblatt.teaching.risk import Path, descend
from rosenblatt.teaching.tracing import Trace, trace
from rosenblatt.teaching.tracing.text import as_text, shown_vector

TRACED = ["step", "index", "label", "weights", "score", "correct?", "update"]
DESCENT = ["step", "errors", "risk", "ε", "weights"]


class Leg(NamedTuple):
    """A part of a run between two joinings.

    Attributes
    ----------
    points : int
        The points in play: the first so many.
    source : Trace or risk.Path, or None
        The run on them, from the weights of the leg before; None in a walk that is remembered.
    steps : int
        How many of its steps were made before the next point joined.
    start : weights, or None
        Where it began.
    wanted : int or None
        The most steps that it could make before the next point joined; None for the last leg.
    """

    points: int
    source: Any
    steps: int
    start: Any
    wanted: int | None


class StepTable(NamedTuple):
    """The table of the lectures, as text, without its last row."""

    heading: list[str]
    rows: list[tuple[str, ...]]  # tuples of texts, which the collector of garbage need not visit


class Walk(NamedTuple):
    """A run, as columns: one entry a step, and weights for each update.

    Attributes
    ----------
    looked : list of int or None
        The point that was looked at; None for a step over many points.
    score : list
        w·x + b there, or one score a class; of descent, the risk before the step.
    mistakes : list of int
        How many points changed the weights: 0 or 1; of descent, the misclassified ones.
    update : list of int
        Updates made by the end of the step.
    weights : ndarray of shape (updates + 1, features + 1) or (updates + 1, K, features + 1)
        After each update, the start first; the bias last, 0 without one.
    passes : list of (int, int)
        The step after which each pass ended, and the mistakes made in it.
    joined : list of int
        The steps after which points joined.
    end : str
        The weights at the end, as the table writes them.
    kept : weights with the bias last, or Voters, or None
        The chosen solution of the last leg; None for the last weights, which are there anyway.
    errors : dict of str to [int, int], or None
        Wrong predictions of each solution of the last leg, on the points and on the test points;
        None for descent.
    table : Table or None
        None where it was not asked for: to write it takes as long as to run.
    """

    looked: list[int | None]
    score: list[Any]
    mistakes: list[int]
    update: list[int]
    weights: np.ndarray
    passes: list[tuple[int, int]]
    joined: list[int]
    end: str
    stop: Stop | None
    cycle: tuple[int, int] | None
    legs: tuple[Leg, ...] = ()
    kept: np.ndarray | Voters | None = None
    errors: dict[str, list[int]] | None = None
    table: StepTable | None = None


def legs_of(experiment: Experiment) -> Iterator[Leg]:
    """The legs of the run, in order."""
    joined = np.array([point.joined for point in experiment.points], dtype=int)
    times = np.unique(joined).tolist()
    start, done = experiment.settings.start, 0
    for at, until in pairwise([*times, None]):
        wanted = None if until is None else max(1, until - done)
        count = int(np.count_nonzero(joined <= at))
        source = _run(experiment, count, start, wanted)
        steps = _length(source) if until is None else min(until - done, _length(source))
        yield Leg(count, source, steps, start, wanted)
        start, done = source.weights[steps], done + steps


def _run(experiment: Experiment, count: int, start: Any, wanted: int | None) -> Trace | Path:
    X = experiment.X[:count]
    if experiment.settings.rule == "perceptron":
        labels = experiment.labels[:count]
        return trace(X, labels, **trace_settings(experiment, start, wanted))
    return descend(X, experiment.signs[:count], **descent_settings(experiment, start, wanted))


def trace_settings(experiment: Experiment, start: Any, wanted: int | None) -> dict[str, Any]:
    """The keyword arguments of `rosenblatt.trace` for a leg of which so many steps are wanted."""
    chosen = experiment.settings
    return {
        "classes": list(experiment.classes),
        "init": None if start is None else list(start),
        "threshold": chosen.delta,
        "eta": chosen.eta,
        "order": chosen.order,
        "ties": chosen.ties,
        "fit_intercept": chosen.bias,
        "max_passes": min(experiment.passes, wanted or STEPS),
        "max_steps": 3 * STEPS,
        "exact": experiment.exact,
        "random_state": chosen.seed,
    }


def descent_settings(experiment: Experiment, start: Any, wanted: int | None) -> dict[str, Any]:
    """The keyword arguments of `rosenblatt.risk.descend` for such a leg."""
    chosen = experiment.settings
    if isinstance(start, tuple):  # as a user writes it: the bias first
        start = [*start[1:], start[0]] if chosen.bias else list(start)
    return {
        "epsilon": chosen.eta,
        "step": chosen.step_size,
        "batch_size": chosen.batch if chosen.rule == "sgd" else None,
        "init": None if start is None else np.asarray(start, dtype=float).tolist(),
        "fit_intercept": chosen.bias,
        "max_iter": min(experiment.passes, wanted or STEPS),
        "random_state": chosen.seed,
    }


def _length(source: Trace | Path) -> int:
    return len(source) if isinstance(source, Trace) else len(source.risk) - 1


def walk(experiment: Experiment) -> Walk:
    """Run the experiment.

    Examples
    --------
    >>> from rosenblatt.lab.request import read
    >>> made = walk(read({"points": [[1, 1, 1], [-1, -1, 0]]}))
    >>> made.looked, made.mistakes, made.weights[-1].tolist()
    ([0, 1, 0, 1], [1, 0, 0, 0], [1.0, 1.0, 1.0])
    """
    legs = list(legs_of(experiment))
    if not legs:
        return _nowhere(experiment)
    parts = [_columns(leg, experiment.settings.bias) for leg in legs]
    whole = parts[0]
    for part in parts[1:]:
        whole = _joined(whole, part)
    whole = whole._replace(legs=tuple(legs))
    if experiment.settings.rule != "perceptron":
        return whole
    found = solutions(experiment, legs[-1].source, legs[-1].points)
    errors = {name: errors_of(experiment, one) for name, one in found.items()}
    chosen = experiment.settings.solution
    return whole._replace(kept=None if chosen == "last" else found[chosen], errors=errors)


def without_sources(made: Walk) -> Walk:
    """The walk to remember: without the thousands of steps that a trace holds as objects."""
    return made._replace(legs=tuple(leg._replace(source=None) for leg in made.legs))


def table(made: Walk, experiment: Experiment) -> StepTable:
    """Write the table of a walk, from the sources of its legs.

    Examples
    --------
    >>> from rosenblatt.lab.request import read
    >>> experiment = read({"points": [[1, 1, 1], [-1, -1, 0]]})
    >>> table(walk(experiment), experiment).rows[0]
    ('1', '0', 'yes', '[0, 0, 0]', '0·1 + 0·1 + 0·1 = 0', 'no', '+ [1, 1, 1]')
    """
    heading = TRACED if experiment.settings.rule == "perceptron" else DESCENT
    rows: list[list[str]] = []
    for leg in made.legs:
        heading, *more = _cells(leg, experiment.settings.bias)
        rows += more[: leg.steps]
    return StepTable(heading, [(str(number), *row[1:]) for number, row in enumerate(rows, 1)])


def _cells(leg: Leg, bias: bool) -> list[list[str]]:
    if isinstance(leg.source, Trace):
        return leg.source.cells()
    path = leg.source
    shown = shown_vector(path.weights[: leg.steps], bias, "first")
    return [DESCENT] + [
        [
            str(t + 1),
            f"{path.errors[t]:d}",
            f"{path.risk[t]:.6g}",
            f"{path.epsilon[t]:.6g}",
            _text(w),
        ]
        for t, w in enumerate(shown)
    ]


def _nowhere(experiment: Experiment) -> Walk:
    """Without points there is only the start."""
    chosen = experiment.settings
    shape = () if experiment.two else (len(experiment.classes),)
    weights = np.zeros((1, *shape, 3 + chosen.extra))
    if chosen.start is not None:
        start = np.array(chosen.start, dtype=float)
        weights[0, ..., :-1] = start[..., int(chosen.bias) :]
        weights[0, ..., -1] = start[..., 0] if chosen.bias else 0.0
    end = as_text(shown_vector(weights[-1], chosen.bias, "first"))
    return Walk([], [], [], [], weights, [], [], end, None, None)


def _columns(leg: Leg, bias: bool) -> Walk:
    if isinstance(leg.source, Trace):
        return _traced(leg)
    return _descended(leg, bias)


def _traced(leg: Leg) -> Walk:
    run = leg.source
    steps = run.steps[: leg.steps]
    mistakes = [int(step.mistake) for step in steps]
    after = run.path
    changed = [0, *(step.number for step in steps if step.mistake)]
    cycle = run.cycle if leg.steps == len(run) else None
    return Walk(
        looked=[step.index for step in steps],
        score=np.array([step.score for step in steps], dtype=float).tolist(),
        mistakes=mistakes,
        update=np.cumsum(mistakes).astype(int).tolist(),
        weights=after[changed],
        passes=_passes(_pass_ends(run, leg.points), mistakes),
        joined=[],
        end=as_text(run.weights[leg.steps]),
        stop=run.stop,
        cycle=cycle,
    )


def _pass_ends(run: Trace, n: int) -> list[int]:
    """The recorded steps at the end of each pass; the worst order's search records none."""
    looks = [row.looks for row in run.run.history]
    searched = len(looks) and looks[-1] > len(run)
    return [looked - n * (k + 1) if searched else looked for k, looked in enumerate(looks)]


def _passes(ends: list[int], mistakes: list[int]) -> list[tuple[int, int]]:
    """Passes that ended within those steps, and what is left over as one more."""
    last = len(mistakes)
    inside = [end for end in ends if end <= last]
    if last > (inside[-1] if inside else 0):
        inside.append(last)
    begins = [0, *inside]
    return [(end, sum(mistakes[begin:end])) for begin, end in zip(begins, inside, strict=False)]


def _descended(leg: Leg, bias: bool) -> Walk:
    path, steps = leg.source, leg.steps
    errors = [int(count) for count in path.errors[:steps]]
    return Walk(
        looked=[None] * steps,
        score=path.risk[:steps].tolist(),
        mistakes=errors,
        update=list(range(1, steps + 1)),
        weights=path.weights[: steps + 1],
        passes=[(t + 1, errors[t]) for t in range(steps)],
        joined=[],
        end=as_text(shown_vector(path.weights[steps], bias, "first")),
        stop=path.stop,
        cycle=None,
    )


def _text(weights: np.ndarray) -> str:
    return f"[{', '.join(f'{w:.4g}' for w in weights)}]"


def _joined(first: Walk, second: Walk) -> Walk:
    """Two legs as one walk."""
    steps, updates = len(first.looked), len(first.weights) - 1
    cycle = second.cycle and (second.cycle[0] + steps, second.cycle[1] + steps)
    return second._replace(
        looked=first.looked + second.looked,
        score=first.score + second.score,
        mistakes=first.mistakes + second.mistakes,
        update=first.update + [updates + k for k in second.update],
        weights=np.concatenate([first.weights, second.weights[1:]]),
        passes=first.passes + [(end + steps, made) for end, made in second.passes],
        joined=[*first.joined, steps],
        cycle=cycle,
    )
