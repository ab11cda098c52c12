"""The verb ``separation``: do the estimates of a regression exist?"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.cli.commands.verbs import _points, rarer_of
from rosenblatt.cli.inputs import read
from rosenblatt.cli.shell import console, emit, say, waiting
from rosenblatt.data.tables.columns import Columns
from rosenblatt.data.tables.reading import Choice, RawTable
from rosenblatt.errors import InputError
from rosenblatt.text import plural

SHOWN_COLUMNS = 20  # text columns whose level left out is told
# What the answer advises in Python, and what is so here.
CALLED = {
    "aise time_limit": "aise --time-limit",
    " (result.separated has all)": "",
    "rosenblatt.Perceptron or MaxMargin, which want": "`rosenblatt fit`, which wants",
}
CODES = {"OVERLAP": 0, "COMPLETE": 1, "QUASI_COMPLETE": 1, "UNDECIDED": 3}


def separation(
    data: str,
    choice: Choice,
    formula: str | None,
    asked: dict[str, Any],
    columns: dict[str, str | None],
    as_json: bool,
) -> int:
    """Tell complete separation, quasi-complete separation and overlap apart."""
    from rosenblatt.solve.separation import separation_kind
    from rosenblatt.solve.separation.text import said as in_words

    named = {name: column for name, column in columns.items() if column is not None}
    if formula is not None:
        X, y, raw, chosen, kept = _by_formula(data, choice, formula, asked, named)
        reference: dict[str, str] = {}
    elif named:
        flags = ", ".join("--weights" if n == "sample_weight" else f"--{n}" for n in named)
        raise InputError(f"{flags} name columns for a formula: say which with --formula.")
    else:
        X, y, raw, chosen, reference = _by_label(data, choice, asked)
        kept = np.arange(len(raw.y)) if raw.absent is None else np.flatnonzero(~raw.absent)
    order = chosen.get("order")
    with waiting(lambda: ("deciding which estimates exist", None)):
        result = separation_kind(X, y, **chosen)
        rows = kept[result.separated].tolist()
        said = in_words(result, step=False, rows=rows)
    for name, here in CALLED.items():
        said = said.replace(name, here)
    if result.model == "ordinal" and order is None:
        first, *others = map(str, sorted(set(result._design.classes.tolist())))
        taken, another = ",".join([first, *others]), ",".join([*others, first])
        said += (
            f"\nThe order of the classes was taken to be {taken}; --order {another}, for example, "
            "says another."
        )
    if as_json:
        near = result.near_tie
        emit(
            {
                "source": raw.source,
                "rows": result._design.n,
                "features": result._design.table.shape[1],
                "formula": formula,
                "reference": reference,
                "model": result.model,
                "about": result.about,
                "kind": result.kind.value,
                "estimates_exist": {0: True, 1: False}.get(CODES[result.kind.name]),
                "coefficients": {n: where.value for n, where in result.coefficients.items()},
                "redundant": result.redundant,
                "alike": {name: str(what) for name, what in result.alike.items()},
                "strict": rows,
                "near_tie": None if near is None else near._asdict(),
                "explained": said,
            }
        )
    else:
        first, *rest = said.split("\n")
        console().print(first, style="bold")
        console().print("\n".join(rest), soft_wrap=True)
    return CODES[result.kind.name]


def _by_formula(
    data: str, choice: Choice, formula: str, asked: dict[str, Any], named: dict[str, str]
) -> tuple[str, dict[str, Any], RawTable, dict[str, Any], np.ndarray]:
    """The formula, the table it speaks of, what is asked, and the rows of the file that count.

    Only what the formula and the flags name must have values.
    """
    raw = read(data, replace(choice, one_hot=True, missing="mean"), labelled=False)
    table = raw.X.toarray() if hasattr(raw.X, "toarray") else raw.X
    frame = {name: table[:, j] for j, name in enumerate(raw.names)} | raw.text
    if raw.y is not None:
        frame[raw.label or "label"] = raw.y
    spoken = " ".join([formula, *named.values()])
    lacks = np.zeros(table.shape[0], dtype=bool)
    for name, values in frame.items():
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", spoken):
            lacks |= values == "" if name in raw.text else values != values
            if lacks.any() and choice.missing != "drop":
                where = "" if raw.places is None else f", {raw.places(np.flatnonzero(lacks))[0]}"
                raise InputError(
                    f"{raw.source}{where}: no value in column {name!r}; --missing drop leaves such "
                    "rows out"
                )
    if lacks.any():
        say(f"{plural(int(lacks.sum()), 'row')} dropped for missing values", style="dim")
    frame = {name: _whole(values[~lacks]) for name, values in frame.items()}
    chosen = {name: value for name, value in asked.items() if value is not None}
    if "order" in chosen:
        chosen["order"] = chosen["order"].split(",")
    if choice.positive is not None:
        outcome = formula.partition("~")[0].strip()
        known = np.unique(frame.get(outcome, np.array([]))).tolist()
        chosen["positive"] = _among([choice.positive], known)[0]
    return formula, frame, raw, chosen | named, np.flatnonzero(~lacks)


def _whole(column: np.ndarray) -> np.ndarray:
    """Whole numbers as such, for the names of levels."""
    if column.dtype.kind != "f":
        return column
    return column.astype(np.int64) if (column == np.rint(column)).all() else column


def _by_label(
    data: str, choice: Choice, asked: dict[str, Any]
) -> tuple[Any, Any, RawTable, dict[str, Any], dict[str, str]]:
    """Rows, labels or counts, what is asked, and the levels that others compare with."""
    X, y, raw, columns = _points(data, choice)
    X, names, reference = _compared(X, raw, columns)
    chosen = {**asked, "names": names or None}
    if asked["model"] in ("poisson", "cox"):
        return X, raw.y, raw, {n: v for n, v in chosen.items() if v is not None}, reference
    words = columns.words(np.unique(y)).tolist()
    labels = np.asarray(words)[np.unique(y, return_inverse=True)[1]]
    if columns.positive is not None:
        chosen["positive"] = words[1]
    elif len(words) == 2 and asked["model"] in (None, "logit"):
        chosen["positive"] = rarer_of(labels)
    if asked["order"] is not None:
        chosen["order"] = _among(asked["order"].split(","), words)
    if asked["baseline"] is not None:
        chosen["baseline"] = _among([asked["baseline"]], words)[0]
    return X, labels, raw, chosen, reference


def _compared(X: Any, raw: RawTable, columns: Columns) -> tuple[Any, list[str], dict[str, str]]:
    """The features, their names, and the level of each text column that the others compare with.

    The levels of a column add up to the intercept, so that none of them could be estimated. Where
    rows lack the value, they are what the levels compare with.
    """
    names, reference, left_out = list(columns.names), {}, []
    at = columns.width
    for name, levels in columns.categories.items():
        if levels and "" not in raw.text[name]:
            reference[name] = levels[0]
            left_out.append(at)
        at += len(levels)
    if not reference:
        return X, names, reference
    shown = [f"{name}={level}" for name, level in list(reference.items())[:SHOWN_COLUMNS]]
    more = ", …" if len(reference) > SHOWN_COLUMNS else ""
    say(f"reference levels, left out: {', '.join(shown)}{more}", style="dim")
    kept = np.setdiff1d(np.arange(X.shape[1]), left_out)
    if not len(kept):
        raise InputError(f"{raw.source}: in no column do values differ; nothing to compare")
    return X[:, kept], [names[j] for j in kept], reference


def _among(names: list[str], classes: list[Any]) -> list[Any]:
    """Labels as the data has them, which may be numbers."""
    known = {str(label): label for label in classes}
    return [known.get(name.strip(), name.strip()) for name in names]
