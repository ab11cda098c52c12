"""The rows that a hyperplane must get wrong, and whether estimates exist: the last two panels."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.fit.report import in_the_words
from rosenblatt.lab.report.evidence import Places

SHOWN_ROWS = 20  # rows that are listed
# Cells beyond which a panel that is not asked for would take too long.
CELLS = 20_000_000


def errors(X: Any, y: Any, words: list[Any], places: Places, seconds: float) -> dict[str, Any]:
    """The bracket of the fewest errors, and the rows to look at as the file counts them."""
    from rosenblatt.solve.fewest import fewest_errors

    if X.shape[0] * X.shape[1] > CELLS:
        return {"error": "the table is large; ask `rosenblatt errors`"}
    result = fewest_errors(X, y, time_limit=seconds)
    classes, codes = np.unique(y, return_inverse=True)
    numbers = places.numbers
    rows = [
        {
            "row": row,
            "at": None if numbers is None else int(numbers[row]),
            "class": words[codes[row]],
        }
        for row in result.rows[:SHOWN_ROWS].tolist()
    ]
    return {
        "lower": result.lower,
        "upper": result.upper,
        "exact": result.exact,
        "irreducible": result.irreducible,
        "sentence": in_the_words(result.sentence, classes.tolist(), words),
        "called": places.called,
        "rows": rows,
        "all": len(result.rows),
        "seconds": result.seconds,
    }


def separation(X: Any, y: Any, names: Any, words: list[Any], seconds: float) -> dict[str, Any]:
    """Whether the estimates of a regression exist, and which coefficients diverge."""
    from rosenblatt.solve.separation import separation_kind

    if X.shape[0] * X.shape[1] > CELLS:
        return {"error": "the table is large; ask `rosenblatt separation`"}
    _, codes = np.unique(y, return_inverse=True)
    labels = np.array([str(word) for word in words])[codes]
    if len(np.unique(labels)) < len(words):
        return {"error": "two classes have the same name"}
    try:
        # Of one class against the rest, the labels are whether it is that one.
        how: dict[str, Any] = {"positive": str(words[1])} if y.dtype == bool else {}
        result = separation_kind(X, labels, names=list(names) or None, time_limit=seconds, **how)
        said = str(result)
    except InputError as error:
        return {"error": str(error)}
    sentence, *notes = _paragraphs(said.replace("time_limit", "the time"))
    diverging = {name: where.value for name, where in result.diverging.items()}
    return {
        "kind": result.kind.value,
        "model": result.model,
        "about": result.about,
        "coefficients": diverging,
        "sentence": sentence["text"],
        # The first note lists the coefficients, which are a table here.
        "notes": notes[1:] if diverging else notes,
    }


def _paragraphs(said: str) -> list[dict[str, Any]]:
    """Lines of text, each with the indented ones that belong to it.

    Examples
    --------
    >>> _paragraphs(chr(10).join(["Listed:", "  a", "  b", "Done."]))
    [{'text': 'Listed:', 'lines': ['a', 'b']}, {'text': 'Done.', 'lines': []}]
    """
    found: list[dict[str, Any]] = []
    for line in said.split("\n"):
        if line.startswith("  ") and found:
            found[-1]["lines"].append(line.strip())
        else:
            found.append({"text": line, "lines": []})
    return found
