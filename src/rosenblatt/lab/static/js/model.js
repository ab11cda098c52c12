// The state of the lab and its history. Pure: no drawing, no requests.

export const DEFAULTS = {
  rule: "perceptron", order: "cyclic", eta: 1, delta: 0, start: null, bias: true, ties: "mistake",
  solution: "last", product: false, step_size: "fixed", batch: 4, seed: 0, max_passes: 100,
};
export const EMPTY = { classes: ["−1", "+1"], points: [], settings: {} };
const KEPT = 200;

export function settingsOf(experiment) {
  return { ...DEFAULTS, ...experiment.settings };
}

export class Model {
  constructor(experiment = EMPTY, at = 0) {
    this.experiment = experiment;
    this.at = at;
    this.answer = null;
    this.error = null;
    this.hover = null; // the point under the pointer
    this.selected = null; // the point that has the focus
    this.chosen = 1; // the class that a click adds
    this.layers = { margins: false, slab: false, hulls: true };
    this.loads = 0; // data sets taken over whole: a view may choose a new frame
    this.quiz = null;
    this.past = [];
    this.future = [];
    this.listeners = new Map();
  }

  on(kinds, listener) {
    for (const kind of kinds.split(" ")) {
      this.listeners.set(kind, [...(this.listeners.get(kind) ?? []), listener]);
    }
  }

  emit(kind) {
    for (const listener of this.listeners.get(kind) ?? []) listener(this);
  }

  // --- what is edited ---------------------------------------------------------------------------

  change(experiment, at = this.at) {
    this.remember();
    this.adopt(experiment, at);
  }

  // Another data set: a preset, a file, a link, a station.
  load(experiment, at = 0) {
    this.loads += 1;
    this.change(experiment, at);
  }

  remember() {
    this.past = [...this.past, { experiment: this.experiment, at: this.at }].slice(-KEPT);
    this.future = [];
  }

  // Takes an experiment over without a memory of the one before: while a point is dragged.
  adopt(experiment, at = this.at) {
    this.experiment = experiment;
    this.at = at;
    if (this.chosen >= experiment.classes.length) this.chosen = experiment.classes.length - 1;
    if (this.selected !== null && this.selected >= experiment.points.length) this.selected = null;
    this.emit("experiment");
  }

  undo() {
    this.#travel(this.past, this.future);
  }

  redo() {
    this.#travel(this.future, this.past);
  }

  #travel(from, to) {
    if (!from.length) return;
    to.push({ experiment: this.experiment, at: this.at });
    const { experiment, at } = from.pop();
    this.adopt(experiment, at);
  }

  setting(name, value) {
    this.change({ ...this.experiment, settings: { ...this.experiment.settings, [name]: value } });
  }

  // A point added while the run is under way joins at the step it stands at.
  add(x1, x2, code = this.chosen) {
    const joined = this.at;
    const points = [...this.experiment.points];
    const later = points.findIndex((point) => (point[3] ?? 0) > joined);
    const place = later < 0 ? points.length : later;
    points.splice(place, 0, joined ? [x1, x2, code, joined] : [x1, x2, code]);
    this.change({ ...this.experiment, points });
    return place;
  }

  moved(index, x1, x2) {
    const points = this.experiment.points.map((point, k) =>
      (k === index ? [x1, x2, ...point.slice(2)] : point));
    return { ...this.experiment, points };
  }

  relabelled(index, code) {
    const points = this.experiment.points.map((point, k) =>
      (k === index ? [point[0], point[1], code, ...point.slice(3)] : point));
    return { ...this.experiment, points };
  }

  remove(index) {
    const points = this.experiment.points.filter((_, k) => k !== index);
    this.hover = null;
    this.selected = null;
    this.change({ ...this.experiment, points });
  }

  fromTheStart() {
    const points = this.experiment.points.map((point) => point.slice(0, 3));
    this.change({ ...this.experiment, points }, 0);
  }

  // --- what is looked at ------------------------------------------------------------------------

  get steps() {
    return this.answer ? this.answer.run.looked.length : 0;
  }

  // Steps that may be told of: all, but in a quiz only those answered.
  get known() {
    return this.quiz ? this.at : this.steps;
  }

  // Updates made by the step looked at.
  get update() {
    return this.at && this.steps ? this.answer.run.update[Math.min(this.at, this.steps) - 1] : 0;
  }

  get weights() {
    return this.answer?.run.weights[this.update] ?? null;
  }

  go(step) {
    const at = Math.max(0, Math.min(this.steps, Math.round(step)));
    if (at === this.at) return;
    this.at = at;
    this.emit("at");
  }

  answered(answer) {
    this.answer = answer;
    this.error = null;
    this.at = Math.min(this.at, this.steps);
    this.emit("answer");
  }

  failed(error) {
    this.error = error;
    this.emit("error");
  }

  point(kind, index) {
    if (this[kind] === index) return;
    this[kind] = index;
    this.emit(kind);
  }

  show(layers) {
    this.layers = { ...this.layers, ...layers };
    this.emit("layers");
  }
}
