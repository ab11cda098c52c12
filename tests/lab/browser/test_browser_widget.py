"""The widget in a browser, run by anywidget's own front end, without a notebook.

What stands in for Jupyter is the least that anywidget asks for: a model with get, set, on, off,
save_changes and send, and a view with an element.
"""

from __future__ import annotations

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
    send() { throw new Error("the page computes by itself"); }
    trigger(name, ...args) {
      for (const [n, callback] of [...this.listeners]) if (n === name) callback(...args);
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


@pytest.fixture
def notebook(new_page):
    """A page that shows a widget as a notebook does, and what it complained of."""
    page, widget, problems = new_page(), Widget([[2, 1], [-1, -2]], ["b", "a"]), []
    page.set_viewport_size({"width": 1400, "height": 900})
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_content(HOST)
    page.styles = page.evaluate(STYLES)
    page.evaluate(BASE)
    page.add_script_tag(content=FRONT_END.read_text())
    state = {
        "_esm": widget._esm,
        "_css": widget._css,
        "_anywidget_id": "rosenblatt.lab.widget.Widget",
        "experiment": widget.experiment,
    }
    page.evaluate("(state) => { new window.any.AnyModel(state); }", state)
    page.evaluate(SHOW)
    points(page).first.wait_for()
    yield page
    page.context.close()
    assert problems == []


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def points(page):
    return page.get_by_role("button", name=POINT)


def test_the_widget_computes_follows_and_leaves_the_notebook_alone(notebook):
    page = notebook
    expect(points(page)).to_have_count(2)
    tab(page, "Proof")
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator(".step").last).to_contain_text("becomes")
    # What is drawn comes back to Python, and what Python assigns is drawn.
    points(page).first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => window.model.get('experiment').points[0]") == [2.25, 1, 1]
    page.evaluate("""() => window.model.set("experiment",
      { classes: ["a", "b", "c"], points: [[0, 0, 0], [1, 1, 1], [2, 0, 2]], settings: {} })""")
    expect(points(page)).to_have_count(3)
    fits = page.locator(".rb-lab").evaluate("lab => lab.scrollWidth <= lab.clientWidth")
    assert fits
    page.evaluate("() => window.views[0].remove()")
    expect(points(page)).to_have_count(0)
    assert page.evaluate(STYLES) == page.styles
