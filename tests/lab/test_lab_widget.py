"""The widget without a notebook: what it holds, asks and answers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from rosenblatt.errors import InputError
from rosenblatt.lab import Widget
from rosenblatt.lab.experiment import compute
from rosenblatt.lab.presets import presets
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import _gather, bundle


@pytest.fixture
def widget(monkeypatch):
    made = Widget([[2, 1], [-1, -2], [0, 3]], ["b", "a", "b"], order="cyclic")
    made.sent = []
    reply = lambda content, buffers=None: made.sent.append((content, buffers))  # noqa: E731
    monkeypatch.setattr(made, "send", reply)
    return made


def asked(widget, content):
    """What the widget answers to a message from the page."""
    widget._handle_custom_msg(content, [])
    return widget.sent.pop()


def test_it_begins_with_the_points_and_settings_it_is_given(widget):
    assert widget.experiment == {
        "classes": ["a", "b"],
        "points": [[2, 1, 1], [-1, -2, 0], [0, 3, 1]],
        "settings": {"order": "cyclic"},
    }
    assert Widget().experiment["points"] == []


def test_it_computes_what_the_page_asks_for(widget):
    experiment = {**widget.experiment, "want": ["points", "run"]}
    content, _ = asked(widget, {"id": 7, "kind": "compute", "experiment": experiment})
    assert content == {"id": 7, "answer": compute(experiment)}
    json.dumps(content, allow_nan=False)
    content, _ = asked(widget, {"id": 8, "kind": "presets"})
    assert content == {"id": 8, "answer": presets()}


def test_a_gif_comes_as_bytes(widget):
    content, buffers = asked(widget, {"id": 1, "kind": "gif", "experiment": widget.experiment})
    assert content == {"id": 1, "answer": None}
    assert buffers[0].startswith(b"GIF8")


@pytest.mark.parametrize(
    "content",
    [
        {"id": 1, "kind": "compute", "experiment": {"points": "none"}},
        {"id": 1, "kind": "compute", "experiment": {"points": [[1e999, 0, 0]]}},
        {"id": 1, "kind": "compute"},
        {"id": 1, "kind": "format the disk", "experiment": {}},
        {"id": 1},
    ],
)
def test_a_bad_question_gets_a_sentence(widget, content):
    answer, _ = asked(widget, content)
    assert answer["id"] == 1
    assert len(answer["error"]) > 10


def test_a_message_that_is_no_question_gets_a_sentence(widget):
    answer, _ = asked(widget, ["compute"])
    assert answer == {"id": None, "error": "expected a question of the lab's page"}


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1, 2, 3]], [0]),
        ([[1, 2]], [0, 1]),
        ([[1, 2]], None),
        ("no", "yes"),
        ([[1, 2]], [[[1, 2, 3]]]),
        (np.zeros((6, 2)), list("abcdef")),
        ([[np.nan, 0]], ["a"]),
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
    assert text == bundle("js/mount.js")
    modules = json.loads(re.search(r"const modules = (.*);\n", text)[1])
    order = [path for path, _ in modules]
    assert len(set(order)) == len(order)
    assert order[-1] == "js/mount.js"
    assert "js/page.js" not in order
    for at, (_, source) in enumerate(modules):
        assert not re.search(r"""(from|import)\s*\(?\s*["']\.""", source)
        imported = re.findall(r'"lab:([^"]+)"', source)
        assert set(imported) <= set(order[:at])


def test_modules_that_import_each_other_are_refused():
    circle = {"a.js": 'import "./b.js";', "b.js": 'export { x } from "./a.js";'}
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        _gather("a.js", circle, {}, ())


OWN = (".rb-lab", "@media", "@container", "body:has")


def test_its_style_touches_nothing_else_in_a_notebook():
    style = re.sub(r"/\*.*?\*/", "", assets()["lab.css"].content.decode(), flags=re.S)
    while "(" in style:
        style = re.sub(r"\([^()]*\)", "", style)
    for selectors in re.findall(r"([^{}]+)\{", style):
        for selector in selectors.split(","):
            assert selector.strip().startswith(OWN), selector
