// How the weights that are drawn stand to the points: how many are wrong, the risk, the margin.

import { scoreIn } from "../features.js";
import { number, plural } from "../format.js";

export function standing(model) {
  const w = model.shown;
  const { points } = model.experiment;
  if (!w || !points.length || model.experiment.classes.length !== 2 || Array.isArray(w[0])) return null;
  const score = scoreIn(model.source, w);
  const scores = points.map((p) => (p[2] ? 1 : -1) * score(p));
  const risk = scores.reduce((sum, one) => sum - Math.min(0, one), 0);
  const length = Math.hypot(...w.slice(0, -1));
  const test = model.experiment.test ?? [];
  return {
    tested: test.length, failed: test.filter((p) => (score(p) >= 0) !== (p[2] === 1)).length,
    wrong: points.filter((_, i) => scores[i] <= 0), risk,
    margin: length ? Math.min(...scores) / length : null,
  };
}

export function standingText(model) {
  const now = standing(model);
  if (!now) return "";
  const best = model.held ? null : model.answer?.verdict.margin?.[0];
  return [
    `${now.wrong.length} of ${plural(model.experiment.points.length, "point")} on the wrong side`, now.risk ? `risk ${number(now.risk)}` : null,
    now.margin === null ? null : now.margin > 0 ? `nearest at m = ${number(now.margin)}${best === undefined || best === null ? "" : `, at most m* = ${number(best)}`}` : null,
    now.tested ? `${now.failed} of ${now.tested} test points wrong` : null,
  ].filter(Boolean).join(", ").concat(".");
}
