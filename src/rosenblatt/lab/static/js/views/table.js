// The trace as the lectures write it, and what it cost so far.

import { card, el } from "../dom.js";
import { minus, silence } from "../format.js";
import { errorsTable } from "./errors.js";

const SHOWN = 200; // rows in the page at once

export function tableView(model) {
  const view = card("The trace, as in the lectures", "trace");
  const cost = el("p", { class: "cost" });
  const head = el("tr");
  const body = el("tbody");
  const scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Trace table" },
    el("table", {}, el("thead", {}, head), body));
  view.body.append(scroller, cost, errorsTable(model));
  let first = 0;
  let drawn = null;
  let told = 0; // steps that the rows tell of
  let following = 0;

  function fill() {
    const { run } = model.answer;
    first = model.known <= SHOWN ? 0 : Math.max(0, Math.min(model.at - SHOWN / 2, model.known - SHOWN));
    if (head.children.length !== run.heading.length) body.replaceChildren();
    head.replaceChildren(...run.heading.map((text) => el("th", { scope: "col", text })));
    const end = Math.min(model.known, first + SHOWN);
    const shown = Array.from({ length: end - first }, (_, k) => run.row(first + k));
    while (body.children.length > shown.length) body.lastChild.remove();
    while (body.children.length < shown.length) body.append(row(body.children.length, run.heading));
    [...body.children].forEach((node, k) => write(node, shown[k], run.mistakes[first + k] > 0));
    drawn = model.answer;
    told = model.known;
  }

  // The k-th row in the page, whichever step it shows: rows stay, for to lay them all out anew
  // takes longer than everything else on the page.
  function row(k, heading) {
    const look = () => {
      const index = model.answer.run.looked[first + k];
      if (index !== null) model.point("hover", index);
    };
    return el("tr", { on: {
      click: () => model.go(first + k + 1),
      pointerenter: look,
      pointerleave: () => model.point("hover", null),
    } }, ...heading.map(() => el("td")));
  }

  function write(node, cells, wrong) {
    node.classList.toggle("wrong", wrong);
    cells.forEach((cell, j) => {
      const text = j > 2 ? minus(cell) : cell;
      if (node.children[j].textContent !== text) node.children[j].textContent = text;
    });
  }

  function light() {
    const { run } = model.answer ?? {};
    if (!run) return;
    [...body.children].forEach((node, k) => {
      const at = first + k;
      node.classList.toggle("here", at === (model.looking ? model.at : model.at - 1));
      node.classList.toggle("later", at >= model.at + (model.looking ? 1 : 0));
      node.classList.toggle("lit", run.looked[at] !== null && (run.looked[at] === model.hover || run.looked[at] === model.selected));
      node.classList.toggle("cycle", Boolean(run.cycle) && at >= run.cycle[0] && at < run.cycle[1]);
    });
  }

  function draw() {
    if (!model.answer) {
      for (const node of [head, body]) node.replaceChildren();
      cost.textContent = silence(model);
      return;
    }
    if (drawn !== model.answer || told !== model.known || model.at < first || model.at > first + SHOWN) fill();
    light();
    cancelAnimationFrame(following);
    following = requestAnimationFrame(follow);
    const { total, look, update } = model.answer.cost;
    cost.replaceChildren(
      el("strong", { text: `${(total[model.at] ?? 0).toLocaleString("en")} operations so far.` }),
      ` A look: ${look}. A mistake adds: ${update}.`);
  }

  // Before the next frame, when all views are drawn: to ask where a row is lays the page out.
  function follow() {
    const here = body.children[(model.looking ? model.at : model.at - 1) - first];
    if (!here) return;
    const top = here.offsetTop - head.offsetHeight;
    if (top < scroller.scrollTop || top + 60 > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = top - scroller.clientHeight / 2;
    }
  }

  model.on("answer error at", draw);
  model.on("hover selected", light);
  return { root: view.root };
}
