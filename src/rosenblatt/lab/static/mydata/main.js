// The page "My data": choose a file, say what is in it, read the report as it is made.

import { button, card, el } from "../js/dom.js";
import { dropZone, settingsForm } from "./form.js";
import { errorsCard, separationCard } from "./blame.js";
import { commandsCard, confusionCard, decisionCard, fitCard, pairsCard, pictureCard, weightsCard } from "./sections.js";
import { themeButton } from "./theme.js";
import { columnsOf, report } from "./transport.js";

const root = document.getElementById("mydata");
const status = el("p", { class: "status", role: "status" });
const alert = el("p", { class: "alert", role: "alert", hidden: true });
const bar = el("progress", { "aria-label": "Progress of the report", hidden: true });
const cancel = button("Cancel", () => work?.abort(), { hidden: true });
const settings = el("div", { class: "how" });
const results = el("div", { class: "results" });
const [left, right] = [el("div", { class: "side-by-side" }), el("div", { class: "side-by-side" })];
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let work = null; // what can be cancelled
let commands = null;

function complain(error) {
  if (error.name === "AbortError") status.textContent = "Cancelled.";
  else {
    status.textContent = "";
    alert.textContent = error.message;
    alert.hidden = false;
  }
}

// Runs one thing at a time; a new one cancels the old one.
async function during(words, task, done) {
  work?.abort();
  const mine = new AbortController();
  work = mine;
  alert.hidden = true;
  bar.hidden = cancel.hidden = false;
  bar.removeAttribute("value");
  status.textContent = words;
  try {
    await task(mine.signal);
    if (work === mine) status.textContent = done;
  } catch (error) {
    if (work === mine) complain(error);
  }
  if (work === mine) {
    bar.hidden = cancel.hidden = true;
    work = null;
  }
}

async function chosen(file) {
  settings.replaceChildren();
  results.replaceChildren();
  await during(`Looking at ${file.name} …`, async (signal) => {
    const found = await columnsOf(file, signal);
    settings.replaceChildren(el("h2", { text: file.name }), settingsForm(found, (given) => make(file, given)));
  }, "Choose the label, then make the report.");
}

function make(file, given) {
  results.replaceChildren();
  return during("Sending the file …", (signal) => report(file, given, told, signal), "Done.");
}

function told(event, content) {
  if (event === "progress") {
    status.textContent = `${content.words} …`;
    return;
  }
  if (event === "data") {
    commands = content.commands;
    results.append(el("p", { class: "note", text: `${content.source}: ${content.rows.toLocaleString("en")} rows; ${content.note}.` }));
  } else if (event === "decision") {
    left.replaceChildren();
    right.replaceChildren();
    const verdict = decisionCard(content, commands);
    results.append(verdict, left, right, commandsCard(commands));
    // Who has pressed the button at the end of a long form looks for what it did.
    verdict.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
  } else if (event === "fit") {
    const held = content.held_out;
    left.append(fitCard(content), weightsCard(content.weights, content.weights_are));
    right.append(confusionCard(held ?? content.training, held ? "held-out" : "training"));
  } else if (event === "picture") right.prepend(pictureCard(content));
  else if (event === "pairs") right.append(pairsCard(content));
  else if (event === "errors") left.append(errorsCard(content));
  else if (event === "separation") right.append(separationCard(content));
}

async function sample() {
  const response = await fetch("mydata/iris.csv");
  await chosen(new File([await response.blob()], "iris.csv"));
}

const upload = card("Your file", "upload");
upload.body.append(dropZone(chosen),
  el("p", { class: "hint" }, "No file at hand? ", button("Take the iris flowers", sample, { class: "quiet" }), " or ",
    el("a", { href: "mydata/iris.csv", download: "iris.csv", text: "download iris.csv" }), "."), settings,
  el("div", { class: "row" }, bar, cancel, status), alert);

root.append(
  el("header", { class: "top" },
    el("h1", { text: "My data" }),
    el("p", { class: "lead", text: "Are your classes linearly separable? The verdict, with its proof, and a fit." }),
    el("nav", { "aria-label": "Pages" }, el("a", { href: "./", text: "The lab" }), el("a", { href: "mydata", "aria-current": "page", text: "My data" })),
    themeButton()),
  el("main", {}, upload.root, results));
