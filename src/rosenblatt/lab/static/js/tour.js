// The guided tour: eight stations that drive the real lab.

import { button, el } from "./dom.js";

const TWO = ["−1", "+1"];
const LECTURE = [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]];
const APART = [
  [3, 3, 1], [2.5, 3.25, 1], [-2.5, 3.25, 1], [1.5, -3, 0], [2.5, 1.5, 1], [1.5, 1.25, 1], [-1, -0.25, 0],
  [-1, -3.25, 0], [4, -3, 0], [-1, -3.5, 0], [-1.25, 0.5, 0], [0, 2.25, 1], [3.75, -0.75, 1], [-0.25, 2.5, 1],
];
const SHIFTED = [[1, 1, 0], [1.5, 2, 0], [2, 1.5, 0], [3, 3.5, 1], [4, 3, 1], [3.5, 4.5, 1]];
const CLOSE = [[-2, -2, 0], [-1, -1.25, 0], [0, -0.25, 0], [1, 0.75, 0], [2, 1.75, 0], [-2, -1.5, 1], [-1, -0.75, 1], [0, 0.25, 1], [1, 1.25, 1], [2, 2.5, 1]];
const XOR = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]];
const SAMPLES = [[1, 4, 1], [-5, -3, 0], [3, -5, 0]];
const END = 5000;

export const STATIONS = [
  { title: "What a line is", points: LECTURE, settings: { start: [-1, 0.5, -0.25], max_passes: 1 }, at: 0, look: ["xspace", "wspace"],
    text: "A line is two numbers and a bias: the points where w₁x₁ + w₂x₂ + b = 0. The arrow w stands at a right angle to it and points to the side called +1; the bias b moves the line along it. In w-space the same line is a single dot.",
    tries: [["Turn the arrow", { start: [-1, 0.25, 0.25] }], ["Change the bias", { start: [-0.25, 0.5, -0.25] }], ["As it was", {}]] },
  { title: "A mistake", points: LECTURE, settings: { start: [-1, 0, 0], max_passes: 1 }, at: 2, look: ["xspace", "trace"],
    text: "The perceptron looks at one point at a time and takes its score, b·1 + w₁x₁ + w₂x₂: the bias is a weight too, of a 1 that every point carries, and the table writes it first. Point 1 is of class +1, but its score is −1: a mistake. Only then do the weights change; at a point on its right side nothing happens.",
    tries: [["Before it", null, 1], ["At the mistake", null, 2], ["The next mistake", null, 5]] },
  { title: "Why adding x helps", points: LECTURE, settings: { start: [-1, 0, 0], max_passes: 1 }, at: 2, look: ["xspace", "proof"],
    text: "The update adds the point itself to the weights: with its 1 first, (1, 3, 2). Its own score then rises by the square of its length, which is never negative: here by 1² + 3² + 2² = 14, from −1 to 13. A point of class −1 is subtracted, and its score falls. In w-space it is a step at a right angle to the point's line, towards its allowed side.",
    tries: [["Before", null, 1], ["After", null, 2]] },
  { title: "The bias", points: SHIFTED, settings: { bias: false }, at: END, look: ["xspace", "settings"], place: "right",
    text: "What is that 1 good for? Without it there is no bias: the line must pass through the origin, and these two groups lie one behind the other, so no such line separates them. The bias, the weight of the 1, sets the line free.",
    tries: [["With a bias", { bias: true }, END], ["Without", { bias: false }, END]] },
  { title: "The bound", points: APART, settings: {}, at: END, look: ["sandwich", "proof"],
    text: "R is the length of the longest point, γ the margin: by how much the best weights of length 1 have every point right. Each mistake moves w by at least γ towards those, but after k of them w is no longer than √k·R. A straight line overtakes a square root: after R²/γ² mistakes there is no room left. That is Novikoff's proof, with your numbers in it.",
    tries: [["A narrower gap", { points: CLOSE }, END], ["The wider one", { points: APART }, END]] },
  { title: "Order and step size", points: CLOSE, settings: {}, at: END, look: ["passes", "settings"], place: "middle",
    text: "The bound does not ask in which order points come. Going back to the points that were mistaken before takes 350 operations here instead of 1,008; finding the worst point each time takes a look at all of them, 4,795 operations. Started at 0, a step size η only scales w: the line, and so every mistake, stays the same.",
    tries: [["Active order", { order: "active" }, END], ["Worst first", { order: "worst" }, END], ["η = ½", { eta: 0.5 }, END]] },
  { title: "Inseparable", points: XOR, settings: {}, at: END, look: ["xspace", "proof"],
    text: "Exclusive or: no line separates these. The two hulls cross, and the cross marks a point of both: the marked points, weighted equally, cancel. The weights come back to where they were and go round for ever. One more feature, x₁x₂, opens them up.",
    tries: [["Add x₁x₂", { product: true }, END], ["Without it", { product: false }, END]] },
  { title: "The maximum margin", points: SAMPLES, settings: {}, at: END, look: ["xspace", "wspace"], layers: { slab: true },
    text: "The perceptron stops at any line that separates. Of all of them one keeps the widest slab free: its edges touch the ringed points, and those alone hold it in place. The dashed lines show it. Drag a point and watch which ones matter.",
    tries: [["More points", { points: APART }, END], ["Three samples", { points: SAMPLES }, END]] },
];

export function tourPanel(model, { run, lab }) {
  let station = 0;
  const title = el("h2");
  const text = el("p");
  const tries = el("div", { class: "row tries" });
  const count = el("span", { class: "count" });
  const back = button("Previous station", () => visit(station - 1));
  const next = button("Next station", () => (station + 1 < STATIONS.length ? visit(station + 1) : close()), { class: "primary" });
  const fold = button("Fold", () => folded(!lab.classList.contains("folded")), { class: "quiet narrow-only" });
  const places = el("div", { class: "row narrow-only" });
  const root = el("section", { class: "tour hidden", role: "dialog", "aria-label": "Guided tour", tabindex: -1 },
    el("div", { class: "head" }, count, el("span", { class: "row" }, fold, button("Close the tour", close, { class: "quiet" }))),
    title, text, tries, places, el("div", { class: "row" }, back, next));
  root.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  function visit(k) {
    station = k;
    const here = STATIONS[k];
    run.pause();
    if (model.quiz) { model.quiz = null; model.emit("quiz"); }
    title.textContent = here.title;
    text.textContent = here.text;
    count.textContent = `Station ${k + 1} of ${STATIONS.length}`;
    back.disabled = k === 0;
    next.textContent = k + 1 < STATIONS.length ? "Next station" : "Finish";
    tries.replaceChildren(...here.tries.map((one) => button(one[0], () => attempt(here, one))));
    model.show({ margins: false, slab: false, hulls: true, ...here.layers });
    model.load({ classes: TWO, points: here.points, settings: here.settings }, here.at);
    unmark();
    const looked = here.look.map((name) => lab.querySelector(`.grid .${name}`));
    for (const node of looked) node.classList.add("looked-at");
    root.className = `tour ${here.place ?? "left"}`; // where it covers nothing of what is looked at
    // In one column what the station speaks of is not on the screen at once.
    const narrow = matchMedia("(max-width: 760px)").matches;
    const block = narrow ? "start" : "nearest";
    places.replaceChildren("Look at ", ...looked.map((node) =>
      button(node.querySelector("h2, legend").textContent, () => node.scrollIntoView({ block: "start" }), { class: "quiet" })));
    root.scrollTop = 0;
    looked[0].scrollIntoView({ block });
  }

  function unmark() {
    for (const node of lab.querySelectorAll(".looked-at")) node.classList.remove("looked-at");
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

  function close() {
    root.classList.add("hidden");
    lab.classList.remove("touring");
    unmark();
  }

  function begin() {
    root.classList.remove("hidden");
    lab.classList.add("touring");
    folded(false);
    visit(0);
    root.focus({ preventScroll: true });
  }

  return { root, begin };
}
