// For a lecture hall: large type, the plot and the run always on the screen. A clicker's keys, Space and
// the arrow step everywhere, unless what has the focus means something else by them.

import { button } from "./dom.js";

const KEYS = { PageDown: "forward", PageUp: "backward", " ": "forward", ArrowRight: "forward", ArrowLeft: "backward" };
const TYPING = "input, select, textarea, dialog, canvas, [role=slider], [role=tab]";
const MOVED = ".point, .query"; // by the arrow keys

export function projector(model, { lab, place, run }) {
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
  }

  place.addEventListener("keydown", (event) => {
    const move = KEYS[event.key];
    if (model.quiz || !move || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { target } = event;
    if (target.closest?.(TYPING) || (event.key.startsWith("Arrow") && target.closest?.(MOVED))) return;
    if (event.key.startsWith("Page") && !model.projector) return; // they scroll
    // Space presses what has the focus; elsewhere it steps.
    if (event.key === " " && target.closest?.("button, a, summary, [role=button]")) return;
    run.pause();
    model[move]();
    event.preventDefault();
  });
  // A button that was clicked gives the keys back: Space steps everywhere.
  if (place === document) lab.addEventListener("click", (event) => { if (event.detail) event.target.closest("button")?.blur(); });
  model.on("view", draw);
  return { toggle, turn };
}
