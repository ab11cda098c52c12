// The risk R(w): its contours over weight space, and the way the weights went.

import { button, card, el, svg } from "../dom.js";
import { number, silence } from "../format.js";
import { above, contour, wedgeOf } from "../geometry.js";
import { drawScores } from "./classes.js";
import { Plot } from "./plot.js";
import { sectionAt, several } from "./wspace.js";

const LEVELS = 9;

export function riskView(model, asker, solid) {
  const flat = button("Contours", () => show(false), { class: "toggle", "aria-pressed": true, title: "Lines of equal risk" });
  const deep = button("Surface", () => show(true), { class: "toggle", "aria-pressed": false, title: "The risk as a height over w₁ and w₂" });
  const view = card("Risk", "risk", flat, deep);
  const plot = new Plot("Contours of the risk over weight space");
  for (const name of ["bands", "contours", "wedge", "path"]) plot.layer(name, true);
  const legend = el("p", { class: "legend" });
  view.body.append(plot.root, legend);
  const scene = solid("surface");
  scene.show(false);
  plot.root.after(scene.root);
  let drawn = null;

  const show = (on) => model.see({ surface: on });

  function draw() {
    const section = model.answer?.section;
    const spatial = model.seen.surface && Boolean(section);
    flat.setAttribute("aria-pressed", String(!spatial));
    deep.setAttribute("aria-pressed", String(spatial));
    plot.root.classList.toggle("hidden", spatial);
    scene.show(spatial);
    view.root.classList.toggle("silent", !section);
    deep.disabled = !section;
    const many = several(model);
    view.heading.textContent = many ? "Scores" : "Risk";
    view.bar.classList.toggle("hidden", many);
    if (many) {
      for (const name of ["bands", "contours", "wedge", "path"]) plot.layers[name].replaceChildren();
      view.root.classList.remove("silent");
      legend.textContent = drawScores(model, plot, plot.layers.path);
      drawn = null;
      return;
    }
    if (!section) {
      for (const name of ["bands", "contours", "wedge", "path"]) plot.layers[name].replaceChildren();
      plot.frame([-1, 1, -1, 1], ["w₁", "w₂"]);
      legend.textContent = silence(model, "The risk is drawn for two classes.");
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
        svg("title", { text: `risk ${number(level)}` })));
    }
    const agreed = wedgeOf(now.rows, now.offsets, box);
    if (agreed.polygon.length) wedge.append(svg("path", { d: plot.path(agreed.polygon, true), class: "wedge" }));
  }

  function drawPath(section) {
    const { weights } = model.answer.run;
    const layer = plot.layers.path;
    layer.replaceChildren(
      svg("path", { d: plot.path(weights.slice(0, model.knownUpdates + 1)), class: "path future" }),
      svg("path", { d: plot.path([...weights.slice(0, model.update), model.shown]), class: "path" }));
    const [x, y] = plot.at(model.shown);
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
    const bias = section.flat ? "" : ` ${sectionAt(model.weights)}`;
    legend.textContent = `The sum of −y·score over the misclassified: ${number(section.path_risk[model.update])}.${bias}`;
  }

  model.on("experiment answer error at seen", draw);
  model.on("frame", () => {
    if (several(model)) draw();
    else if (model.answer?.section) drawPath(model.answer.section);
  });
  draw();
  return { root: view.root, plot };
}
