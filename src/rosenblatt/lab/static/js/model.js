// The state of the lab and its history. Pure: no drawing, no requests.

import { refitted, settled, startFits } from "./compute/experiment.js";
import { DEFAULTS } from "./defaults.js";
import { reachOf } from "./geometry.js";

export const EMPTY = { classes: ["−1", "+1"], points: [], settings: {} };
const KEPT = 200;

// The settings as they run: what contradicts another gives way.
export const settingsOf = settled;

// An experiment whose start has as many weights as there are, or none.
function consistent(experiment) {
  const { classes, settings = {} } = experiment;
  if (!settings.start || startFits({ ...DEFAULTS, ...settings }, classes.length)) return experiment;
  const { start, ...others } = settings;
  return { ...experiment, settings: others };
}

// Weights as quarters, or wholes if they are large, so that fractions stay short.
export function quarters(weights) {
  const size = Math.max(...weights.map(Math.abs), 1e-6);
  const grain = 2 ** Math.max(-2, Math.ceil(Math.log2(size / 64)));
  return weights.map((value) => Math.round(value / grain) * grain);
}

// Between two weight vectors, or two tables of them.
function mixed(from, to, share) {
  return to.map((value, k) => (Array.isArray(value) ? mixed(from[k], value, share) : from[k] + share * (value - from[k])));
}

export class Model {
  constructor(experiment = EMPTY, at = 0) {
    this.experiment = experiment;
    this.at = at;
    this.wanted = at; // the place to be at once the experiment on the page is answered
    this.answer = null; // null until it is known, and again where it could not be computed
    this.source = experiment; // what it is the answer to
    this.error = null; // why not
    this.hover = null; // the point under the pointer
    this.selected = null; // the point that has the focus
    this.chosen = 1; // the class that a click adds
    this.looking = false; // at the point of the next step, before the update it calls for
    this.twice = true; // whether a step is two: look, then update
    this.held = null; // weights under the pointer that drags them, until their run is known
    this.turned = 1; // how far the update of this step has been shown, from 0 to 1
    this.layers = { margins: false, slab: false, hulls: true, numbers: false, query: null };
    this.seen = { planes: false, surface: false }; // which views are in three dimensions
    this.projector = false;
    this.station = null; // of the tour, while it is open
    this.loads = 0; // data sets taken over whole: a view may choose a new frame
    this.quiz = null;
    this.locked = false; // whether a lesson's author has turned editing off
    this.playing = false;
    this.quick = false; // whether it plays too fast for updates to be seen moving
    this.reached = at; // the furthest step seen of this run
    this.past = [];
    this.future = [];
    this.listeners = new Map();
    this.settle = () => {}; // answers at once what waits for its answer
  }

  on(kinds, listener) {
    for (const kind of kinds.split(" ")) {
      this.listeners.set(kind, [...(this.listeners.get(kind) ?? []), listener]);
    }
  }

  // What is said of a run is said of the present one.
  emit(kind) {
    if (kind !== "experiment" && kind !== "asking") this.settle();
    for (const listener of this.listeners.get(kind) ?? []) listener(this);
  }

  // --- what is edited ---------------------------------------------------------------------------

  change(experiment, at = this.place) {
    if (this.locked && !this.loading) { this.emit("refused"); return; }
    this.remember();
    this.adopt(experiment, at);
  }

  // Another data set: a preset, a file, a link, a station.
  load(experiment, at = 0) {
    this.loads += 1;
    this.loading = true;
    this.change(experiment, at);
    this.loading = false;
  }

  remember() {
    this.past = [...this.past, { experiment: this.experiment, at: this.place }].slice(-KEPT);
    this.future = [];
  }

  // Takes an experiment over without a memory of the one before: while a point is dragged. A step
  // and a half is the look at the second point.
  adopt(experiment, at = this.place) {
    if (this.locked && !this.loading) { this.emit("refused"); return; }
    this.experiment = consistent(experiment);
    this.place = at;
    this.wanted = at;
    this.reached = Math.ceil(at);
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
    to.push({ experiment: this.experiment, at: this.place });
    const { experiment, at } = from.pop();
    this.adopt(experiment, at);
  }

  setting(name, value) {
    const before = { ...DEFAULTS, ...this.experiment.settings };
    const settings = { ...this.experiment.settings, [name]: value };
    if (before.start && name !== "start" && startFits(before, this.experiment.classes.length)) {
      settings.start = refitted(before.start, before, { ...before, [name]: value });
    }
    this.change({ ...this.experiment, settings });
  }

  get biased() {
    return settingsOf(this.experiment).bias;
  }

  // Weights set by hand: the run starts there.
  hold(weights) {
    this.held = quarters(weights);
    const start = this.biased ? [this.held[2], this.held[0], this.held[1]] : this.held.slice(0, 2);
    this.adopt({ ...this.experiment, settings: { ...this.experiment.settings, start } }, 0);
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

  // Steps that may be told of: those seen; in a quiz those answered.
  get known() {
    return this.quiz ? this.at : Math.min(this.steps, Math.max(this.reached, this.at));
  }

  // Updates made by then.
  get knownUpdates() {
    return this.known && this.steps ? this.answer.run.update[this.known - 1] : 0;
  }

  // Weights that may be told of: what is drawn of a run before it is made gives nothing away.
  get toldWeights() {
    return this.answer.run.weights.slice(0, this.knownUpdates + 1);
  }

  // How far the plane of w₁ and w₂ is drawn.
  get reach() {
    return reachOf(this.answer.section.least, this.toldWeights.flatMap((w) => w.slice(0, 2)));
  }

  // Updates made by the step looked at.
  get update() {
    return this.at && this.steps ? this.answer.run.update[Math.min(this.at, this.steps) - 1] : 0;
  }

  get weights() {
    return this.answer?.run.weights[this.update] ?? null;
  }

  // The weights that are drawn: those dragged, those on their way to the next, or the present ones.
  get shown() {
    if (this.held || this.turned === 1 || !this.update) return this.held ?? this.weights;
    const before = this.answer.run.weights[this.update - 1];
    return mixed(before, this.weights, this.turned);
  }

  // Where the page is, a look as half a step.
  get place() {
    return this.at + (this.looking ? 0.5 : 0);
  }

  set place(value) {
    this.at = Math.floor(value);
    this.looking = value > this.at;
  }

  go(step) {
    const look = step % 1 === 0.5 && this.answer?.run.mistakes[Math.floor(step)];
    this.#moveTo(look ? step : Math.round(step));
  }

  // On by a step, or by half of one: to look, and then to update.
  forward() {
    this.#moveTo(this.looking || !this.#mistakeAt(this.at) ? this.at + 1 : this.at + 0.5);
  }

  backward() {
    this.#moveTo(this.looking ? this.at : this.#mistakeAt(this.at - 1) ? this.at - 0.5 : this.at - 1);
  }

  // To the next look at a mistake, or past its update.
  toMistake() {
    const { mistakes } = this.answer?.run ?? { mistakes: [] };
    const found = mistakes.findIndex((count, k) => k >= this.at && count);
    this.#moveTo(found < 0 ? this.steps : this.looking || !this.#mistakeAt(found) ? found + 1 : found + 0.5);
  }

  // Whether the step after so many is looked at first: it is a mistake at one point.
  #mistakeAt(at) {
    const { run } = this.answer ?? {};
    return this.twice && !this.quiz && Boolean(run?.mistakes[at]) && run.looked[at] !== null;
  }

  #moveTo(step) {
    if (!this.answer) return;
    const place = Math.max(0, Math.min(this.steps, step));
    if (place === this.place) return;
    this.place = place;
    this.wanted = place;
    this.reached = Math.max(this.reached, Math.ceil(place));
    this.emit("at");
  }

  // experiment: the one that was asked about; while a point is dragged a later one is on the page.
  answered(answer, experiment = this.experiment) {
    this.answer = answer;
    this.source = experiment;
    this.error = null;
    if (experiment === this.experiment) {
      this.held = null;
      this.place = this.wanted; // which a late answer to an earlier experiment may have cut short
    }
    if (this.at > this.steps) this.place = this.steps;
    this.reached = Math.max(Math.min(this.reached, this.steps), this.at);
    if (this.looking && !(answer.run.mistakes[this.at] && answer.run.looked[this.at] !== null)) this.looking = false;
    this.emit("answer");
  }

  // The old answer is not one to the present points.
  failed(error) {
    this.error = error;
    this.answer = null;
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

  see(seen) {
    this.seen = { ...this.seen, ...seen };
    this.emit("seen");
  }
}
