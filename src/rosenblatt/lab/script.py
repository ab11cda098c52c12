"""An experiment as a Python script that prints the same trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.lab.request import Experiment
from rosenblatt.lab.running import DESCENT, Leg, Walk, descent_settings, trace_settings

TRACE_DEFAULTS = {
    "init": None, "threshold": 0, "eta": 1, "order": "cyclic", "ties": "mistake",
    "fit_intercept": True, "random_state": 0,
}  # fmt: skip
DESCENT_DEFAULTS = {
    "epsilon": 1, "step": "fixed", "batch_size": None, "init": None, "fit_intercept": True,
    "random_state": 0,
}  # fmt: skip


def script(experiment: Experiment, made: Walk) -> str:
    """The script, one run for each leg.

    Examples
    --------
    >>> from rosenblatt.lab.request import read
    >>> from rosenblatt.lab.running import walk
    >>> experiment = read({"points": [[1, 1, 1], [-1, -1, 0]]})
    >>> print(script(experiment, walk(experiment)))
    import rosenblatt as rb
    <BLANKLINE>
    X = [[1, 1], [-1, -1]]
    y = ["yes", "no"]
    <BLANKLINE>
    run = rb.trace(X, y, classes=["no", "yes"], max_passes=100, max_steps=6000, exact=True)
    print(run.table())
    print(run.stop)
    <BLANKLINE>
    """
    traced = experiment.settings.rule == "perceptron"
    lines = ["import rosenblatt as rb", "", f"X = {_rows(experiment)}"]
    lines += [f"y = {_value(experiment.labels if traced else experiment.codes * 2 - 1)}", ""]
    if not made.legs:
        return "\n".join([*lines, "# Add points, and the run is here.", ""])
    done = 0
    for number, leg in enumerate(made.legs):
        last = leg is made.legs[-1]
        if not traced and not number:
            lines.append(f'print("{" | ".join(DESCENT)}")')
        lines += _leg(experiment, leg, number)
        if not last:
            lines.append(f"steps = {leg.steps}")
        lines += _traced(last) if traced else _descended(experiment, done, last)
        done += leg.steps
    return "\n".join([*lines, "print(run.stop)", ""])


def _leg(experiment: Experiment, leg: Leg, number: int) -> list[str]:
    """A run, from the weights that the one before had when a point joined."""
    chosen = None if number else leg.start
    if experiment.settings.rule == "perceptron":
        call, settings = "rb.trace", trace_settings(experiment, chosen, leg.wanted)
        settings = _other_than(TRACE_DEFAULTS, settings)
    else:
        call, settings = "rb.risk.descend", descent_settings(experiment, chosen, leg.wanted)
        settings = _other_than(DESCENT_DEFAULTS, settings)
    begin = {"init": "run.weights[steps]"} if number else {}
    given = begin | {name: _value(value) for name, value in settings.items()}
    some = "" if leg.points == len(experiment.points) else f"[:{leg.points}]"
    asked = "".join(f", {name}={value}" for name, value in given.items())
    lines = [f"# {leg.points} points from here on"] if number else []
    return [*lines, f"run = {call}(X{some}, y{some}{asked})"]


def _traced(last: bool) -> list[str]:
    """Print the table; of a run that a joining point ended, the steps until then."""
    if last:
        return ["print(run.table())"]
    return ['print(*run.table().splitlines()[:steps + 1], sep="\\n")']


def _descended(experiment: Experiment, done: int, last: bool) -> list[str]:
    """Print a descent's rows as the page shows them: the weights before each step, bias first."""
    unpacked, shown = ("*w, b", "[b, *w]") if experiment.settings.bias else ("*w, _", "w")
    steps = "-1" if last else "steps"
    return [
        "rows = [*zip(run.weights, run.errors, run.risk, run.epsilon)]",
        f"for t, (({unpacked}), errors, risk, epsilon) in enumerate(rows[:{steps}], {done + 1}):",
        f'    weights = ", ".join(f"{{v:.4g}}" for v in {shown})',
        '    print(f"{t} | {errors} | {risk:.6g} | {epsilon:.6g} | [{weights}]")',
    ]


def _other_than(defaults: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in settings.items() if k not in defaults or defaults[k] != v}


def _rows(experiment: Experiment) -> str:
    return _value(experiment.X)


def _value(value: Any) -> str:
    """A value as Python writes it: whole numbers without a point, names in double quotes."""
    if isinstance(value, np.ndarray | list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        text = repr(value)
        plain = text.startswith("'") and '"' not in text and "\\" not in text
        return f'"{text[1:-1]}"' if plain else text
    if isinstance(value, bool | None):
        return repr(value)
    return repr(int(value)) if float(value).is_integer() else repr(float(value))
