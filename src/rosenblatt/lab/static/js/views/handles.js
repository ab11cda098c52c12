// The line, taken by hand: it is moved by itself and turned by the tip of its normal.

import { set, svg } from "../dom.js";
import { number } from "../format.js";
import { grain } from "../geometry.js";
import { quarters } from "../model.js";
import { draggable } from "./points.js";

const TURN = Math.PI / 36;
const MOST = 18; // turns, or shifts, at one press

export function lineHandles(model, plot, layer) {
  let from = null; // the weights when they were taken, until they have moved
  const grip = svg("path", { class: "grip", "aria-hidden": true }, svg("title", { text: "Drag the line" }));
  const tip = svg("g", { class: "tip", role: "slider", tabindex: 0, "aria-label": "The line", "aria-valuemin": -180, "aria-valuemax": 180,
    "aria-description": "Drag it to turn the line; left and right arrow keys turn it, up and down move it. The run then starts there." },
  svg("circle", { r: 14, class: "target" }), svg("circle", { r: 6, class: "knob" }));
  layer.append(grip, tip);
  let foot = [0, 0];
  const begin = () => { from = model.shown; };
  const take = (w) => {
    if (from) model.remember();
    from = null;
    model.hold(w);
  };

  draggable(grip, plot, { begin, moved: (p) => {
    const w = model.shown;
    if (model.biased) take([w[0], w[1], -(w[0] * p[0] + w[1] * p[1])]);
    else turnTo([-p[1], p[0]]); // through the origin and the pointer
  } });
  draggable(tip, plot, { begin, moved: (p) => turnTo([p[0] - foot[0], p[1] - foot[1]]) });

  // w in this direction, as long as it was; the line goes on through its foot.
  function turned(direction) {
    const w = model.shown;
    const size = Math.hypot(w[0], w[1]) / Math.hypot(...direction);
    const [a, b] = direction.map((v) => v * size);
    return [a, b, model.biased ? -(a * foot[0] + b * foot[1]) : 0];
  }

  function turnTo(direction) {
    if (direction.some(Boolean)) take(turned(direction));
  }

  tip.addEventListener("keydown", (event) => {
    const w = model.shown;
    const angle = { ArrowLeft: TURN, ArrowRight: -TURN }[event.key];
    const along = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!angle && !(along && model.biased)) return;
    const by = (times) => {
      if (along) return [w[0], w[1], w[2] - times * along * grain(plot.box) * Math.hypot(w[0], w[1])];
      const [c, s] = [Math.cos(times * angle), Math.sin(times * angle)];
      return turned([w[0] * c - w[1] * s, w[0] * s + w[1] * c]);
    };
    // As far as it takes for quarters to change.
    const now = String(quarters(w));
    let times = 1;
    while (times < MOST && String(quarters(by(times))) === now) times += 1;
    begin();
    take(by(times));
    event.preventDefault();
  });

  // ends: of the line in the picture; normal: the foot and the tip of w; null where there is none.
  return (ends, normal) => {
    grip.classList.toggle("hidden", !ends || Boolean(model.quiz));
    tip.classList.toggle("hidden", !normal || Boolean(model.quiz));
    if (ends) set(grip, { d: plot.path(ends) });
    if (!normal) return;
    [foot] = normal;
    const [x, y] = plot.at(normal[1]);
    const w = model.shown;
    const angle = Math.round((Math.atan2(w[1], w[0]) * 180) / Math.PI);
    set(tip, { transform: `translate(${x} ${y})`, "aria-valuenow": angle, "aria-valuetext": `w at ${angle} degrees, bias ${number(w[2])}` });
  };
}
