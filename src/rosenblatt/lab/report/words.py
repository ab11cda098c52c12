"""What a report says in words of its own: classes, where weights come from, commands to type."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

from rosenblatt.engine.stopping import Stop
from rosenblatt.text import plural


def class_names(raw: Any, ways: Any, classes: Any) -> list[str]:
    """What classes are called; those of a column of truth values, with its name."""
    named = [str(word) for word in ways.words(classes).tolist()]
    if {name.lower() for name in named} == {"false", "true"}:
        return [f"{raw.label or 'label'} = {name}" for name in named]
    return named


def origin(model: Any) -> str:
    """Which weights a fit ended with, in a sentence."""
    run = model.run
    if run.stop is Stop.SEPARATED_OVERFIT or (run.clean and run.missed):
        return (
            f"{run.predicting.capitalize()}: a hyperplane that separates the rows is unlike them, "
            "and likely to be worse on new rows. The proof, the margin and the bound above are "
            "about that one."
        )
    if not run.clean:
        return (
            f"{run.predicting.capitalize()}, which predict better than the last ones where "
            "mistakes go on."
        )
    if run.history[-1].mistakes:
        return (
            f"Not reached by updates: after {plural(run.passes, 'pass')} it was cheaper to "
            "solve for a hyperplane that separates the rows, and these are its weights. The "
            "updates and mistakes above are those of the passes before."
        )
    return "The last weights of the run: a whole pass with them made no mistake."


def commands(raw: Any, question: Any) -> dict[str, str]:
    """What to type for the same on the command line."""
    choice = replace(question.choice, label=raw.label or question.choice.label)
    options = []
    for name in ("label", "positive", "missing"):
        value = getattr(choice, name)
        if value is not None and value != "error":
            options += [f"--{name}", str(value)]
    for value in choice.ignore or ():
        options += ["--ignore", value]
    options += [
        f"--{name.replace('_', '-')}" for name in ("one_hot", "scale") if getattr(choice, name)
    ]
    test = ["--test", f"{question.test:g}"] if question.test else []
    return {
        "decide": shlex.join(
            ["rosenblatt", "decide", raw.source, *options, "--certificate", "certificate.json"]
        ),
        "verify": shlex.join(["rosenblatt", "verify", "certificate.json", raw.source, *options]),
        "fit": shlex.join(["rosenblatt", "fit", raw.source, *options, *test]),
    }
