// The perceptron: after a mistake, w ← w + ηyx (Rosenblatt 1958). Of several classes the true one is
// rewarded and its strongest rival punished. Every look is recorded; the same lines run over floats
// and over fractions (see arithmetic.js).

import { dot } from "./experiment.js";
import { comeInClasses, ORDERS } from "./orders.js";
import { Random } from "./random.js";

const TIES = { mistake: [true, true], positive: [true, false], negative: [false, true], correct: [false, false] };

// A run on the first `count` points from given weights: native numbers of the setup's arithmetic, one
// row of many. `most`: passes at most. `watch`: told of each look, and of the end of each lap.
export function learn(setup, count, start, most, watch = () => {}) {
  const { arithmetic, chosen, two, classes } = setup;
  const { ofPoint, ofStep, ofScore, ofSign } = arithmetic;
  const X = setup.X.slice(0, count).map((x) => [...x, Number(chosen.bias)].map(ofPoint));
  const codes = setup.codes.slice(0, count);
  const one = ofSign(1);
  const signs = codes.map((code) => ofSign(code ? 1 : -1));
  const eta = ofStep(chosen.eta);
  const delta = ofScore(chosen.delta);
  const [onNegative, onPositive] = TIES[chosen.ties];
  const everyone = X.map((_, i) => i);
  const ever = new Set(); // mistaken
  const looks = []; // {index, score, wrong}
  const path = [start]; // the weights after each update
  const ends = []; // looks recorded by the end of each pass
  const cycles = arithmetic.exact && chosen.order === "cyclic" ? new Cycles(count, start) : null;
  let weights = start;
  let random = null;

  const moved = (w, amount, x) => w.map((value, j) => value + amount * x[j]);

  // How far a point is on its right side, and the class it is taken for instead of its own.
  function standing(i) {
    if (two) {
      const score = dot(X[i], weights);
      return { score, ahead: signs[i] * score, tie: codes[i] ? onPositive : onNegative };
    }
    const score = weights.map((row) => dot(X[i], row));
    const rival = strongestRival(score, codes[i]);
    return { score, rival, ahead: score[codes[i]] - score[rival], tie: onNegative };
  }

  function step(i) {
    const { score, rival, ahead, tie } = standing(i);
    const wrong = !(ahead > delta || (ahead === delta && !tie));
    if (wrong) {
      if (two) weights = moved(weights, eta * signs[i], X[i]);
      else {
        weights = weights.map((row, k) => (k === codes[i] ? moved(row, eta, X[i])
          : k === rival ? moved(row, -one * eta, X[i]) : row));
      }
      ever.add(i);
      path.push(weights);
    }
    looks.push({ index: i, score, wrong });
    watch(looks.at(-1), weights);
    if (cycles?.met(looks.length, path)) throw cycles;
    return Number(wrong);
  }

  // Laps over some points until one is clean; the mistakes of the last.
  function look(points, laps = 1) {
    let last = 0;
    for (let lap = 0; lap < laps; lap += 1) {
      last = points.reduce((sum, i) => sum + step(i), 0);
      if (!last) break;
    }
    watch(null, weights);
    return last;
  }

  const sweep = {
    look, everyone, inClasses: comeInClasses(codes),
    random: () => { random ??= new Random(chosen.seed); return random; },
    mistaken: () => everyone.filter((i) => ever.has(i)),
    mostViolated: () => {
      const margins = everyone.map((i) => standing(i).ahead);
      return margins.reduce((best, ahead, i) => (ahead < margins[best] ? i : best), 0);
    },
  };
  let stop = null;
  try {
    while (!stop) {
      const found = ORDERS[chosen.order](sweep);
      ends.push(looks.length);
      if (!found) stop = "SEPARATED";
      else if (ends.length >= most) stop = "PASSES";
    }
  } catch (thrown) {
    if (thrown !== cycles) throw thrown;
    stop = "CYCLES";
  }
  return { looks, path, ends, stop, cycle: cycles?.found ?? null };
}

// The first class of the highest score among all but one's own.
export function strongestRival(scores, own) {
  let best = own === 0 ? 1 : 0;
  scores.forEach((score, k) => { if (k !== own && score > scores[best]) best = k; });
  return best;
}

// The same weights before the same point, with updates between: the run would go round for ever.
class Cycles {
  constructor(count, start) {
    this.count = count;
    this.seen = new Map([[`0|${start}`, [0, 0]]]);
    this.found = null;
    this.key = String(start);
    this.updates = 0;
  }

  met(now, path) {
    if (path.length - 1 > this.updates) {
      this.updates = path.length - 1;
      this.key = String(path.at(-1));
    }
    const key = `${now % this.count}|${this.key}`;
    const before = this.seen.get(key);
    if (!before) this.seen.set(key, [now, this.updates]);
    else if (before[1] < this.updates) this.found = [before[0], now];
    return this.found;
  }
}
