// The points of x-space: marks that are dragged, moved with arrows, relabelled, deleted.

import { set, svg } from "../dom.js";
import { number, vector } from "../format.js";
import { grain, snap } from "../geometry.js";
import { hue, mark, shape } from "./plot.js";

export const MANY = 80; // points from which on they are drawn smaller
export const SMALL = 0.62;
const REACH = 13; // of a point under a pointer
const FINGERTIP = 44; // pixels of the screen
const KEYS = "Arrow keys move it, digits give it another class, Delete removes it, N and P go to the next and previous point.";

export function pointMarks(model, plot) {
  const layer = plot.layers.points;
  const fingers = matchMedia("(pointer: coarse)");
  const marks = [];
  const state = { dragged: null };
  const drawn = []; // what each mark shows

  function draw() {
    const { points, classes } = model.experiment;
    while (marks.length > points.length) marks.pop().remove();
    while (marks.length < points.length) {
      const made = pointMark(model, plot, marks.length, state, draw);
      marks.push(made);
      layer.append(made);
    }
    const guilty = new Set(model.layers.hulls ? model.answer?.verdict.rows ?? [] : []);
    const held = new Set(model.layers.slab ? model.answer?.verdict.support ?? [] : []);
    const stop = model.selected ?? 0; // the one point that Tab comes to
    const frame = `${plot.box} ${points.length > MANY} ${model.layers.numbers}`;
    drawn.length = marks.length;
    marks.forEach((node, k) => {
      const [x1, x2, code] = points[k];
      const lit = model.hover === k || model.selected === k;
      // While one point is dragged the others stay as they are, and the browser need not look at them.
      const look = [frame, points[k], classes[code], guilty.has(k), held.has(k), model.at < (points[k][3] ?? 0), lit,
        model.hover === k, state.dragged === k, k === stop].join(" ");
      if (drawn[k] === look) return;
      drawn[k] = look;
      set(node, {
        transform: `translate(${plot.x(x1)} ${plot.y(x2)}) scale(${points.length > MANY ? SMALL : 1})`,
        class: [
          "point", hue(code), guilty.has(k) ? "guilty" : "", held.has(k) ? "support" : "",
          (points[k][3] ?? 0) > model.at ? "future" : "", lit ? "lit" : "",
        ].join(" "),
        tabindex: k === stop ? 0 : -1,
        "aria-label": `Point ${k}, class ${classes[code]}, at ${number(x1)}, ${number(x2)}`,
      });
      set(node.children[1], { d: shape(code), class: `mark ${hue(code)}` });
      name(node.children[3], k, points[k], lit);
    });
    if (fingers.matches) widen();
  }

  // Its number, on request or under the pointer; with its place while it is dragged.
  function name(node, k, point, lit) {
    const moved = state.dragged === k;
    const shown = model.layers.numbers || model.hover === k || moved;
    node.textContent = !shown ? "" : moved || (lit && model.hover === k) ? `${k} ${vector(point.slice(0, 2))}` : `${k}`;
    const right = plot.x(point[0]) > plot.size.width * 0.75;
    set(node, { x: right ? -11 : 11, "text-anchor": right ? "end" : "start" });
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

  return { draw, focus: (index) => marks[index]?.focus({ preventScroll: true }) };
}

// Deletes a point; the focus goes to its neighbour, or to the plot when there is none left.
function removeFrom(model, plot, index) {
  model.remove(index);
  const next = Math.min(index, model.experiment.points.length - 1);
  (plot.layers.points.children[next] ?? plot.root).focus({ preventScroll: true });
  if (next >= 0) model.point("selected", next);
}

// Follows a pointer from press to release; moved(place) is told where it is, in the plane.
export function draggable(node, plot, { begin = () => {}, moved, end = () => {} }) {
  let held = false;
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    node.setPointerCapture(event.pointerId);
    held = true;
    begin();
  });
  node.addEventListener("pointermove", (event) => {
    if (!held) return;
    const { p } = plot.place(event);
    moved([Math.max(plot.box[0], Math.min(plot.box[1], p[0])), Math.max(plot.box[2], Math.min(plot.box[3], p[1]))]);
  });
  // A finger on it drags it and does not scroll the page, whatever the style sheet reaches.
  node.addEventListener("touchmove", (event) => { if (held) event.preventDefault(); }, { passive: false });
  for (const kind of ["pointerup", "pointercancel"]) {
    node.addEventListener(kind, () => { if (held) { held = false; end(); } });
  }
}

export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function pointMark(model, plot, index, state, redraw) {
  let from = null;
  let begun = false;
  const node = svg("g", { role: "button", tabindex: -1, class: "point", "aria-description": KEYS },
    svg("circle", { r: REACH, class: "target" }), mark(0), svg("circle", { r: 12, class: "focus" }),
    svg("text", { y: -9, class: "number", "aria-hidden": true }));
  const here = () => model.experiment.points[index];
  const move = (p) => model.moved(index, p[0], p[1]);
  draggable(node, plot, {
    begin: () => { from = here(); begun = false; },
    moved: (p) => {
      const step = grain(plot.box);
      const next = p.map((v) => snap(v, step));
      if (next[0] === here()[0] && next[1] === here()[1]) return;
      if (!begun && Math.hypot(...next.map((v, k) => v - from[k])) < step) return;
      if (!begun) { model.remember(); begun = true; state.dragged = index; }
      model.adopt(move(next));
    },
    end: () => { state.dragged = null; redraw(); },
  });
  node.addEventListener("pointerenter", () => model.point("hover", index));
  node.addEventListener("pointerleave", () => model.point("hover", null));
  node.addEventListener("focus", () => model.point("selected", index));
  const focus = (k) => plot.layers.points.children[k]?.focus({ preventScroll: true });
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = grain(plot.box) * (event.shiftKey ? 4 : 1);
    const by = ARROWS[event.key];
    const count = model.experiment.points.length;
    const key = event.key.toLowerCase();
    if (by) model.change(move(here().slice(0, 2).map((v, k) => (by[k] ? snap(v + step * by[k], grain(plot.box)) : v))));
    else if (key === "delete" || key === "backspace") removeFrom(model, plot, index);
    else if (key === "n" || key === "p") focus((index + (key === "n" ? 1 : count - 1)) % count);
    else if (/^[1-5]$/.test(key) && Number(key) <= model.experiment.classes.length) {
      model.change(model.relabelled(index, Number(key) - 1));
    } else return;
    event.preventDefault();
  });
  return node;
}
