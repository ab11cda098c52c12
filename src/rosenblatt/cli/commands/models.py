"""The verbs that use models; each returns its exit code."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import report
from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.inputs import read
from rosenblatt.cli.outputs import code_after, failure_of, in_answer
from rosenblatt.cli.shell import console, emit, put, say
from rosenblatt.data.files import write
from rosenblatt.data.positive import positive_last
from rosenblatt.data.tables.columns import Columns, is_text, learn_columns
from rosenblatt.data.tables.reading import Choice, RawTable, split
from rosenblatt.errors import InputError, NoRowsError
from rosenblatt.fit.report import accuracy, for_positive
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.data.model_file import StoredModel

SHOWN_LABELS = 3  # at most so many in an error message


def scored(model: Any, columns: Columns, raw: RawTable) -> dict[str, Any]:
    """How often a model is right on raw rows."""
    import numpy as np

    _tell_unseen(columns, raw)
    y = _labels(model, columns, raw)
    strangers = int((~np.isin(y, model.classes)).sum())
    if strangers:
        so = "it counts as an error" if strangers == 1 else "they count as errors"
        say(f"{_rows_have(strangers)} a label that the model does not know; {so}")
    words = columns.words(model.classes).tolist()
    return accuracy(model, columns.features(raw), y, words, columns.rarer)


def _labels(model: Any, columns: Columns, raw: RawTable) -> Any:
    """The labels of raw rows, of the model's kind."""
    import numpy as np

    y = np.asarray(columns.labels(raw.y))
    if is_text(model.classes) and not is_text(y):
        return y.astype(str)
    if is_text(y) and not is_text(model.classes):
        raise InputError(
            f"{raw.source}: labels are text, such as {str(y[0])!r}, but the model's numbers; "
            "name the label column with --label"
        )
    return y


def _refuse_other_labels(model: Any, columns: Columns, raw: RawTable) -> None:
    """Refuse rows to score of which none has a label that the model knows."""
    import numpy as np

    if np.isin(_labels(model, columns, raw), model.classes).any():
        return
    known = ", ".join(map(repr, columns.words(model.classes).tolist()[:SHOWN_LABELS]))
    came = ", ".join(map(repr, columns.words(np.unique(raw.y)).tolist()[:SHOWN_LABELS]))
    raise InputError(
        f"{raw.source}: expected labels that the model knows, such as {known}, got none of them "
        f"but {came}; name the label column with --label"
    )


def _tell_unseen(columns: Columns, raw: RawTable) -> None:
    for name, count in columns.unseen(raw).items():
        say(f"{_rows_have(count)} a {name} that no training row has; it counts as none")


def _rows_have(count: int) -> str:
    return "1 row has" if count == 1 else f"{count:,} rows have"


def stored_model(path: str) -> tuple[StoredModel, Columns | None]:
    """What a model file holds, and how raw columns become its features."""
    from rosenblatt.data.model_file import read_fitted

    stored = read_fitted(path)
    names = stored.model.names  # of the frame that a model was fitted to in Python
    columns = None if names is None else Columns.of_names(names)
    if stored.columns is not None:
        columns = Columns.from_dict(stored.columns)
    if columns is not None and columns.text_label is None:
        columns = replace(columns, text_label=is_text(stored.model.classes))
    return stored, columns


UNFILLED = "a model of `rosenblatt fit --missing mean` fills them in, which this one is not"
# Readers' advice that does not help, since the model says how to read, and what to say instead.
CHOSEN_BY_MODEL = {
    r"\(text=.* leaves it out; ": "(the model learned from numbers there; ",
    r"as zero_based=False says": "as in the file that the model learned from (0:0 in a row of that "
    "has them start at 0)",
    r"missing='keep' reads numbers as NaN": UNFILLED,
}


def raw_rows(
    data: str, choice: Choice, model: Any, columns: Columns | None, labelled: bool
) -> tuple[RawTable, Columns]:
    """Rows read as those that the model learned from."""
    if columns and columns.fill is not None and choice.missing == "error":
        choice = replace(choice, missing="mean")  # the model knows what to fill in
    try:
        raw = read(data, choice, learned=columns, width=model.features, labelled=labelled)
    except NoRowsError:
        raise
    except InputError as error:
        # Which columns are read, and how, is the model's choice.
        said = str(error)
        for advice, fact in CHOSEN_BY_MODEL.items():
            said = re.sub(advice, fact, said)
        raise InputError(said) from error
    columns = columns or learn_columns(raw, Choice())
    if columns.fill is None:
        _refuse_gaps(raw)
    return raw, columns


def _refuse_gaps(raw: RawTable) -> None:
    """Refuse numbers that are missing, for a model that has nothing to fill in."""
    import numpy as np

    if hasattr(raw.X, "indptr") or not (gaps := np.argwhere(np.isnan(raw.X))).size:
        return
    row, column = gaps[0].tolist()
    place = f"row {row}" if raw.places is None else raw.places(np.array([row]))[0]
    name = raw.names[column] if raw.names else f"x{column}"
    raise InputError(
        f"{raw.source}, {place}: no value in column {name!r}; missing='drop' leaves such rows out, "
        f"{UNFILLED}"
    )


def learned_from(stored: StoredModel, columns: Columns, raw: RawTable) -> RawTable | None:
    """The rows that the model was fitted to, if they are among these; else None.

    They are all of them, or all but those that the fit held out.
    """
    from rosenblatt.proof.certificate import fingerprint

    def known(rows: RawTable) -> bool:
        return fingerprint(columns.features(rows), columns.labels(rows.y)) == stored.fingerprint

    if not stored.fingerprint:
        return None
    if not columns.held_out:
        return raw if known(raw) else None
    with suppress(ValueError):  # too few to split: other rows
        part, _ = split(raw, columns.held_out, stored.model.settings.random_state)
        if known(part):
            return part
    return raw if known(raw) else None


def predict(
    model: str, data: str, choice: Choice, output: str | None, scores: bool, as_json: bool
) -> int:
    """Predict the label of each row, with ``scores`` its score too; without rows print nothing."""
    import numpy as np

    stored, columns = stored_model(model)
    fitted = stored.model
    source, absent, codes, values = data, None, np.zeros(0, np.intp), [] if scores else None
    try:
        raw, columns = raw_rows(data, choice, fitted, columns, labelled=False)
    except NoRowsError as error:
        say(in_flags(str(error)), style="dim")
        if error.left_out:
            absent = np.ones(error.left_out, bool)
    else:
        _tell_unseen(columns, raw)
        X, source, absent = columns.features(raw), raw.source, raw.absent
        codes = np.searchsorted(fitted.classes, fitted.predict(X))
        if scores:
            values = for_positive(fitted.classes, fitted.scores(X), columns.rarer).tolist()
    words = (fitted.classes if columns is None else columns.words(fitted.classes)).tolist()
    classes = positive_last(fitted.classes, words, columns and columns.rarer)
    positive = classes[1] if len(classes) == 2 else None
    if scores and positive is not None:
        say(f"scores are positive for class {positive!r}", style="dim")
    if absent is not None:
        codes, values = _with_gaps(absent, codes, len(words)), _spaced(absent, values)
        words = [*words, None]
        count, kept = int(absent.sum()), "null" if as_json else "an empty line"
        say(f"{plural(count, 'row')} with a missing value: {kept} stands for the label of each")
    if not as_json:
        put_lines(_lines(words, codes, values), len(codes), output)
        return 0
    error = None
    if output:
        error = failure_of(lambda: put_lines(_lines(words, codes, values), len(codes), output))
    said = {"source": source, "rows": len(codes)}
    said |= {"predictions": [words[code] for code in codes]}
    beside = {"scores": values, "classes": classes, "positive": positive}
    emit(said | (beside if scores else {}) | in_answer(error))
    return code_after(0, error)


def _with_gaps(absent: Any, codes: Any, gap: int) -> Any:
    """Codes of all rows, ``gap`` for those left out."""
    import numpy as np

    whole = np.full(len(absent), gap)
    whole[~absent] = codes
    return whole


def _spaced(absent: Any, values: list[Any] | None) -> list[Any] | None:
    """Values of all rows, None for those left out."""
    if values is None:
        return None
    there = iter(values)
    return [None if gone else next(there) for gone in absent]


def _lines(words: list[Any], codes: Any, values: list[Any] | None) -> str:
    """One line for each row: its label, and after tabs its scores."""
    import numpy as np

    said = np.array([_line(word) for word in words], object)[codes]
    if values is not None:
        numbers = [value if isinstance(value, list) else [value] for value in values]
        pairs = zip(said, numbers, strict=True)
        said = [
            "\t".join([word, *map(repr, some)]) if some != [None] else "" for word, some in pairs
        ]
    return "\n".join([*said, ""])


def put_lines(lines: str, count: int, output: str | None) -> None:
    """Write lines to a file or to standard output."""
    if output is None:
        put(lines)
        return
    write(output, lines)
    say(f"{plural(count, 'label')} written to {output}")


def _line(word: Any) -> str:
    """A label on one line: quoted as JSON where it is empty, spans lines or looks quoted."""
    if word is None:
        return ""
    text = str(word)
    return text if text.splitlines() == [text] and text[0] != '"' else json.dumps(text)


def score(model: str, data: str, choice: Choice, as_json: bool) -> int:
    """Score a model on labelled rows."""
    stored, columns = stored_model(model)
    raw, columns = raw_rows(data, choice, stored.model, columns, labelled=True)
    _refuse_other_labels(stored.model, columns, raw)
    measured = scored(stored.model, columns, raw)
    known = learned_from(stored, columns, raw)
    if known is not None:
        some = "These are the" if known is raw else f"{len(known.y):,} of these are"
        say(f"{some} rows that the model learned from: new ones may be harder.")
    if as_json:
        training = known is not None if stored.fingerprint else None
        emit({"source": raw.source, **measured, "training_data": training})
    else:
        report.show_score(console(), measured)
    return 0


def export(model: str, output: str) -> int:
    """Write a model for other programs."""
    from rosenblatt.data.export import to_json, to_onnx

    ending = Path(output).suffix.lower()
    if ending not in (".onnx", ".json"):
        raise InputError(f"{output}: a model is exported to a file ending in .onnx or .json")
    stored, columns = stored_model(model)
    exported = stored.model.named(columns.names if columns is not None else [])
    labels = None if columns is None else columns.words(stored.model.classes)
    if ending == ".json":
        to_json(exported, output, columns=stored.columns, labels=labels)
    else:
        how = {} if columns is None else {"mean": columns.mean, "scale": columns.scale}
        if columns is not None and columns.fill is not None:
            # Text that is missing is none of its column's values.
            how["fill"] = columns.fill + [0.0] * (stored.model.features - columns.width)
        to_onnx(exported, output, labels=labels, **how)
        if columns is not None and columns.categories:
            text = ", ".join(columns.categories)
            say(f"the graph expects {text} one-hot encoded, in the order of its feature_names")
    say(f"{model} written to {output}")
    return 0
