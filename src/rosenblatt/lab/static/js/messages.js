// One line below the header: what went wrong, or was done, and what can be done about it.

import { button, el } from "./dom.js";

export function messages(model) {
  const text = el("span");
  const act = button("", () => {});
  const dismiss = button("Dismiss", () => say(""));
  const bar = el("div", { class: "message hidden", role: "status" }, text, act, dismiss);
  let failed = false; // whether it speaks of a question without an answer

  // action: [name, function], or nothing.
  function say(words, action) {
    failed = false;
    text.textContent = words;
    bar.classList.toggle("hidden", !words);
    act.classList.toggle("hidden", !action);
    if (action) [act.textContent, act.onclick] = action;
  }

  model.on("error", () => {
    say(`Not computed: ${model.error}`, model.past.length ? ["Undo", () => model.undo()] : null);
    failed = true;
  });
  model.on("answer", () => { if (failed) say(""); });
  return { say, bar };
}
