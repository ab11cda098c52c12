"""What is found out about a file: its columns, then whether its classes are separable, a fit.

The same as ``rosenblatt decide`` and ``rosenblatt fit`` report, within limits.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rosenblatt.data.tables.reading import Choice
from rosenblatt.errors import InputError
from rosenblatt.fit.report import VERDICTS, accuracy, certificate, findings_of, signed_weights
from rosenblatt.lab.mydata.words import class_names, commands, in_words, origin
from rosenblatt.words import plural

FORMATS = ("csv", "tsv", "parquet", "svmlight")
COLUMNS, WIDTH, ROWS, CLASSES, PAIRED = 2_000, 50_000, 1_000_000, 100, 12
CELLS = 100_000_000
NARROWED = 5_000_000  # cells of a table whose margin is quickly narrowed
UNPACKED = 256 << 20  # bytes of a compressed file, decompressed
PREVIEW_ROWS, PREVIEW_COLUMNS, PREVIEW_LETTERS = 5, 30, 40
EVERY = 0.1  # seconds between two words about progress
LONGEST = 60.0  # seconds for a decision, at most

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
    seconds: float = 10.0

    @classmethod
    def of(cls, given: dict[str, str]) -> Question:
        """From the parameters of a request.

        Examples
        --------
        >>> Question.of({"label": "4", "test": "0.25"}).choice.label
        '4'
        >>> Question.of({"seconds": "1e9"})
        Traceback (most recent call last):
        rosenblatt.errors.InputError: seconds must be a number from 1 to 60, got '1e9'
        """
        ignored = given.get("ignore", "")
        missing = given.get("missing", "error")
        if missing not in ("error", "drop"):
            raise InputError(f"missing must be 'error' or 'drop', got {missing!r}")
        choice = Choice(
            label=given.get("label") or None,
            positive=given.get("positive") or None,
            ignore=[ignored] if ignored else None,
            missing=missing,
            one_hot=given.get("one_hot") == "1",
            scale=given.get("scale") == "1",
        )
        test = _number(given, "test", 0.0, 0.0, 0.9)
        return cls(choice, test, _number(given, "seconds", 10.0, 1.0, LONGEST))


def _number(given: dict[str, str], name: str, default: float, low: float, high: float) -> float:
    text = given.get(name) or str(default)
    if not re.fullmatch(r"[0-9.eE+-]{1,20}", text):
        raise InputError(f"{name} must be a number from {low:g} to {high:g}, got {text!r}")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise InputError(f"{name} must be a number from {low:g} to {high:g}, got {text!r}")
    return value


def columns(path: str) -> dict[str, Any]:
    """The columns of a file, which of them is taken for the label, and its first rows.

    Formats without named columns have none.
    """
    source, found, table = _opened(path)
    if table is None:
        return {"format": found, "columns": [], "label": None, "rows": []}
    kinds = {"whole": "numeric", "real": "numeric", "truth": "numeric", "text": "text"}
    return {
        "format": found,
        "columns": [
            {"name": name, "kind": kinds.get(table.kinds[name], table.kinds[name])}
            for name in table.names
        ],
        "label": len(table.names) - 1,
        "rows": _first_rows(source, table),
    }


def _opened(path: str) -> tuple[Any, str, Any]:
    """The source, its format and its table, once its size is known to be bearable."""
    from rosenblatt.data.readers.arrowtable import ArrowTable
    from rosenblatt.data.readers.csvtable import CsvTable
    from rosenblatt.data.readers.sniff import sniff
    from rosenblatt.data.readers.sources import Source

    source = Source(path)
    found = sniff(source)
    if found not in FORMATS:
        raise InputError(
            f"{path}: expected a CSV, Parquet or svmlight file, got {found}, which the command "
            "line reads"
        )
    _at_most(_unpacked(source), UNPACKED, "bytes when decompressed")
    if found == "svmlight":
        return source, found, None
    if found == "parquet":
        table: Any = ArrowTable(source, parquet=True)
        with table._opened(path) as file:
            # Runs of one value take no room in a file: only its own count tells how many there are.
            _at_most(file.metadata.num_rows, ROWS, "rows")
            _at_most(file.metadata.num_rows * file.metadata.num_columns, CELLS, "cells")
    else:
        table = CsvTable(source, "\t" if found == "tsv" else None)
    _at_most(len(table.names), COLUMNS, "columns")
    return source, found, table


def _unpacked(source: Any) -> int:
    """The bytes of a compressed file, counted no further than needed; 0 for any other."""
    with source.open(source.names[0]) as stream:
        if stream.compression is None:
            return 0
        size, buffer = 0, bytearray(1 << 20)
        while size <= UNPACKED and (got := stream.readinto(buffer)):
            size += got
        return size


def _first_rows(source: Any, table: Any) -> list[list[str]]:
    names = table.names[:PREVIEW_COLUMNS]
    with source.open(source.names[0]) as stream:
        words = {name for name in names if table.kinds[name] in ("text", "truth")}
        kinds = {name: "text" if name in words else "real" for name in names}
        batch = next(table.batches(stream, kinds, 1 << 16), None)
    if batch is None:
        return []
    rows = [list(row.values()) for row in batch.slice(0, PREVIEW_ROWS).to_pylist()]
    return [["" if cell is None else _short(cell) for cell in row] for row in rows]


def _short(cell: Any) -> str:
    text = f"{cell:g}" if isinstance(cell, float) else str(cell)
    return text if len(text) <= PREVIEW_LETTERS else text[: PREVIEW_LETTERS - 1] + "…"


def report(path: str, question: Question, tell: Tell) -> None:
    """Decide and fit, and tell each thing as soon as it is known.

    Parameters
    ----------
    path : str
    question : Question
    tell : callable
        Gets the name of an event and its content: ``progress``, ``data``, ``decision``, ``fit``,
        ``picture``, ``pairs``, ``errors``, ``separation``.
    """
    import numpy as np

    from rosenblatt.data.tables.columns import learn_columns
    from rosenblatt.data.tables.reading import read_file, split
    from rosenblatt.engine.stopping import Stop
    from rosenblatt.lab.mydata.evidence import Places
    from rosenblatt.solve.decision import decide

    choice = question.choice
    source, _, table = _opened(path)
    say = _Progress(tell)
    raw = read_file(path, choice, waiting=say.reading)
    classes = _checked(raw)
    found = {"source": raw.source, "note": in_words(raw.note), "rows": raw.X.shape[0]}
    tell("data", found | {"classes": classes, "commands": commands(raw, question)})
    ways = learn_columns(raw, choice)
    X, y = ways.features(raw), ways.labels(raw.y)
    tell("progress", {"words": "getting ready"})
    _warm_up(X, y)
    tell("progress", {"words": "deciding whether the classes are separable"})
    decision = decide(X, y, time_limit=question.seconds, progress=say.round)
    places = Places(source, table, raw)
    told = _decided(decision, class_names(raw, ways, np.asarray(decision.classes)), places)
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
            "made. Allow more time, or scale the features."
        )
    tell("fit", found | {"weights": signed_weights(found), "weights_are": origin(model)})
    _draw(model, X, y, ways, words, tell)
    if ways.positive is None and len(words) > 2:
        _pairs(raw, choice, question.seconds, places, tell)
    _blame(raw, choice, decision.separable, places, question.seconds, tell)


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

    if raw.y is None:
        raise InputError(f"{raw.source}: no labels; choose the label column")
    _at_most(raw.X.shape[0], ROWS, "rows")
    _at_most(raw.X.shape[1], WIDTH, "columns")
    classes = len(np.unique(raw.y))
    if classes > CLASSES:
        raise InputError(
            f"the label {raw.label or ''!r} has {classes:,} different values, expected at most "
            f"{CLASSES}; choose a column of classes"
        )
    return classes


def _at_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise InputError(
            f"expected at most {most:,} {what}, got {count:,} or more; the command line takes "
            "files of any size"
        )


def _decided(decision: Any, words: list[str], places: Any, rows: Any = None) -> dict[str, Any]:
    from rosenblatt.lab.mydata.evidence import evidence

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
    from rosenblatt.lab.mydata.picture import picture

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
    from rosenblatt.lab.mydata import blame

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
