// What each way to keep weights gets wrong at the end of the run, on the points and on test points.

import { el } from "../dom.js";

const NAMES = { last: "Last", average: "Average", vote: "Vote", pocket: "Pocket", kernel: "Kernel" };

export function errorsTable(model) {
  const root = el("div", { class: "kept-errors hidden" });

  function draw() {
    const { kernel } = model.answer ?? {};
    const errors = model.answer?.run.errors && { ...model.answer.run.errors, ...(kernel && { kernel: kernel.errors }) };
    const names = Object.entries(NAMES).filter(([name]) => errors && name in errors);
    const { points, test = [] } = model.source;
    const shown = Boolean(errors) && points.length > 0 && !model.quiz && model.at === model.steps;
    root.classList.toggle("hidden", !shown);
    if (!shown) return;
    const row = (title, k, count) => el("tr", {}, el("th", { scope: "row", text: `of ${count} ${title}` }),
      ...names.map(([name]) => el("td", { text: String(errors[name][k]) })));
    root.replaceChildren(el("table", {},
      el("caption", { text: "Wrong at the end of the run, by which weights are kept" }),
      el("thead", {}, el("tr", {}, el("td"), ...names.map(([, text]) => el("th", { scope: "col", text })))),
      el("tbody", {}, row("points", 0, points.length), test.length ? row("test points", 1, test.length) : null)));
  }

  model.on("answer error quiz at", draw);
  return root;
}
