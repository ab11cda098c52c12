// An experiment as it is run: settings that go together, features, exactness, passes.

import { DEFAULTS } from "../defaults.js";
import { extraOf } from "../features.js";
import { FLOATS, FRACTIONS, short } from "./arithmetic.js";

export const STEPS = 2000; // recorded at most
const LOOKS = { active: (n) => 5 * n, worst: (n) => 1 + Math.floor(n / 20) }; // to a pass, about

// The settings that a run can have: those that contradict others give way.
export function settled({ classes, settings }) {
  const chosen = { ...DEFAULTS, ...settings };
  const two = classes.length === 2;
  if (!two) chosen.rule = "perceptron";
  if (chosen.rule === "sgd" && chosen.step_size === "line_search") chosen.step_size = "fixed";
  if (!startFits(chosen, classes.length)) chosen.start = null;
  const still = !chosen.start || chosen.start.flat().every((value) => value === 0);
  if (chosen.rule !== "perceptron" && still) chosen.start = null; // where the risk is 0 already
  if (!two && ["positive", "negative"].includes(chosen.ties)) chosen.ties = "mistake";
  if (chosen.ties === "correct" && chosen.delta === 0 && still) chosen.ties = "mistake";
  return chosen;
}

// Weights of one hyperplane, the bias included if there is one.
export const widthOf = (chosen) => 2 + chosen.product + 2 * chosen.squares + chosen.radius + chosen.bias;

// Whether a start has a weight for each coordinate, and for more than two classes a row for each.
export function startFits(chosen, classes) {
  const wide = widthOf(chosen);
  const right = (row) => Array.isArray(row) && row.length === wide;
  if (classes === 2) return right(chosen.start) && !chosen.start.some(Array.isArray);
  return Array.isArray(chosen.start) && chosen.start.length === classes && chosen.start.every(right);
}

// The start once settings are others: weights stay with their coordinates, new ones are 0.
export function refitted(start, before, after) {
  const names = (chosen) => [...(chosen.bias ? ["bias"] : []), "x₁", "x₂", ...extraOf(chosen).flatMap(([, found]) => found)];
  const row = (given) => {
    const known = new Map(names(before).map((name, k) => [name, given[k]]));
    return names(after).map((name) => known.get(name) ?? 0);
  };
  return Array.isArray(start[0]) ? start.map(row) : row(start);
}

export class Setup {
  constructor(experiment) {
    const { classes, points, test = [] } = experiment;
    this.classes = classes;
    this.points = points;
    this.test = test;
    this.chosen = settled(experiment);
    this.two = classes.length === 2;
    const extra = extraOf(this.chosen);
    this.features = ([x1, x2]) => [x1, x2, ...extra.flatMap(([, , of]) => of([x1, x2]))];
    this.X = points.map(this.features);
    if (!this.X.flat().every(Number.isFinite)) throw new Error("the points lie too far out to compute with. Bring them nearer to 0.");
    this.codes = points.map((point) => point[2]);
    this.signs = this.codes.map((code) => (code ? 1 : -1));
    this.joined = points.map((point) => point[3] ?? 0);
    this.d = widthOf(this.chosen) - this.chosen.bias;
    const { eta, delta, start } = this.chosen;
    const numbers = [eta, delta, ...(start ?? []).flat(), ...points.flatMap(([x1, x2]) => [x1, x2])];
    this.arithmetic = this.chosen.rule === "perceptron" && short(numbers) ? FRACTIONS : FLOATS;
  }

  get exact() {
    return this.arithmetic.exact;
  }

  // Passes that may be recorded: those asked for, within STEPS.
  get passes() {
    const { rule, order, max_passes: most } = this.chosen;
    const n = Math.max(1, this.points.length);
    const looks = rule === "perceptron" ? (LOOKS[order] ?? ((count) => count))(n) : 1;
    return Math.max(1, Math.min(most, Math.floor(STEPS / looks)));
  }

  // Rows yᵢ(xᵢ, 1) of two classes; without a bias their last coordinate is 0.
  get rows() {
    return this.X.map((x, i) => [...x, Number(this.chosen.bias)].map((value) => this.signs[i] * value));
  }

  // The start of a run with the bias last, which is always there; null for what the rule begins at.
  get start() {
    const { start, bias } = this.chosen;
    if (!start) return null;
    const last = (row) => (bias ? [...row.slice(1), row[0]] : [...row, 0]);
    return this.two ? last(start) : start.map(last);
  }
}

// w·x in the order in which Python's plain loop adds, so that floats round alike: the bias first.
export function dot(x, w) {
  let total = x.at(-1) * w.at(-1);
  for (let j = 0; j + 1 < x.length; j += 1) total += x[j] * w[j];
  return total;
}
