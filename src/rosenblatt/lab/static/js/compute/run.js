// The run of an experiment, leg by leg: points that join begin a new leg from the weights so far.

import { general } from "./arithmetic.js";
import { descend } from "./descent.js";
import { STEPS } from "./experiment.js";
import { classOf, errorsOf, Keepers } from "./kept.js";
import { learn, strongestRival } from "./perceptron.js";

const VOTES = 49; // places a side at which a vote is taken
const TRACED = ["step", "index", "label", "weights", "score", "correct?", "update"];
export const DESCENT = ["step", "errors", "risk", "ε", "weights"];
const ENDINGS = {
  SEPARATED: "Separated: every point is on its right side.",
  PASSES: "The passes allowed are over, and mistakes are still being made: allow more under “Passes at most”.",
  CYCLES: "The weights came back to where they were, so the run would go round for ever: no weights separate these points.",
  SETTLED: "The weights no longer change.",
  ROUNDING: "No mistakes are left, but a point lies on the line itself.",
};

/*
 * Columns, one entry a step: looked (the point; null for a step over many), score (w·x + b, or one a
 * class; of descent the risk before the step), mistakes (how many points changed the weights), update
 * (made by its end). weights: after each update, the start first, the bias last. passes: [last step,
 * mistakes, whether it was finished]. row(t): the cells of the table. text(k): weights as it has them.
 */
export function runOf(setup) {
  const traced = setup.chosen.rule === "perceptron";
  const made = {
    exact: setup.exact, looked: [], score: [], mistakes: [], update: [], weights: [], passes: [], joined: [], legs: [],
    stop: null, cycle: null, kept: null, errors: null, heading: DESCENT, texts: [],
  };
  if (traced) made.heading = TRACED.map((name) => (name === "score" && !setup.two ? "scores" : name));
  const text = writer(setup);
  if (!setup.points.length) {
    const start = beginning(setup);
    made.weights = [floats(setup, start)];
    return finished(made, [start], text);
  }
  const times = [...new Set(setup.joined)].sort((a, b) => a - b);
  let [start, done] = [traced ? beginning(setup) : setup.start, 0];
  let natives = [];
  times.forEach((at, k) => {
    const until = times[k + 1] ?? null;
    const wanted = until === null ? null : Math.max(1, until - done);
    const count = setup.joined.filter((when) => when <= at).length;
    const leg = (traced ? tracedLeg : descendedLeg)(setup, count, start, Math.min(setup.passes, wanted ?? STEPS), until === null ? Infinity : until - done, text);
    if (k) made.joined.push(done);
    const updates = Math.max(0, made.weights.length - 1);
    made.legs.push({ points: count, start: k ? null : setup.chosen.start, wanted, steps: leg.looked.length });
    for (const name of ["looked", "score", "mistakes", "texts"]) made[name].push(...leg[name]);
    made.update.push(...leg.update.map((number) => number + updates));
    made.weights = [...made.weights.slice(0, -1), ...leg.weights];
    natives = [...natives.slice(0, -1), ...leg.path];
    made.passes.push(...leg.passes.map(([end, mistakes, whole]) => [end + done, mistakes, whole]));
    made.cycle = leg.cycle && leg.cycle.map((step) => step + done);
    made.stop = { name: leg.stop, text: endingOf(setup, leg.stop) };
    if (until === null && leg.keepers) keep(setup, made, leg);
    start = leg.path.at(-1);
    done += leg.looked.length;
  });
  return finished(made, natives, text);
}

function endingOf(setup, stop) {
  if (stop === "PASSES" && setup.passes < setup.chosen.max_passes) {
    return `The lab records at most ${STEPS.toLocaleString("en")} steps, and mistakes are still being made.`;
  }
  return ENDINGS[stop];
}

// Where the perceptron begins, as its arithmetic has it.
function beginning(setup) {
  const wide = setup.d + 1;
  const row = (given) => (given ?? new Array(wide).fill(0)).map(setup.arithmetic.ofWeight);
  return setup.two ? row(setup.start) : setup.classes.map((_, k) => row(setup.start?.[k]));
}

function floats(setup, weights) {
  const { float } = setup.arithmetic.weight;
  return setup.two ? weights.map(float) : weights.map((row) => row.map(float));
}

function tracedLeg(setup, count, start, passes, most, text) {
  const keepers = new Keepers(setup, count, start);
  const run = learn(setup, count, start, passes, keepers.watch);
  const looks = run.looks.slice(0, most);
  const { score: { float } } = setup.arithmetic;
  const mistakes = looks.map(({ wrong }) => Number(wrong));
  let made = 0;
  const update = mistakes.map((wrong) => { made += wrong; return made; });
  const path = run.path.slice(0, made + 1);
  const ends = run.ends.filter((end) => end <= looks.length);
  const all = looks.length > (ends.at(-1) ?? 0) ? [...ends, looks.length] : ends;
  return {
    looked: looks.map(({ index }) => index), mistakes, update, path, weights: path.map((w) => floats(setup, w)),
    score: looks.map(({ score }) => (setup.two ? float(score) : score.map(float))),
    texts: looks.map((look, t) => () => text.row(look, path[update[t] - mistakes[t]], path[update[t]])),
    passes: all.map((end, k) => [end, mistakes.slice(all[k - 1] ?? 0, end).reduce((sum, one) => sum + one, 0), k < ends.length]),
    stop: run.stop, cycle: looks.length === run.looks.length ? run.cycle : null, keepers, last: run.path.at(-1),
  };
}

function descendedLeg(setup, count, start, passes, most, text) {
  const run = descend(setup, count, start, passes);
  const entries = run.entries.slice(0, most);
  const path = run.path.slice(0, entries.length + 1);
  const errors = entries.map((entry) => entry.errors);
  return {
    looked: entries.map(() => null), mistakes: errors, update: entries.map((_, t) => t + 1), path, weights: path,
    score: entries.map(({ risk }) => risk), passes: errors.map((count_, t) => [t + 1, count_, true]),
    texts: entries.map((entry, t) => () => text.entry(entry, path[t])), stop: run.stop, cycle: null,
  };
}

// The chosen solution, and how it divides the plane where it is many.
function keep(setup, made, { keepers, last }) {
  const found = keepers.solutions(last);
  made.errors = Object.fromEntries(Object.entries(found).map(([name, one]) => [name, errorsOf(setup, one)]));
  made.solutions = found;
  const chosen = setup.chosen.solution;
  if (chosen === "last") return;
  if (chosen !== "vote") { made.kept = { weights: found[chosen] }; return; }
  const [low, high] = [[Math.min, -4], [Math.max, 4]].map(([most, more]) => [0, 1].map((j) => most(...setup.X.map((x) => x[j])) + more));
  const side = (j) => Array.from({ length: VOTES }, (_, k) => low[j] + ((high[j] - low[j]) * k) / (VOTES - 1));
  const predicted = classOf(setup, found.vote);
  made.kept = { votes: side(1).map((y) => side(0).map((x) => predicted([x, y]))), box: [low[0], high[0], low[1], high[1]] };
}

function finished(made, path, text) {
  const { texts, ...rest } = made;
  return { ...rest, row: (t) => [String(t + 1), ...texts[t]()], text: (k) => text.weights(path[k]) };
}

// How the table writes a run: the bias first, fractions as fractions.
function writer(setup) {
  const { arithmetic, classes, two, chosen } = setup;
  const { weight, score, point } = arithmetic;
  const placed = (row) => (chosen.bias ? [row.at(-1), ...row.slice(0, -1)] : row.slice(0, -1));
  const list = (texts) => `[${texts.join(", ")}]`;
  const vector = (row) => list(placed(row).map(weight.text));
  const weights = (w) => (two || !Array.isArray(w[0]) ? vector(w) : list(w.map(vector)));
  // In brackets where a sign or a slash could be misread; at the very beginning a sign cannot.
  const factors = (texts, lead) => texts.map((text, k) => (text.includes("/") || (text.startsWith("-") && (k || !lead)) ? `(${text})` : text));
  const zero = arithmetic.ofWeight(0);
  const signed = (before, after, plus) => `${plus ? "+" : "-"} ${vector(after.map((value, j) => (plus ? value - before[j] : zero - (value - before[j]))))}`;

  function row({ index, score: found, wrong }, before, after) {
    const code = setup.codes[index];
    const cells = [String(index), classes[code], weights(before)];
    if (two) {
      const x = [...setup.X[index], 1].map(arithmetic.ofPoint);
      const terms = factors(placed(x).map(point.text), false);
      const sum = factors(placed(before).map(weight.text), true).map((w, j) => `${w}·${terms[j]}`).join(" + ");
      return [...cells, `${sum} = ${score.text(found)}`, wrong ? "no" : "yes", wrong ? signed(before, after, code === 1) : "none"];
    }
    const rival = strongestRival(found, code);
    const told = (k, plus) => `${classes[k]}: ${signed(before[k], after[k], plus)}`;
    return [...cells, found.map((value, k) => `${classes[k]}: ${score.text(value)}`).join(", "), wrong ? "no" : "yes",
      wrong ? `${told(code, true)}, ${told(rival, false)}` : "none"];
  }

  const entry = ({ errors, risk, epsilon }, before) => [
    String(errors), general(risk), general(epsilon), list(placed(before).map((value) => general(value, 4)))];
  return { weights, row, entry };
}
