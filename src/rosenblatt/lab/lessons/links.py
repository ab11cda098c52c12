"""Experiments from where people keep them: a link of the lab, a JSON file, the name of a preset.

``static/js/url.js`` writes the links and reads them; here they are handed on as they are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from rosenblatt.errors import InputError
from rosenblatt.lab.presets import presets


class Linked(NamedTuple):
    """What the page opens.

    Attributes
    ----------
    fragment : str
        The experiment, the step and whatever else is said of the view.
    title : str
        What to call it where nothing else does.
    """

    fragment: str
    title: str


def is_link(text: str) -> bool:
    """Whether a text is a link of the lab: an address, or its fragment, with points in it.

    Examples
    --------
    >>> is_link("lab/index.html#p=1,1,1"), is_link("#c=a&c=b&p="), is_link("xor")
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
    >>> find("lab/index.html#p=1,1,1;-1,-1,0&order=worst&at=2").fragment
    'p=1,1,1;-1,-1,0&order=worst&at=2'
    >>> find("xor")
    Linked(fragment='c=%E2%88%921&c=%2B1&p=0,0,0;0,1,1;1,0,1;1,1,0', title='Exclusive or')
    >>> find("nothing")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: nothing: expected a link of the lab, a file that ends in .json ...
    """
    if is_link(source):
        return Linked(source.partition("#")[2] if "#" in source else source, "An experiment")
    if source.endswith(".json"):
        return _of_file((folder or Path()) / source)
    for preset in presets():
        if preset["name"] == source:
            return Linked(fragment_of(preset["experiment"]), preset["title"])
    names = ", ".join(preset["name"] for preset in presets())
    raise InputError(
        f"{source}: expected a link of the lab, a file that ends in .json or .md, or a preset, one "
        f"of {names}"
    )


def _of_file(path: Path) -> Linked:
    try:
        experiment = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: expected an experiment as JSON ({error})") from error
    try:
        return Linked(fragment_of(experiment), path.stem)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f'{path}: expected {{"classes": [names], "points": [[x1, x2, class], …], "settings": '
            "{…}}, as json.dumps(widget.experiment) writes it"
        ) from None


def fragment_of(experiment: dict[str, Any]) -> str:
    """An experiment as the fragment of a link.

    Examples
    --------
    >>> fragment_of({"classes": ["no", "yes"], "points": [[1.0, 0.5, 1]], "settings": {"eta": 2}})
    'c=no&c=yes&p=1,0.5,1&eta=2'
    """
    words = [("c", str(name)) for name in experiment.get("classes", ())]
    words.append(("p", ";".join(_joined(_numbers(point)) for point in experiment["points"])))
    words += [
        (name, _joined(value))
        for name, value in experiment.get("settings", {}).items()
        if value is not None
    ]
    if experiment.get("at"):
        words.append(("at", str(experiment["at"])))
    return urlencode(words, safe=",;")


def _numbers(point: Any) -> list[float]:
    return [*map(float, point)]


def _joined(value: Any) -> str:
    if isinstance(value, list | tuple):
        rows = bool(value) and isinstance(value[0], list | tuple)
        return (";" if rows else ",").join(map(_joined, value))
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)
