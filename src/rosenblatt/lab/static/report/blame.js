// Which rows a hyperplane must get wrong, and which estimates exist. All text is text.

import { card, el } from "../js/dom.js";
import { plural } from "../js/format.js";
import { scrolling } from "./sections.js";

export function errorsCard(found) {
  const view = card("The rows to look at", "errors");
  if (found.error) {
    view.body.append(el("p", { text: `${found.error}.` }));
    return view.root;
  }
  view.body.append(el("p", { class: "sentence", text: found.sentence }));
  const placed = found.rows.every((row) => row.at !== null);
  const heads = [placed ? `${found.called} of file` : null, "row", "class"].filter((text) => text !== null);
  const cells = (row) => [placed ? row.at.toLocaleString("en") : null, row.row.toLocaleString("en"), row.class]
    .filter((text) => text !== null);
  if (found.rows.length) {
    const left = found.all - found.rows.length;
    view.body.append(
      scrolling("Rows to look at", el("table", { class: "evidence" },
        el("caption", { text: "Without these rows the classes are separable" }),
        el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", text })))),
        el("tbody", {}, ...found.rows.map((row) => el("tr", {}, ...cells(row).map((text) => el("td", { text }))))))),
      el("p", { class: "hint", text: `${found.exact ? "No other choice is smaller." : `At least ${found.lower.toLocaleString("en")} must go, whichever are chosen.`}`
        + `${found.irreducible ? " Putting any one of them back makes the classes inseparable again." : ""}`
        + `${left > 0 ? ` ${plural(left, "more row")}; rosenblatt errors --json lists all.` : ""}` }));
  }
  return view.root;
}

export function separationCard(found) {
  const view = card("Would a regression have estimates?", "separation");
  if (found.error) {
    view.body.append(el("p", { text: `${found.error}.` }));
    return view.root;
  }
  view.body.append(el("p", { class: "sentence", text: found.sentence }));
  const rows = Object.entries(found.coefficients);
  if (rows.length) {
    view.body.append(scrolling("Coefficients without an estimate", el("table", { class: "evidence" },
      el("caption", { text: `No finite estimate: coefficients of ${found.about}` }),
      el("thead", {}, el("tr", {}, ...["coefficient", "goes to"].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, ...rows.map(([name, where]) => el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: where })))))));
  }
  for (const { text, lines } of found.notes) {
    view.body.append(el("p", { class: "hint", text }));
    if (lines.length) view.body.append(el("pre", { tabindex: 0, text: lines.join("\n") }));
  }
  return view.root;
}
