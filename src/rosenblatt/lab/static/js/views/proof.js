// The verdict, what the step did, the bound, and the three lines of the proof with numbers put in.

import { card, el } from "../dom.js";
import { extraNames } from "../features.js";
import { minus, number, plural, vector } from "../format.js";

const TITLES = {
  separable: "Separable", inseparable: "Inseparable", undecided: "Undecided", open: "Nothing to decide yet",
};

export function proofView(model) {
  const view = card("The proof, live", "proof");
  const verdict = el("div", { class: "verdict", role: "status", "aria-label": "Verdict" });
  const step = el("p", { class: "step", "aria-live": "polite" });
  const bound = el("div", { class: "bound" });
  const lines = el("ol", { class: "three" });
  const terms = el("p", { class: "hint terms" });
  const stop = el("p", { class: "stop" });
  view.body.append(verdict, bound, lines, terms, stop);

  function draw() {
    const { answer } = model;
    if (!answer) {
      verdict.replaceChildren(el("strong", { class: "badge", text: "Not computed" }));
      step.textContent = "";
      for (const node of [bound, lines, terms, stop]) node.replaceChildren();
      return;
    }
    sayVerdict(answer.verdict);
    step.textContent = sentence(model);
    drawBound(answer.proof);
    drawLines(answer.proof);
    const { run } = answer;
    stop.textContent = run.stop && model.at === model.steps ? run.stop.text : "";
    if (run.cycle && model.at >= run.cycle[1]) {
      stop.textContent = `After step ${run.cycle[1]} everything is as it was after step ${run.cycle[0]}: it goes round for ever.`;
    }
  }

  function sayVerdict(said) {
    const badge = el("strong", { class: `badge ${said.verdict}`, text: TITLES[said.verdict] });
    let text = said.text ?? "";
    const extra = extraNames(model.source);
    const boundary = extra.length ? `boundary, in the space of ${["x₁", "x₂", ...extra].join(", ")}` : "line";
    if (said.margin) text = `Some ${boundary} keeps every point at a distance of m* = ${number(said.margin[0])}; none keeps more.`;
    else if (said.verdict === "separable") text = "Some weights have every point on its right side.";
    if (said.rows) text = `Points ${said.rows.join(", ")}, weighted ${proportions(said)}, cancel: ${said.meeting ? `both hulls hold the point ${vector(said.meeting)}` : "no weights have them all right"}.`;
    verdict.replaceChildren(badge, " ", el("span", { text }));
  }

  function drawBound(proof) {
    bound.replaceChildren();
    if (!proof?.bound) return;
    const used = model.update / proof.bound;
    const formula = proof.norms[0] ? "from this start" : `${proof.delta ? "(R² + 2δ/η)/γ²" : "R²/γ²"} =`;
    const most = Math.floor(proof.bound * (1 + 1e-12)); // a whole bound may have been rounded down
    const exact = most < proof.bound ? ` (${formula} ${number(proof.bound)})` : "";
    bound.append(el("span", { text: `${plural(model.update, "mistake")} of at most ${number(most)}${exact}.` }),
      el("progress", { max: 1, value: used, "aria-label": "Share of the mistake bound used" }));
  }

  // The three lines are there from the beginning; each update puts its numbers in.
  function drawLines(proof) {
    const speaks = Boolean(proof) && proof.gamma !== null;
    lines.classList.toggle("hidden", !speaks);
    terms.textContent = "";
    lines.replaceChildren();
    if (!speaks) return;
    const k = model.looking ? 0 : model.update;
    const w = model.biased ? "ŵ" : "w";
    const square = (at) => proof.norms[at] ** 2;
    const room = (proof.eta * proof.reach) ** 2;
    const [more, most] = proof.norms[0] ? [`u·${w}₀ + `, `‖${w}₀‖² + `] : ["", ""]; // what the start adds
    const eta = proof.eta === 1 ? "" : "η";
    const low = `${more}k${eta}γ`;
    const step = proof.delta ? "(η²R² + 2ηδ)" : `${eta ? "(ηR)" : "R"}²`;
    const high = `${most}k${step}`;
    lines.append(
      line("Each mistake takes w towards the best direction u:", `u·${w} ≥ ${low}`, k
        && `${number(proof.along[k - 1])} + ${number(proof.gain[k - 1])} = ${number(proof.along[k])} ≥ ${number(proof.lower[k])}`),
      line(`but ‖${w}‖² grows by at most ${step} each time, for the point was on the wrong side:`, `‖${w}‖² ≤ ${high}`, k
        && `${number(square(k - 1))} + ${signed(proof.cross[k - 1])} + ${number(proof.square[k - 1])} = ${number(square(k))} ≤ ${number(square(0) + k * room)}`),
      line(`and u·${w} is never more than ‖${w}‖: mistakes must end.`, `${low} ≤ u·${w} ≤ ‖${w}‖ ≤ √(${high})`, k
        && `${number(proof.lower[k])} ≤ ${number(proof.along[k])} ≤ ${number(proof.norms[k])} ≤ ${number(proof.upper[k])}`));
    terms.textContent = `k counts the mistakes, and u, of length 1, is where the best weights point. γ = ${number(proof.gamma)} is the best margin, R = ${number(proof.radius)} the longest point`
      + `${model.biased ? ". Here the bias b counts as a weight of a 1 that every point carries, ŵ = (b, w), so that γ is at most m*" : ""}.`;
    light();
  }

  // The lines light up one after another while the update moves.
  function light() {
    const moving = model.turned < 1 && !model.looking;
    [...lines.children].forEach((node, k) => node.classList.toggle("lit", moving && Math.min(2, Math.floor(model.turned * 3)) === k));
  }

  model.on("answer error at quiz", draw);
  model.on("playing", () => { if (model.answer) step.textContent = sentence(model); });
  model.on("frame", light);
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

function line(words, formula, numbers) {
  return el("li", {}, el("span", { class: "words", text: words }), el("span", { class: "formula", text: formula }),
    el("span", { class: "formula numbers", text: numbers || " " }));
}

// What the step looked at and did, in one sentence, and how the run ended.
export function sentence(model) {
  const { run } = model.answer;
  const { at } = model;
  if (!model.experiment.points.length) return "No points yet: click the plot to add some.";
  const over = at >= model.steps && !model.looking ? ` ${outcome(model)}` : "";
  const w = model.biased ? "(b, w)" : "w";
  if (!at && !model.looking) return `${over || model.quiz ? "" : "Press Play or Step, or drag a point. "}Start: ${w} = ${minus(run.text(0))}.${over}`;
  const t = model.looking ? at : at - 1;
  const index = run.looked[t];
  const changed = run.mistakes[t];
  if (index === null) {
    const after = model.answer.section?.path_risk[model.update];
    return `Step ${at}: ${plural(changed, "point")} wrong, risk ${number(run.score[t])}; moved to ${w} = ${minus(run.text(model.update))}, risk ${number(after)}.${over}`;
  }
  const code = model.experiment.points[index]?.[2];
  const score = run.score[t];
  const told = Array.isArray(score) ? `scores ${score.map((s) => number(s)).join(", ")}` : `score ${number(score)}`;
  const looked = `Step ${t + 1}: point ${index} (${model.experiment.classes[code]}), ${told}`;
  if (model.looking) {
    const effect = Array.isArray(score) ? "update the weights" : code ? "add it to w" : "subtract it from w";
    return `${looked}: a mistake. ${model.playing ? `Next: ${effect}${Array.isArray(score) ? "" : ", and the line follows"}.` : `Press Step to ${effect}.`}`;
  }
  const line = model.weights.some((value, j) => value && j < model.weights.length - 1); // of w = 0 there is none
  const how = Array.isArray(score) ? "" : `the point is ${code ? "added" : "subtracted"}${line ? " and the line follows" : ""}: `;
  const effect = changed ? `a mistake, so ${how}${w} becomes ${minus(run.text(model.update))}` : "right, so nothing changes";
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
