// Three-dimensional views, drawn on a canvas: constraint planes, and the risk as a surface.

import { el } from "../dom.js";
import { reachOf } from "../geometry.js";

const SIZE = 400;

export function planes(model, asker) {
  return scene(model, "Constraint planes in w₁, w₂ and b: drag or use the arrow keys to turn", (draw) => {
    const section = model.answer?.section;
    if (!section || section.flat || section.rows[0].length !== 3) return;
    const { weights } = model.answer.run;
    const reach = reachOf(section.least, model.toldWeights.flat());
    const unit = (p) => p.map((v) => v / reach);
    draw.axes(["w₁", "w₂", "b"]);
    const shown = section.rows.length <= 12 ? section.rows.map((_, k) => k) : busiest(model, 12);
    for (const k of shown) {
      const lit = k === model.hover || k === model.selected;
      const code = model.experiment.points[k]?.[2] ?? 0;
      draw.polygon(planeInCube(section.rows[k]), draw.colour(`class-${code}`), lit ? 0.5 : 0.13, lit ? 2.5 : 1);
    }
    draw.polyline(weights.slice(0, model.update + 1).map(unit), draw.colour("path"), 3);
    draw.dot(unit(model.weights), draw.colour("weights"));
  });
}

// The points that changed the weights most often, as far as that is told; a descent does not look at one.
function busiest(model, count) {
  const { run: { looked, mistakes }, section } = model.answer;
  const times = new Map(section.rows.map((_, index) => [index, 0]));
  looked.forEach((index, k) => { if (index !== null && k < model.known) times.set(index, times.get(index) + mistakes[k]); });
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, count).map(([index]) => index);
}

export function surface(model, asker) {
  return scene(model, "The risk as a surface over w₁ and w₂: drag or use the arrow keys to turn", (draw) => {
    const section = asker.current();
    if (!section) return;
    const { risk, reach, top, path_risk: along } = section;
    const height = (value) => (top ? (1.6 * value) / top : 0) - 0.8;
    draw.axes(["w₁", "w₂", "risk"]);
    const n = risk.length - 1;
    const place = (i, j) => [(2 * i) / n - 1, (2 * j) / n - 1, height(risk[j][i])];
    const step = 2;
    for (let j = 0; j < n; j += step) {
      for (let i = 0; i < n; i += step) {
        const share = top ? risk[j][i] / top : 0;
        draw.polygon([place(i, j), place(i + step, j), place(i + step, j + step), place(i, j + step)],
          share < 1e-9 ? draw.colour("weights") : draw.colour("class-1"), share < 1e-9 ? 0.45 : 0.12 + 0.6 * share, 0.4);
      }
    }
    const path = model.answer.run.weights.slice(0, model.update + 1)
      .map((w, k) => [w[0] / reach, w[1] / reach, height(Math.min(top, along[k])) + 0.02]);
    draw.polyline(path, draw.colour("path"), 3);
    draw.dot(path.at(-1), draw.colour("weights"));
  });
}

// A canvas that turns; `paint` says what is in it, in a cube from −1 to 1.
function scene(model, name, paint) {
  const canvas = el("canvas", { width: 2 * SIZE, height: 2 * SIZE, class: "solid", tabindex: 0, role: "img", "aria-label": name });
  let turn = 0.7;
  let tilt = 0.45;
  let visible = false;

  function draw() {
    if (!visible) return;
    const pen = new Pen(canvas, turn, tilt);
    paint(pen);
    pen.finish();
  }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = [event.clientX, event.clientY];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    rotate((event.clientX - held[0]) / 120, (event.clientY - held[1]) / 120);
    held = [event.clientX, event.clientY];
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (!by) return;
    rotate(...by);
    event.preventDefault();
  });

  function rotate(a, b) {
    turn += a;
    tilt = Math.max(-1.4, Math.min(1.4, tilt + b));
    draw();
  }

  model.on("answer at hover selected", draw);
  return { root: canvas, show: (on) => { visible = on; canvas.classList.toggle("hidden", !on); draw(); } };
}

class Pen {
  constructor(canvas, turn, tilt) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.angles = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    this.parts = [];
    this.style = getComputedStyle(canvas);
  }

  colour(name) {
    return this.style.getPropertyValue(`--${name}`).trim() || "#888";
  }

  // Screen place and depth of a point.
  project([x, y, z]) {
    const [c, s, ct, st] = this.angles;
    const across = x * c + y * s;
    const away = -x * s + y * c;
    const half = this.canvas.width / 2;
    const depth = away * ct - z * st;
    const near = 1 + depth * 0.12;
    return [half + (across * half * 0.56) / near, half - ((z * ct + away * st) * half * 0.56) / near, depth];
  }

  #add(points, paint) {
    if (!points.length) return;
    const flat = points.map((p) => this.project(p));
    const depth = flat.reduce((sum, p) => sum + p[2], 0) / flat.length;
    this.parts.push({ depth, paint: () => paint(flat) });
  }

  #trace(flat, closed) {
    this.context.beginPath();
    flat.forEach(([x, y], k) => (k ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    if (closed) this.context.closePath();
  }

  polygon(points, colour, opacity, width) {
    this.#add(points, (flat) => {
      const { context } = this;
      this.#trace(flat, true);
      context.fillStyle = colour;
      context.strokeStyle = colour;
      context.globalAlpha = opacity;
      context.fill();
      context.globalAlpha = Math.min(1, opacity + 0.35);
      context.lineWidth = width * 2;
      context.stroke();
      context.globalAlpha = 1;
    });
  }

  polyline(points, colour, width) {
    for (let k = 1; k < points.length; k += 1) {
      this.#add([points[k - 1], points[k]], (flat) => {
        this.#trace(flat, false);
        this.context.strokeStyle = colour;
        this.context.lineWidth = width * 2;
        this.context.lineCap = "round";
        this.context.stroke();
      });
    }
  }

  dot(point, colour) {
    const [x, y] = this.project(point);
    this.parts.push({ depth: -9, paint: () => {
      this.context.beginPath();
      this.context.arc(x, y, 17, 0, 2 * Math.PI);
      this.context.fillStyle = colour;
      this.context.fill();
    } });
  }

  axes(names) {
    const ends = [[1.15, 0, 0], [0, 1.15, 0], [0, 0, 1.15]];
    ends.forEach((end, k) => {
      this.polyline([end.map((v) => -v), end], this.colour("faint"), 0.8);
      const [x, y] = this.project(end.map((v) => v * 1.12));
      this.parts.push({ depth: -8, paint: () => {
        this.context.fillStyle = this.colour("ink");
        this.context.font = "42px system-ui, sans-serif";
        this.context.textAlign = "center";
        this.context.fillText(names[k], x, y);
      } });
    });
  }

  // Far things first.
  finish() {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (const part of this.parts.sort((a, b) => b.depth - a.depth)) part.paint();
  }
}

// Where the plane a·p = 0 meets the cube from −1 to 1, corner after corner.
function planeInCube(a) {
  const found = [];
  for (let axis = 0; axis < 3; axis += 1) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const su of [-1, 1]) {
      for (const sv of [-1, 1]) {
        if (!a[axis]) continue;
        const value = -(a[u] * su + a[v] * sv) / a[axis];
        if (Math.abs(value) > 1) continue;
        const p = [0, 0, 0];
        p[axis] = value; p[u] = su; p[v] = sv;
        found.push(p);
      }
    }
  }
  if (found.length < 3) return [];
  const centre = [0, 1, 2].map((j) => found.reduce((sum, p) => sum + p[j], 0) / found.length);
  const from = found[0].map((v, j) => v - centre[j]);
  const size = Math.hypot(...from) || 1;
  const e1 = from.map((v) => v / size);
  const length = Math.hypot(...a);
  const n = a.map((v) => v / length);
  const e2 = [n[1] * e1[2] - n[2] * e1[1], n[2] * e1[0] - n[0] * e1[2], n[0] * e1[1] - n[1] * e1[0]];
  const angle = (p) => {
    const d = p.map((v, j) => v - centre[j]);
    return Math.atan2(d[0] * e2[0] + d[1] * e2[1] + d[2] * e2[2], d[0] * e1[0] + d[1] * e1[1] + d[2] * e1[2]);
  };
  return found.sort((p, q) => angle(p) - angle(q));
}
