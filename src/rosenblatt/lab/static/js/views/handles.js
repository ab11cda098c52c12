// The line, taken by hand: it is moved by itself and turned by the tip of its normal.

import { set, svg } from "../dom.js";
import { number } from "../format.js";
import { grain } from "../geometry.js";
import { draggable } from "./points.js";

const TURN = Math.PI / 36;

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

  // w in this direction or the opposite one, as long as it was; the line goes on through its foot.
  function turnTo(direction) {
    const w = model.shown;
    const length = Math.hypot(...direction);
    if (!length) return;
    const size = Math.hypot(w[0], w[1]) / length;
    const turned = direction.map((v) => v * size);
    take([...turned, model.biased ? -(turned[0] * foot[0] + turned[1] * foot[1]) : 0]);
  }

  tip.addEventListener("keydown", (event) => {
    const w = model.shown;
    const angle = { ArrowLeft: TURN, ArrowRight: -TURN }[event.key];
    const along = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    begin();
    if (angle) turnTo([w[0] * Math.cos(angle) - w[1] * Math.sin(angle), w[0] * Math.sin(angle) + w[1] * Math.cos(angle)]);
    else if (along && model.biased) take([w[0], w[1], w[2] - along * grain(plot.box) * Math.hypot(w[0], w[1])]);
    else return;
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
