// The verdict, what the step did, the bound, and the three lines of the proof with numbers put in.

import { card, el } from "../dom.js";
import { extraNames } from "../features.js";
import { minus, number, plural, vector } from "../format.js";
import { errorsTable } from "./errors.js";

const TITLES = {
  separable: "Separable", inseparable: "Inseparable", undecided: "Undecided", open: "Nothing to decide yet",
};

export function proofView(model) {
  const view = card("The proof, live", "proof");
  const verdict = el("div", { class: "verdict", role: "status", "aria-label": "Verdict" });
  const step = el("p", { class: "step", "aria-live": "polite" });
  const bound = el("div", { class: "bound" });
  const lines = el("ol", { class: "three" });
  const stop = el("p", { class: "stop" });
  view.body.append(verdict, bound, lines, stop, errorsTable(model));

  function draw() {
    const { answer } = model;
    if (!answer) {
      verdict.replaceChildren(el("strong", { class: "badge", text: model.error ? "Not computed" : "Computing…" }));
      step.textContent = model.error ? "The run of these points is not computed." : "";
      for (const node of [bound, lines, stop]) node.replaceChildren();
      lines.classList.add("hidden");
      return;
    }
    sayVerdict(answer.verdict);
    step.textContent = sentence(model);
    drawBound(answer.proof);
    drawLines(answer.proof);
    const { run } = answer;
    stop.textContent = run.stop && model.at === model.steps ? run.stop.text : "";
    if (run.cycle && model.at >= run.cycle[model.quiz ? 1 : 0]) {
      stop.textContent = `Cycle: after step ${run.cycle[1]} everything is as it was after step ${run.cycle[0]}. ${run.stop.text}`;
    }
  }

  function sayVerdict(said) {
    const badge = el("strong", { class: `badge ${said.verdict}`, text: TITLES[said.verdict] });
    let text = said.text ?? "";
    const boundary = extraNames(model.source).length ? `boundary, in the space of ${["x₁", "x₂", ...extraNames(model.source)].join(", ")}` : "line";
    if (said.margin) text = `The widest slab keeps every point ${number(said.margin[0])} away from the ${boundary}; points ${said.support.join(", ")} hold it in place.`;
    if (said.rows) text = `Points ${said.rows.join(", ")}, weighted ${proportions(said)}, cancel exactly: ${said.meeting ? `the two hulls share the point ${vector(said.meeting)}` : "no weights have them all right"}.`;
    verdict.replaceChildren(badge, " ", el("span", { text, title: said.text ?? "" }));
  }

  function drawBound(proof) {
    bound.replaceChildren();
    if (!proof?.bound) return;
    const used = model.update / proof.bound;
    const meter = el("progress", { max: 1, value: used, "aria-label": "Share of the mistake bound used" });
    const formula = proof.norms[0] ? "" : `${proof.delta ? "(R² + 2δ/η)/γ²" : "R²/γ²"} = `;
    bound.append(el("span", {
      text: `Bound${proof.norms[0] ? " from this start" : ""}: k ≤ ${formula}${number(proof.bound)}. Used: ${model.update}, ${number(100 * used, 3)} %.`,
    }), meter);
  }

  function drawLines(proof) {
    lines.replaceChildren();
    const k = model.update;
    if (!proof || !k || proof.gamma === null) {
      lines.classList.add("hidden");
      return;
    }
    lines.classList.remove("hidden");
    const [before, after] = [proof.along[k - 1], proof.along[k]];
    const square = (at) => proof.norms[at] ** 2;
    const room = (proof.eta * proof.reach) ** 2;
    const [more, most] = proof.norms[0] ? ["u·w₀ + ", "‖w₀‖² + "] : ["", ""]; // what the start adds
    lines.append(
      line("w moves towards the best direction u by at least ηγ:",
        `u·w = ${number(before)} + ${number(proof.gain[k - 1])} = ${number(after)} ≥ ${more}kηγ = ${number(proof.lower[k])}`),
      line(proof.delta ? "but grows slowly, since the point's score did not exceed δ:" : "but grows slowly, since the point was not on its right side:",
        `‖w‖² = ${number(square(k - 1))} + ${signed(proof.cross[k - 1])} + ${number(proof.square[k - 1])} = ${number(square(k))} ≤ ${most}${proof.delta ? "k(η²R² + 2ηδ)" : "k(ηR)²"} = ${number(square(0) + k * room)}`),
      line("so the two meet, and mistakes come to an end:",
        `${number(proof.lower[k])} ≤ u·w = ${number(after)} ≤ ‖w‖ = ${number(proof.norms[k])} ≤ ${number(proof.upper[k])}`));
  }

  model.on("answer error at quiz", draw);
  draw();
  // While it plays, a reader of the screen is not told every step.
  const quiet = (on) => step.setAttribute("aria-live", on ? "off" : "polite");
  return { root: view.root, step, quiet };
}

// The weights of points that cancel: as they are if they are short, else about.
function proportions({ alpha, shares }) {
  const exact = alpha.join(" : ");
  return alpha.every((text) => text.length <= 6) ? exact : `about ${shares.map((share) => number(share, 3)).join(" : ")}`;
}

function signed(value) {
  return value < 0 ? `(${number(value)})` : number(value);
}

function line(words, formula) {
  return el("li", {}, el("span", { class: "words", text: words }), el("span", { class: "formula", text: formula }));
}

// What the step looked at and did, in one sentence, and how the run ended.
export function sentence(model) {
  const { run } = model.answer;
  const { at } = model;
  if (!model.experiment.points.length) return "No points yet: click the plot to add some.";
  const over = at >= model.steps && !model.looking ? ` ${outcome(model)}` : "";
  if (!at && !model.looking) return `Start: w = ${minus(run.text[0])}.${over || (model.quiz ? "" : " Press Step.")}`;
  const t = model.looking ? at : at - 1;
  const index = run.looked[t];
  const changed = run.mistakes[t];
  if (index === null) {
    return `Step ${at}: ${plural(changed, "point")} misclassified, risk ${number(run.score[t])}; now w = ${minus(run.text[model.update] ?? "")}.${over}`;
  }
  const code = model.experiment.points[index]?.[2];
  const score = run.score[t];
  const told = Array.isArray(score) ? `scores ${score.map((s) => number(s)).join(", ")}` : `score ${number(score)}`;
  const looked = `Step ${t + 1}: point ${index} (${model.experiment.classes[code]}), ${told}`;
  if (model.looking) return `${looked}: a mistake. Press Step to ${Array.isArray(score) ? "update the weights" : code ? "add it to w" : "subtract it from w"}.`;
  const effect = changed ? `a mistake, so w becomes ${minus(run.text[model.update] ?? "")}` : "right, so nothing changes";
  return `${looked}: ${effect}.${over}`;
}

// How the run ended, in a few words.
function outcome(model) {
  const { run } = model.answer;
  if (run.cycle) return `The weights came back to those after step ${run.cycle[0]}: a cycle.`;
  if (run.stop?.name !== "SEPARATED") return run.stop?.text ?? "";
  if (!model.steps) return "Separated already: there is nothing to do.";
  return `Separated after ${run.looked[0] === null ? plural(model.steps, "step") : plural(model.update, "mistake")}.`;
}
