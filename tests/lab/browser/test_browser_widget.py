"""The widget in a browser, run by anywidget's own front end, without a notebook.

What stands in for Jupyter is the least that anywidget asks for: a model with get, set, on, off,
save_changes and send, and a view with an element.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path

import anywidget
import pytest
from playwright.sync_api import expect

from rosenblatt.lab import Widget

POINT = re.compile(r"^Point \d")
FRONT_END = Path(anywidget.__file__).parent / "nbextension" / "index.js"
HOST = """<!doctype html><meta charset="utf-8"><title>A notebook</title>
<style>
  body { font: 13px serif; margin: 24px; } h1, h2 { color: rgb(1, 2, 3); } table { width: 300px; }
  .card { border: 5px solid rgb(9, 9, 9); } .run, .point, .step { color: rgb(4, 5, 6); }
  button { text-transform: uppercase; } .cell { width: 800px; }
</style>
<h1>Notebook</h1><h2 class="card">A cell</h2><p class="step run">Text</p>
<button class="near">Run</button>
<details class="menu"><summary>Menu</summary></details><dialog open>Words</dialog>
<table><tbody><tr class="later"><td>1</td></tr></tbody></table>
<svg class="plot"><g class="point"></g></svg>
<div class="cell"></div>"""
# Backbone's events and attributes, as far as anywidget uses them.
BASE = """() => {
  class DOMWidgetModel {
    constructor(state) {
      this.state = state; this.listeners = []; this.sent = []; this.saved = 0; window.model = this;
      this.initialize();
    }
    initialize() {}
    get(name) { return this.state[name]; }
    set(name, value) {
      const same = JSON.stringify(this.state[name]) === JSON.stringify(value);
      this.state[name] = value;
      if (!same) this.trigger(`change:${name}`);
    }
    save_changes() { this.saved += 1; }
    on(name, callback, context) { this.listeners.push([name, callback, context]); }
    once(name, callback) { this.on(name, callback); }
    off(name, callback, context) {
      const other = (given, own) => given && given !== own;
      this.listeners = this.listeners.filter(([n, c, x]) =>
        other(name, n) || other(callback, c) || other(context, x));
    }
    trigger(name, ...args) {
      for (const [n, callback] of [...this.listeners]) if (n === name) callback(...args);
    }
    async send(content) {
      const [reply, bytes] = await window.kernel(content);
      const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      this.trigger("msg:custom", reply, bytes.map((text) => new DataView(bytesOf(text).buffer)));
    }
  }
  class DOMWidgetView {
    constructor(model, el) {
      Object.assign(this, { model, el, $el: { empty: () => el.replaceChildren() } });
    }
    remove() { this.el.remove(); }
  }
  window.define = (_, factory) => { window.any = factory({ DOMWidgetModel, DOMWidgetView }); };
}"""
SHOW = """() => {
  const el = document.querySelector(".cell").appendChild(document.createElement("div"));
  const view = new window.any.AnyView(window.model, el);
  (window.views ??= []).push(view);
  return view.render();
}"""
# All but the sizes, which follow from the room that the widget takes.
STYLES = """() => [...document.querySelectorAll("body, body > :not(.cell), body > :not(.cell) *")]
  .map((node) => {
    const style = getComputedStyle(node);
    const names = [...style].filter((name) => !/^(width|height|.*-(size|origin))$/.test(name));
    return names.map((name) => `${name}:${style.getPropertyValue(name)}`);
  })"""


class Kernel:
    """The side of Python: takes what the page sends and gives what the widget replies."""

    def __init__(self):
        self.widget = Widget([[2, 1], [-1, -2]], ["b", "a"])
        self.widget.send = lambda content, buffers=None: self.replies.append((content, buffers))
        self.replies = []

    def answer(self, content):
        self.widget._handle_custom_msg(content, [])
        reply, buffers = self.replies.pop()
        return [reply, [base64.b64encode(part).decode() for part in buffers or []]]


@pytest.fixture(scope="module")
def host(new_page):
    """A page for all notebooks of this file; host.kernel answers it."""
    page = new_page()
    page.set_viewport_size({"width": 1400, "height": 900})
    page.expose_function("kernel", lambda content: page.kernel.answer(content))
    yield page
    page.close()


@pytest.fixture
def notebook(host):
    """A page without a server that shows a widget, and what the page complained of."""
    page, kernel = host, Kernel()
    page.kernel = kernel
    problems = []

    def failed(error):
        problems.append(str(error))

    def said(message):
        if message.type in ("error", "warning"):
            problems.append(message.text)

    page.on("pageerror", failed)
    page.on("console", said)
    page.goto("about:blank")
    page.set_content(HOST)
    page.styles = page.evaluate(STYLES)
    page.evaluate(BASE)
    page.add_script_tag(content=FRONT_END.read_text())
    state = {
        "_esm": kernel.widget._esm,
        "_css": kernel.widget._css,
        "_anywidget_id": "rosenblatt.lab.widget.Widget",
        "experiment": kernel.widget.experiment,
    }
    page.evaluate("(state) => { new window.any.AnyModel(state); }", state)
    page.evaluate(SHOW)
    points(page).first.wait_for()
    yield page
    page.mouse.move(0, 0)
    page.remove_listener("pageerror", failed)
    page.remove_listener("console", said)
    assert problems == []


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def points(page):
    return page.get_by_role("button", name=POINT)


def test_the_lab_mounts_from_one_module_and_asks_the_kernel(notebook):
    expect(points(notebook)).to_have_count(2)
    expect(notebook.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    notebook.get_by_role("button", name="End", exact=True).click()
    expect(notebook.locator(".stop")).to_contain_text("Separated")
    tab(notebook, "Data")
    notebook.get_by_label("Preset").select_option("xor")
    expect(points(notebook)).to_have_count(4)
    tab(notebook, "w-space")
    notebook.get_by_role("button", name="3-D").click()
    expect(notebook.get_by_role("img", name="Constraint planes")).to_be_visible()


def test_what_is_drawn_comes_back_to_python(notebook):
    points(notebook).first.focus()
    notebook.keyboard.press("Delete")
    notebook.wait_for_function("window.model.saved > 0")
    assert len(notebook.evaluate("window.model.get('experiment').points")) == 1


def test_what_python_assigns_is_drawn(notebook):
    three = {"classes": ["a", "b"], "points": [[0, 0, 0], [1, 1, 1], [2, 0, 1]], "settings": {}}
    notebook.evaluate("(given) => window.model.set('experiment', given)", three)
    expect(points(notebook)).to_have_count(3)
    saved = notebook.evaluate("window.model.saved")
    notebook.evaluate("window.model.set('experiment', { points: 'none' })")
    expect(points(notebook)).to_have_count(3)
    assert notebook.evaluate("window.model.saved") == saved


def test_two_views_of_one_widget_show_the_same(notebook):
    notebook.evaluate(SHOW)
    expect(points(notebook)).to_have_count(4)
    points(notebook).last.focus()
    notebook.keyboard.press("Delete")
    expect(points(notebook)).to_have_count(2)


def test_a_refusal_is_told_on_the_page(notebook):
    tab(notebook, "Run")
    notebook.get_by_label("Start", exact=True).fill("1, 2")
    notebook.get_by_label("Start", exact=True).press("Enter")
    expect(notebook.get_by_text("start must be 3 numbers, the bias first, got 2.")).to_be_visible()


def test_a_gif_comes_through_the_kernel(notebook):
    notebook.locator("summary", has_text="Share").click()
    expect(notebook.get_by_role("button", name="Copy link")).to_have_count(0)
    with notebook.expect_download() as download:
        notebook.get_by_role("button", name="Save GIF").click()
    assert download.value.path().read_bytes()[:4] == b"GIF8"


def test_a_view_that_is_removed_leaves_nothing_behind(notebook):
    notebook.get_by_role("button", name="Play", exact=True).click()
    notebook.evaluate("window.views[0].remove()")
    expect(notebook.locator(".rb-lab")).to_have_count(0)
    heard = "window.model.listeners.map(([name]) => name).join()"
    notebook.wait_for_function(f"{heard} === 'destroy,change:_css,change:_esm'")
    notebook.mouse.click(5, 5)


def test_the_notebook_keeps_its_style_and_its_keys(notebook):
    assert notebook.evaluate(STYLES) == notebook.styles
    listen = "document.addEventListener('keydown', (event) => window.keys.push(event.key))"
    notebook.evaluate(f"() => {{ window.keys = []; {listen}; }}")
    points(notebook).first.focus()
    notebook.keyboard.press("ArrowUp")
    assert notebook.evaluate("window.keys") == []
    assert notebook.locator("[data-lm-suppress-shortcuts] .point").count() == 2


@pytest.mark.parametrize("width", [800, 1100])
def test_the_lab_fits_a_screen(notebook, width):
    """With whichever panel beside the plot, and a tour that brings its panel to the front."""
    notebook.evaluate(
        "(width) => { document.querySelector('.cell').style.width = `${width}px`; }", width
    )
    lab = notebook.locator(".rb-lab")
    tabs = notebook.get_by_role("tab")
    for name in tabs.all_text_contents():
        tab(notebook, name)
        assert lab.bounding_box()["height"] <= 720, name
        expect(notebook.get_by_role("button", name="Play", exact=True)).to_be_visible()
    tabs.last.press("ArrowRight")
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    notebook.get_by_role("button", name="Tour", exact=True).click()
    expect(notebook.locator(".wspace")).to_be_visible()


@pytest.mark.parametrize("width", [420, 800, 1300])
def test_the_lab_fits_the_cell_whatever_the_window_is(notebook, width):
    notebook.evaluate(
        "(width) => { document.querySelector('.cell').style.width = `${width}px`; }", width
    )
    lab = notebook.locator(".rb-lab")
    assert lab.evaluate("node => node.scrollWidth") <= width
    plot = notebook.get_by_role("group", name="Plot of the data").bounding_box()
    assert plot["width"] >= 0.4 * min(width, 800)
