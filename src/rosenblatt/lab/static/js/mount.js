// The lab, mounted in an element: the same on a page, in a lesson and in a notebook.

import { follow, linkOf } from "./address.js";
import { Asker } from "./ask.js";
import { compact } from "./compact.js";
import { cloud } from "./compute/cloud.js";
import { acceptDrops, dataPanel } from "./controls/data.js";
import { runControls } from "./controls/run.js";
import { mainSettings, settingsPanel } from "./controls/settings.js";
import { sharing } from "./controls/share.js";
import { demonstrate } from "./demo.js";
import { button, el } from "./dom.js";
import { gallery } from "./gallery.js";
import { messages } from "./messages.js";
import { EMPTY, Model } from "./model.js";
import { moveUpdates } from "./motion.js";
import { projector } from "./projector.js";
import { quizPanel } from "./quiz.js";
import { saveFile } from "./save.js";
import { themeButton } from "./theme.js";
import { tourPanel } from "./tour.js";
import { passes, sandwich } from "./views/charts.js";
import { proofView } from "./views/proof.js";
import { riskView } from "./views/risk.js";
import { planes, surface } from "./views/scenes.js";
import { tableView } from "./views/table.js";
import { wspace } from "./views/wspace.js";
import { xspace } from "./views/xspace.js";

const PROMISE = "A line learns to part two kinds of points. Only mistakes move it; a proof says why they end.";

/*
 * root: the element to fill.
 * points: the experiment to begin with, {classes, points, settings}.
 * fragment: where there is an address bar, {get(), set(text), link(text), changed(listener)}.
 * cell: whether it is to fit into a cell of a notebook, with one panel at a time.
 * demo: whether one run is played by itself.
 * locked: why nothing can be edited, if so.
 * notice: what is said at once.
 */
export function mount(root, { points = EMPTY, fragment = null, cell = false, demo = false, locked = null, notice = "" }) {
  const model = new Model(points);
  const gone = new AbortController(); // ends what listens outside of the root
  const asker = new Asker(model, gone.signal);
  const { say, bar } = messages(model);
  const solid = (kind) => ({ planes, surface })[kind](model, asker);

  moveUpdates(model);
  const data = xspace(model);
  const weights = wspace(model, solid);
  const risk = riskView(model, asker, solid);
  const growth = sandwich(model);
  const bars = passes(model);
  const proof = proofView(model);
  const run = runControls(model, proof.step);
  const table = tableView(model);
  const share = sharing(model, {
    link: fragment ? () => fragment.link(linkOf(model)) : null,
    page: fragment ? () => linkOf(model) : null,
    pictures: { "x-space": data.plot, "w-space": weights.plot, Risk: risk.plot, Sandwich: growth.plot, "Mistakes in each pass": bars.plot },
    signal: gone.signal,
  });
  const quiz = quizPanel(model, run);
  const lab = el("div", { class: "rb-lab" });
  const random = (asked) => {
    const { points: drawn, test } = cloud(asked);
    const { start, ...settings } = model.experiment.settings;
    model.load({ classes: ["−1", "+1"], points: drawn, settings, ...(test.length && { test }) });
  };
  const panel = dataPanel(model, { random, save: saveFile, focusPoint: data.focus, centre: data.centre, say });
  const settings = settingsPanel(model, say);
  const presets = cell || locked ? null : gallery(model);
  const more = button("More settings", () => opened(more.getAttribute("aria-expanded") !== "true"), { class: "more-settings", "aria-expanded": false });
  const side = el("div", { class: "side hidden" }, panel.root, settings.root);
  function opened(on) {
    more.setAttribute("aria-expanded", String(on));
    more.textContent = on ? "Fewer settings" : "More settings";
    side.classList.toggle("hidden", !on);
    lab.classList.toggle("opened", on);
  }
  const quick = el("div", { class: "quick" }, mainSettings(model, say), more);

  const stage = el("div", { class: "stage" }, quiz.root, data.root, run.root, cell || locked ? null : quick);
  const beside = el("div", { class: "beside" }, cell ? null : proof.root, cell ? null : growth.root);
  const views = el("div", { class: "views" }, ...(cell ? [proof.root, growth.root] : []), weights.root, risk.root, bars.root);
  const place = fragment ? document : lab; // where keys are heard: on a page the focus may be nowhere
  const hall = projector(model, { lab, place, run, signal: gone.signal });
  const tabs = !cell ? null : compact(lab, {
    Proof: proof.root, "w-space": weights.root, Risk: risk.root, Sandwich: growth.root,
    Passes: bars.root, Trace: table.root, Data: panel.root, Run: settings.root,
  });
  if (cell) opened(true);
  const reveal = tabs?.reveal ?? ((node) => { if (side.contains(node)) opened(true); });
  const tour = tourPanel(model, { run, lab, beside: cell ? null : beside, reveal });
  const grid = el(fragment ? "main" : "div", { class: "grid" }, side, stage, beside, tabs?.root, views, el("div", { class: "below" }, table.root));
  lab.append(
    el("header", { class: "top" }, el("h1", { text: "The perceptron lab" }), cell ? null : el("p", { class: "promise", text: PROMISE }),
      el("nav", { "aria-label": "Lab" }, button("Tour", () => tour.begin(), { title: "Eight stations, ten minutes" }),
        quiz.toggle, share.root, cell ? null : hall.toggle, themeButton(lab))),
    bar, share.dialog, ...(presets ? [presets.root] : []), el("div", { class: "frame" }, grid), tour.root);
  root.replaceChildren(lab);
  model.on("playing", () => proof.quiet(run.playing()));
  model.on("quiz", () => lab.classList.toggle("quizzing", Boolean(model.quiz)));
  model.on("asking", () => lab.setAttribute("aria-busy", String(!asker.idle)));
  acceptDrops(lab);
  shortcuts(place, model, gone.signal);
  if (fragment) follow(model, fragment, { say, tour });
  asker.everything();
  if (locked) {
    model.locked = true;
    lab.classList.add("fixed");
    model.on("refused", () => say(locked));
  }
  if (notice) say(notice);
  if (demo) demonstrate(lab, run, gone.signal);
  const unmount = () => {
    run.pause();
    gone.abort();
    root.replaceChildren();
  };
  return { model, tour, unmount };
}

function shortcuts(place, model, signal) {
  place.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input[type=text], textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "z" && event.shiftKey || key === "y") model.redo();
    else if (key === "z") model.undo();
    else return;
    event.preventDefault();
  }, { signal });
}
