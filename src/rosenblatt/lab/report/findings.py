"""What is found out about a file: whether its classes are separable, and a fit.

The same as ``rosenblatt decide`` and ``rosenblatt fit`` report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rosenblatt.data.tables.reading import Choice
from rosenblatt.errors import InputError
from rosenblatt.fit.report import VERDICTS, accuracy, certificate, findings_of, signed_weights
from rosenblatt.lab.report.words import class_names, commands, origin
from rosenblatt.text import plural

CLASSES, PAIRED = 100, 12
NARROWED = 5_000_000  # cells of a table whose margin is quickly narrowed
NARROW = 1e-4  # relative width of its bracket
EVERY = 0.1  # seconds between two words about progress

Tell = Callable[[str, Any], None]


@dataclass(frozen=True)
class Question:
    """What the user asks about a file.

    Attributes
    ----------
    choice : Choice
        How to read it.
    test : float
        The fraction of the rows to hold out of the fit and score.
    seconds : float
        For the decision, for the pairs, and for the fit, each.
    """

    choice: Choice
    test: float = 0.0
    seconds: float = 60.0


def report(raw: Any, question: Question, tell: Tell) -> None:
    """Decide and fit, and tell each thing as soon as it is known.

    Parameters
    ----------
    raw : RawTable
    question : Question
    tell : callable
        Gets the name of an event and its content: ``progress``, ``data``, ``decision``, ``fit``,
        ``picture``, ``pairs``, ``errors``, ``separation``.
    """
    from rosenblatt.data.tables.columns import learn_columns
    from rosenblatt.data.tables.reading import split
    from rosenblatt.engine.stopping import Stop
    from rosenblatt.lab.report.evidence import places_of

    choice = question.choice
    say = _Progress(tell)
    classes = _checked(raw)
    found = {"source": raw.source, "note": raw.note, "rows": raw.X.shape[0]}
    tell("data", found | {"classes": classes, "commands": commands(raw, question)})
    ways = learn_columns(raw, choice)
    X, y = ways.features(raw), ways.labels(raw.y)
    tell("progress", {"words": "getting ready"})
    _warm_up(X, y)
    tell("progress", {"words": "deciding whether the classes are separable"})
    places = places_of(raw)
    decision, told = _decide(X, y, question.seconds, say, raw, ways, places)
    tell("decision", told | {"features": X.shape[1], "rows": X.shape[0]})
    train, held = split(raw, question.test, 0)
    if held is not None:
        ways = learn_columns(train, choice)
        X, y = ways.features(train), ways.labels(train.y)
    model = _fit(X, y, question.seconds, decision.separable is not None, say, tell)
    if decision.separable and len(model.classes) == 2 and X.shape[0] * X.shape[1] <= NARROWED:
        # What the fit leaves of the bound on mistakes may be thousands of times too large.
        model = model.narrowed(X, y)
    words = class_names(raw, ways, model.classes)
    found = findings_of(model, ways.names, words) | {"rows": X.shape[0], "features": X.shape[1]}
    found["training"] = accuracy(model, X, y, words)
    if held is not None:
        found["held_out"] = accuracy(model, ways.features(held), ways.labels(held.y), words)
    if model.run.stop is Stop.CALLBACK:  # ours: the time is over
        found["stop_sentence"] = (
            f"The {question.seconds:g} seconds for the fit are spent and mistakes are still being "
            "made. Allow more by --time-limit, or scale the features by --scale."
        )
    tell("fit", found | {"weights": signed_weights(found), "weights_are": origin(model)})
    _draw(model, X, y, ways, words, tell)
    if ways.positive is None and len(words) > 2:
        _pairs(raw, choice, question.seconds, places, tell)
    _blame(raw, choice, decision.separable, places, question.seconds, tell)


def _decide(
    X: Any, y: Any, seconds: float, say: _Progress, raw: Any, ways: Any, places: Any
) -> tuple[Any, dict[str, Any]]:
    """The decision and what is told of it; the margin of two classes as narrow as quickly had."""
    import numpy as np

    from rosenblatt.solve.decision import decide
    from rosenblatt.solve.max_margin import margin

    decision = decide(X, y, time_limit=seconds, progress=say.round)
    told = _decided(decision, class_names(raw, ways, np.asarray(decision.classes)), places)
    small = X.shape[0] * X.shape[1] <= NARROWED
    if decision.separable and len(decision.classes) == 2 and small:
        told["margin"] = list(margin(X, y, rtol=NARROW))
    return decision, told


def _warm_up(X: Any, y: Any) -> None:
    """Have the machine code for such data, which may have to be compiled, before any clock runs."""
    import numpy as np

    from rosenblatt.fit.learning import fit
    from rosenblatt.fit.settings import Settings
    from rosenblatt.solve.decision import decide

    _, first = np.unique(y, return_index=True)
    for rows in (first, first[:2]):
        if len(rows) > 1:
            decide(X[rows], y[rows], time_limit=1.0)
    if len(first) > 1:
        fit(X[first], y[first], Settings(certify=False, max_iter=2))


def _checked(raw: Any) -> int:
    import numpy as np

    classes = len(np.unique(raw.y))
    if classes > CLASSES:
        raise InputError(
            f"the label {raw.label or ''!r} has {classes:,} different values, expected at most "
            f"{CLASSES}; choose a column of classes with --label"
        )
    return classes


def _decided(decision: Any, words: list[str], places: Any, rows: Any = None) -> dict[str, Any]:
    from rosenblatt.lab.report.evidence import evidence

    proof = certificate(decision.certificate, words)
    if proof is not None:
        proof["evidence"] = evidence(decision.certificate, words, places, rows)
    return {
        "verdict": decision.verdict.value,
        "sentence": VERDICTS[decision.verdict.name],
        "margin": list(decision.margin),
        "errors": decision.errors,
        "rounds": decision.rounds,
        "seconds": decision.seconds,
        "certificate": proof,
    }


def _fit(X: Any, y: Any, seconds: float, decided: bool, say: _Progress, tell: Tell) -> Any:
    from rosenblatt.fit.learning import fit
    from rosenblatt.fit.settings import Settings

    tell("progress", {"words": "fitting"})
    # What could not be decided in its time is not tried again.
    settings = Settings(certify="auto" if decided else False)
    say.allow(seconds)
    return fit(X, y, settings, watch=say.after_pass)


def _draw(model: Any, X: Any, y: Any, ways: Any, words: list[Any], tell: Tell) -> None:
    from rosenblatt.lab.report.picture import picture

    try:
        tell("picture", picture(model, X, y, ways.names, words))
    except InputError as error:
        tell("picture", {"error": str(error)})


def _pairs(raw: Any, choice: Choice, seconds: float, places: Any, tell: Tell) -> None:
    import numpy as np

    from rosenblatt.data.tables.columns import learn_columns
    from rosenblatt.solve.decision import pairs

    classes = np.unique(raw.y).tolist()
    if len(classes) > PAIRED:
        tell("pairs", {"error": f"pairs are told for at most {PAIRED} classes"})
        return
    tell("progress", {"words": "deciding each pair of classes"})
    ways = learn_columns(raw, choice)
    found = pairs(ways.features(raw), raw.y, time_limit=seconds)
    cells = []
    for names, part in found.decisions.items():
        rows = np.flatnonzero(np.isin(raw.y, names))
        two = [str(name) for name in sorted(names)]
        cells.append({"pair": list(names), **_decided(part, two, places, rows)})
    tell("pairs", {"classes": classes, "decisions": cells})


def _blame(
    raw: Any, choice: Choice, separable: Any, places: Any, seconds: float, tell: Tell
) -> None:
    """The rows to look at where the classes are inseparable, and whether estimates exist."""
    import numpy as np

    from rosenblatt.data.tables.columns import learn_columns
    from rosenblatt.lab.report import blame

    ways = learn_columns(raw, choice)
    X, y = ways.features(raw), ways.labels(raw.y)
    words = class_names(raw, ways, np.unique(y))
    if separable is False:
        tell("progress", {"words": "looking for the rows to blame"})
        tell("errors", blame.errors(X, y, words, places, seconds))
    tell("progress", {"words": "asking which estimates exist"})
    tell("separation", blame.separation(X, y, ways.names, words, seconds))


class _Progress:
    """Words about how far it is, not too often; also stops a fit whose time is spent."""

    def __init__(self, tell: Tell):
        self.tell, self.last = tell, 0.0
        self.passes, self.deadline = 0, float("inf")

    def say(self, words: str, fraction: float | None = None) -> None:
        now = time.monotonic()
        if now - self.last >= EVERY:
            self.last = now
            self.tell("progress", {"words": words, "fraction": fraction})

    @contextmanager
    def reading(self, _: Any) -> Any:
        self.tell("progress", {"words": "reading"})
        yield

    def round(self, found: Any) -> None:
        self.say(
            f"deciding: round {found.number}, {plural(found.size, 'point')} in the working set, "
            f"{found.violated:,} violated"
        )

    def allow(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def after_pass(self, _: Any) -> Any:
        from rosenblatt.engine.stopping import Stop

        self.passes += 1
        self.say(f"fitting: pass {self.passes:,}")
        return Stop.CALLBACK if time.monotonic() > self.deadline else None
