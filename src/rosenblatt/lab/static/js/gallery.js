// The presets as little pictures; the one that is on the page is marked.

import { button, el, svg } from "./dom.js";
import { frameOf } from "./geometry.js";
import { PRESETS } from "./presets.js";
import { hue, shape } from "./views/plot.js";

const SIZE = 44;

export function gallery(model) {
  const items = PRESETS.map((preset) => {
    const { title, text, experiment } = preset;
    const node = button("", () => model.load(experiment), { class: "preset", "aria-label": title, title: `${title}. ${text}` });
    node.append(picture(experiment), el("span", { class: "caption", text: title }));
    return { node, points: JSON.stringify(experiment.points), settings: experiment.settings };
  });
  function draw() {
    const { points, settings } = model.experiment;
    const now = JSON.stringify(points);
    const curved = (one) => Boolean(one.product);
    for (const item of items) item.node.setAttribute("aria-pressed", String(item.points === now && curved(item.settings) === curved(settings)));
  }
  model.on("experiment", draw);
  draw();
  return { root: el("div", { class: "gallery", role: "group", "aria-label": "Data sets to begin with" }, ...items.map(({ node }) => node)) };
}

// With the feature x₁x₂ the axes are a boundary.
function picture({ points, settings }) {
  const [left, right, bottom, top] = frameOf(points);
  const x = (value) => (SIZE * (value - left)) / (right - left);
  const y = (value) => SIZE - (SIZE * (value - bottom)) / (top - bottom);
  return svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": true },
    settings.product ? svg("path", { d: `M${x(0)} 0V${SIZE}M0 ${y(0)}H${SIZE}`, class: "boundary" }) : null, ...points.map(([x1, x2, code]) =>
    svg("path", { d: shape(code), class: `mark ${hue(code)}`, transform: `translate(${x(x1)} ${y(x2)}) scale(0.45)` })));
}
