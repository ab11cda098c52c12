"""The rows of a proof as the user has them: their lines, labels and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rosenblatt.data.tables.reading import Opened, RawTable

SHOWN_ROWS, SHOWN_VALUES = 8, 6


def rows_of(proof: Any) -> Any:
    """The numbers of the rows that a certificate names, each once, as many as are shown."""
    import numpy as np

    rows = getattr(proof, "rows", None)
    return np.zeros(0, np.int64) if rows is None else np.unique(rows)[:SHOWN_ROWS]


def proof_rows(proof: Any, raw: RawTable) -> list[dict[str, Any]]:
    """The first rows of a certificate: number, place, label and values."""
    which = rows_of(proof)
    return _described(which, raw.rows(which)) if len(which) else []


def streamed_proof_rows(proof: Any, opened: Opened) -> list[dict[str, Any]]:
    """The same of a file that is read in chunks."""
    which, start = rows_of(proof), 0
    found: list[dict[str, Any]] = []
    if not len(which):
        return found
    for chunk in opened.reader.chunks():
        end = start + chunk.X.shape[0]
        here = which[(which >= start) & (which < end)]
        if len(here):
            raw = opened.raw(chunk)._replace(places=None).rows(here - start)
            found += _described(here, raw)
        start = end
        if len(found) == len(which):
            break
    for row, place in zip(found, opened.reader.places(which), strict=True):
        row["place"] = place
    return found


def _described(which: Sequence[int], raw: RawTable) -> list[dict[str, Any]]:
    places = raw.places(range(len(which))) if raw.places else [f"row {row}" for row in which]
    return [
        {
            "row": int(row),
            "place": places[at],
            "label": raw.y[at].item() if hasattr(raw.y[at], "item") else raw.y[at],
            "values": _values(raw, at),
        }
        for at, row in enumerate(which)
    ]


def _values(raw: RawTable, at: int) -> dict[str, Any]:
    """The first values of a row that are not 0 in a sparse one, by the names of their columns."""
    line = raw.X[at : at + 1] if hasattr(raw.X, "indptr") else raw.X[at]
    if hasattr(line, "indptr"):
        pairs: Iterable[tuple[int, Any]] = zip(
            line.indices.tolist(), line.data.tolist(), strict=True
        )
    else:
        pairs = enumerate(line.tolist())
    named = {raw.names[j] if raw.names else f"x{j}": value for j, value in pairs}
    named |= {name: str(values[at]) for name, values in raw.text.items()}
    return named


def in_words(row: dict[str, Any]) -> str:
    """The values of a row in one line."""
    shown = [
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in list(row["values"].items())[:SHOWN_VALUES]
    ]
    more = ", …" if len(row["values"]) > SHOWN_VALUES else ""
    return f"{', '.join(shown)}{more}"
