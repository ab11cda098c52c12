// A report on a file: everything was found out when it was written; this draws it.

import { el } from "../js/dom.js";
import { themeButton } from "../js/theme.js";
import { errorsCard, separationCard } from "./blame.js";
import { commandsCard, confusionCard, decisionCard, fitCard, pairsCard, pictureCard, weightsCard } from "./sections.js";

export function begin(page) {
  const events = JSON.parse(page.getElementById("content").textContent);
  const found = Object.fromEntries(events);
  const root = page.getElementById("report");
  root.className = "rb-lab report";
  const { data, decision, fit } = found;
  const held = fit.held_out;
  const left = [fitCard(fit), weightsCard(fit.weights, fit.weights_are), found.errors && errorsCard(found.errors)];
  const right = [found.picture && pictureCard(found.picture), confusionCard(held ?? fit.training, held ? "held-out" : "training"),
    found.pairs && pairsCard(found.pairs), found.separation && separationCard(found.separation)];
  root.replaceChildren(
    el("header", { class: "top" },
      el("h1", { text: data.source }),
      el("p", { class: "lead", text: "Are the classes linearly separable? The verdict, with its proof, and a fit." }),
      themeButton(root)),
    el("main", {}, el("div", { class: "results" },
      el("p", { class: "note", text: `${data.rows.toLocaleString("en")} rows; ${data.note}.` }),
      decisionCard(decision, data.commands),
      el("div", { class: "side-by-side" }, ...left.filter(Boolean)), el("div", { class: "side-by-side" }, ...right.filter(Boolean)),
      commandsCard(data.commands))));
}
