// The lab, mounted in an element: the same on a page and in a notebook, only the transport differs.

import { Asker } from "./ask.js";
import { acceptDrops, dataPanel } from "./controls/data.js";
import { runControls } from "./controls/run.js";
import { settingsPanel } from "./controls/settings.js";
import { sharing } from "./controls/share.js";
import { button, el } from "./dom.js";
import { EMPTY, Model } from "./model.js";
import { quizPanel } from "./quiz.js";
import { saveFile } from "./save.js";
import { tourPanel } from "./tour.js";
import { fromFragment, toFragment } from "./url.js";
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
 * transport: {compute(experiment), presets(), gif(experiment)}, each a promise; and, where there is
 *   an address bar, fragment: {get(), set(text), link(text), changed(listener)}.
 */
export function mount(root, { points, trace, transport }) {
  const model = new Model(points ?? EMPTY);
  const asker = new Asker(model, transport);
  const { say, bar } = messages(model);
  const gone = new AbortController(); // ends what listens outside of the root
  let scenes = null;
  const solid = async (kind) => {
    scenes ??= await import("./views/scenes.js");
    return scenes[kind](model, asker);
  };

  const data = xspace(model);
  const weights = wspace(model, asker, solid);
  const risk = riskView(model, asker, solid);
  const growth = sandwich(model);
  const bars = passes(model);
  const proof = proofView(model);
  const run = runControls(model, proof.step);
  const table = tableView(model);
  const fragment = transport.fragment;
  const share = sharing(model, {
    link: fragment ? () => fragment.link(toFragment(model.experiment, model.at)) : null,
    gif: transport.gif,
    pictures: { "x-space": data.plot, "w-space": weights.plot, Risk: risk.plot, Sandwich: growth.plot, "Mistakes in each pass": bars.plot },
    say,
    signal: gone.signal,
  });
  const quiz = quizPanel(model, run);
  const lab = el("div", { class: "rb-lab" });
  const tour = tourPanel(model, { run, lab, weights, risk });
  const random = async (asked) => {
    try {
      const found = await transport.compute({ random: asked, want: ["points"] });
      model.load({ ...model.experiment, classes: ["−1", "+1"], points: found.points.map((p) => p.slice(0, 3)) });
    } catch (error) { say(error.message); }
  };
  const panel = dataPanel(model, {
    presets: transport.presets, random, save: saveFile, focusPoint: data.focus, centre: data.centre, say,
  });
  const settings = settingsPanel(model, say, gone.signal);

  lab.append(
    header({ lab, quiz, tour, share, page: Boolean(fragment) }), bar, share.dialog,
    el("div", { class: "frame" }, el(fragment ? "main" : "div", { class: "grid" },
      el("div", { class: "stage" }, quiz.root, data.root, run.root, proof.root),
      el("div", { class: "side" }, panel.root, settings.root),
      el("div", { class: "views" }, weights.root, risk.root, growth.root, bars.root),
      el("div", { class: "below" }, table.root))),
    tour.root);
  root.replaceChildren(lab);
  model.on("playing", () => proof.quiet(run.playing()));
  model.on("quiz", () => lab.classList.toggle("quizzing", Boolean(model.quiz)));
  model.on("asking", () => lab.setAttribute("aria-busy", String(!asker.idle)));
  acceptDrops(lab);
  // Where the lab is the whole page, the focus may be nowhere: after a button that is now disabled.
  shortcuts(fragment ? document : lab, model);
  if (fragment) follow(model, fragment, say);
  if (trace && model.experiment === points) model.answered(trace);
  else asker.everything();
  const unmount = () => {
    run.pause();
    gone.abort();
    root.replaceChildren();
  };
  return { model, tour, unmount };
}

// What went wrong, or was done, in one line.
function messages(model) {
  const text = el("span");
  const bar = el("div", { class: "message hidden", role: "status" }, text,
    button("Dismiss", () => bar.classList.add("hidden")));
  const say = (words) => {
    text.textContent = words;
    bar.classList.toggle("hidden", !words);
  };
  model.on("error", () => say(model.error));
  model.on("answer", () => { if (text.textContent && bar.dataset.error) say(""); });
  model.on("error", () => { bar.dataset.error = "yes"; });
  return { say: (words) => { delete bar.dataset.error; say(words); }, bar };
}

function header({ lab, quiz, tour, share, page }) {
  const projector = button("Projector", () => {
    const on = lab.classList.toggle("projector");
    projector.setAttribute("aria-pressed", on);
  }, { "aria-pressed": false, title: "Large type for a lecture hall", class: "wide-only" });
  const dark = () => lab.dataset.theme === "dark"
    || (!lab.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const theme = button("Dark", () => {
    lab.dataset.theme = dark() ? "light" : "dark";
    theme.setAttribute("aria-pressed", dark());
  }, { "aria-pressed": matchMedia("(prefers-color-scheme: dark)").matches, title: "Light or dark" });
  return el("header", { class: "top" },
    el("h1", { text: "The perceptron lab" }),
    el("nav", { "aria-label": "Lab" }, button("Tour", () => tour.begin(), { class: "primary", title: "Eight stations, ten minutes" }),
      quiz.toggle, share.root, projector, theme,
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

// The address follows the lab, and the lab a changed address.
function follow(model, fragment, say) {
  const load = () => {
    try {
      const found = fromFragment(fragment.get());
      if (found?.ignored.length) say(`The link asks for ${found.ignored.join(", ").slice(0, 80)}, which the lab does not know; the rest is here.`);
      if (found && toFragment(found.experiment, found.at) !== toFragment(model.experiment, model.at)) {
        model.load(found.experiment, found.at);
        return true;
      }
    } catch (error) { say(error.message); }
    return false;
  };
  let waiting = null;
  const write = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => fragment.set(toFragment(model.experiment, model.at)), 250);
  };
  load();
  model.past = [];
  model.on("experiment at answer", write);
  fragment.changed(load);
}
