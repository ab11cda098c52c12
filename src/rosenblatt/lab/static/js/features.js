// The features of a point of the plane beside x₁ and x₂, as the settings ask for them.

import { DEFAULTS } from "./defaults.js";

const EXTRA = [
  ["product", ["x₁x₂"], ([x, y]) => [x * y]],
  ["squares", ["x₁²", "x₂²"], ([x, y]) => [x * x, y * y]],
  ["radius", ["r²"], ([x, y]) => [x * x + y * y]],
];

export const extraOf = (settings) => EXTRA.filter(([name]) => ({ ...DEFAULTS, ...settings })[name]);

export const extraNames = (experiment) => extraOf(experiment.settings).flatMap(([, names]) => names);

// The score of weights, the bias last, as a function of the plane: linear there without other features.
export function scoreIn(experiment, w) {
  const bias = w.at(-1);
  if (w.length === 3) return (p) => w[0] * p[0] + w[1] * p[1] + bias;
  const extra = extraOf(experiment.settings);
  return (p) => [p[0], p[1], ...extra.flatMap(([, , of]) => of(p))].reduce((sum, x, j) => sum + w[j] * x, bias);
}
