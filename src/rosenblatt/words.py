"""Numbers with their nouns."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """So many of a thing, in words.

    Examples
    --------
    >>> plural(1, "pass"), plural(1200, "pass"), plural(0, "update")
    ('1 pass', '1,200 passes', '0 updates')
    """
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"
