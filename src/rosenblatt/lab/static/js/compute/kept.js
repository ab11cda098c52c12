// What is kept of a run, last, average, vote and pocket, and what each of them gets wrong.

import { quotient } from "./arithmetic.js";
import { dot } from "./experiment.js";
import { strongestRival } from "./perceptron.js";

// Watches a run on the first `count` points, look by look.
export class Keepers {
  constructor(setup, count, start) {
    this.setup = setup;
    this.X = setup.X.slice(0, count).map((x) => [...x, Number(setup.chosen.bias)]);
    this.voters = []; // {weights, votes}: one for its update, and one for each right look
    this.current = { weights: start, votes: 0 };
    this.looks = 0;
    // The pocket with ratchet (Gallant 1990): weights are tried on all points when their streak of
    // right looks is the longest so far, and at the end of each lap.
    this.pocket = { weights: null, errors: Infinity };
    this.streak = 0;
    this.longest = 0;
    this.tried = false;
    this.watch = (look, weights) => (look ? this.#saw(look, weights) : this.#try(weights));
  }

  #saw({ wrong }, weights) {
    this.looks += 1;
    if (wrong) {
      this.#retire();
      this.current = { weights, votes: 1 };
      this.streak = 0;
      this.tried = false;
      return;
    }
    this.current.votes += 1;
    this.streak += 1;
    if (this.streak > this.longest) {
      this.longest = this.streak;
      this.#try(weights);
    }
  }

  #retire() {
    if (this.current.votes) this.voters.push(this.current);
  }

  #try(weights) {
    if (this.tried) return;
    this.tried = true;
    const floats = this.#float(weights);
    const { two, codes, signs } = this.setup;
    const right = (x, i) => {
      if (two) return signs[i] * dot(x, floats) > 0;
      const scores = floats.map((row) => dot(x, row));
      return scores[codes[i]] > scores[strongestRival(scores, codes[i])];
    };
    const errors = this.X.filter((x, i) => !right(x, i)).length;
    if (errors < this.pocket.errors) this.pocket = { weights: floats, errors };
  }

  #float(weights) {
    const { float } = this.setup.arithmetic.weight;
    return this.setup.two ? weights.map(float) : weights.map((row) => row.map(float));
  }

  // Each solution, once the run is over, as floats with the bias last.
  solutions(last) {
    this.#try(last);
    this.#retire();
    const voters = this.voters.map(({ weights, votes }) => ({ weights: this.#float(weights), votes }));
    return { last: this.#float(last), average: this.#average(), vote: voters, pocket: this.pocket.weights };
  }

  // The mean of the weights over all looks, each by as many looks as it had when they were over.
  #average() {
    const { arithmetic, two } = this.setup;
    const parts = this.voters.length ? this.voters : [{ weights: this.current.weights, votes: 1 }];
    const total = parts.reduce((sum, { votes }) => sum + votes, 0);
    const mean = (row) => row(parts[0].weights).map((_, j) => (arithmetic.exact
      ? arithmetic.weight.float(1n) * quotient(parts.reduce((sum, { weights, votes }) => sum + row(weights)[j] * BigInt(votes), 0n), BigInt(total))
      : parts.reduce((sum, { weights, votes }) => sum + row(weights)[j] * votes, 0) / total));
    return two ? mean((weights) => weights) : parts[0].weights.map((_, k) => mean((weights) => weights[k]));
  }
}

// The class that a solution gives to a point, as its place among the classes; a score of 0 is the second's.
export function classOf(setup, solution) {
  const { two, features, classes } = setup;
  const best = (scores) => scores.reduce((found, score, k) => (score > scores[found] ? k : found), 0);
  const of = (weights, x) => (two ? Number(dot(x, weights) >= 0) : best(weights.map((row) => dot(x, row))));
  const voters = Array.isArray(solution) && solution[0]?.votes !== undefined ? solution : null;
  return (p) => {
    const x = [...features(p), 1];
    if (!voters) return of(solution, x);
    const votes = classes.map(() => 0);
    for (const { weights, votes: count } of voters) votes[of(weights, x)] += count;
    return two ? Number(votes[1] >= votes[0]) : best(votes);
  };
}

// Wrong predictions on the points and on the test points.
export function errorsOf(setup, solution) {
  const predicted = classOf(setup, solution);
  return [setup.points, setup.test].map((points) => points.filter((p) => predicted(p) !== p[2]).length);
}
