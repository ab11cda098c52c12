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

  // A failure stays as long as it lasts; it cannot be dismissed but by an answer.
  function fail(asker) {
    const { error } = model;
    if (!error) return;
    if (error.again) say(`Not computed. ${error.text} Your points are kept; it asks again by itself.`, ["Try now", () => asker.again()]);
    else say(`Not computed: ${error.text}`, model.past.length ? ["Undo", () => model.undo()] : null);
    failed = true;
  }

  model.on("answer", () => { if (failed) say(""); });
  return { say, fail, bar };
}
