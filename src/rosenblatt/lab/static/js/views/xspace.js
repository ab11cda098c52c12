// x-space: the points, the line, its normal and its sides; points are added and moved here.

import { card, set, svg, toggle } from "../dom.js";
import { number } from "../format.js";
import { above, clip, contour, corners, frameOf, grain, inside, lineInBox, sample, snap } from "../geometry.js";
import { hue, mark, Plot, shape } from "./plot.js";

const MANY = 80; // points from which on they are drawn smaller
const REACH = 13; // of a point under a pointer
const FINGERTIP = 44; // pixels of the screen
const FINE = 60; // places a side where the boundary is a curve

export function xspace(model) {
  const layers = [
    ["margins", "Margins", "Draw each point's distance to the line"],
    ["slab", "Widest slab", "Draw the maximum margin once the data is known to be separable"],
    ["hulls", "Hulls", "Draw the two hulls that meet when the data is inseparable"],
  ].map(([name, title, hint]) => {
    const node = toggle(title, model.layers[name], (on) => model.show({ [name]: on }), hint);
    model.on("layers", () => node.setAttribute("aria-pressed", String(model.layers[name])));
    return node;
  });
  const view = card("x-space", "xspace", ...layers);
  const plot = new Plot("Plot of the data: click to add a point", { width: 520, height: 520, left: 36, bottom: 32 });
  for (const name of ["regions", "hulls", "slab", "margins", "lines"]) plot.layer(name, true);
  plot.layer("points");
  plot.layer("over");
  plot.root.setAttribute("tabindex", "-1");
  view.body.append(plot.root);
  const marks = [];
  const fingers = matchMedia("(pointer: coarse)");
  let framed = null; // the load that the frame was chosen for

  function frame() {
    const { points } = model.experiment;
    if (framed === model.loads && points.every((p) => inside(plot.box, p))) return;
    framed = model.loads;
    plot.frame(frameOf(points), ["x₁", "x₂"]);
  }

  function draw() {
    frame();
    drawPoints();
    drawLines();
  }

  function drawPoints() {
    const { points, classes } = model.experiment;
    while (marks.length > points.length) marks.pop().remove();
    while (marks.length < points.length) {
      const made = pointMark(model, plot, marks.length);
      marks.push(made);
      plot.layers.points.append(made);
    }
    const guilty = new Set(model.layers.hulls ? model.answer?.verdict.rows ?? [] : []);
    const held = new Set(model.layers.slab ? model.answer?.verdict.support ?? [] : []);
    marks.forEach((node, k) => {
      const [x1, x2, code] = points[k];
      set(node, {
        transform: `translate(${plot.x(x1)} ${plot.y(x2)}) scale(${points.length > MANY ? 0.62 : 1})`,
        class: [
          "point", hue(code), guilty.has(k) ? "guilty" : "", held.has(k) ? "support" : "",
          (points[k][3] ?? 0) > model.at ? "future" : "",
          model.hover === k || model.selected === k ? "lit" : "",
        ].join(" "),
        "aria-label": `Point ${k}, class ${classes[code]}, at ${number(x1)}, ${number(x2)}`,
      });
      set(node.children[1], { d: shape(code), class: `mark ${hue(code)}` });
    });
    if (fingers.matches) widen();
  }

  // Under a finger a point reaches as far as a fingertip, but no further than halfway to the next.
  function widen() {
    const tip = (FINGERTIP / 2) * (plot.size.width / (plot.root.getBoundingClientRect().width || plot.size.width));
    const places = model.experiment.points.map((p) => plot.at(p));
    places.forEach(([x, y], k) => {
      const others = places.map(([u, v], j) => (j === k ? Infinity : Math.hypot(u - x, v - y)));
      set(marks[k].children[0], { r: Math.max(REACH, Math.min(tip, Math.min(...others) / 2)) });
    });
  }

  function drawLines() {
    const { regions, hulls, slab, margins, lines, over } = plot.layers;
    for (const layer of [regions, hulls, slab, margins, lines, over]) layer.replaceChildren();
    if (!model.answer || model.answer.run.weights.length === 0) return;
    const weights = model.weights;
    if (Array.isArray(weights[0])) drawRegions(weights);
    else {
      drawSides(weights);
      drawProof();
      if (model.layers.margins) drawMargins(weights);
      drawLine(weights, "boundary");
      drawGhost();
      drawNormal(weights);
    }
    drawKept();
    drawCurrent();
  }

  // The score as a function of the plane; with x₁x₂ it is no longer linear there.
  const scoreOf = (w) => (w.length === 3
    ? (p) => w[0] * p[0] + w[1] * p[1] + w[2]
    : (p) => w[0] * p[0] + w[1] * p[1] + w[2] * p[0] * p[1] + w[3]);

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

  function drawRegions(table) {
    if (!table.some((row) => row.some((v) => v !== 0))) return;
    table.forEach((row, k) => {
      let parts = [corners(plot.box)];
      if (row.length > 3) parts = above(sample(lead(table, k), plot.box, FINE), plot.box, 0);
      else {
        for (const other of table.filter((_, j) => j !== k)) {
          parts = [clip(parts[0], [row[0] - other[0], row[1] - other[1]], row[2] - other[2])];
        }
      }
      plot.layers.regions.append(svg("path", { d: plot.paths(parts, true), class: `region ${hue(k)}` }));
    });
    drawBorders(table, "boundary thin");
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
    if (model.at && run.mistakes[model.at - 1]) drawLine(run.weights[model.update - 1], "boundary ghost");
  }

  function drawNormal(w) {
    const length = Math.hypot(w[0], w[1]);
    if (!length || w.length !== 3) return;
    const size = (plot.box[1] - plot.box[0]) / 7;
    const middle = [(plot.box[0] + plot.box[1]) / 2, (plot.box[2] + plot.box[3]) / 2];
    const share = (w[0] * middle[0] + w[1] * middle[1] + w[2]) / length ** 2;
    const foot = [middle[0] - share * w[0], middle[1] - share * w[1]];
    const tip = [foot[0] + (size * w[0]) / length, foot[1] + (size * w[1]) / length];
    if (!inside(plot.box, foot)) return;
    plot.layers.over.append(svg("path", {
      d: plot.path([foot, tip]), class: "normal", "marker-end": `url(#${plot.clipId}-w)`,
    }));
    const [x, y] = plot.at(tip);
    plot.layers.over.append(svg("text", { x: x + 6, y: y + (w[1] >= 0 ? -4 : 12), class: "name weights", text: "w" }));
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

  function ringAt(index, kind) {
    const p = model.experiment.points[index];
    if (!p) return;
    const [x, y] = plot.at(p);
    plot.layers.over.append(svg("circle", { cx: x, cy: y, r: 14, class: `current ${kind}` }));
  }

  function drawCurrent() {
    const { run } = model.answer;
    if (model.quiz) ringAt(run.looked[model.at], "asked");
    else if (model.at) ringAt(run.looked[model.at - 1], run.mistakes[model.at - 1] ? "wrong" : "right");
  }

  plot.root.addEventListener("pointerdown", (event) => { plot.pressed = [event.clientX, event.clientY]; });
  plot.root.addEventListener("click", (event) => {
    if (event.target.closest(".point")) return;
    const [x, y] = plot.pressed ?? [event.clientX, event.clientY];
    if (Math.hypot(event.clientX - x, event.clientY - y) > 6) return;
    const { within, p } = plot.place(event);
    if (!within) return;
    const step = grain(plot.box);
    const index = model.add(snap(p[0], step), snap(p[1], step));
    marks[index]?.focus({ preventScroll: true });
  });

  model.on("experiment answer at layers quiz", draw);
  model.on("hover selected", drawPoints);
  draw();
  return {
    root: view.root, plot,
    focus: (index) => marks[index]?.focus({ preventScroll: true }),
    centre: () => [snap((plot.box[0] + plot.box[1]) / 2, 1), snap((plot.box[2] + plot.box[3]) / 2, 1)],
  };
}

// Deletes a point; the focus goes to its neighbour, or to the plot when there is none left.
function removeFrom(model, plot, index) {
  model.remove(index);
  const next = Math.min(index, model.experiment.points.length - 1);
  (plot.layers.points.children[next] ?? plot.root).focus({ preventScroll: true });
  if (next >= 0) model.point("selected", next);
}

// One point: a button that can be dragged, moved with arrows, relabelled with digits, deleted.
function pointMark(model, plot, index) {
  let moving = null;
  const node = svg("g", { role: "button", tabindex: 0, class: "point" },
    svg("circle", { r: REACH, class: "target" }), mark(0), svg("circle", { r: 12, class: "focus" }));
  const here = () => model.experiment.points[index];
  const move = (p) => model.moved(index, p[0], p[1]);
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    node.setPointerCapture(event.pointerId);
    moving = { from: here(), begun: false };
  });
  node.addEventListener("pointermove", (event) => {
    if (!moving) return;
    const step = grain(plot.box);
    const { p } = plot.place(event);
    const held = [
      Math.max(plot.box[0], Math.min(plot.box[1], p[0])), Math.max(plot.box[2], Math.min(plot.box[3], p[1])),
    ];
    const next = held.map((v) => snap(v, step));
    if (next[0] === here()[0] && next[1] === here()[1]) return;
    if (!moving.begun && Math.hypot(...next.map((v, k) => v - moving.from[k])) < step) return;
    if (!moving.begun) { model.remember(); moving.begun = true; }
    model.adopt(move(next));
  });
  // A finger on a point drags it and does not scroll the page, whatever the style sheet reaches.
  node.addEventListener("touchmove", (event) => { if (moving) event.preventDefault(); }, { passive: false });
  const end = () => { moving = null; };
  node.addEventListener("pointerup", end);
  node.addEventListener("pointercancel", end);
  node.addEventListener("pointerenter", () => model.point("hover", index));
  node.addEventListener("pointerleave", () => model.point("hover", null));
  node.addEventListener("focus", () => model.point("selected", index));
  node.addEventListener("keydown", (event) => {
    const step = grain(plot.box) * (event.shiftKey ? 4 : 1);
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (by) model.change(move(here().slice(0, 2).map((v, k) => (by[k] ? snap(v + step * by[k], grain(plot.box)) : v))));
    else if (event.key === "Delete" || event.key === "Backspace") removeFrom(model, plot, index);
    else if (/^[1-5]$/.test(event.key) && Number(event.key) <= model.experiment.classes.length) {
      model.change(model.relabelled(index, Number(event.key) - 1));
    } else return;
    event.preventDefault();
  });
  return node;
}
