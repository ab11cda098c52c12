// Several classes: their weight vectors in the plane of w₁ and w₂, and their scores at one point.

import { svg } from "../dom.js";
import { scoreIn } from "../features.js";
import { number } from "../format.js";
import { reachOf } from "../geometry.js";
import { stepOf } from "./step.js";
import { hue } from "./plot.js";

const ROOM = 0.8; // of the plane at least

// One arrow for each class; after an update, from where it was.
export function drawClassVectors(model, plot, layer) {
  const { weights } = model.answer.run;
  const reach = reachOf(ROOM, model.toldWeights.flat().flatMap((row) => row.slice(0, 2)));
  plot.frame([-reach, reach, -reach, reach], ["w₁", "w₂"]);
  const shown = model.shown;
  const before = stepOf(model)?.wrong && !model.looking ? weights[model.update - 1] : null;
  shown.forEach((row, code) => {
    const moved = before && before[code].some((value, j) => value !== weights[model.update][code][j]);
    if (moved) layer.append(svg("path", { d: plot.path([before[code], row]), class: `vector before ${hue(code)}` }));
    const [x, y] = plot.at(row);
    const [cx, cy] = plot.at([0, 0]);
    if (Math.hypot(x - cx, y - cy) > 4) {
      layer.append(svg("path", { d: plot.path([[0, 0], row]), class: `vector ${hue(code)}`, "marker-end": `url(#${plot.clipId}-${hue(code)})` }));
    } else layer.append(svg("circle", { cx: x, cy: y, r: 4, class: `dot ${hue(code)}` }));
    layer.append(svg("text", {
      x: x + (row[0] >= 0 ? 8 : -8), y: y + (row[1] >= 0 ? -6 : 14) + (row[0] || row[1] ? 0 : 14 * code),
      class: `vector-name ${hue(code)}`, "text-anchor": row[0] >= 0 ? "start" : "end", text: model.experiment.classes[code],
    }));
  });
}

// The point that the bars are about: the one looked at, else the one to come; null in a quiz's way.
function subject(model) {
  const { run } = model.answer;
  const t = model.looking || !model.at ? model.at : model.at - 1;
  return run.looked[t] ?? null;
}

// The score of each class at the point looked at, by the weights that are drawn. Says it in words.
export function drawScores(model, plot, layer) {
  const index = subject(model);
  const p = model.experiment.points[index];
  const { classes } = model.experiment;
  if (!p) { plot.frame([0, 1, 0, 1], ["", ""]); return ""; }
  const scores = model.shown.map((row) => scoreIn(model.source, row)(p));
  const most = 1.15 * Math.max(...scores.map(Math.abs), 1);
  plot.frame([0.4, classes.length + 0.6, Math.min(...scores) < 0 ? -most : 0, most], ["", "score"], []);
  scores.forEach((score, code) => {
    const [left, right] = [plot.x(code + 0.65), plot.x(code + 1.35)];
    const [top, bottom] = [plot.y(Math.max(0, score)), plot.y(Math.min(0, score))];
    layer.append(svg("rect", { x: left, y: top, width: right - left, height: Math.max(1.5, bottom - top), class: `score-bar ${hue(code)}${p[2] === code ? " own" : ""}` }));
    layer.append(svg("text", { x: (left + right) / 2, y: top - 5, class: "number", "text-anchor": "middle", text: `${classes[code].slice(0, 12)}: ${number(score)}` }));
  });
  return `Point ${index}, of class ${classes[p[2]]} (outlined): the class of the highest score is predicted.`;
}
