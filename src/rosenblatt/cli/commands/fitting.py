"""The verb that makes models: fit, in memory and chunk by chunk; each way returns its exit code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple

from rosenblatt.cli import report
from rosenblatt.cli.commands.models import scored
from rosenblatt.cli.commands.verbs import say_filled
from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.inputs import read
from rosenblatt.cli.outputs import code_after, failure_of, in_answer
from rosenblatt.cli.proofs import proof_rows, streamed_proof_rows
from rosenblatt.cli.shell import INTERRUPTED, console, emit, say, waiting
from rosenblatt.cli.streams import StreamFeatures, Streaming, features, known_classes
from rosenblatt.cli.watching import Bytes, Passes
from rosenblatt.data.positive import rarer
from rosenblatt.data.tables.columns import Columns, learn_columns
from rosenblatt.data.tables.reading import Choice, split
from rosenblatt.errors import InputError
from rosenblatt.fit.report import Spread, accuracy, accuracy_in_parts, findings_of, warnings_of
from rosenblatt.text import plural


class Wanted(NamedTuple):
    """What to write and to print after a fit.

    Attributes
    ----------
    output : str or None
        The model file to write.
    partial : bool
        Whether the model of an interrupted fit is written there, too, and not beside it.
    as_json : bool
    details : bool
        Whether to report bounds, costs and more rows of the proof.
    """

    output: str | None
    partial: bool = False
    as_json: bool = False
    details: bool = False

    def place(self, stop: Any) -> str | None:
        """The file for the model of a fit that ended so.

        An interrupted fit gets another name, so that a job that looks for the file finds finished
        fits only.

        Examples
        --------
        >>> from rosenblatt.engine.stopping import Stop
        >>> wanted = Wanted("model")
        >>> wanted.place(Stop.SEPARATED), wanted.place(Stop.INTERRUPTED)
        ('model', 'model.interrupted')
        """
        from rosenblatt.engine.stopping import Stop

        if self.output is None or self.partial or stop is not Stop.INTERRUPTED:
            return self.output
        return f"{self.output}.interrupted"


def fit(data: str, choice: Choice, parameters: dict[str, Any], wanted: Wanted, test: float) -> int:
    """Fit, save what was fitted, report."""
    import numpy as np

    from rosenblatt.fit.learning import fit as learned
    from rosenblatt.fit.settings import Settings
    from rosenblatt.proof.certificate import fingerprint

    raw = read(data, choice)
    if not 0 <= test < 1:
        raise InputError(f"--test must be a fraction between 0 and 1, got {test}")
    train, held = split(raw, test, parameters["random_state"])
    columns = learn_columns(train, choice)
    X, y = columns.features(train), columns.labels(train.y)
    if columns.fill is not None:
        say_filled(train, choice)
    known, counts = np.unique(y, return_counts=True)
    columns = replace(columns, rarer=rarer(known, counts))
    weights = class_weights(parameters["class_weight"], known, columns)
    settings = Settings(**{**parameters, "class_weight": weights})
    watch = Passes(settings.max_iter)
    with waiting(watch.words):
        model = learned(X, y, settings, sample_weight=train.weights, watch=watch.see)
    say_cautions(model)
    error, output = None, wanted.place(model.run.stop)
    if output:
        kept = replace(columns, held_out=float(test))
        error = failure_of(lambda: save_model(model, output, kept, fingerprint(X, y)))
    found = {"source": raw.source, "note": raw.note, "rows": X.shape[0], "features": X.shape[1]}
    classes, spread = columns.words(model.classes).tolist(), Spread()
    spread.add(X)
    found |= findings_of(model, columns.names, classes, spread.done(), columns.rarer)
    found |= {"model": None if error else output, "training": None, "held_out": None}
    with known_until_interrupted(found):
        found["training"] = accuracy(model, X, y, classes, columns.rarer)
        found["held_out"] = None if held is None else scored(model, columns, held)
        add_rows(found, proof_rows(model.certificate, train))
    found["warnings"] = warnings_of(found, spread.done(), columns.names, columns.scale is not None)
    return reported(found, wanted, model, f"after {plural(model.run.passes, 'pass')}", error)


def say_cautions(model: Any) -> None:
    """Print the warnings about a fit."""
    for caution in model.cautions:
        say(f"warning: {in_flags(caution)}", style="yellow")


def class_weights(given: str | None, classes: Any, columns: Columns) -> Any:
    """What --class-weight says, for the classes as the model knows them; 1 for those not named.

    Examples
    --------
    >>> class_weights("yes=3", ["no", "yes"], Columns([], None, 1, [], {}))
    {'no': 1.0, 'yes': 3.0}
    """
    import numpy as np

    if given in (None, "balanced"):
        return given
    words = [str(word) for word in columns.words(np.asarray(classes)).tolist()]
    weights = dict.fromkeys(words, 1.0)
    for pair in given.split(","):
        word, _, number = pair.strip().rpartition("=")
        if word not in weights or not re.fullmatch(r"[0-9.]+(e[+-]?[0-9]+)?", number.strip(), re.I):
            raise InputError(
                f"--class-weight: expected balanced, or CLASS=NUMBER for some of "
                f"{', '.join(words)}, got {pair.strip()!r}"
            )
        weights[word] = float(number)
    return dict(zip(np.asarray(classes).tolist(), weights.values(), strict=True))


@contextmanager
def known_until_interrupted(found: dict[str, Any]) -> Iterator[None]:
    """Collect findings for the report; Ctrl-C keeps those found so far."""
    try:
        yield
    except KeyboardInterrupt:
        found["interrupted"] = True


def add_rows(found: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Put the rows of the proof into the report."""
    if found["certificate"] is not None:
        found["certificate"]["rows"] = rows


def reported(
    found: dict[str, Any],
    wanted: Wanted,
    model: Any,
    when: str,
    error: str | None,
    checkpoint: str | None = None,
) -> int:
    """Report a fit; the exit code."""
    tell(found | in_answer(error), wanted)
    for warning in found["warnings"]:
        say(f"warning: {warning}", style="yellow")
    if error is not None:
        return code_after(0, error)
    if found.get("interrupted"):
        say("Interrupted before all of it was measured.")
        return INTERRUPTED
    return ended(model.run.stop, when, found["model"], checkpoint)


def save_model(model: Any, output: str, columns: Columns, fingerprint: str = "") -> None:
    """Write a model, with what its columns were."""
    from rosenblatt.data.model_file import save

    save(model, output, columns=columns.to_dict(), fingerprint=fingerprint)


def tell(found: dict[str, Any], wanted: Wanted) -> None:
    """Report a fit, with advice in flags."""
    found = found | {name: in_flags(found[name]) for name in ("stop_sentence", "error_bound")}
    if wanted.as_json:
        emit(found)
    else:
        report.show_fit(console(), found, wanted.details)


def ended(stop: Any, when: str, output: str | None, checkpoint: str | None = None) -> int:
    """The exit code of a fit; if it was interrupted, say what was saved."""
    from rosenblatt.engine.stopping import Stop

    if stop is not Stop.INTERRUPTED:
        return 0
    kept = f"is saved in {output}" if output else "is reported above (-o MODEL would save it)"
    say(f"Interrupted {when}; what was learned until then {kept}.")
    if checkpoint:
        say(f"The run is in {checkpoint}: the same command with --resume goes on from there.")
    return INTERRUPTED


def fit_stream(
    data: str,
    choice: Choice,
    parameters: dict[str, Any],
    wanted: Wanted,
    how: Streaming,
) -> int:
    """Fit to a file read chunk by chunk, save what was fitted, report."""
    from rosenblatt.engine.stopping import Stop
    from rosenblatt.fit.learning import fit_file
    from rosenblatt.fit.settings import Settings

    made = features(data, choice, how.memory, how.width)
    once = made.source.once
    if once:
        parameters = {**parameters, "max_iter": 1}
    beside = f"{wanted.output}.checkpoint" if wanted.output and not once else None
    checkpoint = how.checkpoint or beside
    if how.resume and checkpoint is None:
        raise InputError("--resume: say which checkpoint to go on from, with --checkpoint FILE")
    resume = how.resume and begun(checkpoint)
    named = known_classes(made, how.classes)
    if named is None:
        facts = made.scan()
        classes, counts = facts.classes, facts.counts
        rare = None if counts is None else rarer(classes, counts)
    else:
        classes, rare = named, None
    weights = class_weights(parameters["class_weight"], classes, made.columns)
    watch = Bytes(made)
    with waiting(watch.words):
        model = fit_file(
            made,
            Settings(**{**parameters, "class_weight": weights}),
            classes=named,
            memory=how.memory,
            checkpoint=checkpoint,
            resume=resume,
            progress=watch.see,
        )
    say_cautions(model)
    error, output = None, wanted.place(model.run.stop)
    if output:
        error = failure_of(lambda: save_model(model, output, replace(made.learned, rarer=rare)))
    classes = made.columns.words(model.classes).tolist()
    facts = made.opened.reader.facts
    rows = facts.rows if facts else None
    found = {"source": made.source.label, "note": in_flags(made.opened.note()), "rows": rows}
    found |= {"features": model.features, "stream": True, "once": once}
    spread, training, stop = None, None, model.run.stop
    if not (once or stop is Stop.INTERRUPTED):
        with waiting(lambda: ("counting training errors", watch.fraction())):
            spread, training = _measured(model, made, classes, rare)
    found |= findings_of(model, made.columns.names, classes, spread, rare)
    found |= {"model": None if error else output, "training": training, "held_out": None}
    found["interrupted"] = not once and training is None and stop is not Stop.INTERRUPTED
    if not once:
        with known_until_interrupted(found):
            add_rows(found, streamed_proof_rows(model.certificate, made.opened))
    scaled = made.columns.scale is not None
    found["warnings"] = warnings_of(found, spread, made.columns.names, scaled)
    when = f"in pass {model.run.passes + 1:,}"
    return reported(found, wanted, model, when, error, checkpoint)


def begun(checkpoint: str | None) -> bool:
    """Whether there is a run to resume; where there is none, the user is told that it starts."""
    if checkpoint and os.path.exists(checkpoint) and os.path.getsize(checkpoint):
        return True
    say(f"{checkpoint}: nothing to resume; the run starts", style="dim")
    return False


def _measured(
    model: Any, made: StreamFeatures, classes: list[Any], positive: Any
) -> tuple[Any, Any]:
    """How the columns spread, and how often the model is right; nothing after Ctrl-C."""
    spread = Spread()

    def parts() -> Iterator[tuple[Any, Any]]:
        for chunk in made.chunks():
            spread.add(chunk.X)
            yield chunk.X, chunk.y

    with suppress(KeyboardInterrupt):
        training = accuracy_in_parts(model, parts(), classes, positive)
        return spread.done(), training
    return None, None
