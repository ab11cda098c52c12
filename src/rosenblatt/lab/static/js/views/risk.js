// The risk R(w): its contours over weight space, and the way the weights went.

import { button, card, el, svg } from "../dom.js";
import { number } from "../format.js";
import { above, contour } from "../geometry.js";
import { Plot } from "./plot.js";
import { sectionAt } from "./wspace.js";

const LEVELS = 9;

export function riskView(model, asker, solid) {
  const flat = button("Contours", () => show(false), { class: "toggle", "aria-pressed": true, title: "Lines of equal risk" });
  const deep = button("Surface", () => show(true), { class: "toggle", "aria-pressed": false, title: "The risk as a height over w₁ and w₂" });
  const view = card("Risk R(w)", "risk", flat, deep);
  const plot = new Plot("Contours of the risk over weight space");
  for (const name of ["bands", "contours", "wedge", "path"]) plot.layer(name, true);
  const legend = el("p", { class: "legend" });
  view.body.append(plot.root, legend);
  let scene = null;
  let drawn = null;

  async function show(on) {
    flat.setAttribute("aria-pressed", !on);
    deep.setAttribute("aria-pressed", on);
    if (on && !scene) {
      scene = await solid("surface");
      plot.root.after(scene.root);
    }
    plot.root.classList.toggle("hidden", on);
    scene?.show(on);
  }

  function draw() {
    const section = model.answer?.section;
    view.root.classList.toggle("silent", !section);
    deep.disabled = !section;
    if (!section) {
      for (const name of ["bands", "contours", "wedge", "path"]) plot.layers[name].replaceChildren();
      plot.frame([-1, 1, -1, 1], ["w₁", "w₂"]);
      legend.textContent = "The risk is drawn for two classes.";
      drawn = null;
      return;
    }
    const now = asker.current();
    if (now && now !== drawn) drawSurface(now);
    drawPath(section);
  }

  function drawSurface(now) {
    drawn = now;
    const box = [-now.reach, now.reach, -now.reach, now.reach];
    plot.frame(box, ["w₁", "w₂"]);
    const { bands, contours, wedge } = plot.layers;
    for (const layer of [bands, contours, wedge]) layer.replaceChildren();
    const levels = now.top > 0 ? LEVELS : 0; // a risk of 0 everywhere has no heights
    for (let k = 1; k <= levels; k += 1) {
      const level = (now.top * k) / (LEVELS + 1);
      bands.append(svg("path", { d: plot.paths(above(now.risk, box, level), true), class: "band-risk" }));
      contours.append(svg("path", { d: plot.paths(contour(now.risk, box, level)), class: "contour" },
        svg("title", { text: `R = ${number(level)}` })));
    }
    if (now.wedge.length) wedge.append(svg("path", { d: plot.path(now.wedge, true), class: "wedge" }));
  }

  function drawPath(section) {
    const { weights } = model.answer.run;
    const layer = plot.layers.path;
    layer.replaceChildren(
      svg("path", { d: plot.path(weights), class: "path future" }),
      svg("path", { d: plot.path(weights.slice(0, model.update + 1)), class: "path" }));
    const [x, y] = plot.at(model.weights);
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
    const bias = section.flat ? "" : ` ${sectionAt(model.weights)}`;
    legend.textContent = `R = Σ −y·score over the misclassified = ${number(section.path_risk[model.update])}.${bias}`;
  }

  model.on("experiment answer at section", draw);
  draw();
  return { root: view.root, plot, show };
}
