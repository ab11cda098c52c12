// For a lecture hall: large type, the plot and the run always on the screen, and a clicker's keys.

import { button } from "./dom.js";

const KEYS = { PageDown: "forward", PageUp: "backward", " ": "forward" };

// stage holds the plot and the run, views all else; the proof goes there too while it is on.
export function projector(model, { lab, stage, views, proof, place }) {
  const toggle = button("Projector", () => turn(!model.projector), {
    "aria-pressed": false, class: "wide-only", title: "For a lecture hall: large type; PageDown, PageUp and Space step",
  });

  function turn(on) {
    if (model.projector === on) return;
    model.projector = on;
    model.emit("view");
  }

  function draw() {
    const on = Boolean(model.projector);
    lab.classList.toggle("projector", on);
    toggle.setAttribute("aria-pressed", String(on));
    if (on && proof.parentNode !== views) views.prepend(proof);
    if (!on && proof.parentNode !== stage) stage.append(proof);
  }

  place.addEventListener("keydown", (event) => {
    const move = KEYS[event.key];
    if (!model.projector || model.quiz || !move || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target.closest?.("input, select, textarea, dialog")) return;
    // Space presses what has the focus; elsewhere it steps.
    if (event.key === " " && target.closest?.("button, a, summary, [role=button], [role=slider]")) return;
    model[move]();
    event.preventDefault();
  });
  model.on("view", draw);
  return { toggle, turn };
}
