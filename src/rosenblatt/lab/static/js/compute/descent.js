// Descent on the risk R(w) = Σ −yᵢ w·xᵢ over the misclassified points: w ← w + ε·Σ yᵢxᵢ over them.

import { Random } from "./random.js";

const dots = (rows, w) => rows.map((row) => row.reduce((sum, value, j) => sum + value * w[j], 0));

// A run on the first `count` points; rows are yᵢ(xᵢ, 1). Each entry is a pass as it began.
export function descend(setup, count, start, most) {
  const { chosen } = setup;
  const rows = setup.rows.slice(0, count);
  const random = new Random(chosen.seed);
  let weights = start ?? rows.find((row) => row.some(Boolean)) ?? rows[0];
  const entries = []; // {risk, errors, epsilon}
  const path = [weights];

  // Moves the weights by some of the rows; says what was wrong before.
  function step(some) {
    const margins = dots(some, weights);
    const wrong = margins.flatMap((margin, k) => (margin < 0 ? [k] : []));
    if (!wrong.length) return { risk: 0, errors: 0, epsilon: 0 };
    const downhill = weights.map((_, j) => wrong.reduce((sum, k) => sum + some[k][j], 0));
    const epsilon = {
      fixed: () => chosen.eta,
      decaying: () => chosen.eta / Math.sqrt(entries.length + 1),
      line_search: () => bestLength(margins, dots(some, downhill)),
    }[chosen.step_size]();
    weights = weights.map((value, j) => value + epsilon * downhill[j]);
    return { risk: -wrong.reduce((sum, k) => sum + margins[k], 0), errors: wrong.length, epsilon };
  }

  function batches() {
    if (chosen.rule === "batch") return [rows];
    const order = random.permutation(rows.keys());
    const found = [];
    for (let at = 0; at < order.length; at += chosen.batch) found.push(order.slice(at, at + chosen.batch).map((i) => rows[i]));
    return found;
  }

  let stop = null;
  while (!stop) {
    const before = weights;
    const met = batches().map(step);
    const errors = met.reduce((sum, one) => sum + one.errors, 0);
    entries.push({
      risk: met.reduce((sum, one) => sum + one.risk, 0), errors,
      epsilon: met.findLast((one) => one.errors)?.epsilon ?? 0,
    });
    const still = weights.every((value, j) => value === before[j]);
    if (weights.every((value) => value === 0) || (errors && still)) stop = "SETTLED";
    else if (!errors) stop = "SEPARATED";
    else if (entries.length >= most) stop = "PASSES";
    path.push(weights);
  }
  // The last entry is where the run ended, without a step.
  const last = path.at(-1);
  if (path.length > 1 && last.every((value, j) => value === path.at(-2)[j])) {
    path.pop();
    entries.pop();
  }
  // A risk of 0 is no separation where a point is on the boundary itself.
  if (stop === "SEPARATED" && !dots(rows, last).every((margin) => margin > 0)) stop = "ROUNDING";
  return { entries, path, stop };
}

// The t ≥ 0 of least risk Σ max(0, −(mᵢ + t·pᵢ)), m the margins and p their change: convex and
// piecewise linear, it is least at the first break where its slope is no longer negative. Of an
// interval without errors the middle is taken; twice its beginning, if it has no end.
export function bestLength(margins, change) {
  const all = margins.map((margin, k) => ({ margin, by: change[k], at: -margin / change[k] }));
  const wrong = all.filter(({ margin }) => margin < 0);
  const spoilt = all.filter(({ margin, by }) => margin >= 0 && by < 0);
  if (wrong.every(({ by }) => by > 0)) {
    const first = Math.max(0, ...wrong.map(({ at }) => at));
    const last = Math.min(Infinity, ...spoilt.map(({ at }) => at));
    if (first < last) return last === Infinity ? 2 * first : (first + last) / 2;
  }
  let slope = -[...wrong, ...spoilt.filter(({ margin }) => margin === 0)].reduce((sum, { by }) => sum + by, 0);
  const crossing = [...wrong.filter(({ by }) => by > 0), ...spoilt.filter(({ margin }) => margin > 0)];
  if (slope >= 0 || !crossing.length) return 0;
  crossing.sort((a, b) => a.at - b.at);
  for (const { at, by } of crossing) {
    slope += Math.abs(by);
    if (slope >= 0) return at;
  }
  return crossing.at(-1).at;
}
