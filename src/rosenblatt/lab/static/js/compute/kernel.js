// The kernel perceptron on the same points: wrong points are remembered, and a score is a sum over them.

import { comeInClasses, ORDERS } from "./orders.js";
import { strongestRival } from "./perceptron.js";
import { Random } from "./random.js";

const PLACES = 61; // a side at which the score is given

const inner = (a, b) => a[0] * b[0] + a[1] * b[1];
const power = (degree) => () => (a, b) => (1 + inner(a, b)) ** degree;

// exp(−γ‖x − z‖²) with scikit-learn's γ, 1/(2·variance of all coordinates).
function rbf(points) {
  const all = points.flatMap(([x1, x2]) => [x1, x2]);
  const middle = all.reduce((sum, value) => sum + value, 0) / all.length;
  const variance = all.reduce((sum, value) => sum + (value - middle) ** 2, 0) / all.length;
  const gamma = variance ? 1 / (2 * variance) : 1;
  return (a, b) => Math.exp(-gamma * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2));
}

const KERNELS = { poly2: power(2), poly3: power(3), rbf };

// Where the run separates the points its last weights are kept, else their mean over all looks.
export function kernelOf(setup) {
  const { chosen, points, test } = setup;
  const names = [...new Set(setup.codes)].sort((a, b) => a - b);
  if (chosen.kernel === "none" || names.length < 2) return null;
  const codes = setup.codes.map((code) => names.indexOf(code));
  const two = names.length === 2;
  const k = KERNELS[chosen.kernel](points);
  const bias = Number(chosen.bias);
  const gram = points.map((a) => points.map((b) => k(a, b) + bias));
  const rows = two ? 1 : names.length;
  const zeros = () => Array.from({ length: rows }, () => points.map(() => 0));
  const [scores, last, late] = [zeros(), zeros(), zeros()];
  const everyone = points.map((_, i) => i);
  const ever = new Set();
  let [looks, mistakes, random, passes, stop] = [0, 0, null, 0, null];

  function standing(i) {
    if (two) return { ahead: (codes[i] ? 1 : -1) * scores[0][i], rival: null };
    const own = scores.map((row) => row[i]);
    const rival = strongestRival(own, codes[i]);
    return { ahead: own[codes[i]] - own[rival], rival };
  }

  function add(row, i, by) {
    last[row][i] += by;
    late[row][i] += by * looks;
    everyone.forEach((j) => { scores[row][j] += by * gram[i][j]; });
  }

  function step(i) {
    const { ahead, rival } = standing(i);
    const wrong = ahead <= chosen.delta;
    if (wrong) {
      if (two) add(0, i, codes[i] ? 1 : -1);
      else { add(codes[i], i, 1); add(rival, i, -1); }
      ever.add(i);
      mistakes += 1;
    }
    looks += 1;
    return Number(wrong);
  }

  const sweep = {
    look: (some, laps = 1) => {
      let found = 0;
      for (let lap = 0; lap < laps; lap += 1) {
        found = some.reduce((sum, i) => sum + step(i), 0);
        if (!found) break;
      }
      return found;
    },
    everyone, inClasses: comeInClasses(codes), mistaken: () => everyone.filter((i) => ever.has(i)),
    random: () => { random ??= new Random(chosen.seed); return random; },
    mostViolated: () => everyone.reduce((best, i) => (standing(i).ahead < standing(best).ahead ? i : best), 0),
  };
  while (!stop) {
    const found = ORDERS[chosen.order](sweep);
    passes += 1;
    if (!found) stop = "SEPARATED";
    else if (passes >= setup.passes) stop = "PASSES";
  }
  const kept = stop === "SEPARATED" ? last : last.map((row, c) => row.map((value, i) => value - late[c][i] / looks));
  const support = everyone.filter((i) => kept.some((row) => row[i]));
  const scoresAt = (p) => {
    const near = support.map((i) => k(points[i], p) + bias);
    return kept.map((row) => support.reduce((sum, i, j) => sum + row[i] * near[j], 0));
  };
  const best = (found) => found.reduce((top, score, c) => (score > found[top] ? c : top), 0);
  const predicted = (p) => names[two ? Number(scoresAt(p)[0] >= 0) : best(scoresAt(p))];
  const every = [...points, ...test];
  const [low, high] = [Math.min, Math.max].map((most) => [0, 1].map((j) => most(...every.map((p) => p[j]))));
  const reach = Math.max(high[0] - low[0], high[1] - low[1]) + 2;
  const box = [0, 1].flatMap((j) => [(low[j] + high[j]) / 2 - reach, (low[j] + high[j]) / 2 + reach]);
  const side = (a, b) => Array.from({ length: PLACES }, (_, at) => a + ((b - a) * at) / (PLACES - 1));
  const grid = side(box[2], box[3]).map((y) => side(box[0], box[1]).map((x) => (two ? scoresAt([x, y])[0] : predicted([x, y]))));
  return {
    box, [two ? "scores" : "classes"]: grid, support, mistakes, stop, scoresAt,
    errors: [points, test].map((some) => some.filter((p) => predicted(p) !== p[2]).length),
  };
}
