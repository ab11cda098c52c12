// The guided tour: eight stations that drive the real lab. What a station speaks of stands beside the
// plot while it is there.

import { button, el } from "./dom.js";
import { STATIONS } from "./stations.js";

const TWO = ["−1", "+1"];

// beside: the column next to the plot, where there is one; reveal: brings a panel to the front.
export function tourPanel(model, { run, lab, beside, reveal }) {
  let station = 0;
  let own = null; // what was there before the tour
  let moved = []; // cards brought beside the plot, each with the place it came from
  const title = el("h2");
  const text = el("p");
  const question = el("p", { class: "question" });
  const options = el("div", { class: "row", role: "group", "aria-label": "What do you expect?" });
  const reply = el("p", { class: "reply", role: "status" });
  const tries = el("div", { class: "row tries" });
  const count = el("span", { class: "count" });
  const back = button("Previous station", () => visit(station - 1));
  const next = button("Next station", () => (station + 1 < STATIONS.length ? visit(station + 1) : close()), { class: "primary" });
  const fold = button("Fold", () => folded(!lab.classList.contains("folded")), { class: "quiet narrow-only" });
  const places = el("div", { class: "row narrow-only" });
  const root = el("section", { class: "tour hidden", role: "dialog", "aria-label": "Guided tour", tabindex: -1 },
    el("div", { class: "head" }, count, el("span", { class: "row" }, fold, button("Close the tour", close, { class: "quiet" }))),
    title, text, question, options, reply, tries, places, el("div", { class: "row" }, back, next));
  root.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  // loaded: whether what the station shows is there already, from a link.
  function visit(k, loaded = false) {
    station = k;
    model.station = k;
    const here = STATIONS[k];
    run.pause();
    if (model.quiz) { model.quiz = null; model.emit("quiz"); }
    title.textContent = here.title;
    text.textContent = here.text;
    count.textContent = `Station ${k + 1} of ${STATIONS.length}`;
    back.disabled = k === 0;
    next.textContent = k + 1 < STATIONS.length ? "Next station" : "Finish";
    tries.replaceChildren("Try: ", ...here.tries.map((one) => button(one[0], () => attempt(here, one))));
    ask(here.ask);
    if (!loaded) {
      model.show({ margins: false, slab: false, hulls: true, query: null, ...here.layers });
      model.load({ classes: TWO, points: here.points, settings: here.settings }, here.at);
    }
    unmark();
    const looked = here.look.map((name) => lab.querySelector(`.grid .${name}`)).filter(Boolean);
    for (const node of looked) node.classList.add("looked-at");
    looked.toReversed().forEach(reveal);
    bring(looked);
    // In one column what the station speaks of is not on the screen at once.
    places.replaceChildren("Look at ", ...looked.map((node) =>
      button(node.querySelector("h2")?.textContent ?? "the settings", () => node.scrollIntoView({ block: "start" }), { class: "quiet" })));
    root.scrollTop = 0;
    if (matchMedia("(max-width: 760px)").matches) looked[0].scrollIntoView({ block: "start" });
    else scrollTo({ top: 0 });
  }

  // Cards that stand elsewhere come beside the plot, below the station.
  function bring(looked) {
    if (!beside) return;
    beside.prepend(root);
    const cards = looked.filter((node) => node.matches(".card") && !node.matches(".xspace"));
    for (const node of cards.toReversed()) {
      const mark = document.createComment("");
      node.before(mark);
      moved.push([node, mark]);
      root.after(node);
    }
  }

  function ask({ question: words, options: all, right, said }) {
    question.textContent = words;
    reply.textContent = "";
    reply.className = "reply";
    options.replaceChildren(...all.map((choice, k) => button(choice, () => {
      reply.textContent = `${k === right ? "Right." : "Not so."} ${said}`;
      reply.className = `reply ${k === right ? "right" : "wrong"}`;
    })));
  }

  function unmark() {
    for (const node of lab.querySelectorAll(".looked-at")) node.classList.remove("looked-at");
    for (const [node, mark] of moved) mark.replaceWith(node);
    moved = [];
  }

  function folded(on) {
    lab.classList.toggle("folded", on);
    fold.textContent = on ? "Unfold" : "Fold";
    fold.setAttribute("aria-expanded", String(!on));
  }

  function attempt(here, [, changes, at]) {
    if (!changes) { model.go(at); return; }
    const { points = model.experiment.points, ...settings } = changes;
    model.load({ classes: TWO, points, settings: { ...here.settings, ...settings } }, at ?? 0);
  }

  // The visitor's own data comes back, and with it what can be undone there.
  function close() {
    if (!own) return; // Escape twice in a row
    root.classList.add("hidden");
    lab.classList.remove("touring");
    unmark();
    run.pause();
    const { experiment, place, layers, past, future, opener } = own;
    own = null;
    Object.assign(model, { station: null });
    model.show(layers);
    model.load(experiment, place);
    Object.assign(model, { past, future });
    model.emit("experiment");
    opener?.focus({ preventScroll: true });
  }

  function begin() {
    open();
    visit(0);
    root.focus({ preventScroll: true });
  }

  // At a station, if one is given, whose data comes from elsewhere.
  function open(at = null) {
    const { experiment, place, layers, past, future } = model;
    own ??= { experiment, place, layers, past, future, opener: document.activeElement };
    root.classList.remove("hidden");
    lab.classList.add("touring");
    folded(false);
    if (at !== null) visit(at, true);
  }

  return { root, begin, open };
}
