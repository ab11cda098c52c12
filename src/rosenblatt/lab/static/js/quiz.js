// Predict the next update: the page asks, the library's trace knows.

import { button, el } from "./dom.js";
import { minus, vector } from "./format.js";

export function quizPanel(model, run) {
  const question = el("p", { class: "question" });
  const options = el("div", { class: "row", role: "group", "aria-label": "What happens to w?" });
  const reply = el("p", { class: "reply", role: "status" });
  const root = el("section", { class: "card quiz hidden", "aria-label": "Quiz" },
    el("h2", { text: "Predict the next update" }), question, options, reply);
  const toggle = button("Quiz", () => (model.quiz ? end() : begin()), {
    "aria-pressed": false, title: "Predict what each step does, before it does it",
  });

  function begin() {
    run.pause();
    model.quiz = { asked: 0, right: 0 };
    reply.textContent = "";
    if (model.at >= model.steps) model.go(0);
    model.emit("quiz");
    root.scrollIntoView({ block: "nearest" });
    options.querySelector("button")?.focus({ preventScroll: true });
  }

  function end() {
    model.quiz = null;
    model.emit("quiz");
  }

  // What the step at hand does, in the words of the options.
  function truth() {
    const { run: made } = model.answer;
    if (!made.mistakes[model.at]) return "none";
    const code = model.experiment.points[made.looked[model.at]][2];
    return model.experiment.classes.length > 2 || code === 1 ? "add" : "subtract";
  }

  function answer(choice) {
    const { run: made } = model.answer;
    const right = choice === truth();
    model.quiz = { asked: model.quiz.asked + 1, right: model.quiz.right + right };
    const row = made.row(model.at);
    const score = minus(row[made.heading.findIndex((name) => name.startsWith("score"))]);
    const update = made.mistakes[model.at] ? `a mistake: ${minus(row[6])}` : "on its right side: nothing changes";
    reply.className = `reply ${right ? "right" : "wrong"}`;
    reply.textContent = `${right ? "Right." : "Not so."} The score was ${score}, ${update}. `
      + `${model.quiz.right} of ${model.quiz.asked} right.`;
    model.go(model.at + 1);
    model.emit("quiz");
    options.querySelector("button")?.focus({ preventScroll: true });
  }

  function draw() {
    toggle.setAttribute("aria-pressed", String(Boolean(model.quiz)));
    root.classList.toggle("hidden", !model.quiz);
    if (!model.quiz) return;
    if (!model.answer) {
      question.textContent = model.error ? "The run of these points is not computed." : "Computing…";
      options.replaceChildren(button("Leave the quiz", end));
      return;
    }
    const { run: made } = model.answer;
    const { classes, points } = model.experiment;
    options.replaceChildren();
    const index = made.looked[model.at];
    if (model.at >= model.steps || index === null) {
      question.textContent = index === null ? "The quiz asks about the perceptron's rule; choose it under Run." : "The run is over.";
      options.append(button("Begin again", () => { model.go(0); model.emit("quiz"); }), button("Leave the quiz", end));
      return;
    }
    const [x1, x2, code] = points[index];
    question.textContent = `Next is point ${index} at ${vector([x1, x2])}, class ${classes[code]}. What happens to w = ${minus(made.text(model.update))}?`;
    const choices = classes.length > 2
      ? [["none", "Nothing"], ["add", `${classes[code]} is rewarded, its strongest rival punished`]]
      : [["none", "Nothing"], ["add", "The point is added"], ["subtract", "The point is subtracted"]];
    options.append(...choices.map(([choice, text]) => button(text, () => answer(choice))));
  }

  model.on("quiz answer error at", draw);
  return { root, toggle };
}
