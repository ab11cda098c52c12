// The legend of x-space: what is drawn there now, and nothing else.

import { el, svg } from "../dom.js";
import { key } from "./charts.js";
import { hue, mark } from "./plot.js";
import { standing } from "./standing.js";
import { stepOf } from "./step.js";

export function legendOf(model) {
  const { classes, points } = model.experiment;
  const used = classes.map((name, code) => [name, code]).filter(([, code]) => points.some((p) => p[2] === code));
  const entries = used.map(([name, code]) => el("span", { class: `entry ${hue(code)}` },
    svg("svg", { viewBox: "-10 -10 20 20", class: "swatch", "aria-hidden": true }, mark(code)), name));
  if (model.experiment.test?.length) {
    entries.push(el("span", { class: "entry class-1" }, svg("svg", { viewBox: "-10 -10 20 20", class: "swatch", "aria-hidden": true },
      mark(1, { class: "tested class-1" })), "test points"));
  }
  const { answer } = model;
  const weights = model.shown;
  if (!answer || !weights) return entries;
  const many = Array.isArray(weights[0]);
  if (weights.some((v, j) => (many ? v.some(Boolean) : v !== 0 && j < weights.length - 1))) entries.push(key("boundary", many ? "borders" : weights.length === 3 ? "the line" : "the boundary"));
  const step = stepOf(model);
  if (!model.quiz && standing(model)?.wrong.length) entries.push(ringKey("astray", "on the wrong side"));
  if (step) entries.push(ringKey(step.wrong ? "wrong" : "right", step.wrong ? "a mistake" : "looked at: right"));
  if (step?.wrong && step.done && !many && answer.run.weights[model.update - 1].some((v) => v !== 0)) entries.push(key("boundary ghost", "before the update"));
  const { verdict, run } = answer;
  if (verdict.slab && model.layers.slab) entries.push(key("slab", "the widest slab"));
  if (verdict.hulls && model.layers.hulls) entries.push(ringKey("guilty", "these cancel"));
  if (answer.kernel && !model.quiz) entries.push(key("boundary kernel", "the kernel's boundary"));
  if (run.kept && model.at >= model.steps) entries.push(key("boundary kept", "what is kept"));
  return entries;
}

function ringKey(kind, text) {
  return el("span", { class: "entry" }, svg("svg", { viewBox: "-10 -10 20 20", class: "swatch", "aria-hidden": true },
    svg("circle", { r: 7.5, class: kind === "astray" ? kind : `current ${kind}` })), text);
}
