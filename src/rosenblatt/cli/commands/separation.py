"""The verb ``separation``: do the estimates of a regression exist?"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.cli.commands.verbs import _points
from rosenblatt.cli.shell import console, emit, waiting
from rosenblatt.data.tables.reading import Choice

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

    X, y, raw, columns = _points(data, choice)
    words = columns.words(np.unique(y)).tolist()
    labels = np.asarray(words)[np.unique(y, return_inverse=True)[1]]
    names = list(columns.names) or None
    chosen: dict[str, Any] = {"model": model, "names": names, "time_limit": time_limit}
    if columns.positive is not None:
        chosen["positive"] = words[1]
    if order is not None:
        chosen["order"] = _among(order.split(","), words)
    if baseline is not None:
        chosen["baseline"] = _among([baseline], words)[0]
    with waiting(lambda: ("deciding which estimates exist", None)):
        result = separation_kind(X, labels, **chosen)
        said = result.report.replace("time_limit", "--time-limit")
    if result.model == "ordinal" and order is None:
        taken = ",".join(map(str, sorted(words)))
        said += f"\nThe order of the classes was taken to be {taken}; --order {taken} says another."
    if as_json:
        near = result.near_tie
        emit(
            {
                "source": raw.source,
                "rows": X.shape[0],
                "features": X.shape[1],
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


def _among(names: list[str], classes: list[Any]) -> list[Any]:
    """Labels as the data has them, which may be numbers."""
    known = {str(label): label for label in classes}
    return [known.get(name.strip(), name.strip()) for name in names]
