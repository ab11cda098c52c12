// w-space: each point is a line, the weights a point that walks into the wedge where all agree.

import { button, card, el, set, svg } from "../dom.js";
import { number, silence } from "../format.js";
import { lineInBox, offsetsAt, wedgeOf } from "../geometry.js";
import { drawClassVectors } from "./classes.js";
import { draggable } from "./points.js";
import { hue, Plot } from "./plot.js";
import { stepOf } from "./step.js";

const ARROWS = 40; // moves drawn with their heads
const FEW = 8; // points of which every line is drawn

// Which plane of a larger weight space is drawn.
export function sectionAt(weights) {
  const others = weights.slice(2, -1).map((value, j) => `, w${"₃₄₅₆"[j]} = ${number(value)}`).join("");
  return `Section at b = ${number(weights.at(-1))}${others}.`;
}

// Whether the weights are one row for each of the present classes.
export const several = (model) => Array.isArray(model.shown?.[0]) && model.shown.length === model.experiment.classes.length;

export function wspace(model, solid) {
  const flat = button("Section", () => show(false), { class: "toggle", "aria-pressed": true, title: "The plane of w₁ and w₂" });
  const deep = button("3-D", () => show(true), { class: "toggle", "aria-pressed": false, title: "The constraint planes in w₁, w₂ and b" });
  const view = card("Weights (w-space)", "wspace", flat, deep);
  const plot = new Plot("Plot of weight space");
  for (const name of ["wedge", "samples", "path", "hand"]) plot.layer(name, true);
  const hand = svg("circle", { r: 14, class: "target hand" }, svg("title", { text: "Drag the weights" }));
  plot.layers.hand.append(hand);
  const note = el("p", { class: "legend" });
  view.body.append(plot.root, note);
  const scene = solid("planes");
  scene.show(false);
  plot.root.after(scene.root);
  let from = null;
  draggable(hand, plot, {
    begin: () => { from = model.shown; },
    moved: (p) => {
      if (from) model.remember();
      from = null;
      model.hold([...p, ...model.shown.slice(2)]);
    },
  });

  const show = (on) => model.see({ planes: on });

  function draw() {
    const section = model.answer?.section;
    const { wedge, samples, path } = plot.layers;
    for (const layer of [wedge, samples, path]) layer.replaceChildren();
    const linear = section && !section.flat && model.shown?.length === 3;
    const spatial = model.seen.planes && Boolean(linear);
    flat.setAttribute("aria-pressed", String(!spatial));
    deep.setAttribute("aria-pressed", String(spatial));
    plot.root.classList.toggle("hidden", spatial);
    scene.show(spatial);
    view.root.classList.toggle("silent", !section);
    deep.disabled = !linear;
    hand.classList.toggle("hidden", !section || Boolean(model.quiz) || model.shown.length !== 3);
    if (several(model)) {
      view.root.classList.remove("silent");
      drawClassVectors(model, plot, path);
      note.textContent = "One weight vector for each class: a mistake lengthens that of the right class by the point, and takes the point from that of its strongest rival.";
      return;
    }
    if (!section) {
      plot.frame([-1, 1, -1, 1], ["w₁", "w₂"]);
      note.textContent = silence(model, "w-space is about two classes.");
      return;
    }
    const { reach } = model;
    if (!model.held) plot.frame([-reach, reach, -reach, reach], ["w₁", "w₂"]);
    drawSection(section, spatial);
  }

  function drawSection(section, spatial) {
    const { wedge, path } = plot.layers;
    for (const layer of [wedge, plot.layers.samples, path]) layer.replaceChildren();
    const weights = model.shown;
    const offsets = offsetsAt(section.rows, weights);
    const agreed = wedgeOf(section.rows, offsets, plot.box);
    if (agreed.polygon.length) wedge.append(svg("path", { d: plot.path(agreed.polygon, true), class: "wedge" }));
    const some = drawSamples(section.rows, offsets, agreed.edges);
    const words = [
      some ? "Each point is a line: those of the wrong points and the edges of the wedge." : "Each point is a line.",
      agreed.polygon.length ? "The shaded wedge has all points right." : "Nowhere here are all points right.",
      section.flat ? "" : sectionAt(weights),
    ];
    note.textContent = spatial
      ? "Each point is a plane; the weights walk to the side of all planes that has all points right." : words.filter(Boolean).join(" ");
    drawPath();
  }

  // Says whether some lines are left out.
  function drawSamples(rows, offsets, edges) {
    const weights = model.shown;
    const step = stepOf(model);
    const lit = (k) => model.hover === k || model.selected === k || step?.index === k;
    const wrong = (k) => rows[k].reduce((sum, value, j) => sum + value * weights[j], 0) < 0;
    const many = rows.length > FEW;
    rows.forEach((row, k) => {
      if (many && !lit(k) && !edges.has(k) && !wrong(k)) return;
      const ends = lineInBox(row, offsets[k], plot.box);
      if (!ends) return;
      const code = model.experiment.points[k]?.[2] ?? 0;
      const crowd = many && !lit(k) && !edges.has(k);
      const group = svg("g", { class: `sample ${hue(code)}${crowd ? " crowd" : ""}${lit(k) ? " lit" : ""}` },
        svg("path", { d: plot.path(ends), class: "reach" }), svg("path", { d: plot.path(ends), class: "line" }));
      if (!crowd) group.append(svg("path", { d: arrows(ends, row), class: "side" }));
      group.append(svg("title", { text: `The weights that give point ${k} the score 0; allowed is the side of the teeth` }));
      group.addEventListener("pointerenter", () => model.point("hover", k));
      group.addEventListener("pointerleave", () => model.point("hover", null));
      plot.layers.samples.append(group);
    });
    return many;
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
    const done = model.held ? [model.held] : [...weights.slice(0, model.update), model.shown];
    if (!model.held) layer.append(svg("path", { d: plot.path(weights.slice(0, model.knownUpdates + 1)), class: "path future" }));
    const many = done.length > ARROWS;
    const moves = many ? [done] : done.slice(1).map((w, k) => [done[k], w]);
    for (const move of moves) {
      layer.append(svg("path", {
        d: plot.path(move), class: "path", "marker-end": many ? null : `url(#${plot.clipId}-p)`,
      }));
    }
    nameMove(done);
    const [x, y] = plot.at(done.at(-1));
    layer.append(svg("circle", { cx: x, cy: y, r: 5, class: "here" }));
    set(hand, { cx: x, cy: y });
  }

  // The update of this step is the point itself, added or subtracted.
  function nameMove(done) {
    const step = stepOf(model);
    if (!step?.wrong || !step.done || done.length < 2) return;
    const [a, b] = done.slice(-2).map((w) => plot.at(w));
    const code = model.experiment.points[step.index]?.[2];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 12) return;
    plot.layers.path.append(svg("text", {
      x: (a[0] + b[0]) / 2 + (12 * (b[1] - a[1])) / length, y: (a[1] + b[1]) / 2 - (12 * (b[0] - a[0])) / length + 4,
      class: `vector-name ${hue(code)}`, "text-anchor": "middle", text: code === 1 ? "+x" : "−x",
    }));
  }

  model.on("experiment answer error at hover selected seen quiz", draw);
  model.on("frame", () => {
    if (several(model)) draw();
    if (model.answer?.section) drawSection(model.answer.section, !plot.root.checkVisibility());
  });
  draw();
  return { root: view.root, plot };
}
