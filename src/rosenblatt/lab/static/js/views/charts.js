// Two charts of the run: the sandwich that bounds the mistakes, and the mistakes of each pass.

import { card, el, svg } from "../dom.js";
import { number, plural, silence } from "../format.js";
import { Plot } from "./plot.js";

export function sandwich(model) {
  const view = card("The sandwich", "sandwich");
  const plot = new Plot("Chart of the length of the weights between its two bounds", { width: 440, height: 190, square: false });
  plot.layer("marks", true);
  const legend = el("p", { class: "legend" });
  view.body.append(plot.root, legend);

  function draw() {
    const layer = plot.layers.marks;
    layer.replaceChildren();
    legend.replaceChildren();
    const proof = model.answer?.proof;
    const silent = model.experiment.classes.length > 2 || (model.answer && !proof && model.experiment.points.length > 0);
    view.root.classList.toggle("hidden", Boolean(silent));
    if (!proof) {
      plot.frame([0, 1, 0, 1], ["mistakes k", ""]);
      legend.textContent = silence(model, "");
      return;
    }
    const known = model.quiz ? model.update : model.knownUpdates;
    const scale = proof.eta * proof.reach;
    const most = (t) => Math.hypot(proof.norms[0], scale * Math.sqrt(t));
    const first = proof.along?.[0] ?? 0;
    const least = (t) => (proof.gamma === null ? 0 : first + proof.eta * proof.gamma * t);
    // To where the two bounds meet; where they never do, a little beyond what has been walked.
    const end = Math.max(proof.bound ?? 0, known * 1.25, 4);
    const fine = Array.from({ length: 80 }, (_, j) => (j / 79) * (proof.bound ?? end));
    plot.frame([0, end * 1.06, Math.min(0, first), Math.max(most(end), ...proof.norms.slice(0, known + 1)) * 1.08 || 1], ["mistakes k", ""]);
    const band = (from, kind) => {
      const part = [from, ...fine.filter((t) => t > from)];
      const around = [...part.map((t) => [t, most(t)]), ...part.toReversed().map((t) => [t, least(t)])];
      layer.append(svg("path", { d: plot.path(around, true), class: kind }));
    };
    band(0, "between");
    if (proof.gamma !== null) band(model.update, "left-over");
    layer.append(svg("path", { d: plot.path(fine.map((t) => [t, most(t)])), class: "upper" }));
    if (proof.gamma !== null) layer.append(svg("path", { d: plot.path(fine.map((t) => [t, least(t)])), class: "lower" }));
    const walked = proof.norms.slice(0, known + 1).map((norm, at) => [at, norm]);
    layer.append(svg("path", { d: plot.path(walked), class: "norm future" }));
    layer.append(svg("path", { d: plot.path(walked.slice(0, model.update + 1)), class: "norm" }));
    const [x, y] = plot.at([model.update, proof.norms[model.update]]);
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
    if (proof.bound) {
      const [cx, cy] = plot.at([proof.bound, most(proof.bound)]);
      const ground = plot.y(0);
      layer.append(svg("circle", { cx, cy, r: 5, class: "crossing" }),
        svg("path", { d: `M${cx} ${cy + 5}V${ground}`, class: "plumb" }),
        svg("text", { x: cx - 6, y: ground - 8, class: "number", "text-anchor": "end", text: `no room beyond k = ${number(proof.bound)}` }));
    }
    const { low, high } = boundsOf(proof, model.biased);
    const length = `‖${model.biased ? "ŵ" : "w"}‖`;
    legend.append(key("upper", high), key("norm", length), proof.gamma === null ? "no γ: nothing separates these" : key("lower", low));
    const bracket = proof.bracket[model.update - 1];
    if (bracket && model.answer.verdict.verdict !== "inseparable") {
      legend.append(el("span", { class: "bracket", text: `Known from this run alone: ${number(bracket[0])} ≤ γ ≤ ${number(bracket[1])}.` }));
    }
  }

  model.on("experiment answer error at quiz", draw);
  draw();
  return { root: view.root, plot };
}

// The two bounds of ‖w‖ as they are with this start, step size η and threshold δ.
export function boundsOf({ eta, delta, norms }, biased) {
  const step = eta === 1 ? "" : "η";
  const added = eta === 1 ? "2δ" : "2δ/η";
  if (norms[0]) {
    const square = delta ? `(${step && "η²"}R² + 2${step}δ)` : `${step && "η²"}R²`;
    const w = biased ? "ŵ₀" : "w₀";
    return { low: `u·${w} + k${step}γ`, high: `√(‖${w}‖² + k${square})` };
  }
  return { low: `k${step}γ`, high: `√k·${step && `${step}·`}${delta ? `√(R² + ${added})` : "R"}` };
}

export function key(kind, text) {
  const swatch = svg("svg", { viewBox: "0 0 24 8", class: "key", "aria-hidden": true },
    svg("path", { d: "M1 4H23", class: kind }));
  return el("span", { class: "entry" }, swatch, text);
}

// The passes, each by its last step, its mistakes and whether it was finished, as far as they are told.
function told(model) {
  const { passes: all = [], mistakes = [] } = model.answer?.run ?? {};
  const begun = all.filter((_, k) => (k ? all[k - 1][0] : 0) < model.known);
  return begun.map(([end, count, whole], k) => (end <= model.known ? [end, count, whole]
    : [model.known, mistakes.slice(k ? all[k - 1][0] : 0, model.known).reduce((sum, one) => sum + one, 0), false]));
}

export function passes(model) {
  const view = card("Mistakes in each pass", "passes");
  const plot = new Plot("Chart of mistakes in each pass", { height: 210, square: false });
  plot.layer("bars", true);
  const legend = el("p", { class: "legend" });
  view.body.append(plot.root, legend);

  function draw() {
    const layer = plot.layers.bars;
    layer.replaceChildren();
    const made = told(model);
    const most = Math.max(4, ...made.map(([, mistakes]) => mistakes));
    plot.frame([0.4, Math.max(4, made.length) + 0.6, 0, most * 1.08], ["pass", ""]);
    let begin = 0;
    made.forEach(([end, mistakes, whole], k) => {
      const here = model.at > begin && model.at <= end;
      const [left, right] = [plot.x(k + 0.6), plot.x(k + 1.4)];
      const top = mistakes ? plot.y(mistakes) : plot.y(0) - 2;
      const bar = svg("rect", {
        x: left, y: top, width: Math.max(1, right - left), height: plot.y(0) - top,
        class: `bar${here ? " here" : ""}${end <= model.at || here ? "" : " future"}${!whole ? " unfinished" : mistakes ? "" : " clean"}`,
      }, svg("title", { text: `Pass ${k + 1}: ${plural(mistakes, "mistake")}, ${whole ? `over after step ${end}` : "not finished"}` }));
      if (!model.quiz) bar.addEventListener("click", () => model.go(end));
      layer.append(bar);
      begin = end;
    });
    const total = made.reduce((sum, [, mistakes]) => sum + mistakes, 0);
    legend.textContent = made.length
      ? `${plural(total, "mistake")} in ${plural(made.length, "pass")}${model.quiz ? " so far" : "; click a bar to go to its end"}.`
      : silence(model, "No pass yet.");
  }

  model.on("experiment answer error at quiz", draw);
  draw();
  return { root: view.root, plot };
}
