// What is known of the data, and Novikoff's proof with the numbers put in, update by update.

import { dot } from "./experiment.js";
import { bestThroughOrigin, decide, requirements, slab } from "./decide.js";

// The verdict of the data: what proves it, the widest slab, and the best margin of the bound.
export function verdictOf(setup) {
  const present = [...new Set(setup.codes)].sort((a, b) => a - b);
  if (present.length < 2) return { verdict: "open", text: "Add points of two classes." };
  const codes = setup.codes.map((code) => present.indexOf(code));
  const wanted = requirements(setup.X, codes, present.length, setup.chosen.bias);
  const rows = wanted.map(({ row }) => row);
  const found = decide(rows);
  if (!found.separable) return { verdict: "inseparable", ...guilty(setup, found.alpha, wanted, codes, present.length) };
  const said = { verdict: "separable", separator: found.z };
  if (present.length > 2) return said;
  const widest = slab(setup.X, codes, setup.chosen.bias);
  const best = bestThroughOrigin(rows);
  return {
    ...said, best: best.lower > 0 ? best : { ...best, weights: found.z, lower: reached(rows, found.z) },
    ...(widest && { margin: widest.bracket, slab: widest.weights, support: widest.support }),
  };
}

function reached(rows, z) {
  return Math.min(...rows.map((row) => row.reduce((sum, value, j) => sum + value * z[j], 0))) / Math.hypot(...z);
}

// The points whose weighted rows cancel; of two classes with a bias, a point that both hulls share.
function guilty(setup, alpha, wanted, codes, classes) {
  const [points, rivals] = [alpha.map(([k]) => wanted[k].point), alpha.map(([k]) => wanted[k].rival)];
  const total = Number(alpha.reduce((sum, [, share]) => sum + share, 0n));
  const shares = alpha.map(([, share]) => Number(share) / total);
  const said = { rows: points, alpha: alpha.map(([, share]) => String(share)), shares, rivals: classes > 2 ? rivals : null };
  if (classes > 2 || !setup.chosen.bias) return said;
  const plus = points.map((i, k) => (codes[i] ? shares[k] : 0));
  const half = plus.reduce((sum, share) => sum + share, 0);
  return {
    ...said,
    meeting: [0, 1].map((j) => points.reduce((sum, i, k) => sum + plus[k] * setup.X[i][j], 0) / half),
    hulls: [0, 1].map((code) => hullOf(setup.X.filter((_, i) => codes[i] === code).map(([x1, x2]) => [x1, x2]))),
  };
}

// The corners of the convex hull of points of the plane (Andrew 1979).
export function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (all) => {
    const chain = [];
    for (const p of all) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.toReversed())];
}

// With u the unit weights of the best margin γ and an update w′ = w + ηyx:
// u·w′ = u·w + ηy u·x ≥ u·w + ηγ, and ‖w′‖² = ‖w‖² + 2ηy w·x + η²‖x‖² ≤ ‖w‖² + 2ηδ + η²R².
// So u·w₀ + kηγ ≤ u·w ≤ ‖w‖ ≤ √(‖w₀‖² + kη²(R² + 2δ/η)) after k updates from w₀.
export function proofOf(setup, run, verdict) {
  const { chosen } = setup;
  if (!setup.two || chosen.rule !== "perceptron" || !setup.points.length) return null;
  const { eta, delta } = chosen;
  const rows = setup.rows;
  const radius = Math.max(...rows.map((row) => Math.hypot(...row)));
  const reach = Math.sqrt(radius ** 2 + (2 * delta) / eta);
  const added = run.looked.filter((_, t) => run.mistakes[t]).map((i) => rows[i].map((value) => eta * value));
  const norms = run.weights.map((w) => Math.hypot(...w));
  const sum = (a, b) => a.reduce((total, value, j) => total + value * b[j], 0);
  const told = {
    radius, reach, eta, delta, norms, cross: added.map((x, k) => 2 * sum(run.weights[k], x)), square: added.map((x) => sum(x, x)),
    upper: norms.map((_, k) => Math.hypot(norms[0], Math.sqrt(k) * eta * reach)), bracket: brackets(rows, run.weights, norms, eta),
  };
  if (!verdict.best) return { ...told, gamma: null };
  const { weights, lower: gamma } = verdict.best;
  const length = Math.hypot(...weights);
  const unit = [...weights, 0].slice(0, setup.d + 1).map((value) => value / length);
  const along = run.weights.map((w) => dot(w, unit));
  const bound = norms[0] ? boundFrom(norms[0], along[0], eta * gamma, eta * reach) : (reach / gamma) ** 2;
  return {
    ...told, gamma, bound: Number.isFinite(bound) ? bound : null, along, lower: along.map((_, k) => along[0] + k * eta * gamma), gain: added.map((x) => sum(x, unit)),
  };
}

// The largest k with u·w₀ + k·gain ≤ √(‖w₀‖² + k·reach²), the root of a parabola.
function boundFrom(length, along, gain, reach) {
  const half = reach ** 2 - 2 * along * gain;
  const rest = 4 * gain ** 2 * Math.max(0, length ** 2 - along ** 2);
  return (half + Math.sqrt(half ** 2 + rest)) / (2 * gain ** 2);
}

// After k updates: the margin reached so far ≤ γ ≤ the least (‖w‖ + ‖w₀‖)/(kη) so far.
function brackets(rows, weights, norms, eta) {
  let [most, least] = [0, Infinity];
  return weights.slice(1).map((w, k) => {
    const reachedNow = Math.min(...rows.map((row) => dot(row, w))) / (norms[k + 1] || 1);
    most = Math.max(most, reachedNow);
    least = Math.min(least, (norms[k + 1] + norms[0]) / (eta * (k + 1)));
    return [most, least];
  });
}

// Weight space: the rows whose lines divide it, how far to draw at least, the risk along the way. Two
// features without a bias have all of it in one plane; else the page draws the section at the current bias.
export function sectionData(setup, run) {
  if (!setup.two || !setup.points.length) return null;
  const rows = setup.rows;
  const longest = setup.chosen.eta * Math.max(...rows.flatMap((row) => row.slice(0, 2).map(Math.abs)));
  return {
    flat: !setup.chosen.bias && setup.d === 2, least: Math.max(longest, ...run.weights[0].slice(0, 2).map(Math.abs)) || 1, rows,
    path_risk: run.weights.map((w) => -rows.reduce((sum, row) => sum + Math.min(0, dot(row, w)), 0)),
  };
}

// Operations of one look and of one update, in words, and their total after each step.
export function costOf(setup, run) {
  const { d, two, chosen } = setup;
  const n = setup.points.length;
  const K = setup.classes.length;
  const look = two ? operations(d, d + 2, 1, "O(d)") : operations(K * d + 1, K * (d + 1), K, "O(dK)");
  const update = two ? operations(d + 1, d + 1, 1, "O(d)") : operations(2 * d + 2, 2 * d + 2, 1, "O(d)");
  const looks = chosen.rule !== "perceptron" ? n : chosen.order === "worst" ? n + 1 : 1;
  let made = 0;
  const total = run.mistakes.map((count, t) => {
    made += count;
    return (t + 1) * looks * look.total + made * update.total;
  });
  return { look: look.text, update: update.text, total: [0, ...total] };
}

function operations(additions, multiplications, comparisons, order) {
  const count = (many, noun) => `${many} ${noun}${many === 1 ? "" : "s"}`;
  const total = additions + multiplications + comparisons;
  const parts = [count(additions, "addition"), count(multiplications, "multiplication"), count(comparisons, "comparison")];
  return { total, text: `${parts.join(", ")}: ${count(total, "operation")}, ${order}` };
}
