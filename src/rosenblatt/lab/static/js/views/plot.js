// A picture with axes: scales, ticks, layers. Every flat view is drawn on one.

import { set, svg } from "../dom.js";
import { number } from "../format.js";
import { ticks } from "../geometry.js";

export class Plot {
  constructor(name, { width = 300, height = 300, left = 32, right = 8, bottom = 30, top = 12, square = true } = {}) {
    this.size = { width, height, left, right, bottom, top };
    this.square = square;
    this.root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "group", "aria-label": name });
    this.clipId = `rb-clip-${Math.random().toString(36).slice(2)}`;
    this.root.append(svg("defs", {},
      svg("clipPath", { id: this.clipId }, svg("rect", {
        x: left, y: top, width: width - left - right, height: height - top - bottom,
      })),
      arrowHead(`${this.clipId}-w`, "head-weights"), arrowHead(`${this.clipId}-p`, "head-path")));
    this.layers = {};
    this.layer("axes");
    this.box = [0, 1, 0, 1];
  }

  // A group to draw in; those inside the axes are clipped to them.
  layer(name, clipped = false) {
    const group = svg("g", { class: `layer-${name}`, "clip-path": clipped ? `url(#${this.clipId})` : null });
    this.layers[name] = group;
    this.root.append(group);
    return group;
  }

  frame(box, labels) {
    this.box = box;
    this.#axes(labels);
  }

  x(value) {
    const { width, left, right } = this.size;
    return left + ((value - this.box[0]) / (this.box[1] - this.box[0])) * (width - left - right);
  }

  y(value) {
    const { height, bottom, top } = this.size;
    return height - bottom - ((value - this.box[2]) / (this.box[3] - this.box[2])) * (height - top - bottom);
  }

  at(p) {
    return [this.x(p[0]), this.y(p[1])];
  }

  // Where in the plane a pointer is.
  place(event) {
    const area = this.root.getBoundingClientRect();
    const { width, height, left, right, bottom, top } = this.size;
    const scale = Math.min(area.width / width, area.height / height);
    const px = (event.clientX - area.left - (area.width - width * scale) / 2) / scale;
    const py = (event.clientY - area.top - (area.height - height * scale) / 2) / scale;
    const within = px >= left && px <= width - right && py >= top && py <= height - bottom;
    return {
      within,
      p: [
        this.box[0] + ((px - left) / (width - left - right)) * (this.box[1] - this.box[0]),
        this.box[2] + ((height - bottom - py) / (height - top - bottom)) * (this.box[3] - this.box[2]),
      ],
    };
  }

  path(points, closed = false) {
    if (!points.length) return "";
    const parts = points.map((p) => `${round(this.x(p[0]))} ${round(this.y(p[1]))}`);
    return `M${parts.join("L")}${closed ? "Z" : ""}`;
  }

  paths(polygons, closed = false) {
    return polygons.map((polygon) => this.path(polygon, closed)).join("");
  }

  #axes([horizontal, vertical]) {
    const { width, height, left, right, bottom, top } = this.size;
    const group = this.layers.axes;
    const parts = [];
    for (const value of ticks(this.box[0], this.box[1], this.square ? 6 : 5)) {
      const x = round(this.x(value));
      parts.push(svg("line", { x1: x, x2: x, y1: top, y2: height - bottom, class: value === 0 ? "zero" : "grid" }));
      parts.push(svg("text", { x, y: height - bottom + 13, class: "tick", "text-anchor": "middle", text: number(value) }));
    }
    for (const value of ticks(this.box[2], this.box[3], this.square ? 6 : 4)) {
      const y = round(this.y(value));
      parts.push(svg("line", { x1: left, x2: width - right, y1: y, y2: y, class: value === 0 ? "zero" : "grid" }));
      parts.push(svg("text", { x: left - 5, y: y + 4, class: "tick", "text-anchor": "end", text: number(value) }));
    }
    parts.push(svg("text", { x: width - right, y: height - 3, class: "axis", "text-anchor": "end", text: horizontal }));
    parts.push(svg("text", { x: 2, y: top - 2, class: "axis", "text-anchor": "start", text: vertical }));
    group.replaceChildren(...parts);
  }
}

function arrowHead(id, kind) {
  return svg("marker", {
    id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 7, markerHeight: 7,
    orient: "auto-start-reverse", markerUnits: "userSpaceOnUse",
  }, svg("path", { d: "M0 0L10 5L0 10Z", class: kind }));
}

function round(value) {
  return Math.round(Math.max(-1e5, Math.min(1e5, value)) * 100) / 100;
}

// The mark of a class: its shape tells it apart where colours do not.
const SHAPES = [
  "M7 0A7 7 0 1 1 -7 0A7 7 0 1 1 7 0Z",
  "M-6.2 -6.2H6.2V6.2H-6.2Z",
  "M0 -8L7.5 5.5H-7.5Z",
  "M0 -8.5L8.5 0L0 8.5L-8.5 0Z",
  "M-2.6 -8H2.6V-2.6H8V2.6H2.6V8H-2.6V2.6H-8V-2.6H-2.6Z",
];

export function shape(code) {
  return SHAPES[code % SHAPES.length];
}

// The class's colour: of two classes the second is the positive one.
export function hue(code) {
  return `class-${code}`;
}

export function mark(code, attributes) {
  return svg("path", { d: shape(code), class: `mark ${hue(code)}`, ...attributes });
}

export { set };
