"""Experiments from where people keep them: a link of the lab, a JSON file, the name of a preset.

``static/js/url.js`` writes the links.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from rosenblatt.errors import InputError
from rosenblatt.lab.request import read
from rosenblatt.lab.settings import LabSettings

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
SETTINGS = {field.name for field in fields(LabSettings)}


class Linked(NamedTuple):
    """An experiment, and the fragment that it was read from.

    Attributes
    ----------
    experiment : dict
        ``classes``, ``points`` and ``settings``, as `rosenblatt.lab.experiment.compute` takes it.
    fragment : str
        The same for the page, with the step and whatever else is said of the view.
    title : str
        What to call it where nothing else does.
    """

    experiment: dict[str, Any]
    fragment: str
    title: str


def is_link(text: str) -> bool:
    """Whether a text is a link of the lab: an address, or its fragment, with points in it.

    Examples
    --------
    >>> is_link("http://127.0.0.1:1958/#p=1,1,1"), is_link("#c=a&c=b&p="), is_link("xor")
    (True, True, False)
    """
    return bool(re.search(r"[#&]p=", text))


def find(source: str, folder: Path | None = None) -> Linked:
    """The experiment that a link, a file or a preset's name stands for.

    Parameters
    ----------
    source : str
    folder : Path, optional
        Where files are looked for, the current one by default.

    Examples
    --------
    >>> find("http://127.0.0.1:1958/#p=1,1,1;-1,-1,0&order=worst&at=2").experiment["settings"]
    {'order': 'worst'}
    >>> find("xor").experiment["points"]
    [[0.0, 0.0, 0], [0.0, 1.0, 1], [1.0, 0.0, 1], [1.0, 1.0, 0]]
    >>> find("nothing")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: nothing: expected a link of the lab, a file that ends in .json ...
    """
    if is_link(source):
        return of_link(source)
    if source.endswith(".json"):
        return _of_file((folder or Path()) / source)
    from rosenblatt.lab.presets import presets

    known = {preset["name"]: preset for preset in presets()}
    if source in known:
        return of_experiment(known[source]["experiment"], known[source]["title"])
    raise InputError(
        f"{source}: expected a link of the lab, a file that ends in .json or .md, or a preset, one "
        f"of {', '.join(known)}"
    )


def of_link(link: str) -> Linked:
    """The experiment of a link."""
    fragment = link.partition("#")[2] if "#" in link else link
    words = parse_qsl(fragment, keep_blank_values=True)
    given = dict(words)
    if "p" not in given:
        raise InputError(f"the link holds no points: {link[:60]}")
    experiment: dict[str, Any] = {
        "classes": [value for name, value in words if name == "c"] or ["−1", "+1"],
        "points": [_numbers(point) for point in given["p"].split(";") if point],
        "settings": {name: _setting(name, text) for name, text in words if name in SETTINGS},
    }
    return Linked(_checked(experiment), fragment, "An experiment")


def _of_file(path: Path) -> Linked:
    try:
        experiment = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: expected an experiment as JSON ({error})") from error
    try:
        return of_experiment(experiment, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def fragment_of(experiment: dict[str, Any]) -> str:
    """An experiment as the fragment of a link.

    Examples
    --------
    >>> fragment_of({"classes": ["no", "yes"], "points": [[1.0, 0.5, 1]], "settings": {"eta": 2}})
    'c=no&c=yes&p=1,0.5,1&eta=2'
    """
    words = [("c", name) for name in experiment["classes"]]
    words.append(("p", ";".join(map(_joined, experiment["points"]))))
    words += [
        (name, _joined(value))
        for name, value in experiment["settings"].items()
        if value is not None
    ]
    if experiment.get("at"):
        words.append(("at", str(experiment["at"])))
    return urlencode(words, safe=",;")


def _joined(value: Any) -> str:
    if isinstance(value, list | tuple):
        rows = bool(value) and isinstance(value[0], list | tuple)
        return (";" if rows else ",").join(map(_joined, value))
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def of_experiment(experiment: Any, title: str) -> Linked:
    """An experiment, checked, with its fragment."""
    checked = _checked(experiment)
    return Linked(checked, fragment_of({**checked, "at": experiment.get("at")}), title)


def _checked(experiment: Any) -> dict[str, Any]:
    """The experiment without the step looked at, its random points drawn."""
    asked = read(experiment)
    points = [list(point if point.joined else point[:3]) for point in asked.points]
    settings = experiment.get("settings", {})
    return {"classes": list(asked.classes), "points": points, "settings": settings}


def _setting(name: str, text: str) -> Any:
    if name != "start":
        return _value(text)
    rows = [_numbers(row) for row in text.split(";") if row]
    return rows[0] if len(rows) == 1 else rows


def _numbers(text: str) -> list[Any]:
    return [_value(word) for word in text.split(",")]


def _value(text: str) -> Any:
    """A number, a truth value, or the text as it stands, which the reader may refuse."""
    if text in ("true", "false"):
        return text == "true"
    if not NUMBER.fullmatch(text):
        return text
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
