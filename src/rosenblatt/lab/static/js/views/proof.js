// The verdict, what the step did, the bound, and the three lines of the proof with numbers put in.

import { card, el } from "../dom.js";
import { minus, number, plural, vector } from "../format.js";
import { settingsOf } from "../model.js";

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
  view.body.append(verdict, bound, lines, stop);

  function draw() {
    const { answer } = model;
    if (!answer) return;
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
    const boundary = settingsOf(model.experiment).product ? "boundary, in the space of x₁, x₂ and x₁x₂" : "line";
    if (said.margin) text = `The widest slab keeps every point ${number(said.margin[0])} away from the ${boundary}; points ${said.support.join(", ")} hold it in place.`;
    if (said.rows) text = `Points ${said.rows.join(", ")}, weighted ${said.alpha.join(" : ")}, cancel exactly: ${said.meeting ? `the two hulls share the point ${vector(said.meeting)}` : "no weights have them all right"}.`;
    verdict.replaceChildren(badge, " ", el("span", { text, title: said.text ?? "" }));
  }

  function drawBound(proof) {
    bound.replaceChildren();
    if (!proof?.bound) return;
    const used = model.update / proof.bound;
    const meter = el("progress", { max: 1, value: used, "aria-label": "Share of the mistake bound used" });
    const formula = settingsOf(model.experiment).delta ? "(R² + 2δ/η)/γ²" : "R²/γ²";
    bound.append(el("span", {
      text: `Bound: k ≤ ${formula} = ${number(proof.bound)}. Used: ${model.update}, ${number(100 * used, 3)} %.`,
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
    lines.append(
      line("w moves towards the best direction u by at least ηγ:",
        `u·w = ${number(before)} + ${number(proof.gain[k - 1])} = ${number(after)} ≥ kηγ = ${number(proof.lower[k])}`),
      line("but grows slowly, since the point was on its wrong side:",
        `‖w‖² = ${number(square(k - 1))} + ${signed(proof.cross[k - 1])} + ${number(proof.square[k - 1])} = ${number(square(k))} ≤ k(ηR)² = ${number(k * room)}`),
      line("so the two meet, and mistakes come to an end:",
        `${number(proof.lower[k])} ≤ u·w = ${number(after)} ≤ ‖w‖ = ${number(proof.norms[k])} ≤ ${number(proof.upper[k])}`));
  }

  model.on("experiment answer at quiz", draw);
  draw();
  // While it plays, a reader of the screen is not told every step.
  const quiet = (on) => step.setAttribute("aria-live", on ? "off" : "polite");
  return { root: view.root, step, quiet };
}

function signed(value) {
  return value < 0 ? `(${number(value)})` : number(value);
}

function line(words, formula) {
  return el("li", {}, el("span", { class: "words", text: words }), el("span", { class: "formula", text: formula }));
}

// What the step looked at and did, in one sentence.
export function sentence(model) {
  const { run } = model.answer;
  const { at } = model;
  if (!model.experiment.points.length) return "No points yet: click the plot to add some.";
  if (!at) return `Start: w = ${minus(run.text[0])}.${model.quiz ? "" : " Press Step."}`;
  const index = run.looked[at - 1];
  const changed = run.mistakes[at - 1];
  if (index === null) {
    return `Step ${at}: ${plural(changed, "point")} misclassified, risk ${number(run.score[at - 1])}; now w = ${minus(run.text[model.update] ?? "")}.`;
  }
  const name = model.experiment.classes[model.experiment.points[index]?.[2]];
  const score = run.score[at - 1];
  const told = Array.isArray(score) ? `scores ${score.map((s) => number(s)).join(", ")}` : `score ${number(score)}`;
  const effect = changed ? `a mistake, so w becomes ${minus(run.text[model.update] ?? "")}` : "right, so nothing changes";
  return `Step ${at}: point ${index} (${name}), ${told}: ${effect}.`;
}
