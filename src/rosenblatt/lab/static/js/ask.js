// The model's answers: computed here, at once where it is quick, else once a frame.

import { compute } from "./compute/compute.js";
import { sectionOf } from "./section.js";

const QUICK = 12; // milliseconds

export class Asker {
  constructor(model, signal) {
    this.model = model;
    this.drawn = null; // the section asked for last
    this.spent = 0; // on the last answer
    this.frame = 0;
    model.on("experiment", () => (this.spent > QUICK ? this.soon() : this.everything()));
    model.settle = () => { if (!this.idle) this.everything(); };
    signal.addEventListener("abort", () => cancelAnimationFrame(this.frame));
  }

  // Of several changes within a frame only the last is answered.
  soon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.everything());
    this.model.emit("asking");
  }

  everything() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const began = performance.now();
    const { experiment } = this.model;
    try {
      this.model.answered(compute(experiment), experiment);
    } catch (error) {
      console.error(error);
      this.model.failed(error.message);
    }
    this.spent = performance.now() - began;
    this.model.emit("asking");
  }

  // The section through the weights looked at: one for all where there is no bias.
  current() {
    const { answer, update } = this.model;
    if (!answer?.section) return null;
    const at = answer.section.flat ? 0 : update;
    const { reach } = this.model;
    if (this.drawn?.answer !== answer || this.drawn.at !== at || this.drawn.reach !== reach) {
      this.drawn = { answer, at, reach, section: sectionOf(answer.section, answer.run.weights[at], reach) };
    }
    return this.drawn.section;
  }

  get idle() {
    return !this.frame;
  }
}
