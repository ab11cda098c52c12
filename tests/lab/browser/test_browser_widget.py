"""The widget's module in a browser, with a model in the place of a notebook's."""

from __future__ import annotations

import re

import pytest

from rosenblatt.lab import Widget

POINT = re.compile(r"^Point \d")
LOAD = """async ([esm, css, experiment]) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  const listeners = [];
  const state = { experiment };
  window.saved = 0;
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => { window.saved += 1; window.state = state; },
    on: (event, listener) => listeners.push(listener),
    off: () => {},
    send: async (content) => {
      const reply = await window.kernel(content);
      listeners.forEach((listener) => listener(reply, []));
    },
  };
  const address = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const loaded = await import(address);
  const el = document.body.appendChild(document.createElement("div"));
  window.end = loaded.default.render({ model, el });
}"""


@pytest.fixture
def notebook(browser):
    """A page without a server that holds a widget, and what the page complained of."""
    widget = Widget([[2, 1], [-1, -2]], ["b", "a"])
    replies = []
    widget.send = lambda content, buffers=None: replies.append(content)

    def kernel(content):
        widget._handle_custom_msg(content, [])
        return replies.pop()

    page = browser.new_page(viewport={"width": 1200, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: said.type == "error" and problems.append(said.text))
    page.expose_function("kernel", kernel)
    page.evaluate(LOAD, [widget._esm, widget._css, widget.experiment])
    yield page
    page.close()
    assert problems == []


def test_the_lab_mounts_from_one_module_and_asks_the_kernel(notebook):
    points = notebook.get_by_role("button", name=POINT)
    points.first.wait_for()
    assert points.count() == 2
    notebook.get_by_text("Separable", exact=True).first.wait_for()


def test_what_is_drawn_comes_back_to_python(notebook):
    points = notebook.get_by_role("button", name=POINT)
    points.first.wait_for()
    points.first.focus()
    notebook.keyboard.press("Delete")
    notebook.wait_for_function("window.saved > 0")
    assert len(notebook.evaluate("window.state.experiment.points")) == 1
