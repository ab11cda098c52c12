"""The verbs that make and use models; each returns its exit code."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import report
from rosenblatt.cli.reading import read
from rosenblatt.cli.shell import INTERRUPTED, console, emit, in_flags, put, say, waiting
from rosenblatt.cli.streams import Features, Streaming, features, known_classes
from rosenblatt.errors import InputError
from rosenblatt.report import accuracy, accuracy_in_parts, fitted
from rosenblatt.tables.columns import Columns, learn_columns
from rosenblatt.tables.reading import Choice, Raw, split
from rosenblatt.writing import write

if TYPE_CHECKING:
    from rosenblatt.model_file import Stored


def fit(
    data: str,
    choice: Choice,
    parameters: dict[str, Any],
    output: str | None,
    test: float,
    as_json: bool,
) -> int:
    """Fit a Perceptron, save it, report."""
    from rosenblatt.estimators.perceptron import Perceptron

    raw = read(data, choice)
    if not 0 <= test < 1:
        raise InputError(f"--test must be a fraction between 0 and 1, got {test}")
    train, held = split(raw, test, parameters["random_state"])
    columns = learn_columns(train, choice)
    X, y = columns.features(train), columns.labels(train.y)
    model = Perceptron(**parameters)
    watch = Passes(model)
    with waiting(watch.words):
        model.fit(X, y)
    watch.forget()
    if output:
        from rosenblatt.certificate import fingerprint

        save_model(model, output, replace(columns, held_out=float(test)), fingerprint(X, y))
    found = {"source": raw.source, "note": raw.note, "rows": X.shape[0], "features": X.shape[1]}
    classes = columns.words(model.classes_).tolist()
    found |= fitted(model, columns.names, classes) | {"model": output}
    found["training"] = accuracy(model, X, y, classes)
    found["held_out"] = None if held is None else _scored(model, columns, held)
    tell(found, as_json)
    return ended(model.stop_, f"after {model.n_iter_:,} passes", output)


def save_model(model: Any, output: str, columns: Columns, fingerprint: str = "") -> None:
    """Write a model, with what its columns were."""
    from rosenblatt.model_file import save

    save(model, output, columns=columns.to_dict(), fingerprint=fingerprint)


def tell(found: dict[str, Any], as_json: bool) -> None:
    """Report a fit."""
    if as_json:
        emit(found)
    else:
        report.show_fit(console(), found)


def ended(stop: Any, when: str, output: str | None, checkpoint: str | None = None) -> int:
    """The exit code of a fit; of one cut short, say what is left."""
    from rosenblatt.stopping import Stop

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
    output: str | None,
    how: Streaming,
    as_json: bool,
) -> int:
    """Fit a Perceptron to a file read chunk by chunk, save it, report."""
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.stopping import Stop

    made = features(data, choice, how.memory, how.width)
    once = made.source.once
    if once:
        parameters = {**parameters, "max_iter": 1}
    checkpoint = how.checkpoint or (f"{output}.checkpoint" if output and not once else None)
    if how.resume and checkpoint is None:
        raise InputError("--resume: say which checkpoint to go on from, with --checkpoint FILE")
    model = Perceptron(**parameters)
    watch = Bytes(made)
    with waiting(watch.words):
        model.fit_stream(
            made,
            classes=known_classes(made, how.classes),
            memory=how.memory,
            checkpoint=checkpoint,
            resume=how.resume,
            progress=watch.see,
        )
    if output:
        save_model(model, output, made.columns)
    classes = made.columns.words(model.classes_).tolist()
    facts = made.opened.reader.facts
    rows = facts.rows if facts else None
    found = {"source": made.source.label, "note": in_flags(made.opened.note()), "rows": rows}
    found |= {"features": model.n_features_in_}
    found |= fitted(model, made.columns.names, classes) | {"model": output}
    found |= {"training": None, "held_out": None, "stream": True}
    interrupted = model.stop_ is Stop.INTERRUPTED
    if not (once or interrupted):
        parts = ((chunk.X, chunk.y) for chunk in made.chunks())
        with waiting(lambda: ("counting training errors", watch.fraction())):
            found["training"] = accuracy_in_parts(model, parts, classes)
    tell(found, as_json)
    return ended(model.stop_, f"in pass {model.n_iter_ + 1:,}", output, checkpoint)


class Bytes:
    """What the bar of a streamed fit shows: how much of the file is read, and what came of it."""

    def __init__(self, made: Features):
        self.made, self.seen = made, None

    def see(self, progress: Any) -> None:
        """Take note."""
        self.seen = progress

    def fraction(self) -> float | None:
        """How much of the file is read in this pass."""
        return self.made.position / self.made.size if self.made.size else None

    def words(self) -> tuple[str, float | None]:
        """What is going on, and how far this pass is."""
        seen, size = self.seen, self.made.size
        if seen is None:
            return "reading", self.fraction()
        of = f" of {size / 1e6:,.0f}" if size else ""
        kept = f", {seen.kept:,} rows kept{' (no room for more)' if seen.full else ''}"
        return (
            f"pass {seen.passes + 1:,}: {self.made.position / 1e6:,.0f}{of} MB read, "
            f"{seen.mistakes:,} mistakes in {seen.looks:,} looks{kept if seen.kept else ''}"
        ), self.fraction()


class Passes:
    """A callback of scikit-learn's that counts the passes of a fit for the progress bar."""

    def __init__(self, model: Any):
        self.count, self.model = -1, model
        if sys.stderr.isatty() and hasattr(model, "set_callbacks"):
            model.set_callbacks(self)

    def words(self) -> tuple[str, float | None]:
        """What is going on; of a budget of passes no fraction is known, as most runs end early."""
        return f"fitting: pass {self.count + 1:,} of at most {self.model.max_iter:,}", None

    def forget(self) -> None:
        """Leave the model as it would be without."""
        if hasattr(self.model, "set_callbacks"):
            self.model.set_callbacks()

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to clear away."""

    def on_fit_task_begin(self, estimator: Any, context: Any, **_: Any) -> None:
        """A pass begins; the first task is the fit itself."""
        self.count += 1

    def on_fit_task_end(self, estimator: Any, context: Any, **_: Any) -> bool:
        """Go on."""
        return False


def _scored(model: Any, columns: Columns, raw: Raw) -> dict[str, Any]:
    import numpy as np

    for name, count in columns.unseen(raw).items():
        say(f"{count:,} rows have a {name} that no training row has; they count as none")
    y = np.asarray(columns.labels(raw.y))
    if model.classes_.dtype.kind in "UO" and y.dtype.kind not in "UO":
        y = y.astype(str)
    elif model.classes_.dtype.kind not in "UO" and y.dtype.kind in "UO":
        raise InputError(
            f"{raw.source}: labels are text, such as {y[0]!r}, but the model's numbers"
        )
    strangers = int((~np.isin(y, model.classes_)).sum())
    if strangers:
        say(f"{strangers:,} rows have a label that the model does not know; they count as errors")
    words = columns.words(model.classes_).tolist()
    return accuracy(model, columns.features(raw), y, words)


def stored_model(path: str) -> tuple[Stored, Columns | None]:
    """What a model file holds, and how raw columns become its features."""
    from rosenblatt.model_file import read as read_model

    stored = read_model(path)
    return stored, None if stored.columns is None else Columns.from_dict(stored.columns)


def raw_rows(
    data: str, choice: Choice, model: Any, columns: Columns | None, labelled: bool
) -> tuple[Raw, Columns]:
    """Rows read as those that the model learned from."""
    from rosenblatt.readers import Column

    used = [Column(*pair) for pair in columns.used] if columns else []
    width = columns.width if columns else model.n_features_in_
    raw = read(data, choice, columns=used or None, width=width, labelled=labelled)
    return raw, columns or learn_columns(raw, Choice())


def learned_from(stored: Stored, columns: Columns, raw: Raw) -> Raw | None:
    """Those of the rows that the model learned from: all, or all but those held out; else None."""
    from rosenblatt.certificate import fingerprint

    def known(rows: Raw) -> bool:
        return fingerprint(columns.features(rows), columns.labels(rows.y)) == stored.fingerprint

    if not stored.fingerprint:
        return None
    if not columns.held_out:
        return raw if known(raw) else None
    with suppress(ValueError):  # too few rows to split are others
        part, _ = split(raw, columns.held_out, stored.model.random_state)
        if known(part):
            return part
    return raw if known(raw) else None


def predict(model: str, data: str, choice: Choice, output: str | None, as_json: bool) -> int:
    """Predict the label of each row."""
    stored, columns = stored_model(model)
    fitted = stored.model
    raw, columns = raw_rows(data, choice, fitted, columns, labelled=False)
    for name, count in columns.unseen(raw).items():
        say(f"{count:,} rows have a {name} that no training row has; they count as none")
    words = columns.words(fitted.predict(columns.features(raw))).tolist()
    if raw.absent is not None:
        said = iter(words)
        words = [None if absent else next(said) for absent in raw.absent]
        count, kept = int(raw.absent.sum()), "null" if as_json else "an empty line"
        say(f"{count:,} rows lack a value; {kept} stands for the label of each")
    lines = "".join(f"{_line(word)}\n" for word in words)
    if output:
        write(output, lines)
        say(f"{len(words):,} labels written to {output}")
    if as_json:
        emit({"source": raw.source, "rows": len(words), "predictions": words})
    elif not output:
        put(lines)
    return 0


def _line(word: Any) -> str:
    """A label on one line: quoted as JSON where it is empty, spans lines or looks quoted."""
    if word is None:
        return ""
    text = str(word)
    return text if text.splitlines() == [text] and text[0] != '"' else json.dumps(text)


def score(model: str, data: str, choice: Choice, as_json: bool) -> int:
    """Score a model on labelled rows."""
    stored, columns = stored_model(model)
    if choice.label is None and columns is not None:
        choice = replace(choice, label=columns.label)
    raw, columns = raw_rows(data, choice, stored.model, columns, labelled=True)
    scored = _scored(stored.model, columns, raw)
    known = learned_from(stored, columns, raw)
    if known is not None:
        some = "These are the" if known is raw else f"{len(known.y):,} of these are"
        say(f"{some} rows that the model learned from: new ones may be harder.")
    if as_json:
        training = known is not None if stored.fingerprint else None
        emit({"source": raw.source, **scored, "training_data": training})
    else:
        report.show_score(console(), scored)
    return 0


def export(model: str, output: str) -> int:
    """Write a model for other programs."""
    from rosenblatt.export import to_json, to_onnx

    ending = Path(output).suffix.lower()
    if ending not in (".onnx", ".json"):
        raise InputError(f"{output}: a model is exported to a file ending in .onnx or .json")
    stored, columns = stored_model(model)
    if columns is not None and columns.names:
        stored.model.feature_names_in_ = columns.names
    if ending == ".json":
        to_json(stored.model, output, columns=stored.columns)
    else:
        labels = None if columns is None else columns.words(stored.model.classes_)
        mean, scale = (None, None) if columns is None else (columns.mean, columns.scale)
        to_onnx(stored.model, output, labels=labels, mean=mean, scale=scale)
        if columns is not None and columns.categories:
            text = ", ".join(columns.categories)
            say(f"the graph expects {text} one-hot encoded, in the order of its feature_names")
    say(f"{model} written to {output}")
    return 0
