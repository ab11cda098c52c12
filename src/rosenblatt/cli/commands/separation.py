"""The verb ``separation``: do the estimates of a regression exist?"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.cli.commands.verbs import _points
from rosenblatt.cli.shell import console, emit, say, waiting
from rosenblatt.data.tables.columns import Columns
from rosenblatt.data.tables.reading import Choice, RawTable
from rosenblatt.errors import InputError

SHOWN = 20  # text columns whose level left out is told
# What the answer advises in Python, and what is so here.
CALLED = {
    "aise time_limit": "aise --time-limit",
    "rosenblatt.Perceptron or MaxMargin, which want": "`rosenblatt fit`, which wants",
}
CODES = {"OVERLAP": 0, "COMPLETE": 1, "QUASI_COMPLETE": 1, "UNDECIDED": 3}


def separation(
    data: str,
    choice: Choice,
    model: str | None,
    order: str | None,
    baseline: str | None,
    time_limit: float | None,
    as_json: bool,
) -> int:
    """Tell complete separation, quasi-complete separation and overlap apart."""
    from rosenblatt.solve.separation import separation_kind
    from rosenblatt.solve.separation.text import said as in_words

    X, y, raw, columns = _points(data, choice)
    X, names, reference = _compared(X, raw, columns)
    words = columns.words(np.unique(y)).tolist()
    labels = np.asarray(words)[np.unique(y, return_inverse=True)[1]]
    chosen: dict[str, Any] = {"model": model, "names": names or None, "time_limit": time_limit}
    if columns.positive is not None:
        chosen["positive"] = words[1]
    if order is not None:
        chosen["order"] = _among(order.split(","), words)
    if baseline is not None:
        chosen["baseline"] = _among([baseline], words)[0]
    with waiting(lambda: ("deciding which estimates exist", None)):
        result = separation_kind(X, labels, **chosen)
        said = in_words(result, step=False)
    for name, here in CALLED.items():
        said = said.replace(name, here)
    if result.model == "ordinal" and order is None:
        first, *others = map(str, sorted(words))
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
                "rows": X.shape[0],
                "features": X.shape[1],
                "reference": reference,
                "model": result.model,
                "about": result.about,
                "kind": result.kind.value,
                "estimates_exist": {0: True, 1: False}.get(CODES[result.kind.name]),
                "coefficients": {n: where.value for n, where in result.coefficients.items()},
                "redundant": result.redundant,
                "strict": np.flatnonzero(result.strict).tolist(),
                "near_tie": None if near is None else near._asdict(),
                "explained": said,
            }
        )
    else:
        first, *rest = said.split("\n")
        console().print(first, style="bold")
        console().print("\n".join(rest), soft_wrap=True)
    return CODES[result.kind.name]


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
    shown = [f"{name}={level}" for name, level in list(reference.items())[:SHOWN]]
    more = ", …" if len(reference) > SHOWN else ""
    say(f"reference levels, left out: {', '.join(shown)}{more}", style="dim")
    kept = np.setdiff1d(np.arange(X.shape[1]), left_out)
    if not len(kept):
        raise InputError(f"{raw.source}: in no column do values differ; nothing to compare")
    return X[:, kept], [names[j] for j in kept], reference


def _among(names: list[str], classes: list[Any]) -> list[Any]:
    """Labels as the data has them, which may be numbers."""
    known = {str(label): label for label in classes}
    return [known.get(name.strip(), name.strip()) for name in names]
