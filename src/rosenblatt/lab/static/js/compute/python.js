// An experiment as a Python script that prints the same rows.

import { STEPS } from "./experiment.js";
import { DESCENT } from "./run.js";

const TRACE_DEFAULTS = { init: null, threshold: 0, eta: 1, order: "cyclic", ties: "mistake", fit_intercept: true, random_state: 0 };
const DESCENT_DEFAULTS = { epsilon: 1, step: "fixed", batch_size: null, init: null, fit_intercept: true, random_state: 0 };

export function script(setup, run) {
  const { chosen, classes, codes } = setup;
  const traced = chosen.rule === "perceptron";
  const lines = ["import rosenblatt as rb", "", `X = ${value(setup.X)}`,
    `y = ${value(codes.map((code) => (traced ? classes[code] : 2 * code - 1)))}`, ""];
  if (!run.legs.length) return [...lines, "# Add points, and the run is here.", ""].join("\n");
  let done = 0;
  if (!traced) lines.push(`print("${DESCENT.join(" | ")}")`);
  run.legs.forEach((leg, number) => {
    const last = number === run.legs.length - 1;
    const settings = (traced ? traceSettings : descentSettings)(setup, leg);
    const known = traced ? TRACE_DEFAULTS : DESCENT_DEFAULTS;
    const other = Object.entries(settings).filter(([name, one]) => !(name in known) || JSON.stringify(known[name]) !== JSON.stringify(one));
    const given = [...(number ? [`init=run.${traced ? "exact_weights" : "weights"}[steps]`] : []), ...other.map(([name, one]) => `${name}=${value(one)}`)];
    const some = leg.points === setup.points.length ? "" : `[:${leg.points}]`;
    if (number) lines.push(`# ${leg.points} points from here on`);
    lines.push(`run = ${traced ? "rb.trace" : "rb.risk.descend"}(${[`X${some}`, `y${some}`, ...given].join(", ")})`);
    if (!last) lines.push(`steps = ${leg.steps}`);
    lines.push(...(traced ? printed(last) : descended(chosen.bias, done, last)));
    done += leg.steps;
  });
  return [...lines, "print(run.stop)", ""].join("\n");
}

function traceSettings(setup, { start, wanted }) {
  const { chosen, classes } = setup;
  return {
    classes, init: start, threshold: chosen.delta, eta: chosen.eta, order: chosen.order, ties: chosen.ties, fit_intercept: chosen.bias,
    max_passes: Math.min(setup.passes, wanted ?? STEPS), max_steps: 3 * STEPS, exact: setup.exact, random_state: chosen.seed,
  };
}

function descentSettings(setup, { start, wanted }) {
  const { chosen } = setup;
  return {
    epsilon: chosen.eta, step: chosen.step_size, batch_size: chosen.rule === "sgd" ? chosen.batch : null,
    init: start && chosen.bias ? [...start.slice(1), start[0]] : start, fit_intercept: chosen.bias,
    max_iter: Math.min(setup.passes, wanted ?? STEPS), random_state: chosen.seed,
  };
}

// The table; of a run that a joining point ended, the steps until then.
const printed = (last) => [last ? "print(run.table())" : 'print(*run.table().splitlines()[:steps + 1], sep="\\n")'];

// A descent's rows as the page shows them: the weights before each step, bias first.
function descended(bias, done, last) {
  const [unpacked, shown] = bias ? ["*w, b", "[b, *w]"] : ["*w, _", "w"];
  return [
    "rows = [*zip(run.weights, run.errors, run.risk, run.epsilon)]",
    `for t, ((${unpacked}), errors, risk, epsilon) in enumerate(rows[:${last ? "-1" : "steps"}], ${done + 1}):`,
    `    weights = ", ".join(f"{v:.4g}" for v in ${shown})`,
    '    print(f"{t} | {errors} | {risk:.6g} | {epsilon:.6g} | [{weights}]")',
  ];
}

function value(one) {
  if (Array.isArray(one)) return `[${one.map(value).join(", ")}]`;
  if (one === null) return "None";
  if (typeof one === "boolean") return one ? "True" : "False";
  return typeof one === "string" ? JSON.stringify(one) : String(one);
}
