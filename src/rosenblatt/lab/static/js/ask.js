// Questions to the library: one at a time, and of those that wait only the newest. Where nobody
// answers it asks again by itself, until somebody does.

import { sectionOf } from "./section.js";

const ALL = ["points", "run", "verdict", "proof", "section", "cost", "kernel", "python"];
const SLOW = 1500; // milliseconds after which an old answer no longer stands beside new points
const PAUSES = [1, 2, 4, 8, 15]; // seconds until it asks again

export class Asker {
  constructor(model, transport, signal) {
    this.model = model;
    this.transport = transport;
    this.busy = false; // with a question about everything
    this.waiting = false;
    this.drawn = null; // the section asked for last
    this.missed = 0; // times in a row that nobody answered
    this.timer = null;
    model.on("experiment", () => this.everything());
    addEventListener("online", () => { if (this.missed) this.again(); }, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  async everything() {
    if (this.busy) { this.waiting = true; return; }
    this.busy = true;
    clearTimeout(this.timer);
    this.model.emit("asking");
    const experiment = this.model.experiment;
    const slow = setTimeout(() => this.model.unknown(), SLOW);
    try {
      const answer = await this.transport.compute({ ...experiment, want: ALL });
      this.missed = 0;
      // What was asked before a later edit is an answer to points that are no longer there; while a
      // point is dragged it is better than nothing, if it came soon.
      this.model.answered(answer, experiment);
    } catch (error) { this.#failed(error); }
    clearTimeout(slow);
    this.busy = false;
    if (this.waiting) { this.waiting = false; await this.everything(); }
    this.model.emit("asking");
  }

  again() {
    clearTimeout(this.timer);
    return this.everything();
  }

  #failed(error) {
    if (error.again) {
      const pause = PAUSES[Math.min(this.missed, PAUSES.length - 1)];
      this.missed += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.everything(), 1000 * pause);
    }
    this.model.failed({ text: error.message, again: Boolean(error.again) });
  }

  // The section through the weights looked at: one for all where there is no bias.
  current() {
    const { answer, update } = this.model;
    if (!answer?.section) return null;
    const at = answer.section.flat ? 0 : update;
    if (this.drawn?.answer !== answer || this.drawn.at !== at) {
      this.drawn = { answer, at, section: sectionOf(answer.section, answer.run.weights[at]) };
    }
    return this.drawn.section;
  }

  get idle() {
    return !this.busy;
  }
}
