"""The names of columns: those of a header, made different where some recur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

SHOWN_NAMES = 3


def told_apart(header: Sequence[str]) -> tuple[str, ...]:
    """Column names, stripped, with unnamed and repeated ones told apart as pandas does.

    Examples
    --------
    >>> told_apart(["a", "a", "a.1", "", " a"])
    ('a', 'a.2', 'a.1', 'column 4', 'a.3')
    """
    given = _stripped(header)
    taken, last, out = set(given), dict.fromkeys(given, -1), []
    for name in given:
        made, last[name] = name, last[name] + 1
        if last[name]:
            while (made := f"{name}.{last[name]}") in taken:
                last[name] += 1
            taken.add(made)
        out.append(made)
    return tuple(out)


def repeated(header: Sequence[str]) -> dict[str, list[int]]:
    """The names that stand for several columns of a header, each with their positions.

    Examples
    --------
    >>> repeated(["a", "b", "a"])
    {'a': [0, 2]}
    """
    given = _stripped(header)
    places: dict[str, list[int]] = {n: [] for n, count in Counter(given).items() if count > 1}
    for at, name in enumerate(given):
        if name in places:
            places[name].append(at)
    return places


def renamed_in_words(names: Sequence[str], found: dict[str, list[int]]) -> list[str]:
    """Which columns are called otherwise than in the header, told in a phrase if there are some.

    Examples
    --------
    >>> renamed_in_words(["y", "a", "y.1"], {"y": [0, 2]})
    ["repeated names: position 2 is called 'y.1'"]
    """
    places = sorted(at for several in found.values() for at in several[1:])
    if not places:
        return []
    told = ", ".join(f"position {at} is called {names[at]!r}" for at in places[:SHOWN_NAMES])
    more = f" and {len(places) - SHOWN_NAMES} more" if len(places) > SHOWN_NAMES else ""
    return [f"repeated names: {told}{more}"]


def _stripped(header: Sequence[str]) -> list[str]:
    return [name.strip() or f"column {j + 1}" for j, name in enumerate(header)]
