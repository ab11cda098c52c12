// A picture with axes: scales, ticks, layers. Every flat view is drawn on one.

import { set, svg } from "../dom.js";
import { number } from "../format.js";
import { ticks } from "../geometry.js";

const LETTER = 8.5; // the width of a digit of the axes, at most
const widthOf = (text) => LETTER * (text.length + (/[KM]/.test(text) ? 0.5 : 0));
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

// Numbers of the axes; from 10,000 on as 10K.
function tickText(value) {
  return Math.abs(value) >= 1e4 ? compact.format(value).replace("-", "−") : number(value);
}

export class Plot {
  constructor(name, { width = 300, height = 300, left = 32, right = 8, bottom = 30, top = 12, square = true } = {}) {
    this.size = { width, height, left, right, bottom, top };
    this.least = { left, bottom };
    this.square = square;
    this.root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "group", "aria-label": name });
    this.clipId = `rb-clip-${Math.random().toString(36).slice(2)}`;
    this.inner = svg("rect");
    this.root.append(svg("defs", {}, svg("clipPath", { id: this.clipId }, this.inner),
      arrowHead(`${this.clipId}-w`, "head-weights"), arrowHead(`${this.clipId}-p`, "head-path"),
      ...SHAPES.map((_, code) => arrowHead(`${this.clipId}-${hue(code)}`, `head-class ${hue(code)}`))));
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

  // across: the numbers of the horizontal axis.
  frame(box, labels, across = ticks(box[0], box[1], this.square ? 6 : 5)) {
    const framed = JSON.stringify([box, labels, across]);
    if (framed === this.framed) return; // the axes are there: an answer seldom moves them
    this.framed = framed;
    this.box = box;
    const up = ticks(box[2], box[3], this.square ? 6 : 4);
    this.#makeRoom(up);
    this.#axes(labels, across, up);
  }

  // As much at the left as the longest number takes; as much less in height, so that squares stay.
  #makeRoom(up) {
    const { size, least } = this;
    const more = Math.max(0, Math.max(...up.map((value) => widthOf(tickText(value)))) + 8 - least.left);
    size.left = least.left + more;
    size.bottom = least.bottom + (this.square ? more : 0);
    set(this.inner, {
      x: size.left, y: size.top, width: size.width - size.left - size.right, height: size.height - size.top - size.bottom,
    });
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

  #axes([horizontal, vertical], across, up) {
    const { width, height, left, right, bottom, top } = this.size;
    const group = this.layers.axes;
    const parts = [];
    for (const value of across) {
      const x = round(this.x(value));
      parts.push(svg("line", { x1: x, x2: x, y1: top, y2: height - bottom, class: value === 0 ? "zero" : "grid" }));
      const text = tickText(value);
      const room = width - widthOf(text) / 2;
      parts.push(svg("text", { x: Math.min(x, room), y: height - bottom + 13, class: "tick", "text-anchor": "middle", text }));
    }
    for (const value of up) {
      const y = round(this.y(value));
      parts.push(svg("line", { x1: left, x2: width - right, y1: y, y2: y, class: value === 0 ? "zero" : "grid" }));
      parts.push(svg("text", { x: left - 5, y: y + 4, class: "tick", "text-anchor": "end", text: tickText(value) }));
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

// The mark of a class: its shape tells it apart where colours do not. The order is that of the
// library's figures, so that a saved GIF looks like the page.
const SHAPES = [
  "M4.2 -7.4L7.4 -4.2L3.3 0.0L7.4 4.2L4.2 7.4L0.0 3.3L-4.2 7.4L-7.4 4.2L-3.3 0.0L-7.4 -4.2L-4.2 -7.4L0.0 -3.3Z",
  "M7 0A7 7 0 1 1 -7 0A7 7 0 1 1 7 0Z",
  "M-6.2 -6.2H6.2V6.2H-6.2Z",
  "M0 -8L7.5 5.5H-7.5Z",
  "M0 -8.5L8.5 0L0 8.5L-8.5 0Z",
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
