// The trace as the lectures write it, and what it cost so far.

import { card, el } from "../dom.js";
import { minus } from "../format.js";

const SHOWN = 200; // rows in the page at once

export function tableView(model) {
  const view = card("The trace, as in the lectures", "trace");
  const cost = el("p", { class: "cost" });
  const head = el("tr");
  const body = el("tbody");
  const scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Trace table" },
    el("table", {}, el("thead", {}, head), body));
  view.body.append(scroller, cost);
  let first = 0;
  let drawn = null;

  function fill() {
    const { run } = model.answer;
    first = run.rows.length <= SHOWN ? 0
      : Math.max(0, Math.min(model.at - SHOWN / 2, run.rows.length - SHOWN));
    head.replaceChildren(...run.heading.map((text) => el("th", { scope: "col", text })));
    body.replaceChildren(...run.rows.slice(first, first + SHOWN).map((cells, k) => row(cells, first + k)));
    drawn = model.answer;
  }

  function row(cells, k) {
    const index = model.answer.run.looked[k];
    const wrong = model.answer.run.mistakes[k] > 0;
    const node = el("tr", { class: wrong ? "wrong" : "", on: {
      click: () => model.go(k + 1),
      pointerenter: () => index !== null && model.point("hover", index),
      pointerleave: () => model.point("hover", null),
    } }, ...cells.map((text, j) => el("td", { text: j > 2 ? minus(text) : text })));
    return node;
  }

  function light() {
    const { run } = model.answer ?? {};
    if (!run) return;
    [...body.children].forEach((node, k) => {
      const at = first + k;
      node.classList.toggle("here", at + 1 === model.at);
      node.classList.toggle("later", at + 1 > model.at);
      node.classList.toggle("lit", run.looked[at] !== null && (run.looked[at] === model.hover || run.looked[at] === model.selected));
      node.classList.toggle("cycle", Boolean(run.cycle) && at >= run.cycle[0] && at < run.cycle[1]);
    });
  }

  function draw() {
    if (!model.answer) return;
    if (drawn !== model.answer || model.at < first || model.at > first + SHOWN) fill();
    light();
    const here = body.children[model.at - 1 - first];
    if (here) {
      const top = here.offsetTop - head.offsetHeight;
      if (top < scroller.scrollTop || top + 60 > scroller.scrollTop + scroller.clientHeight) {
        scroller.scrollTop = top - scroller.clientHeight / 2;
      }
    }
    const { total, look, update } = model.answer.cost;
    cost.replaceChildren(
      el("strong", { text: `${(total[model.at] ?? 0).toLocaleString("en")} operations so far.` }),
      ` A look: ${look}. A mistake adds: ${update}.`);
  }

  model.on("answer at", draw);
  model.on("hover selected", light);
  return { root: view.root };
}
