// What the user says of a file: a place to drop it, its columns, how to read them.

import { el, freshId } from "../js/dom.js";
import { plural } from "../js/format.js";
import { MOST_BYTES } from "./transport.js";

const SHOWN_BOXES = 60;

// A place to choose or drop a file.
export function dropZone(chosen) {
  const id = freshId("file");
  const input = el("input", {
    type: "file", id, accept: ".csv,.tsv,.txt,.parquet,.svm,.svmlight,.libsvm,.gz",
    on: { change: () => { if (input.files.length) chosen(input.files[0]); } },
  });
  const zone = el("div", { class: "drop" },
    el("label", { for: id, class: "choose", text: "Choose a file" }), input,
    el("p", { class: "hint", text: `or drop it here: CSV, Parquet or svmlight, up to ${MOST_BYTES / 2 ** 20} MB. `
      + "The lab deletes it as soon as the report ends." }));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length) chosen(event.dataTransfer.files[0]);
  });
  return zone;
}

function field(name, hint, control) {
  const id = freshId("field");
  const about = freshId("hint");
  control.id = id;
  control.setAttribute("aria-describedby", about);
  return el("div", { class: "field" }, el("label", { for: id, text: name }), control,
    el("p", { id: about, class: "hint", text: hint }));
}

function check(name, hint, control) {
  const about = freshId("hint");
  control.setAttribute("aria-describedby", about);
  return el("div", { class: "field" }, el("label", { class: "check" }, control, ` ${name}`),
    el("p", { id: about, class: "hint", text: hint }));
}

function choice(options, value) {
  const node = el("select", {}, ...options.map(([key, text]) => el("option", { value: key, text })));
  node.value = value;
  return node;
}

function box(checked = false) {
  const node = el("input", { type: "checkbox" });
  node.checked = checked;
  return node;
}

// The first rows of a table, with the label column lit.
function preview(found) {
  const names = found.columns.slice(0, found.rows[0]?.length ?? 0);
  if (!names.length) return null;
  const left = found.columns.length - names.length;
  const head = names.map((column) => el("th", { scope: "col", text: column.name }));
  const rows = found.rows.map((row) => el("tr", {}, ...row.map((cell, k) =>
    el("td", { class: names[k].kind === "numeric" ? "figure" : "", text: cell }))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "First rows of the file" },
    el("table", { class: "preview" },
      el("caption", { text: left ? `First rows; ${plural(left, "more column")}` : "First rows" }),
      el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)));
}

// The form for a file whose columns are known; start(settings) makes the report.
export function settingsForm(found, start) {
  const { columns } = found;
  const label = choice(columns.map((column, k) => [String(k), column.name]), String(found.label));
  const positive = el("input", { type: "text", autocomplete: "off", maxlength: "200" });
  const missing = box();
  const oneHot = box();
  const scale = box();
  const test = choice([["0", "none"], ["0.1", "a tenth"], ["0.25", "a quarter"], ["0.5", "half"]], "0.25");
  const seconds = choice([["2", "2 seconds"], ["10", "10 seconds"], ["30", "30 seconds"], ["60", "1 minute"]], "10");
  const boxes = columns.length <= SHOWN_BOXES ? columns.map(() => box(true)) : [];
  const rows = columns.map((column, k) => boxes[k] && el("label", { class: "check" }, boxes[k],
    ` ${column.name}`, el("span", { class: "kind", text: column.kind === "numeric" ? "" : ` ${column.kind}` })));
  const used = el("fieldset", { class: "columns" }, el("legend", { text: "Columns to use" }), ...rows);
  const table = preview(found);
  const lit = () => {
    rows.forEach((row, k) => { if (row) row.hidden = k === Number(label.value); });
    table?.querySelectorAll("tr").forEach((row) => [...row.children].forEach((cell, k) =>
      cell.classList.toggle("label", k === Number(label.value))));
    const cell = table?.querySelector("th.label");
    if (cell) requestAnimationFrame(() => { table.scrollLeft = cell.offsetLeft + cell.offsetWidth - table.clientWidth; });
  };
  label.addEventListener("change", lit);
  if (columns.length) lit();
  const submit = el("button", { class: "primary", type: "submit", text: "Make the report" });
  const form = el("form", { class: "settings" },
    columns.length ? table : el("p", { class: "hint", text: "svmlight: each line starts with its label." }),
    el("div", { class: "fields" },
      columns.length ? field("Label", "The column that holds the classes.", label) : null,
      field("One class against the rest", "Its name; leave it empty to tell all classes apart.", positive),
      field("Rows held out", "Not learned from, only scored: what to expect of new data.", test),
      field("Time for each part", "The decision, the fit and the pairs each end by then.", seconds),
      check("Scale the features", "To mean 0 and variance 1: fewer updates where columns differ in size.", scale),
      check("Leave out rows that lack a value", "Otherwise a missing value is an error.", missing),
      columns.length ? check("Text as features", "One feature for each value of a text column.", oneHot) : null),
    boxes.length > 2 ? el("details", {}, el("summary", { text: "Columns" }), used) : null,
    el("div", { class: "row" }, submit));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const ignored = boxes.flatMap((node, k) => (node.checked || k === Number(label.value) ? [] : [k]));
    const settings = { test: test.value, seconds: seconds.value };
    if (columns.length) settings.label = label.value;
    if (positive.value.trim()) settings.positive = positive.value.trim();
    if (ignored.length) settings.ignore = ignored.join(",");
    if (missing.checked) settings.missing = "drop";
    if (oneHot.checked) settings.one_hot = "1";
    if (scale.checked) settings.scale = "1";
    start(settings);
  });
  return form;
}
