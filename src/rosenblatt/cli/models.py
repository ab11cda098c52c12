"""The verbs that make and use models; each returns its exit code."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosenblatt.cli import report
from rosenblatt.cli.columns import Columns, learn_columns
from rosenblatt.cli.reading import Choice, Raw, read
from rosenblatt.cli.shell import INTERRUPTED, console, emit, put, replacing, say, waiting
from rosenblatt.cli.streams import Features, Streaming, features, known_classes
from rosenblatt.errors import InputError


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
    from rosenblatt.stopping import Stop

    raw = read(data, choice)
    train, held = _split(raw, test, parameters["random_state"])
    columns = learn_columns(train, choice)
    X, y = columns.features(train), columns.labels(train.y)
    model = Perceptron(**parameters)
    watch = Passes(model)
    with waiting(watch.words):
        model.fit(X, y)
    watch.forget()
    _save(model, output, columns)
    found = {"source": raw.source, "note": raw.note, "rows": X.shape[0], "features": X.shape[1]}
    classes = columns.words(model.classes_).tolist()
    found |= report.fitted(model, columns.names, classes) | {"model": output}
    found["training"] = report.accuracy(model, X, y, classes)
    found["held_out"] = None if held is None else _scored(model, columns, held)
    _tell(found, as_json)
    if model.stop_ is not Stop.INTERRUPTED:
        return 0
    say(f"Interrupted after {model.n_iter_:,} passes; {_kept(output)}.")
    return INTERRUPTED


def _save(model: Any, output: str | None, columns: Columns) -> None:
    if output:
        from rosenblatt.model_file import save

        save(model, output, columns=columns.to_dict())


def _tell(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(found)
    else:
        report.show_fit(console(), found)


def _kept(output: str | None) -> str:
    kept = f"is saved in {output}" if output else "is reported above (-o MODEL would save it)"
    return f"what was learned until then {kept}"


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
    _save(model, output, made.columns)
    classes = made.columns.words(model.classes_).tolist()
    facts = made.opened.reader.facts
    rows = facts.rows if facts else None
    found = {"source": made.source.label, "note": made.opened.note(), "rows": rows}
    found |= {"features": model.n_features_in_}
    found |= report.fitted(model, made.columns.names, classes) | {"model": output}
    found |= {"training": None, "held_out": None, "stream": True}
    interrupted = model.stop_ is Stop.INTERRUPTED
    if not (once or interrupted):
        parts = ((chunk.X, chunk.y) for chunk in made.chunks())
        with waiting(lambda: ("counting training errors", watch.fraction())):
            found["training"] = report.accuracy_of(model, parts, classes)
    _tell(found, as_json)
    if not interrupted:
        return 0
    say(f"Interrupted in pass {model.n_iter_ + 1:,}; {_kept(output)}.")
    if checkpoint:
        say(f"The run is in {checkpoint}: the same command with --resume goes on from there.")
    return INTERRUPTED


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


def _split(raw: Raw, test: float, seed: int) -> tuple[Raw, Raw | None]:
    """Rows to learn from and rows to score, in equal class proportions where possible."""
    if test == 0:
        return raw, None
    if not 0 < test < 1:
        raise InputError(f"--test must be a fraction between 0 and 1, got {test}")
    import numpy as np
    from sklearn.model_selection import train_test_split

    counts = np.unique(raw.y, return_counts=True)[1]
    enough = counts.min() >= 2 and min(test, 1 - test) * len(raw.y) >= len(counts)
    train, held = train_test_split(
        np.arange(len(raw.y)),
        test_size=test,
        random_state=seed,
        stratify=raw.y if enough else None,
    )
    return raw.rows(np.sort(train)), raw.rows(np.sort(held))


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
    return report.accuracy(model, columns.features(raw), y, words)


def _model(path: str) -> tuple[Any, Columns | None]:
    from rosenblatt.model_file import read as read_model

    stored = read_model(path)
    return stored.model, None if stored.columns is None else Columns.from_dict(stored.columns)


def _raw(
    data: str, choice: Choice, model: Any, columns: Columns | None, labelled: bool
) -> tuple[Raw, Columns]:
    """Rows read as those that the model learned from."""
    from rosenblatt.readers import Column

    used = [Column(*pair) for pair in columns.used] if columns else []
    width = columns.width if columns else model.n_features_in_
    raw = read(data, choice, columns=used or None, width=width, labelled=labelled)
    return raw, columns or learn_columns(raw, Choice())


def predict(model: str, data: str, choice: Choice, output: str | None, as_json: bool) -> int:
    """Predict the label of each row."""
    fitted, columns = _model(model)
    raw, columns = _raw(data, choice, fitted, columns, labelled=False)
    for name, count in columns.unseen(raw).items():
        say(f"{count:,} rows have a {name} that no training row has; they count as none")
    words = columns.words(fitted.predict(columns.features(raw))).tolist()
    lines = "".join(f"{word}\n" for word in words)
    if output:
        with replacing(output) as temporary:
            Path(temporary).write_text(lines, encoding="utf-8")
        say(f"{len(words):,} labels written to {output}")
    if as_json:
        emit({"source": raw.source, "rows": len(words), "predictions": words})
    elif not output:
        put(lines)
    return 0


def score(model: str, data: str, choice: Choice, as_json: bool) -> int:
    """Score a model on labelled rows."""
    fitted, columns = _model(model)
    if choice.label is None and columns is not None:
        choice = replace(choice, label=columns.label)
    raw, columns = _raw(data, choice, fitted, columns, labelled=True)
    scored = _scored(fitted, columns, raw)
    if as_json:
        emit({"source": raw.source, **scored})
    else:
        report.show_score(console(), scored)
    return 0
