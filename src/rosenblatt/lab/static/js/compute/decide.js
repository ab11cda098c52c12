// Separable or not, with a certificate either way: floats propose, exact arithmetic decides.

import { bitsOf, inUnits, quotient } from "./arithmetic.js";
import { alternative } from "./gordan.js";
import { nearest } from "./hull.js";

const inner = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
const innerExact = (a, b) => a.reduce((sum, value, j) => (value && b[j] ? sum + value * b[j] : sum), 0n);

// The rows that weights must have on their positive side: yᵢ(xᵢ, 1) of two classes; of more, of each
// point and each rival class, (xᵢ, 1) in the place of its own class and −(xᵢ, 1) in the rival's.
export function requirements(X, codes, classes, bias) {
  const padded = X.map((x) => (bias ? [...x, 1] : x));
  if (classes === 2) {
    return padded.map((x, i) => ({ point: i, rival: null, row: codes[i] ? x : x.map((value) => -value) }));
  }
  const nothing = padded[0].map(() => 0);
  return padded.flatMap((x, i) => Array.from({ length: classes }, (_, k) => k).filter((k) => k !== codes[i]).map((rival) => ({
    point: i, rival,
    row: Array.from({ length: classes }, (_, k) => (k === codes[i] ? x : k === rival ? x.map((value) => -value) : nothing)).flat(),
  })));
}

// {separable: true, z} with aᵢ·z > 0 for all, or {separable: false, alpha: [[index, share], …]}.
export function decide(rows) {
  const bits = Math.max(...rows.map((row) => Math.max(...row.map(bitsOf))));
  const exact = rows.map((row) => row.map((value) => inUnits(value, bits)));
  const { point } = nearest(lowestOf(rows));
  if (separates(exact, point)) return { separable: true, z: point };
  const { z, alpha } = alternative(exact, (dual) => lowestOf(rows)(floats(dual).map((value) => -value)).name);
  if (alpha) return { separable: false, alpha: alpha.flatMap((share, k) => (share ? [[k, share]] : [])) };
  return { separable: true, z: floats(z) };
}

// Whole numbers, of any size, as floats of 1 at most.
function floats(whole) {
  const longest = whole.reduce((most, value) => (value > most ? value : -value > most ? -value : most), 1n);
  return whole.map((value) => quotient(value, longest));
}

export function lowestOf(rows) {
  return (x) => {
    let [least, at] = [Infinity, 0];
    if (x) rows.forEach((row, k) => { const score = inner(row, x); if (score < least) [least, at] = [score, k]; });
    return { at: rows[at], name: at };
  };
}

// Whether weights of floats have all rows on their positive side, exactly.
function separates(exact, weights) {
  if (!weights.some(Boolean) || !weights.every(Number.isFinite)) return false;
  const bits = Math.max(...weights.map(bitsOf));
  const whole = weights.map((value) => inUnits(value, bits));
  return exact.every((row) => innerExact(row, whole) > 0n);
}

// The best margin of rows through the origin: weights, and lower ≤ γ ≤ upper. Floats propose which rows
// hold it; whole numbers say what it is.
export function bestThroughOrigin(rows) {
  const { point, corral } = nearest(lowestOf(rows));
  const upper = Math.hypot(...point);
  return heldBy([...new Set(corral.map(({ name }) => name))], rows)
    ?? { weights: point, lower: Math.min(...rows.map((row) => inner(row, point))) / upper, upper };
}

// The best weights, if some rows A hold them: w = Aᵀs with AAᵀs = 1 is the shortest that has A on its
// margin. It is the best where s ≥ 0, and no row lies nearer; else null.
function heldBy(some, rows) {
  const bits = Math.max(...rows.map((row) => Math.max(...row.map(bitsOf))));
  const exact = rows.map((row) => row.map((value) => inUnits(value, bits)));
  const held = some.map((k) => exact[k]);
  const solved = solution(held.map((a) => held.map((b) => innerExact(a, b))));
  if (!solved || solved.shares.some((share) => share < 0n)) return null;
  const { shares, unit } = solved;
  const w = exact[0].map((_, j) => held.reduce((sum, row, k) => sum + shares[k] * row[j], 0n));
  if (!exact.every((row) => innerExact(row, w) >= unit)) return null;
  const margin = Math.sqrt(quotient(unit * unit, innerExact(w, w) << BigInt(2 * bits)));
  return { weights: floats(w), lower: margin, upper: margin };
}

// s with Gs = 1, as whole numbers over a unit (Bareiss 1968); null if G is singular.
function solution(G) {
  const table = G.map((row) => [...row, 1n]);
  let unit = 1n;
  for (let k = 0; k < table.length; k += 1) {
    const pivot = table[k];
    if (!pivot[k]) return null; // of a Gram matrix: no row need be exchanged
    table.forEach((row, i) => {
      if (i !== k) table[i] = row.map((value, j) => (value * pivot[k] - row[k] * pivot[j]) / unit);
    });
    unit = pivot[k];
  }
  return { shares: table.map((row) => row.at(-1)), unit };
}

// The widest slab between two classes: w and b with y(w·x + b) ≥ 1 and w as short as can be; its half
// width; the points that hold it. Without a bias it is centred at the origin.
export function slab(X, codes, bias) {
  const sides = [0, 1].map((code) => X.flatMap((x, i) => (codes[i] === code ? [{ x, i }] : [])));
  const extreme = (side, w, sign) => side.reduce((best, one) => (sign * inner(one.x, w) < sign * inner(best.x, w) ? one : best));
  const between = (w) => {
    const [p, q] = w ? [extreme(sides[1], w, 1), extreme(sides[0], w, -1)] : [sides[1][0], sides[0][0]];
    return { at: p.x.map((value, j) => value - q.x[j]), name: `${p.i} ${q.i}`, points: [p.i, q.i] };
  };
  const signed = X.map((x, i) => (codes[i] ? x : x.map((value) => -value)));
  const one = (w) => { const found = lowestOf(signed)(w); return { ...found, points: [found.name] }; };
  const { point: w, corral } = nearest(bias ? between : one);
  const length = Math.hypot(...w);
  if (!length) return null;
  const scores = X.map((x) => inner(x, w));
  const least = Math.min(...sides[1].map(({ i }) => scores[i]));
  const most = Math.max(...sides[0].map(({ i }) => scores[i]));
  const half = bias ? (least - most) / 2 : Math.min(least, -most);
  if (!(half > 0)) return null;
  const held = [...new Set(corral.filter(({ share }) => share > 1e-9).flatMap(({ points }) => points))];
  return {
    weights: [...w.map((value) => value / half), bias ? -(least + most) / 2 / half : 0],
    bracket: [half / length, bias ? length / 2 : length], support: held.sort((a, b) => a - b),
  };
}
