// The data: which class a click adds, presets, random points, CSV in and out.

import { button, el, freshId, svg } from "../dom.js";
import { columnsOf, MOST_BYTES, MOST_CLASSES, parse, suggestion, toExperiment, TOO_LARGE, toText, usable } from "../csv.js";
import { plural } from "../format.js";
import { mark } from "../views/plot.js";

const NEXT = ["a", "b", "c", "d", "e"];

export function dataPanel(model, { random, save, focusPoint, centre, say }) {
  const classes = el("div", { class: "classes", role: "radiogroup", "aria-label": "Class of new points" });
  const add = button("Add point", () => {
    const index = model.add(...centre());
    focusPoint(index);
  }, { title: "Add a point of the chosen class in the middle; move it with the arrow keys" });
  const remove = button("Delete point", () => model.selected !== null && model.remove(model.selected), { title: "Delete the selected point" });
  const clear = button("Clear", () => model.change({ ...model.experiment, points: [], test: [] }, 0), { title: "Delete all points" });
  const together = button("All from the start", () => model.fromTheStart(), { title: "Let points that joined while it ran be there from the start" });
  const undo = button("Undo", () => model.undo(), { title: "Ctrl+Z" });
  const redo = button("Redo", () => model.redo(), { title: "Ctrl+Shift+Z" });
  const root = el("fieldset", { class: "data" }, el("legend", { text: "Data" }),
    el("p", { class: "hint", text: "Click the plot to add a point of this class:" }), classes,
    el("div", { class: "row" }, add, remove, clear), el("div", { class: "row" }, undo, redo, together),
    randomField(model, random), csvField(model, save, say));

  function draw() {
    drawClasses();
    const { experiment } = model;
    remove.disabled = model.selected === null;
    clear.disabled = !experiment.points.length;
    undo.disabled = !model.past.length;
    redo.disabled = !model.future.length;
    together.classList.toggle("hidden", !experiment.points.some((point) => point[3]));
  }

  // Made anew only where the classes are others: a choice under way keeps its focus.
  let made = null;
  function drawClasses() {
    const { experiment } = model;
    const last = experiment.classes.length - 1;
    const spare = last > 1 && !experiment.points.some((point) => point[2] === last);
    const now = JSON.stringify([experiment.classes, spare]);
    const choices = classes.getElementsByTagName("input");
    if (now === made) {
      [...choices].forEach((node, code) => { node.checked = code === model.chosen; });
      return;
    }
    made = now;
    classes.replaceChildren(...experiment.classes.map((name, code) => classChoice(model, name, code)));
    if (experiment.classes.length < MOST_CLASSES) {
      classes.append(button("+ class", () => {
        const name = NEXT.find((each) => !experiment.classes.includes(each));
        model.chosen = experiment.classes.length;
        model.change({ ...experiment, classes: [...experiment.classes, name] });
      }, { class: "chip more", title: "Add a class, up to five" }));
    }
    if (spare) {
      classes.append(button("− class", () => model.change({ ...experiment, classes: experiment.classes.slice(0, -1) }),
        { class: "chip more", title: "Take the last, empty class away" }));
    }
  }
  model.on("experiment selected answer", draw);
  draw();
  return { root };
}

function classChoice(model, name, code) {
  const id = freshId("class");
  const input = el("input", { type: "radio", name: "rb-class", id, on: { change: () => { model.chosen = code; } } });
  input.checked = code === model.chosen;
  return el("label", { class: `chip class-${code}`, for: id }, input,
    svg("svg", { viewBox: "-10 -10 20 20", class: "swatch", "aria-hidden": true }, mark(code)), el("span", { text: name }));
}

function randomField(model, random) {
  const fields = [
    ["n", "Points", { min: 2, max: 500, step: 1, value: 30 }],
    ["margin", "Margin", { min: 0.01, max: 4, step: "any", value: 0.5 }],
    ["noise", "Noise", { min: 0, max: 0.5, step: "any", value: 0, title: "The share of labels that are turned round" }],
    ["test", "Test points", { min: 0, max: 500, step: 1, value: 0, title: "Points that are not learned from" }],
  ].map(([name, label, attributes]) => {
    const id = freshId(name);
    const input = el("input", { id, type: "number", ...attributes });
    return { name, input, root: el("span", { class: "row pair" }, el("label", { for: id, text: label }), input) };
  });
  let seed = 0;
  const go = button("Draw", () => {
    if (!fields.every(({ input }) => input.reportValidity())) return;
    seed += 1;
    random({ ...Object.fromEntries(fields.map(({ name, input }) => [name, Number(input.value)])), seed });
  }, { "aria-label": "Draw random points", title: "Random points, no nearer to a line than the margin" });
  return el("details", {}, el("summary", { text: "Random points, noise, test set" }),
    el("div", { class: "row" }, ...fields.map(({ root }) => root), go));
}

function csvField(model, save, say) {
  const id = freshId("csv");
  const text = el("textarea", { id, rows: 3, spellcheck: "false", placeholder: "x1,x2,label" });
  const file = el("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "CSV file" });
  const choice = el("div", { class: "columns" });
  const details = el("details", { class: "csv" }, el("summary", { text: "CSV: paste, drop, export" }),
    el("label", { for: id, text: "Paste CSV here, or drop a file on the page" }), text, file, choice,
    el("div", { class: "row" }, button("Export CSV", () => save("points.csv", "text/csv", toText(model.experiment)))));

  function offer(source) {
    choice.replaceChildren();
    if (!source.trim()) return;
    try {
      details.open = true;
      const table = columnsOf(parse(source));
      const { columns, body, headed, decimal } = table;
      const guess = suggestion(columns);
      choice.append(el("p", { class: "hint", text: `${plural(body.length, "row")} of ${plural(columns.length, "column")}, `
        + `${headed ? "named by the first line" : "without a heading"}${decimal === "," ? ", with decimal commas" : ""}.` }));
      const picks = [["x1", "Column for x₁"], ["x2", "Column for x₂"], ["label", "Column for the label"]].map(([name, label]) => {
        const pick = el("select", { id: freshId("column") }, ...columns.map((column, k) => (
          name === "label" || column.numeric ? el("option", { value: k, text: column.name }) : null)));
        if (guess[name] !== undefined) pick.value = guess[name];
        choice.append(el("div", { class: "field" }, el("label", { for: pick.id, text: label }), pick));
        return [name, pick];
      });
      const chosen = () => Object.fromEntries(picks.map(([name, pick]) => [name, Number(pick.value)]));
      const use = button("", () => {
        try {
          const kept = ["bias", "product", "squares", "radius"].filter((name) => name in model.experiment.settings);
          const settings = Object.fromEntries(kept.map((name) => [name, model.experiment.settings[name]]));
          model.load({ ...toExperiment(table, chosen()), settings });
          choice.replaceChildren();
          text.value = "";
          say("");
        } catch (error) { say(error.message); }
      }, { class: "primary" });
      const left = el("p", { class: "hint" });
      const count = () => {
        const { rows, whole } = usable(body, chosen());
        use.textContent = `Use ${plural(rows.length, "row")}`;
        left.textContent = [
          whole.length < body.length ? `${plural(body.length - whole.length, "row")} without a value in these columns left out.` : "",
          rows.length < whole.length ? `The lab holds ${rows.length} points: rows are drawn at random from ${whole.length.toLocaleString("en")}.` : "",
        ].join(" ");
      };
      picks.forEach(([, pick]) => pick.addEventListener("change", count));
      count();
      choice.append(use, left);
      say("");
    } catch (error) { say(error.message); }
  }

  async function take(given) {
    if (!given) return;
    if (given.size > MOST_BYTES) { say(TOO_LARGE); return; }
    offer(await given.text());
  }
  text.addEventListener("input", () => offer(text.value));
  file.addEventListener("change", () => take(file.files[0]));
  details.take = take;
  return details;
}

// A file dropped anywhere on the lab goes to the CSV field.
export function acceptDrops(root) {
  root.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    root.classList.add("dropping");
  });
  root.addEventListener("dragleave", (event) => { if (event.target === root) root.classList.remove("dropping"); });
  root.addEventListener("drop", (event) => {
    root.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    root.querySelector("details.csv").take(event.dataTransfer.files[0]);
  });
}
