// The parts of a report, each drawn from one event. All text is text: nothing here makes HTML.

import { button, card, el, svg } from "../js/dom.js";
import { number, plural } from "../js/format.js";
import { mark, Plot } from "../js/views/plot.js";
import { saveFile } from "../js/save.js";

const MARKS = { separable: "✓", inseparable: "✗", undecided: "?" };
const SHOWN_CLASSES = 20;

export function codeOf(command) {
  const copied = button("Copy", async () => {
    await navigator.clipboard.writeText(command);
    copied.textContent = "Copied";
  }, { class: "quiet", "aria-label": `Copy: ${command}` });
  return el("div", { class: "command" }, el("code", { text: command }), copied);
}

function margin([low, high]) {
  if (high === 0) return "none: no hyperplane separates them";
  if (high === null) return `at least ${number(low)}`;
  return number(low) === number(high) ? number(low) : `between ${number(low)} and ${number(high)}`;
}

function stats(rows) {
  const shown = rows.filter((row) => row);
  return el("dl", { class: "stats" }, ...shown.flatMap(([name, ...value]) =>
    [el("dt", { text: name }), el("dd", {}, ...value)]));
}

function proofButton(proof, name, words) {
  return button(words, () => saveFile(name, "application/json", `${JSON.stringify(proof.content, null, 1)}\n`), {
    "aria-label": `${words}: ${name}`,
  });
}

export function decisionCard(found, commands) {
  const view = card("Verdict", "verdict");
  const proof = found.certificate;
  view.root.classList.add(found.verdict);
  view.body.append(
    el("p", { class: "sentence" }, el("span", { class: "mark", "aria-hidden": "true", text: MARKS[found.verdict] }),
      ` ${found.sentence}`),
    stats([
      ["Largest margin", margin(found.margin)],
      ["Rows and features", `${found.rows.toLocaleString("en")} × ${found.features.toLocaleString("en")}`],
      found.verdict === "separable" ? null : ["Errors", `${plural(found.errors, "row")} at best on the way to the verdict`],
      ["Decided in", `${number(found.seconds, 2)} s${found.rounds ? `, ${plural(found.rounds, "round")} of working sets` : ""}`],
    ]));
  if (found.margin[1] !== 0) {
    view.body.append(el("p", { class: "hint", text: "Of all the rows: how far the nearest one can be kept from the boundary, where the "
      + "bias counts as the weight of one more feature that is always 1. Of two numbers, the weights found reach the first, and none reach more than the second." }));
  }
  if (proof) {
    view.body.append(
      el("h3", { text: "Why" }), whyOf(proof),
      el("div", { class: "row" }, proofButton(proof, "certificate.json", "Download the certificate")),
      el("p", { class: "hint", text: "Anyone can check it in exact arithmetic, without trusting this page:" }),
      codeOf(commands.verify));
  } else {
    view.body.append(el("p", { text: "Allow more time to get a verdict with its proof." }));
  }
  return view.root;
}

// Why a verdict holds: of a contradiction the rows, where they are in the file, and with which weights
// they cancel; the certificate's own words below, folded.
function whyOf(proof) {
  const found = proof.evidence;
  if (!found) return el("p", { class: "why", text: proof.explained });
  const several = found.rows.some((row) => row.rival !== null);
  const placed = found.rows.every((row) => row.at !== null);
  const heads = [placed ? `${found.called} of file` : null, "row", "class", several ? "against" : null, "weight"];
  const cells = (row) => [placed ? row.at.toLocaleString("en") : null, row.row.toLocaleString("en"), row.class, several ? row.rival : null, number(row.weight, 3)];
  const kept = (list, tag, more) => list.filter((text) => text !== null).map((text) => el(tag, { ...more, text }));
  const start = found.called === "line" ? "Lines of your file are counted from 1 and a heading is one of them; “row” is" : "Rows of your file are counted from 1; “row” is";
  const left = found.all > found.rows.length ? ` ${plural(found.all - found.rows.length, "more row")} in the certificate.` : "";
  const claim = several
    ? "Each row has to score higher for its class than for the class it is set against. Multiplied by these weights, the differences of the scores add up to 0 whatever the hyperplanes are: they cannot all be positive."
    : "The average of the rows of one class, with these weights, is that of the other class: one point that would have to be on both sides of a hyperplane.";
  return el("div", { class: "because" },
    el("p", { class: "why", text: claim }),
    scrolling("Rows of the certificate", el("table", { class: "evidence" },
      el("caption", { text: "The rows that contradict each other" }),
      el("thead", {}, el("tr", {}, ...kept(heads, "th", { scope: "col" }))),
      el("tbody", {}, ...found.rows.map((row) => el("tr", {}, ...kept(cells(row), "td")))))),
    el("p", { class: "hint", text: `${placed ? start : "“Row” is"} how the certificate counts: from 0, the rows that were read. `
      + `Weights are told as parts of the largest.${left}` }),
    el("details", {}, el("summary", { text: "In the certificate's words" }), el("p", { class: "why", text: proof.explained })));
}

function share(scored) {
  const [low, high] = scored.interval;
  return `${(100 * scored.accuracy).toFixed(2)} % (${scored.right.toLocaleString("en")} of `
    + `${scored.rows.toLocaleString("en")}; 95 % interval ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %)`;
}

// How much of the bound the updates used; of a bound too large to draw, only the numbers.
function against(updates, bound) {
  if (bound === null) return [`${updates.toLocaleString("en")}, no bound known`];
  const used = Math.min(1, updates / bound);
  const most = bound < 1e9 ? Math.floor(bound).toLocaleString("en") : number(bound, 3);
  return [
    `${updates.toLocaleString("en")} of at most ${most}`,
    el("meter", { min: "0", max: "1", "aria-label": "Share of the mistake bound used" }),
  ].map((part) => { if (part.nodeName === "METER") part.value = used; return part; });
}

export function fitCard(found) {
  const view = card("The fit", "fit");
  const [reason, ...next] = found.stop_sentence.split(/(?<=[.:]) /);
  view.body.append(
    el("p", { class: "sentence" }, el("strong", { text: reason }), next.length ? ` ${next.join(" ")}` : ""),
    stats([
      ["Updates", ...against(found.updates, found.mistake_bound)],
      ["Mistakes", `${found.mistakes.toLocaleString("en")} in ${plural(found.passes, "pass")}`],
      ["Margin of its rows", `${margin(found.margin)}${found.margin[1] === 0 ? "" : `, as this run bounds it on the ${plural(found.rows, "row")} it learned from`}`],
      ["Radius", `${number(found.radius)}, the length of the longest row`],
      ["Cost", `${found.cost.multiply_adds.toLocaleString("en")} multiply-adds in ${plural(found.looks, "look")}, ${number(found.seconds, 2)} s`],
      ["Right on training rows", share(found.training)],
      found.held_out ? ["Right on held-out rows", share(found.held_out)] : null,
    ]));
  return view.root;
}

export function pictureCard(found) {
  const view = card("The points and the regions", "picture");
  if (found.error) {
    view.body.append(el("p", { text: found.error }));
    return view.root;
  }
  const plot = new Plot("Points and regions of the classes", { width: 560, height: 469, left: 52, right: 10, top: 22, bottom: 32 });
  for (const name of ["regions", "dots"]) plot.layer(name, true);
  plot.frame(found.box, found.labels);
  const scale = Math.max(0.28, Math.min(0.8, 9 / Math.sqrt(found.points.length)));
  plot.layers.regions.append(...found.regions.filter((part) => part.length).map((part) =>
    svg("path", { d: plot.path(part, true), class: `region class-${found.regions.indexOf(part) % 5}` })));
  plot.layers.dots.append(...found.points.map(([x, y, code, wrong]) => mark(code % 5, {
    class: `mark class-${code % 5}${wrong ? " wrong" : ""}`,
    transform: `translate(${plot.x(x).toFixed(1)} ${plot.y(y).toFixed(1)}) scale(${scale.toFixed(2)})`,
  })));
  plot.root.setAttribute("role", "img");
  const wrong = found.points.filter((point) => point[3]).length;
  plot.root.setAttribute("aria-label", `${found.points.length} points of ${found.classes.length} classes, `
    + `${wrong} on the wrong side. ${found.notes.join("; ")}`);
  const legend = found.classes.slice(0, SHOWN_CLASSES).map((name, k) => el("li", {},
    svg("svg", { viewBox: "-10 -10 20 20", class: "key", "aria-hidden": "true" }, mark(k % 5, {})), ` ${name}`));
  if (wrong) legend.push(el("li", {}, svg("svg", { viewBox: "-10 -10 20 20", class: "key", "aria-hidden": "true" },
    mark(0, { class: "mark wrong hollow" })), ` mistaken (${wrong})`));
  view.body.append(plot.root, el("ul", { class: "legend" }, ...legend));
  if (found.notes.length) view.body.append(el("p", { class: "hint", text: `${found.notes.join("; ")}.` }));
  return view.root;
}

export function confusionCard(scored, which) {
  const view = card(`Confusion on ${which} rows`, "confusion");
  const { classes, confusion } = scored;
  if (classes.length > SHOWN_CLASSES) {
    view.body.append(el("p", { text: `${classes.length} classes are too many for a table.` }));
    return view.root;
  }
  const rows = confusion.map((row, j) => {
    const all = row.reduce((sum, count) => sum + count, 0);
    return el("tr", {}, el("th", { scope: "row", text: classes[j] }), ...row.map((count, k) =>
      el("td", { class: `${j === k ? "right" : "off"} shade-${all ? Math.ceil((5 * count) / all) : 0}`,
        text: count.toLocaleString("en") })));
  });
  view.body.append(scrolling("Confusion matrix", el("table", { class: "matrix" },
    el("caption", { text: "Rows are the true class, columns the predicted one." }),
    el("thead", {}, el("tr", {}, el("td", { text: "true \\ predicted" }), ...classes.map((name) => el("th", { scope: "col", text: name })))),
    el("tbody", {}, ...rows))));
  return view.root;
}

export function scrolling(name, node) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, node);
}

export function weightsCard(weights, origin) {
  const view = card("Largest weights", "weights");
  view.body.append(el("p", { class: "hint origin", text: `${origin} A weight is what one unit of the feature adds to the score.` }));
  const most = Math.max(...weights.map((row) => Math.abs(row.weight)), 1e-300);
  const rows = weights.map((row) => {
    const bar = svg("svg", { viewBox: "0 0 100 10", class: "bar", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { x: 0, y: 0, width: (100 * Math.abs(row.weight)) / most, height: 10 }));
    return el("tr", {}, el("th", { scope: "row", text: row.feature }), el("td", { text: row.towards }),
      el("td", { class: "figure", text: number(Math.abs(row.weight)) }), el("td", {}, bar));
  });
  view.body.append(scrolling("Table of weights", el("table", { class: "bars" },
    el("thead", {}, el("tr", {}, ...["feature", "speaks for", "weight"].map((text) => el("th", { scope: "col", text })), el("td", {}))),
    el("tbody", {}, ...rows))));
  return view.root;
}

export function pairsCard(found) {
  const view = card("Which pairs are separable", "pairs");
  if (found.error) {
    view.body.append(el("p", { text: `${found.error}.` }));
    return view.root;
  }
  const { classes, decisions } = found;
  const place = new Map(decisions.flatMap((part) => {
    const [j, k] = part.pair.map((name) => classes.indexOf(name));
    return [[`${j} ${k}`, part], [`${k} ${j}`, part]];
  }));
  const said = el("div", { class: "said", role: "status" });
  const cell = (j, k) => {
    const part = place.get(`${j} ${k}`);
    if (!part) return el("td", { class: "none", text: "·" });
    const words = { separable: number(part.margin[0], 2), inseparable: "no", undecided: "?" }[part.verdict];
    const name = `${classes[j]} and ${classes[k]}: ${part.verdict}`;
    return el("td", { class: part.verdict }, button(words, () => show(part), { "aria-label": name }));
  };
  function show(part) {
    const [j, k] = part.pair;
    said.replaceChildren(el("h3", { text: `${j} and ${k}: ${part.verdict}` }),
      part.certificate ? whyOf(part.certificate) : el("p", { class: "why", text: "Undecided within its time." }));
    if (part.certificate) said.append(el("p", { class: "hint", text: "The certificate counts the rows of these two classes alone." }), proofButton(part.certificate, `certificate ${j} ${k}.json`, "Download the certificate"));
  }
  view.body.append(scrolling("Pairs of classes", el("table", { class: "matrix" },
    el("caption", { text: "The margin known to be reached, or no. Choose a pair to see why." }),
    el("thead", {}, el("tr", {}, el("td", {}), ...classes.map((name) => el("th", { scope: "col", text: name })))),
    el("tbody", {}, ...classes.map((name, j) => el("tr", {}, el("th", { scope: "row", text: name }), ...classes.map((_, k) => cell(j, k))))))), said);
  return view.root;
}

export function commandsCard(commands) {
  const view = card("The same on the command line", "commands");
  view.body.append(codeOf(commands.decide), codeOf(commands.verify), codeOf(commands.fit));
  return view.root;
}
