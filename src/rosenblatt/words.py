"""Numbers with their nouns."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """So many of a thing, in words.

    Examples
    --------
    >>> plural(1, "pass"), plural(1200, "pass"), plural(0, "update"), plural(2, "entry")
    ('1 pass', '1,200 passes', '0 updates', '2 entries')
    """
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}{'es' if noun.endswith('s') else 's'}"
