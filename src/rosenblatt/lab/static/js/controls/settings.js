// Every setting of a run, each with one line on what it does.

import { el, freshId } from "../dom.js";
import { startFits, widthOf } from "../compute/experiment.js";
import { settingsOf } from "../model.js";

const perceptron = (chosen) => chosen.rule === "perceptron";
const descent = (chosen) => chosen.rule !== "perceptron";
const started = (chosen) => Boolean(chosen.start?.flat().some(Boolean));

export const SETTINGS = [
  { name: "rule", label: "Rule", when: (_, classes) => classes === 2, options: [["perceptron", "Perceptron"], ["batch", "Batch descent"], ["sgd", "SGD, mini-batches"]],
    hint: "Learn from one point at a time, from all wrong ones at once, or from a few." },
  { name: "order", label: "Order", when: perceptron, options: [["cyclic", "Cyclic"], ["shuffled", "Shuffled"], ["active", "Active"], ["worst", "Worst first"]],
    hint: "Which point is looked at next; the bound holds for each." },
  { name: "eta", label: "Step size η", step: "any", min: 0.000001, max: 1000000,
    hint: "The multiple of a point that a mistake adds to the weights." },
  { name: "step_size", label: "Step sizes", when: descent, options: [["fixed", "Fixed ε"], ["decaying", "Decaying ε/√t"], ["line_search", "Line search"]],
    lacks: (value, chosen) => value === "line_search" && chosen.rule === "sgd",
    hint: "Whether steps stay as long, shrink, or go to the lowest risk ahead." },
  { name: "batch", label: "Batch size", when: (chosen) => chosen.rule === "sgd", step: 1, min: 1, max: 500,
    hint: "Points to a step, drawn anew in each pass." },
  { name: "delta", label: "Threshold δ", when: perceptron, step: "any", min: 0, max: 1000000,
    hint: "A point counts as a mistake until its score exceeds δ." },
  { name: "start", label: "Start", text: true,
    hint: "Weights to begin with, bias first, such as −1, 0, 0; for several classes a row each, 1, 0, 0; 0, 1, 0. Empty: 0, for descent the first point." },
  { name: "bias", label: "Bias", flag: true, hint: "Whether the line may miss the origin." },
  { name: "product", label: "Feature x₁x₂", flag: true, hint: "Adds a third feature: the line becomes a curve." },
  { name: "squares", label: "Squares", flag: true, hint: "Adds the features x₁² and x₂²: the line may become an ellipse." },
  { name: "radius", label: "Radius", flag: true, hint: "Adds the feature r² = x₁² + x₂²: the line may become a circle." },
  { name: "kernel", label: "Kernel", options: [["none", "None"], ["poly2", "Degree 2"], ["poly3", "Degree 3"], ["rbf", "RBF"]],
    hint: "Draws the boundary of a kernel perceptron on the same points, dotted." },
  { name: "ties", label: "A score of 0", when: perceptron, options: [["mistake", "is a mistake"], ["positive", "predicts +1"], ["negative", "predicts −1"], ["correct", "is right"]],
    lacks: (value, chosen, classes) => (value === "correct" ? !started(chosen) && chosen.delta === 0
      : ["positive", "negative"].includes(value) && classes > 2),
    hint: "What a point exactly on the line counts as." },
  { name: "solution", label: "Keep", when: perceptron, options: [["last", "Last weights"], ["average", "Average"], ["pocket", "Pocket"], ["vote", "Vote"]],
    hint: "Which weights of the run are kept; drawn dashed at its end." },
  { name: "max_passes", label: "Passes at most", step: 1, min: 1, max: 2000,
    hint: "When to give up; 2,000 steps are recorded at most." },
  { name: "seed", label: "Seed", step: 1, min: 0, max: 4294967295,
    hint: "Fixes the shuffling: the same seed, the same run." },
];

const HEAVIEST = 1e12; // of a weight to begin with
const MAIN = ["order", "eta", "bias"]; // what a newcomer needs; the rest is behind "More settings"

// The three settings that are always there.
export function mainSettings(model, say) {
  const rows = MAIN.map((name) => field(model, SETTINGS.find((one) => one.name === name), say));
  return follow(model, rows, el("div", { class: "main-settings", role: "group", "aria-label": "How it runs" }, ...rows.map((row) => row.root)));
}

export function settingsPanel(model, say) {
  const rows = SETTINGS.map((setting) => field(model, setting, say));
  return { root: follow(model, rows, el("fieldset", { class: "settings" }, el("legend", { text: "Run" }), ...rows.map((row) => row.root), pressesField(model))) };
}

function follow(model, rows, root) {
  const draw = () => {
    const chosen = settingsOf(model.experiment);
    for (const row of rows) row.draw(chosen, model.experiment.classes.length);
  };
  model.on("experiment", draw);
  draw();
  return root;
}

// How often Step is pressed is no part of the experiment.
function pressesField(model) {
  const id = freshId("twice");
  const input = el("input", { id, type: "checkbox", "aria-describedby": `${id}-hint`, on: { change: () => {
    model.twice = input.checked;
    if (!model.twice && model.looking) model.go(model.at + 1);
    model.emit("view");
  } } });
  const draw = () => { input.checked = model.twice; };
  model.on("view", draw);
  draw();
  return el("div", { class: "field flag" }, el("label", { for: id, text: "Look first" }), input,
    el("p", { class: "hint", id: `${id}-hint`, text: "A mistake takes two presses of Step: look at the point, then update." }));
}

function field(model, setting, say) {
  const id = freshId(setting.name);
  const input = setting.options
    ? el("select", { id }, ...setting.options.map(([value, text]) => el("option", { value, text })))
    : el("input", {
      id, type: setting.flag ? "checkbox" : setting.text ? "text" : "number", inputmode: setting.text ? "text" : null,
      step: setting.step, min: setting.min, max: setting.max, autocomplete: "off", spellcheck: "false",
    });
  input.setAttribute("aria-describedby", `${id}-hint`);
  input.addEventListener("change", () => {
    try {
      const value = read(setting, input);
      if (setting.text) refuseOther(value, model.experiment);
      say("");
      model.setting(setting.name, value);
    } catch (error) {
      const now = written(settingsOf(model.experiment)[setting.name]);
      say(`${setting.label}: ${error.message} It stays ${now || "empty"}.`);
      input.value = now;
    }
  });
  const root = el("div", { class: `field${setting.flag ? " flag" : ""}` },
    el("label", { for: id, text: setting.label }), input,
    el("p", { class: "hint", id: `${id}-hint`, text: setting.hint }));

  // Choices that this experiment cannot have are not offered.
  function draw(chosen, classes) {
    root.classList.toggle("hidden", setting.when ? !setting.when(chosen, classes) : false);
    for (const option of setting.options ? input.options : []) {
      option.hidden = option.disabled = Boolean(setting.lacks?.(option.value, chosen, classes));
    }
    const value = chosen[setting.name];
    if (setting.flag) input.checked = value;
    else if (document.activeElement !== input || setting.options) input.value = written(value);
  }
  return { root, draw };
}

// The value that was entered, or an error that says what is wrong with it.
function read(setting, input) {
  if (setting.flag) return input.checked;
  if (setting.options) return input.value;
  if (setting.text) return startFrom(input.value);
  if (input.value === "" || !input.checkValidity()) throw new Error(input.validationMessage || "a number is needed.");
  return Number(input.value);
}

// A start of another width would be none.
function refuseOther(start, experiment) {
  const chosen = settingsOf(experiment);
  const classes = experiment.classes.length;
  if (!start || startFits({ ...chosen, start }, classes)) return;
  const wide = widthOf(chosen);
  const row = `${wide} numbers${chosen.bias ? ", the bias first" : ""}`;
  throw new Error(classes === 2 ? `it takes ${row}.` : `it takes ${classes} rows of ${row}, divided by semicolons.`);
}

const written = (value) => (value === null ? "" : Array.isArray(value) ? startText(value, ", ", "; ") : String(value));

// Weights as text, and back: the numbers of a row, or rows divided by semicolons; brackets may be there.
export function startText(start, comma = ",", semicolon = ";") {
  return start.map((row) => (Array.isArray(row) ? row.join(comma) : row)).join(Array.isArray(start[0]) ? semicolon : comma);
}

export function startFrom(text) {
  const rows = text.replaceAll("−", "-").replace(/\]\s*,?\s*\[/g, ";").replace(/[[\]()]/g, " ").split(/[;\n]/)
    .map((row) => row.split(/[\s,]+/).filter(Boolean).map((word) => {
      const value = Number(word);
      if (Number.isNaN(value)) throw new Error(`“${word.slice(0, 20)}” is no number.`);
      if (Math.abs(value) > HEAVIEST) throw new Error(`“${word.slice(0, 20)}” is too large; weights may have up to ${HEAVIEST.toExponential()}.`);
      return value;
    })).filter((row) => row.length);
  if (!rows.length) return null;
  if (rows.every((row) => row.length === 1)) return rows.flat();
  return rows.length === 1 ? rows[0] : rows;
}
