// The page's one question: given an experiment, everything that it draws. Pure: the same experiment
// has the same answer.

import { Setup } from "./experiment.js";
import { kernelOf } from "./kernel.js";
import { costOf, proofOf, sectionData, verdictOf } from "./proof.js";
import { script } from "./python.js";
import { runOf } from "./run.js";

export function compute(experiment) {
  const setup = new Setup(experiment);
  const run = runOf(setup);
  const verdict = verdictOf(setup);
  return {
    run, verdict, proof: proofOf(setup, run, verdict), section: sectionData(setup, run), cost: costOf(setup, run),
    kernel: kernelOf(setup), get python() { return script(setup, run); },
  };
}
