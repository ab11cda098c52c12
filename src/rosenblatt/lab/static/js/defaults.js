// The settings of a run. After the equals sign this is JSON, and Python reads it too.

export const DEFAULTS = {
  "rule": "perceptron", "order": "cyclic", "eta": 1, "delta": 0, "start": null, "bias": true, "ties": "mistake",
  "solution": "last", "product": false, "squares": false, "radius": false, "kernel": "none", "step_size": "fixed",
  "batch": 4, "seed": 0, "max_passes": 100
};
