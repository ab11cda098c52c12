// Two charts of the run: the sandwich that bounds the mistakes, and the mistakes of each pass.

import { card, el, svg } from "../dom.js";
import { number, plural, silence } from "../format.js";
import { Plot } from "./plot.js";

export function sandwich(model) {
  const view = card("The sandwich", "sandwich");
  const plot = new Plot("Chart of the length of the weights between its two bounds", { height: 210, square: false });
  plot.layer("marks", true);
  const legend = el("p", { class: "legend" });
  view.body.append(plot.root, legend);

  function draw() {
    const layer = plot.layers.marks;
    layer.replaceChildren();
    legend.replaceChildren();
    const proof = model.answer?.proof;
    view.root.classList.toggle("silent", !proof);
    view.root.classList.toggle("hidden", model.experiment.classes.length > 2);
    if (!proof) {
      plot.frame([0, 1, 0, 1], ["updates k", ""]);
      legend.textContent = silence(model, "It speaks of the perceptron's rule on two classes.");
      return;
    }
    const last = Math.max(1, model.quiz ? model.update : proof.norms.length - 1);
    const k = Array.from({ length: last + 1 }, (_, at) => at).filter((at) => at < proof.norms.length);
    const fine = Array.from({ length: 80 }, (_, j) => (j / 79) * last);
    const scale = proof.eta * proof.reach;
    const most = (t) => Math.hypot(proof.norms[0], scale * Math.sqrt(t));
    const first = proof.along?.[0] ?? 0;
    plot.frame([0, last * 1.04, Math.min(0, first), most(last) * 1.05], ["updates k", ""]);
    const upper = fine.map((t) => [t, most(t)]);
    const lower = proof.gamma === null ? [[0, 0], [last, 0]] : [[0, first], [last, first + proof.eta * proof.gamma * last]];
    layer.append(svg("path", { d: plot.path([...upper, ...lower.reverse()], true), class: "between" }));
    layer.append(svg("path", { d: plot.path(upper), class: "upper" }));
    if (proof.gamma !== null) layer.append(svg("path", { d: plot.path(lower), class: "lower" }));
    const walked = k.slice(0, model.update + 1).map((at) => [at, proof.norms[at]]);
    layer.append(svg("path", { d: plot.path(k.map((at) => [at, proof.norms[at]])), class: "norm future" }));
    layer.append(svg("path", { d: plot.path(walked), class: "norm" }));
    const [x, y] = plot.at(walked.at(-1));
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
    const { low, high } = boundsOf(proof);
    legend.append(
      `${low} ≤ ‖w‖ ≤ ${high}`, key("upper", `${high}, R = ${number(proof.radius)}`), key("norm", "‖w‖"),
      proof.gamma === null ? "no γ: nothing separates these" : key("lower", `${low}, γ = ${number(proof.gamma)}`));
    const bracket = proof.bracket[model.update - 1];
    if (bracket && model.answer.verdict.verdict !== "inseparable") {
      legend.append(el("span", { class: "bracket", text: `known from the run alone so far: ${number(bracket[0])} ≤ γ ≤ ${number(bracket[1])}` }));
    }
  }

  model.on("experiment answer error at quiz", draw);
  draw();
  return { root: view.root, plot };
}

// The two bounds of ‖w‖ as they are with this start, step size η and threshold δ.
export function boundsOf({ eta, delta, norms }) {
  const step = eta === 1 ? "" : "η";
  const added = eta === 1 ? "2δ" : "2δ/η";
  if (norms[0]) {
    const square = delta ? `(${step && "η²"}R² + 2${step}δ)` : `${step && "η²"}R²`;
    return { low: `u·w₀ + k${step}γ`, high: `√(‖w₀‖² + k${square})` };
  }
  return { low: `k${step}γ`, high: `√k·${step && `${step}·`}${delta ? `√(R² + ${added})` : "R"}` };
}

export function key(kind, text) {
  const swatch = svg("svg", { viewBox: "0 0 24 8", class: "key", "aria-hidden": true },
    svg("path", { d: "M1 4H23", class: kind }));
  return el("span", { class: "entry" }, swatch, text);
}

// The passes, each by its last step and its mistakes, as far as they are told.
function told(model) {
  const { passes: all = [], mistakes = [] } = model.answer?.run ?? {};
  const begun = all.filter((_, k) => (k ? all[k - 1][0] : 0) < model.known);
  return begun.map(([end, count], k) => (end <= model.known ? [end, count]
    : [model.known, mistakes.slice(k ? all[k - 1][0] : 0, model.known).reduce((sum, one) => sum + one, 0)]));
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
    made.forEach(([end, mistakes], k) => {
      const here = model.at > begin && model.at <= end;
      const [left, right] = [plot.x(k + 0.6), plot.x(k + 1.4)];
      const top = mistakes ? plot.y(mistakes) : plot.y(0) - 2;
      const bar = svg("rect", {
        x: left, y: top, width: Math.max(1, right - left), height: plot.y(0) - top,
        class: `bar${here ? " here" : ""}${end <= model.at || here ? "" : " future"}${mistakes ? "" : " clean"}`,
      }, svg("title", { text: `Pass ${k + 1}: ${plural(mistakes, "mistake")}, over after step ${end}` }));
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
