// Questions to the library: one at a time, and of those that wait only the newest.

const ALL = ["points", "run", "verdict", "proof", "section", "cost", "python"];

export class Asker {
  constructor(model, transport) {
    this.model = model;
    this.transport = transport;
    this.busy = false; // with a question about everything
    this.waiting = false;
    this.sections = new Map(); // by update, of the present experiment
    this.asked = null;
    model.on("experiment", () => this.everything());
    model.on("at", () => this.section());
  }

  async everything() {
    if (this.busy) { this.waiting = true; return; }
    this.busy = true;
    this.model.emit("asking");
    const experiment = this.model.experiment;
    try {
      const answer = await this.transport.compute({ ...experiment, at: this.model.at, want: ALL });
      this.sections = new Map(answer.section ? [[answer.section.update, answer.section]] : []);
      this.model.answered(answer);
    } catch (error) {
      this.model.failed(error.message);
    }
    this.busy = false;
    if (this.waiting) { this.waiting = false; await this.everything(); } else await this.section();
    this.model.emit("asking");
  }

  // The section through the weights looked at: one for all where there is no bias.
  current() {
    const { answer } = this.model;
    if (!answer?.section) return null;
    return answer.section.flat ? answer.section : this.sections.get(this.model.update) ?? null;
  }

  async section() {
    const { answer, experiment, at, update } = this.model;
    if (!answer?.section || this.busy || this.current() || this.asked !== null) return;
    this.asked = update;
    this.model.emit("asking");
    try {
      const { section } = await this.transport.compute({ ...experiment, at, want: ["section"] });
      if (experiment === this.model.experiment && section) this.sections.set(section.update, section);
    } catch { /* the next step asks again */ }
    this.asked = null;
    this.model.emit("section");
    if (this.model.update !== update) await this.section();
    this.model.emit("asking");
  }

  get idle() {
    return !this.busy && this.asked === null;
  }
}
