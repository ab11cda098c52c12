// The lab, mounted in an element: the same on a page and in a notebook, only the transport differs.

import { follow, linkOf } from "./address.js";
import { Asker } from "./ask.js";
import { compact } from "./compact.js";
import { acceptDrops, dataPanel } from "./controls/data.js";
import { runControls } from "./controls/run.js";
import { settingsPanel } from "./controls/settings.js";
import { sharing } from "./controls/share.js";
import { button, el } from "./dom.js";
import { messages } from "./messages.js";
import { EMPTY, Model } from "./model.js";
import { moveUpdates } from "./motion.js";
import { projector } from "./projector.js";
import { quizPanel } from "./quiz.js";
import { saveFile } from "./save.js";
import { tourPanel } from "./tour.js";
import { passes, sandwich } from "./views/charts.js";
import { proofView } from "./views/proof.js";
import { riskView } from "./views/risk.js";
import { tableView } from "./views/table.js";
import { wspace } from "./views/wspace.js";
import { xspace } from "./views/xspace.js";

/*
 * root: the element to fill.
 * points: the experiment to begin with, {classes, points, settings}.
 * trace: its answer, if it is known already.
 * cell: whether it is to fit into a cell of a notebook, with one panel at a time.
 * transport: who answers, see server.js; and, where there is an address bar,
 *   fragment: {get(), set(text), link(text), changed(listener)}.
 */
export function mount(root, { points, trace, transport, cell = false }) {
  const model = new Model(points ?? EMPTY);
  const gone = new AbortController(); // ends what listens outside of the root
  const asker = new Asker(model, transport, gone.signal);
  const { say, fail, bar } = messages(model);
  model.on("error", () => fail(asker));
  let scenes = null;
  const solid = async (kind) => {
    scenes ??= await import("./views/scenes.js");
    return scenes[kind](model, asker);
  };

  moveUpdates(model);
  const data = xspace(model);
  const weights = wspace(model, solid);
  const risk = riskView(model, asker, solid);
  const growth = sandwich(model);
  const bars = passes(model);
  const proof = proofView(model);
  const run = runControls(model, proof.step);
  const table = tableView(model);
  const fragment = transport.fragment;
  const share = sharing(model, {
    link: fragment ? () => fragment.link(linkOf(model)) : null,
    gif: transport.gif,
    pictures: { "x-space": data.plot, "w-space": weights.plot, Risk: risk.plot, Sandwich: growth.plot, "Mistakes in each pass": bars.plot },
    signal: gone.signal,
  });
  const quiz = quizPanel(model, run);
  const lab = el("div", { class: "rb-lab" });
  const random = async (asked) => {
    try {
      const found = await transport.compute({ random: asked, want: ["points", "test"] });
      const [drawn, test] = [found.points, found.test].map((all) => all.map((p) => p.slice(0, 3)));
      const { settings } = model.experiment;
      model.load({ classes: ["−1", "+1"], points: drawn, settings, ...(test.length && { test }) });
    } catch (error) { say(error.message); }
  };
  const panel = dataPanel(model, {
    presets: transport.presets, random, save: saveFile, focusPoint: data.focus, centre: data.centre, say,
  });
  const settings = settingsPanel(model, say, gone.signal);

  const stage = el("div", { class: "stage" }, quiz.root, data.root, run.root, cell ? null : proof.root);
  const views = el("div", { class: "views" }, cell ? proof.root : null, weights.root, risk.root, growth.root, bars.root);
  const place = fragment ? document : lab; // where keys are heard: on a page the focus may be nowhere
  const hall = projector(model, { lab, stage, views, proof: proof.root, place });
  const tabs = !cell ? null : compact(lab, {
    Proof: proof.root, "w-space": weights.root, Risk: risk.root, Sandwich: growth.root,
    Passes: bars.root, Trace: table.root, Data: panel.root, Run: settings.root,
  });
  const tour = tourPanel(model, { run, lab, reveal: tabs?.reveal ?? (() => {}) });
  lab.append(
    header({ lab, quiz, tour, share, hall: cell ? null : hall.toggle, page: Boolean(fragment) }), bar, share.dialog,
    el("div", { class: "frame" }, el(fragment ? "main" : "div", { class: "grid" },
      stage, tabs?.root, el("div", { class: "side" }, panel.root, settings.root), views,
      el("div", { class: "below" }, table.root))),
    tour.root);
  root.replaceChildren(lab);
  model.on("playing", () => proof.quiet(run.playing()));
  model.on("quiz", () => lab.classList.toggle("quizzing", Boolean(model.quiz)));
  model.on("asking", () => lab.setAttribute("aria-busy", String(!asker.idle)));
  acceptDrops(lab);
  shortcuts(place, model);
  if (fragment) follow(model, fragment, { say, tour });
  if (trace && model.experiment === points) model.answered(trace);
  else asker.everything();
  const unmount = () => {
    run.pause();
    gone.abort();
    root.replaceChildren();
  };
  return { model, tour, unmount };
}

function header({ lab, quiz, tour, share, hall, page }) {
  const dark = () => lab.dataset.theme === "dark"
    || (!lab.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const theme = button("Dark", () => {
    lab.dataset.theme = dark() ? "light" : "dark";
    theme.setAttribute("aria-pressed", dark());
  }, { "aria-pressed": matchMedia("(prefers-color-scheme: dark)").matches, title: "Light or dark" });
  return el("header", { class: "top" },
    el("h1", { text: "The perceptron lab" }),
    el("nav", { "aria-label": "Lab" }, button("Tour", () => tour.begin(), { class: "primary", title: "Eight stations, ten minutes" }),
      quiz.toggle, share.root, hall, theme,
      page ? el("a", { href: "mydata", text: "My data" }) : null));
}

function shortcuts(place, model) {
  place.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input[type=text], textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "z" && event.shiftKey || key === "y") model.redo();
    else if (key === "z") model.undo();
    else return;
    event.preventDefault();
  });
}
