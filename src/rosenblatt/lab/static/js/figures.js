// Small live figures within a text: the lab's own views, one question each. Where there is no
// JavaScript, and in print, the picture stays that was there before.

import { Asker } from "./ask.js";
import { runControls } from "./controls/run.js";
import { DEFAULTS } from "./defaults.js";
import { button, el, freshId } from "./dom.js";
import { Model } from "./model.js";
import { moveUpdates } from "./motion.js";
import { PRESETS } from "./presets.js";
import { sandwich } from "./views/charts.js";
import { proofView } from "./views/proof.js";
import { riskView } from "./views/risk.js";
import { planes, surface } from "./views/scenes.js";
import { wspace } from "./views/wspace.js";
import { xspace } from "./views/xspace.js";

const TWO = ["−1", "+1"];
const preset = (name) => PRESETS.find((one) => one.name === name).experiment;
const SIX = [[-1.5, -1, 0], [0.5, 2.5, 0], [-2, -3, 0], [0, -2, 1], [2, 0.5, 1], [2.5, 3, 1]];
const LINE = [[2, 0.5, 1], [-2, -1, 0], [1, 2, 1], [-1, 1.5, 0], [3, -1, 1], [-3, 0.5, 0]];

// Each: the experiment, the step to begin at, the views, and what can be tried: settings, or by how much
// the points are moved.
const FIGURES = {
  update: { experiment: { classes: TWO, points: LINE, settings: { start: [1, -2, 2] } }, at: 0.5, views: ["data"] },
  spaces: { experiment: { classes: TWO, points: preset("three_samples").points, settings: { bias: false, start: [-2, 1] } }, views: ["data", "weights"] },
  risk: {
    experiment: { classes: TWO, points: LINE, settings: { rule: "batch", eta: 0.25, start: [1, -2, 2] } }, views: ["data", "risk"],
    tries: [["ε = 1/16", { eta: 0.0625 }], ["ε = 1/4", { eta: 0.25 }], ["ε = 2", { eta: 2 }], ["line search", { step_size: "line_search" }]],
  },
  sandwich: {
    experiment: { classes: TWO, points: SIX, settings: {} }, at: 5000, views: ["data", "growth"],
    slide: { label: "The gap", from: -1, to: 2, move: ([x1, x2, code], by) => [x1 + (code ? by : 0), x2, code] },
  },
  far: {
    experiment: { classes: TWO, points: SIX, settings: {} }, at: 5000, views: ["data", "growth"],
    slide: { label: "Moved by", from: 0, to: 4, move: ([x1, x2, code], by) => [x1 + by, x2 + by, code] },
  },
  xor: { experiment: preset("xor"), at: 5000, views: ["data", "proof"], tries: [["without x₁x₂", { product: false }], ["with x₁x₂", { product: true }]] },
};

function figure({ experiment, at = 0, views, tries = [], slide = null }) {
  const model = new Model(experiment, at);
  const gone = new AbortController();
  const asker = new Asker(model, gone.signal);
  moveUpdates(model);
  const solid = (kind) => ({ planes, surface })[kind](model, asker);
  const proof = proofView(model);
  const made = {
    data: () => xspace(model), weights: () => wspace(model, solid), risk: () => riskView(model, asker, solid),
    growth: () => sandwich(model), proof: () => proof,
  };
  const cards = views.map((name) => made[name]().root);
  const run = runControls(model, proof.step);
  const tried = tries.flatMap(([, settings]) => Object.keys(settings));
  const choices = tries.map(([name, settings]) => {
    const wanted = { ...experiment.settings, ...settings };
    const node = button(name, () => model.load({ ...model.experiment, settings: wanted }, at));
    const draw = () => {
      const now = { ...DEFAULTS, ...model.experiment.settings };
      node.setAttribute("aria-pressed", String(tried.every((key) => ({ ...DEFAULTS, ...wanted })[key] === now[key])));
    };
    model.on("experiment", draw);
    draw();
    return node;
  });
  const root = el("div", { class: `rb-lab figure ${views.length > 1 ? "double" : ""}` },
    ...cards, el("div", { class: "controls" }, run.root, choices.length ? el("div", { class: "row" }, ...choices) : null, slide ? slider(model, experiment, slide) : null));
  model.place = at;
  asker.everything();
  return root;
}

function slider(model, { points, classes }, { label, from, to, move }) {
  const id = freshId("slide");
  const input = el("input", { id, type: "range", min: from, max: to, step: 0.25, value: 0 });
  input.addEventListener("input", () => {
    model.load({ classes, points: points.map((point) => move(point, Number(input.value))), settings: {} }, 5000);
  });
  return el("div", { class: "row" }, el("label", { for: id, text: label }), input);
}

export function begin(page) {
  for (const place of page.querySelectorAll(".rb-live")) {
    const kind = [...place.classList].map((name) => name.replace(/^live-/, "")).find((name) => FIGURES[name]);
    const live = figure(FIGURES[kind]);
    place.append(live);
    place.classList.add("alive");
    // As the page around it: light or dark.
    const follow = () => {
      const { theme } = page.documentElement.dataset;
      if (theme === "light" || theme === "dark") live.dataset.theme = theme;
    };
    new MutationObserver(follow).observe(page.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    follow();
  }
}
