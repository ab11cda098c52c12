"""Experiments to begin with, as the page has them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from rosenblatt.lab.web.assets import assets


@cache
def presets() -> tuple[dict[str, Any], ...]:
    """Every preset: its name, title, one line on what it shows, group and experiment.

    Examples
    --------
    >>> first = presets()[0]
    >>> first["title"], first["experiment"]["settings"]
    ('Five points, one pass', {'start': [-1, 0, 0], 'max_passes': 1})
    """
    return tuple(from_module("js/presets.js", "PRESETS"))


def from_module(path: str, name: str) -> Any:
    """The JSON that a module of the page exports under a name.

    Examples
    --------
    >>> from_module("js/defaults.js", "DEFAULTS")["order"]
    'cyclic'
    """
    text = assets()[path]
    return json.loads(text.partition(f"export const {name} = ")[2].rstrip().rstrip(";"))
