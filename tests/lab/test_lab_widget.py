"""The widget without a notebook: what it holds, and of what its page is made."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rosenblatt.errors import InputError
from rosenblatt.lab import Widget
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import _gather, bundle


@pytest.fixture
def widget():
    return Widget([[2, 1], [-1, -2], [0, 3]], ["b", "a", "b"], order="cyclic")


def test_it_begins_with_the_points_and_settings_it_is_given(widget):
    assert widget.experiment == {
        "classes": ["a", "b"],
        "points": [[2, 1, 1], [-1, -2, 0], [0, 3, 1]],
        "settings": {"order": "cyclic"},
    }
    assert Widget().experiment["points"] == []


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1, 2, 3]], [0]),
        ([[1, 2]], [0, 1]),
        ([[1, 2]], None),
        ("no", "yes"),
        ([[1, 2]], [[[1, 2, 3]]]),
        (np.zeros((6, 2)), list("abcdef")),
        ([[np.nan, 0], [0, 0]], ["a", "b"]),
        ([[1e7, 0], [0, 0]], ["a", "b"]),
    ],
)
def test_points_that_cannot_be_drawn_are_refused(X, y):
    with pytest.raises(InputError):
        Widget(X, y)


def test_an_unknown_setting_is_refused():
    with pytest.raises(InputError, match="speed"):
        Widget([[1, 2], [3, 4]], ["a", "b"], speed=3)


def test_the_bundle_holds_every_module_once_and_after_those_it_imports():
    text = bundle("js/mount.js")
    order = re.findall(r'^modules\["([^"]+)"\] = ', text, re.M)
    assert len(set(order)) == len(order)
    assert order[-1] == "js/mount.js"
    assert "js/page.js" not in order
    assert not re.search(r"^(import|export)\b", text, re.M)
    for at, part in enumerate(re.split(r"^modules\[", text, flags=re.M)[1:]):
        used = re.findall(r'= modules\["([^"]+)"\];', part)
        assert set(used) - {"js/mount.js"} <= set(order[:at])


def test_modules_that_import_each_other_are_refused():
    circle = {"a.js": 'import { x } from "./b.js";\n', "b.js": 'import { x } from "./a.js";\n'}
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        _gather("a.js", circle, {}, ())


OWN = (".rb-lab", "@media", "@container", "body:has")


def test_its_style_touches_nothing_else_in_a_notebook():
    style = re.sub(r"/\*.*?\*/", "", assets()["lab.css"], flags=re.S)
    while "(" in style:
        style = re.sub(r"\([^()]*\)", "", style)
    for selectors in re.findall(r"([^{}]+)\{", style):
        for selector in selectors.split(","):
            assert selector.strip().startswith(OWN), selector
