// w-space: each point is a line, the weights a point that walks into the wedge where all agree.

import { button, card, el, svg } from "../dom.js";
import { number } from "../format.js";
import { lineInBox } from "../geometry.js";
import { hue, Plot } from "./plot.js";

const ARROWS = 40;

// Which plane of a larger weight space is drawn.
export function sectionAt(weights) {
  const third = weights.length === 4 ? `, w₃ = ${number(weights[2])}` : "";
  return `Section at b = ${number(weights.at(-1))}${third}.`;
}

export function wspace(model, asker, solid) {
  const flat = button("Section", () => show(false), { class: "toggle", "aria-pressed": true, title: "The plane of w₁ and w₂" });
  const deep = button("3-D", () => show(true), { class: "toggle", "aria-pressed": false, title: "The constraint planes in w₁, w₂ and b" });
  const view = card("w-space", "wspace", flat, deep);
  const plot = new Plot("Plot of weight space");
  for (const name of ["wedge", "samples", "path"]) plot.layer(name, true);
  const note = el("p", { class: "legend" });
  view.body.append(plot.root, note);
  let scene = null;
  let spatial = false;

  async function show(on) {
    flat.setAttribute("aria-pressed", !on);
    deep.setAttribute("aria-pressed", on);
    if (on && !scene) {
      scene = await solid("planes");
      plot.root.after(scene.root);
    }
    plot.root.classList.toggle("hidden", on);
    scene?.show(on);
    spatial = on;
    draw();
  }

  function draw() {
    const section = model.answer?.section;
    const { wedge, samples, path } = plot.layers;
    for (const layer of [wedge, samples, path]) layer.replaceChildren();
    note.textContent = "";
    view.root.classList.toggle("silent", !section);
    deep.disabled = !section || section.flat || model.weights?.length !== 3;
    if (!section) {
      plot.frame([-1, 1, -1, 1], ["w₁", "w₂"]);
      note.textContent = model.experiment.points.length ? "w-space is about two classes." : "No points yet.";
      return;
    }
    const { reach } = section;
    plot.frame([-reach, reach, -reach, reach], ["w₁", "w₂"]);
    const now = asker.current();
    if (now?.wedge.length) wedge.append(svg("path", { d: plot.path(now.wedge, true), class: "wedge" }));
    const weights = model.weights;
    note.textContent = "Each point is a line; the shaded wedge has all points right.";
    if (!section.flat) {
      note.textContent += ` ${sectionAt(weights)}`;
    }
    if (spatial) note.textContent = "Each point is a plane; the weights walk to the side of all planes that has all points right.";
    drawSamples(section);
    drawPath();
  }

  function drawSamples(section) {
    const weights = model.weights;
    const crowd = section.rows.length > 40;
    section.rows.forEach((row, k) => {
      const offset = row.slice(2).reduce((sum, value, j) => sum + value * weights[2 + j], 0);
      const ends = lineInBox(row, offset, plot.box);
      if (!ends) return;
      const code = model.experiment.points[k]?.[2] ?? 0;
      const lit = model.hover === k || model.selected === k;
      const group = svg("g", { class: `sample ${hue(code)}${crowd ? " crowd" : ""}${lit ? " lit" : ""}` },
        svg("path", { d: plot.path(ends), class: "reach" }), svg("path", { d: plot.path(ends), class: "line" }));
      if (!crowd || lit) group.append(svg("path", { d: arrows(ends, row), class: "side" }));
      group.append(svg("title", { text: `The weights that give point ${k} the score 0; allowed is the side of the teeth` }));
      group.addEventListener("pointerenter", () => model.point("hover", k));
      group.addEventListener("pointerleave", () => model.point("hover", null));
      plot.layers.samples.append(group);
    });
  }

  // Teeth on the allowed side of a line.
  function arrows(ends, row) {
    const length = Math.hypot(row[0], row[1]);
    return [0.12, 0.5, 0.88].map((share) => {
      const base = plot.at([0, 1].map((j) => ends[0][j] + share * (ends[1][j] - ends[0][j])));
      return `M${base[0]} ${base[1]}l${(7 * row[0]) / length} ${(-7 * row[1]) / length}`;
    }).join("");
  }

  function drawPath() {
    const { weights } = model.answer.run;
    const layer = plot.layers.path;
    const done = weights.slice(0, model.update + 1);
    layer.append(svg("path", { d: plot.path(weights), class: "path future" }));
    if (done.length > 1) {
      const many = done.length > ARROWS;
      const moves = many ? [done] : done.slice(1).map((w, k) => [done[k], w]);
      for (const move of moves) {
        layer.append(svg("path", {
          d: plot.path(move), class: "path", "marker-end": many ? null : `url(#${plot.clipId}-p)`,
        }));
      }
    }
    const [x, y] = plot.at(done.at(-1));
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
  }

  model.on("experiment answer at hover selected section", draw);
  draw();
  return { root: view.root, plot, show };
}
