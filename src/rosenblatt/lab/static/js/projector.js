// For a lecture hall: large type, the plot and the run always on the screen. A clicker's keys, Space and
// the arrow step everywhere, unless what the keyboard has come to means something else by them.

import { button } from "./dom.js";

const KEYS = { PageDown: "forward", PageUp: "backward", " ": "forward", ArrowRight: "forward", ArrowLeft: "backward" };
const WRITING = "input[type=text], textarea, dialog";
const PRESSED = "button, a, summary, select, input:not([type=range], [type=number]), [role=tab]"; // by Space
const MOVED = "input, select, canvas, [role=slider], [role=tab], .point, .query"; // by the other keys

export function projector(model, { lab, place, run, signal }) {
  const toggle = button("Projector", () => turn(!model.projector), {
    "aria-pressed": false, class: "wide-only", title: "For a lecture hall: large type; PageDown, PageUp and Space step",
  });

  function turn(on) {
    if (model.projector === on) return;
    model.projector = on;
    model.emit("view");
  }

  // A link to a hall that is opened on a phone shows the page of a phone.
  const wide = matchMedia("(min-width: 761px)");
  function draw() {
    const on = Boolean(model.projector) && wide.matches;
    lab.classList.toggle("projector", on);
    toggle.setAttribute("aria-pressed", String(on));
  }

  // What a pointer has taken, or put on a plot, has the focus, but not these keys, until another one is pressed.
  let taken = null;
  const take = ({ target }) => { taken = target.closest?.("label")?.control ?? target.closest?.(".plot") ?? target; };
  const mine = (node) => !node.contains(taken) && !taken?.contains(node);
  place.addEventListener("pointerdown", take, { capture: true, signal });
  place.addEventListener("keydown", (event) => {
    if (model.quiz || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const move = KEYS[event.key];
    if (!move) taken = null;
    if (!move || (event.key.startsWith("Page") && !model.projector)) return; // they scroll
    const focus = event.target.closest?.(event.key === " " ? PRESSED : MOVED);
    if (event.target.closest?.(WRITING) || (focus && (focus.matches("[type=number]") || mine(focus)))) return;
    if (focus || event.target.matches?.("[type=number]")) event.target.blur();
    run.pause();
    model[move]();
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true, signal });
  model.on("view", draw);
  wide.addEventListener("change", draw, { signal });
  return { toggle, turn };
}
