"""The lab's one question: given an experiment, everything that its page draws.

The experiment is all there is: nothing is kept between questions, and the same experiment has the
same answer.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.engine.solutions import Voters
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.lab import views
from rosenblatt.lab.kept import predicted
from rosenblatt.lab.kernels import kernel
from rosenblatt.lab.request import Experiment, read
from rosenblatt.lab.running import Walk, legs_of, table, walk, without_sources
from rosenblatt.lab.script import script
from rosenblatt.lab.settings import STEPS

VOTES = 49  # places a side at which a vote is taken
REMEMBERED = 64  # runs kept for those who step through them: 2 MB each at the very most
FRAMES = 30  # of a GIF
# Where the library's sentence names its parameters, which the lab calls otherwise.
ENDINGS = {
    Stop.PASSES: (
        "The budget of passes is spent and mistakes are still being made: allow more under "
        "“Passes at most”."
    ),
    Stop.UPDATES: "The budget of updates is spent and mistakes are still being made.",
    Stop.SETTLED: "The weights hardly change from pass to pass.",
    Stop.OVERFLOW: (
        "The weights left the range of floating-point numbers: make the step size or the "
        "coordinates smaller."
    ),
}
_drawing = threading.Lock()  # matplotlib's settings belong to all threads
_remembering = threading.Lock()
_walks: dict[Experiment, Walk] = {}  # the one asked for last comes last


def compute(experiment: dict[str, Any]) -> dict[str, Any]:
    """Run an experiment and say what its views show.

    Parameters
    ----------
    experiment : dict
        ``classes``: 2 to 5 names. ``points``: rows [x₁, x₂, class] or [x₁, x₂, class, step], the
        step at which the point joined; or ``random``: {n, margin, seed, noise, test}. ``test``:
        rows [x₁, x₂, class] that are not learned from. ``settings``: see
        `rosenblatt.lab.settings.Settings`. ``at``: the step looked at. ``want``: the parts wanted,
        all of ``PARTS`` by default.

    Returns
    -------
    dict
        One entry for each part, of plain numbers, texts and lists.

    Examples
    --------
    >>> answer = compute({"points": [[1, 1, 1], [-1, -1, 0]], "settings": {"order": "cyclic"}})
    >>> answer["run"]["stop"]["text"]
    'Separated: every training point is on its right side.'
    >>> answer["run"]["weights"], answer["verdict"]["support"]
    ([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [0, 1])
    """
    asked = read(experiment)
    want = experiment.get("want", list(PARTS))
    if not isinstance(want, list) or not all(isinstance(part, str) for part in want):
        raise InputError(f"want must be a list of {', '.join(PARTS)}.")
    for part in want:
        if part not in PARTS:
            raise InputError(f"there is no part {part[:40]!r}; there are {', '.join(PARTS)}.")
    made = _walked(replace(asked, at=0), tabled="run" in want)
    return {part: PARTS[part](asked, made) for part in want}


def _walked(asked: Experiment, tabled: bool) -> Walk:
    """The run of an experiment: who steps through it asks for it again and again."""
    with _remembering:
        made = _walks.pop(asked, None)
    if made is None or (tabled and made.table is None):
        made = walk(asked)
        written = table(made, asked) if tabled else None
        made = without_sources(made)._replace(table=written)
    with _remembering:
        _walks[asked] = made
        if len(_walks) > REMEMBERED:
            del _walks[next(iter(_walks))]
    return made


def gif(experiment: dict[str, Any]) -> bytes:
    """The run as an animated GIF: the line, update by update, beside the sandwich.

    Parameters
    ----------
    experiment : dict
        As for `compute`; two classes, x₁ and x₂ alone. A point that joins while it runs is there
        from the beginning.

    Returns
    -------
    bytes
    """
    from matplotlib.animation import PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from rosenblatt.figures import animate, theme

    asked = read(experiment)
    chosen = asked.settings
    if not asked.two or chosen.extra or chosen.rule != "perceptron":
        raise InputError(
            "a GIF shows the perceptron on two classes of the plane: choose that rule and no "
            "further feature."
        )
    if len(np.unique(asked.codes)) < 2:
        raise InputError("a GIF needs points of both classes.")
    together = replace(asked, points=tuple(point._replace(joined=0) for point in asked.points))
    made = next(legs_of(together)).source
    with _drawing, tempfile.TemporaryDirectory() as folder, theme("light"):
        # A figure with its own canvas opens no window, whatever the machine's backend is; and a
        # frame is drawn when it is written, not when it changes too.
        figure = Figure(figsize=(12, 5.4))
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw_idle = lambda: None
        moving = animate(made, axes=figure.subplots(1, 2), frames=FRAMES)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once: anew for each frame takes seconds
        path = Path(folder) / "run.gif"
        moving.save(path, writer=PillowWriter(fps=2), dpi=60)
        return path.read_bytes()


def _run(asked: Experiment, made: Walk) -> dict[str, Any]:
    stop = made.stop
    assert made.table is not None, "a walk without its table"
    heading, rows = made.table
    return {
        "exact": asked.exact,
        "passes_allowed": asked.passes,
        "looked": made.looked,
        "score": made.score,
        "mistakes": made.mistakes,
        "update": made.update,
        "weights": made.weights.tolist(),
        "text": _texts(made, heading, rows),
        "heading": heading,
        "rows": [list(row) for row in rows],
        "passes": made.passes,
        "joined": made.joined,
        "stop": None if stop is None else {"name": stop.name, "text": _ending(asked, stop)},
        "cycle": made.cycle,
        "kept": _kept(asked, made),
        "errors": made.errors,
    }


def _ending(asked: Experiment, stop: Stop) -> str:
    """Why the run ended, in a sentence about the lab's own settings."""
    if stop is Stop.PASSES and asked.passes < asked.settings.max_passes:
        return f"The lab records at most {STEPS:,} steps, and mistakes are still being made."
    return ENDINGS.get(stop, str(stop))


def _texts(made: Walk, heading: list[str], rows: list[tuple[str, ...]]) -> list[str]:
    """The weights after each update as the table writes them, fractions as fractions."""
    column = heading.index("weights")
    before = [rows[t][column] for t, wrong in enumerate(made.mistakes) if wrong]
    return [*before, made.end]


def _kept(asked: Experiment, made: Walk) -> dict[str, Any] | None:
    """The weights of the chosen solution, and how it divides the plane where they are many."""
    found = made.kept
    if found is None:
        return None
    if isinstance(found, Voters):
        low, high = asked.X[:, :2].min(axis=0) - 4, asked.X[:, :2].max(axis=0) + 4
        sides = [np.linspace(*ends, VOTES) for ends in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        votes = predicted(asked, found, grid).reshape(VOTES, VOTES)
        return {"votes": votes.tolist(), "box": [low[0], high[0], low[1], high[1]]}
    return {"weights": found.tolist()}


PARTS: dict[str, Callable[[Experiment, Walk], Any]] = {
    "points": lambda asked, made: [list(point) for point in asked.points],
    "test": lambda asked, made: [list(point) for point in asked.test],
    "run": _run,
    "verdict": lambda asked, made: views.verdict(asked),
    "proof": views.proof,
    "section": views.section,
    "cost": views.costs,
    "kernel": lambda asked, made: kernel(asked),
    "python": script,
}
