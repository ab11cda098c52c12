"""The verb ``errors``: how few training errors any linear classifier makes, and on which rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.cli.commands.verbs import (
    _points,
    check_ending,
    in_the_labels,
    rarer_of,
    refuse_many,
    save_certificate,
    write_still,
)
from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.outputs import code_after, failure_of, in_answer
from rosenblatt.cli.proofs import _described, in_words
from rosenblatt.cli.report import show_table
from rosenblatt.cli.shell import INTERRUPTED, console, emit, say, waiting
from rosenblatt.data.files import replacing
from rosenblatt.data.tables.columns import Columns
from rosenblatt.data.tables.reading import Choice
from rosenblatt.fit.report import in_the_words

EXACT, OPEN = 0, 3
# Rows that the report shows.
ROWS = 20


def errors(
    data: str,
    choice: Choice,
    time_limit: float,
    certificate: str | None,
    figure: str | None,
    as_json: bool,
) -> int:
    """Bracket the fewest errors, and list the rows to look at."""
    from rosenblatt.solve.fewest import fewest_errors
    from rosenblatt.solve.fewest.answer import Ending

    words = "looking for weights with few errors"

    def note(found: Any) -> None:
        nonlocal words
        words = (
            f"between {found.lower:,} and {found.upper:,} errors; {found.subsets:,} inseparable "
            f"subsets, {found.cases:,} cases"
        )

    if figure:
        check_ending("fewest_errors", figure)
    X, y, raw, columns = _points(data, choice)
    if figure:
        import matplotlib as mpl

        mpl.use("Agg")
        refuse_many(y, raw.source)
    with waiting(lambda: (words, None)):
        result = fewest_errors(X, y, time_limit=time_limit, progress=note, positive=rarer_of(y))
    proof = result.certificate
    assert proof is not None, "several classes are taken together"
    unwritten = [
        save_certificate(proof, certificate) if certificate else None,
        _draw(result, X, y, columns, figure) if figure else None,
    ]
    rows = _described(result.rows.tolist(), raw.rows(result.rows)) if len(result.rows) else []
    named = columns.words(np.asarray(proof.classes)).tolist()
    positive = named[1] if len(named) == 2 else None
    if as_json:
        emit(
            {
                "source": raw.source,
                "rows": X.shape[0],
                "features": X.shape[1],
                "lower": result.lower,
                "upper": result.upper,
                "exact": result.exact,
                "irreducible": result.irreducible,
                "sentence": in_the_words(result.sentence, proof.classes, named),
                "positive": positive,
                "look_at": rows,
                "subsets": [subset.rows.tolist() for subset in result.subsets],
                "ending": result.ending.name.lower(),
                "seconds": result.seconds,
                **in_answer(*unwritten),
            }
        )
    else:
        console().print(in_the_words(result.sentence, proof.classes, named), style="bold")
        _show(rows)
        if len(result.rows) and result.irreducible:
            console().print("Putting any one of them back makes the rest inseparable.")
        if positive is not None:
            console().print(f"Positive class: {positive!r}.")
        console().print(in_flags(str(result.ending)).replace("time_limit", "--time-limit"))
    code = EXACT if result.exact else OPEN
    if result.ending is Ending.INTERRUPTED:
        code = INTERRUPTED
    return code_after(code, *unwritten)


def _draw(result: Any, X: Any, y: Any, columns: Columns, path: str) -> str | None:
    """Draw the rows to a file, and say so; return the error if it cannot be written."""
    from rosenblatt import figures

    def write() -> None:
        drawn = figures.fewest_errors(result, X, y, names=columns.names or None)
        with replacing(path) as temporary:
            named = in_the_labels(drawn.figure, columns)
            write_still(named, temporary, "fewest_errors", path)

    error = failure_of(write)
    if error is None:
        say(f"figure written to {path}")
    return error


def _show(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    lines = [(row["row"], row["place"], row["label"], in_words(row)) for row in rows[:ROWS]]
    show_table(console(), ("row", "where", "label", "values"), lines)
    if len(rows) > ROWS:
        shown = f"({ROWS} of {len(rows):,} rows shown, the most wrong first; --json has all.)"
        console().print(shown)
    console().print(
        "(Rows are numbered from 0, in the order in which they were read.)", style="dim"
    )
