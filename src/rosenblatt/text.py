"""Numbers with their nouns, and seconds in their usual unit."""

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


def duration(seconds: float) -> str:
    """Seconds as text, to one or two digits, in the usual unit.

    Examples
    --------
    >>> duration(0.034), duration(7.3), duration(95), duration(2e4), duration(3e6)
    ('0.03 seconds', '7 seconds', '2 minutes', '6 hours', '35 days')
    """
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{float(f'{seconds / size:.2g}'):,.0f} {unit}"
    return f"{seconds:.0f} seconds" if seconds >= 1 else f"{max(seconds, 0.001):.1g} seconds"
