// x-space: the points, the line, its normal and its sides; points are added and moved here.

import { card, el, svg, toggle } from "../dom.js";
import { scoreIn } from "../features.js";
import { above, clip, contour, corners, frameOf, grain, inside, lineInBox, sample, snap } from "../geometry.js";
import { lineHandles } from "./handles.js";
import { legendOf } from "./legend.js";
import { hue, mark, Plot } from "./plot.js";
import { MANY, pointMarks, SMALL } from "./points.js";
import { queryMark } from "./query.js";
import { standing, standingText } from "./standing.js";
import { drawStep } from "./step.js";

const FINE = 60; // places a side where the boundary is a curve
const HALO = 15; // of a point on the wrong side

export function xspace(model) {
  const scoreOf = (w) => scoreIn(model.source, w);
  const switches = [
    ["margins", "Margins", "Draw each point's distance to the line"],
    ["slab", "Widest slab", "Draw the maximum margin once the data is known to be separable"],
    ["hulls", "Hulls", "Draw the two hulls that meet when the data is inseparable"],
    ["numbers", "Numbers", "Write its number at every point"],
    ["query", "?", "A point of no class: see which one the weights give it"],
  ].map(([name, title, hint]) => {
    const node = toggle(title, Boolean(model.layers[name]),
      (on) => model.show({ [name]: name === "query" ? on && corner() : on }), hint);
    if (name === "query") node.setAttribute("aria-label", "Ask about a point");
    model.on("layers", () => node.setAttribute("aria-pressed", String(Boolean(model.layers[name]))));
    return node;
  });
  const view = card("Points (x-space)", "xspace", ...switches);
  view.bar.before(el("span", { class: "drag-hint", text: "Drag a point, or add one." }));
  const plot = new Plot("Plot of the data: click to add a point", { width: 520, height: 520, left: 36, bottom: 32 });
  for (const name of ["regions", "astray", "test", "hulls", "slab", "margins", "lines"]) plot.layer(name, true);
  for (const name of ["over", "handles", "points", "query"]) plot.layer(name);
  plot.root.setAttribute("tabindex", "-1");
  const legend = el("p", { class: "legend" });
  const stands = el("p", { class: "standing" });
  view.body.append(plot.root, stands, legend);
  const points = pointMarks(model, plot);
  const query = queryMark(model, plot, plot.layers.query, scoreOf);
  const handle = lineHandles(model, plot, plot.layers.handles);
  let framed = null; // the load that the frame was chosen for

  // Where a new question mark is put: in a corner, away from the points.
  const corner = () => [0, 2].map((j) => snap(plot.box[j + 1] - (plot.box[j + 1] - plot.box[j]) / 6, grain(plot.box)));

  function frame() {
    const all = [...model.experiment.points, ...(model.experiment.test ?? [])];
    if (framed === model.loads && all.every((p) => inside(plot.box, p))) return;
    framed = model.loads;
    plot.frame(frameOf(all), ["x₁", "x₂"]);
  }

  function draw() {
    frame();
    drawTest();
    points.draw();
    drawLines();
  }

  // Points to test on: small and hollow, they only stand there.
  function drawTest() {
    plot.layers.test.replaceChildren(...(model.experiment.test ?? []).map(([x1, x2, code]) =>
      mark(code, { transform: `translate(${plot.x(x1)} ${plot.y(x2)}) scale(0.6)`, class: `tested ${hue(code)}` })));
  }

  function drawLines() {
    const { regions, astray, hulls, slab, margins, lines, over } = plot.layers;
    for (const layer of [regions, astray, hulls, slab, margins, lines, over]) layer.replaceChildren();
    const weights = model.shown;
    query.draw();
    stands.textContent = standingText(model);
    legend.replaceChildren(...legendOf(model));
    handle(null, null);
    if (!weights || !model.answer) return;
    drawKernel();
    if (Array.isArray(weights[0])) drawRegions(weights);
    else {
      drawSides(weights);
      drawAstray();
      drawProof();
      if (model.layers.margins) drawMargins(weights);
      drawGhost();
      drawLine(weights, "boundary");
      drawKept();
      // The update shows w from the origin; otherwise it stands on the line.
      const normal = drawStep(model, plot, over, scoreOf) ? null : drawNormal(weights);
      handle(weights.length === 3 ? lineInBox(weights, weights[2], plot.box) : null, normal);
      return;
    }
    drawKept();
    drawStep(model, plot, over, scoreOf);
  }

  const curve = (w, level) => (w.length === 3
    ? [lineInBox(w, w[2] - level, plot.box)].filter(Boolean)
    : contour(sample(scoreOf(w), plot.box, FINE), plot.box, level));

  function drawLine(w, kind, level = 0) {
    plot.layers.lines.append(svg("path", { d: plot.paths(curve(w, level)), class: kind }));
  }

  function drawSides(w) {
    if (!w.some((v) => v !== 0)) return;
    for (const [sign, code] of [[-1, 0], [1, 1]]) {
      const side = w.map((v) => sign * v);
      const parts = w.length === 3
        ? [clip(corners(plot.box), side, side[2])]
        : above(sample(scoreOf(side), plot.box, FINE), plot.box, 0);
      plot.layers.regions.append(svg("path", { d: plot.paths(parts, true), class: `region ${hue(code)}` }));
    }
  }

  // A halo behind each point on the wrong side; a quiz would be answered by it.
  function drawAstray() {
    if (model.quiz) return;
    const size = HALO * (model.experiment.points.length > MANY ? SMALL : 1);
    const halos = standing(model)?.wrong.map((p) => plot.at(p)).map(([x, y]) =>
      `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`) ?? [];
    plot.layers.astray.append(svg("path", { d: halos.join(""), class: "astray" }));
  }

  function drawRegions(table) {
    if (!table.some((row) => row.some((v) => v !== 0))) return;
    const flat = table[0].length === 3;
    table.forEach((row, k) => {
      const parts = flat ? [regionOf(table, k)] : above(sample(lead(table, k), plot.box, FINE), plot.box, 0);
      plot.layers.regions.append(svg("path", { d: plot.paths(parts, true), class: `region ${hue(k)}` }));
      if (flat) plot.layers.lines.append(svg("path", { d: plot.paths(innerEdges(parts[0])), class: "boundary thin" }));
    });
    if (!flat) drawBorders(table, "boundary thin");
  }

  // Where the score of class k is the largest.
  function regionOf(table, k) {
    return table.filter((_, j) => j !== k).reduce((part, other) =>
      clip(part, [table[k][0] - other[0], table[k][1] - other[1]], table[k][2] - other[2]), corners(plot.box));
  }

  // The edges of a polygon that are not those of the picture.
  function innerEdges(polygon) {
    const [left, right, bottom, top] = plot.box;
    const near = (a, b) => Math.abs(a - b) < 1e-9 * (right - left);
    return polygon.map((p, k) => [p, polygon[(k + 1) % polygon.length]]).filter(([p, q]) => ![
      [0, left], [0, right], [1, bottom], [1, top]].some(([axis, side]) => near(p[axis], side) && near(q[axis], side)));
  }

  // How far the score of class k is ahead of the best other one.
  function lead(table, k) {
    const scores = table.map(scoreOf);
    return (p) => scores[k](p) - Math.max(...scores.filter((_, j) => j !== k).map((score) => score(p)));
  }

  function drawBorders(table, kind) {
    const lines = table.flatMap((_, k) => contour(sample(lead(table, k), plot.box, FINE), plot.box, 0));
    plot.layers.lines.append(svg("path", { d: plot.paths(lines), class: kind }));
  }

  function drawProof() {
    const { verdict } = model.answer;
    if (verdict.slab && model.layers.slab) {
      const w = verdict.slab;
      if (w.length === 3) {
        const band = clip(clip(corners(plot.box), w, w[2] + 1), w.map((v) => -v), 1 - w[2]);
        plot.layers.slab.append(svg("path", { d: plot.path(band, true), class: "band" }));
      }
      for (const level of [-1, 0, 1]) {
        plot.layers.slab.append(svg("path", {
          d: plot.paths(curve(w, level)), class: level ? "slab edge" : "slab",
        }));
      }
    }
    if (verdict.hulls && model.layers.hulls) {
      verdict.hulls.forEach((hull, k) => plot.layers.hulls.append(
        svg("path", { d: plot.path(hull, true), class: `hull ${hue(k)}` })));
      if (verdict.meeting) {
        const [x, y] = plot.at(verdict.meeting);
        plot.layers.over.append(svg("path", {
          d: `M${x - 7} ${y - 7}L${x + 7} ${y + 7}M${x - 7} ${y + 7}L${x + 7} ${y - 7}`, class: "meeting",
        }, svg("title", { text: "A point of both hulls" })));
      }
    }
  }

  function drawMargins(w) {
    if (w.length !== 3) return;
    const square = w[0] ** 2 + w[1] ** 2;
    if (!square) return;
    for (const [x1, x2, code] of model.experiment.points) {
      const share = (w[0] * x1 + w[1] * x2 + w[2]) / square;
      const foot = [x1 - share * w[0], x2 - share * w[1]];
      plot.layers.margins.append(svg("path", { d: plot.path([[x1, x2], foot]), class: `margin ${hue(code)}` }));
    }
  }

  // Where the line was before this step moved it.
  function drawGhost() {
    const { run } = model.answer;
    if (model.at && !model.looking && !model.held && run.mistakes[model.at - 1]) drawLine(run.weights[model.update - 1], "boundary ghost");
  }

  // Draws w at the line; says where its foot and its tip are, or null.
  function drawNormal(w) {
    const length = Math.hypot(w[0], w[1]);
    if (!length || w.length !== 3) return null;
    const size = (plot.box[1] - plot.box[0]) / 7;
    const foot = footOf(w, length, size);
    if (!foot) return null;
    const tip = [foot[0] + (size * w[0]) / length, foot[1] + (size * w[1]) / length];
    plot.layers.over.append(svg("path", {
      d: plot.path([foot, tip]), class: "normal", "marker-end": `url(#${plot.clipId}-w)`,
    }));
    const [x, y] = plot.at(tip);
    plot.layers.over.append(svg("text", { x: x + 10, y: y + (w[1] >= 0 ? -8 : 16), class: "name weights", text: "w" }));
    return [foot, tip];
  }

  // The foot of the arrow: in the middle of the line, or further along it where the arrow fits.
  function footOf(w, length, size) {
    const ends = lineInBox(w, w[2], plot.box);
    if (!ends) return null;
    const along = (share) => [0, 1].map((j) => ends[0][j] + share * (ends[1][j] - ends[0][j]));
    const fits = (foot) => inside(plot.box, [foot[0] + (size * w[0]) / length, foot[1] + (size * w[1]) / length]);
    const feet = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2].map(along);
    return feet.find(fits) ?? feet[0];
  }

  function drawKernel() {
    const { kernel } = model.answer;
    if (!kernel || model.quiz) return;
    const grids = kernel.scores ? [[kernel.scores, 0]]
      : model.experiment.classes.slice(1).map((_, k) => [kernel.classes.map((row) => row.map((v) => (v > k ? 1 : 0))), 0.5]);
    const lines = grids.flatMap(([grid, level]) => contour(grid, kernel.box, level));
    plot.layers.lines.append(svg("path", { d: plot.paths(lines), class: "boundary kernel" }));
  }

  function drawKept() {
    const { kept } = model.answer.run;
    if (!kept || model.at < model.steps) return;
    if (kept.weights && Array.isArray(kept.weights[0])) drawBorders(kept.weights, "boundary kept");
    else if (kept.weights) drawLine(kept.weights, "boundary kept");
    if (kept.votes) {
      for (let k = 0; k < model.experiment.classes.length - 1; k += 1) {
        const lines = contour(kept.votes.map((row) => row.map((v) => (v > k ? 1 : 0))), kept.box, 0.5);
        plot.layers.lines.append(svg("path", { d: plot.paths(lines), class: "boundary kept" }));
      }
    }
  }

  plot.root.addEventListener("pointerdown", (event) => { plot.pressed = [event.clientX, event.clientY]; });
  plot.root.addEventListener("click", (event) => {
    if (event.target.closest(".point, .tip, .grip, .query")) return;
    const [x, y] = plot.pressed ?? [event.clientX, event.clientY];
    if (Math.hypot(event.clientX - x, event.clientY - y) > 6) return;
    const { within, p } = plot.place(event);
    if (!within) return;
    const step = grain(plot.box);
    const index = model.add(snap(p[0], step), snap(p[1], step));
    points.focus(index);
  });

  model.on("experiment answer error at layers quiz", draw);
  model.on("frame", drawLines);
  model.on("hover selected", points.draw);
  draw();
  return {
    root: view.root, plot, focus: points.focus,
    centre: () => [snap((plot.box[0] + plot.box[1]) / 2, 1), snap((plot.box[2] + plot.box[3]) / 2, 1)],
  };
}
