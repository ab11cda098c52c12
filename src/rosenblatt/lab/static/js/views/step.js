// The step in x-space: the point looked at with its score, and the update as vectors.

import { svg } from "../dom.js";
import { number } from "../format.js";
import { inside } from "../geometry.js";
import { hue } from "./plot.js";

const LETTER = 8.5; // the width of a letter of a score, about
const MARK = 8; // half the size of a point

// The step that the page is about: the point, whether it was a mistake, and whether the weights have
// changed by it already. Null before the first.
export function stepOf(model) {
  const { run } = model.answer ?? {};
  if (!run || model.held || model.quiz) return null;
  const t = model.looking ? model.at : model.at - 1;
  if (t < 0 || run.looked[t] === null || run.looked[t] === undefined) return null;
  return { index: run.looked[t], score: run.score[t], wrong: Boolean(run.mistakes[t]), done: !model.looking };
}

// scoreOf: the score as a function of the plane, of given weights. Says whether it drew vectors.
export function drawStep(model, plot, layer, scoreOf) {
  if (model.quiz && model.answer) ring(model.answer.run.looked[model.at], "asked");
  const step = stepOf(model);
  if (!step) return false;
  const { index, score, wrong, done } = step;
  ring(index, wrong ? "wrong" : "right");
  const p = model.experiment.points[index];
  if (!p || Array.isArray(score)) return false;
  const now = wrong && done ? ` → ${number(scoreOf(model.shown)(p))}` : "";
  tag(p, `score ${number(score)}${now}`, wrong ? "wrong" : "right");
  return wrong && done && drawVectors(p);

  function ring(k, kind) {
    const place = model.experiment.points[k];
    if (!place) return;
    const [x, y] = plot.at(place);
    layer.append(svg("circle", { cx: x, cy: y, r: 14, class: `current ${kind}` }));
  }

  // Beside the point, where it covers no other one, if there is such a place.
  function tag(place, text, kind) {
    const [x, y] = plot.at(place);
    const wide = LETTER * text.length;
    const others = model.experiment.points.map((other) => plot.at(other)).filter(([u, v]) => u !== x || v !== y);
    const sides = [[1, 18], [1, -8], [-1, 18], [-1, -8]].filter(([side]) => x + side * (18 + wide) > 0 && x + side * (18 + wide) < plot.size.width);
    const free = ([side, down]) => others.every(([u, v]) => Math.abs(u - x - side * (18 + wide / 2)) > wide / 2 + MARK || Math.abs(v - y - down + 5) > MARK + 5);
    const [side, down] = sides.find(free) ?? sides[0] ?? [1, 18];
    layer.append(svg("text", {
      x: x + side * 18, y: y + down, class: `score ${kind}`, "text-anchor": side < 0 ? "end" : "start", text,
    }));
  }

  // From the origin: the weights before, the point that is added or subtracted, the weights after;
  // all of them shortened alike where they would leave the picture.
  function drawVectors(point) {
    const { weights } = model.answer.run;
    const [before, after] = [weights[model.update - 1], weights[model.update]];
    if (before.length !== 3 || !inside(plot.box, [0, 0])) return false;
    const longest = Math.max(...[before, after].map((w) => Math.hypot(w[0], w[1])));
    if (!longest) return false;
    const room = 0.8 * Math.min(plot.box[1], -plot.box[0], plot.box[3], -plot.box[2]);
    if (room <= 0) return false;
    const scale = Math.min(1, room / longest);
    const tip = (w) => [scale * w[0], scale * w[1]];
    const sign = point[2] === 1 ? "+" : "−";
    // From 0 the point and the new weights are one arrow, whatever the bias was.
    const fresh = !before[0] && !before[1];
    arrow([[0, 0], tip(before)], "before", "w");
    if (!fresh) arrow([tip(before), tip(model.shown)], hue(point[2]), `${sign}x`);
    arrow([[0, 0], tip(model.shown)], "after", fresh ? `w′ = ${sign}x` : "w′");
    return true;
  }

  function arrow([from, to], kind, name) {
    const [a, b] = [plot.at(from), plot.at(to)];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 4) return;
    layer.append(svg("path", {
      d: plot.path([from, to]), class: `vector ${kind}`,
      "marker-end": `url(#${plot.clipId}-${kind.startsWith("class") ? kind : "w"})`,
    }));
    const [x, y] = [0, 1].map((j) => (a[j] + b[j]) / 2);
    const [dx, dy] = [(b[1] - a[1]) / length, -(b[0] - a[0]) / length];
    // Beside the arrow, and not across it.
    const anchor = dx > 0.3 ? "start" : dx < -0.3 ? "end" : "middle";
    layer.append(svg("text", { x: x + 8 * dx, y: y + 11 * dy + 4, class: `vector-name ${kind}`, "text-anchor": anchor, text: name }));
  }
}
