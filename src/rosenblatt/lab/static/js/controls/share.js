// Sharing: a link that reproduces everything, the same run as Python, pictures.

import { button, el } from "../dom.js";
import { asPng, copyText, pageOf, saveFile, standalone } from "../save.js";

// Why nobody else can open the address of this page; null where they can.
function mine() {
  if (location.protocol === "file:") return "is a file on your disk";
  return ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname) ? "is served by it" : null;
}

export function sharing(model, { link, page, pictures, signal }) {
  const dialog = el("dialog", { class: "text", "aria-label": "Text to copy" });
  const text = el("textarea", { readonly: true, rows: 14, "aria-label": "Text" });
  dialog.append(text, button("Close", () => dialog.close()));
  const told = el("p", { class: "told", role: "status" });
  const tell = (words) => { told.textContent = words; };

  async function copy(content, what) {
    tell("");
    if (await copyText(content)) tell(`${what} copied.`);
    else {
      text.value = content;
      dialog.showModal();
      text.select();
    }
  }

  const which = el("select", { "aria-label": "Picture to save" }, ...Object.keys(pictures).map((name) => el("option", { value: name, text: name })));
  const chosen = () => pictures[which.value].root;
  const name = () => which.value.split(":")[0].replaceAll(" ", "-").toLowerCase();
  const items = [
    link ? button("Copy link", async () => {
      await copy(link(), "Link");
      if (mine()) tell(`Copied. It works on your machine, for this page ${mine()}. For others: “Save as a page”.`);
    }, { title: "An address that holds what you see: data, settings, step, views, station" }) : null,
    button("Copy as Python", () => (model.answer ? copy(model.answer.python, "Script") : tell("Not computed yet.")), { title: "A script that prints the same trace" }),
    told,
    el("span", { class: "row" }, which,
      button("Save SVG", () => saveFile(`${name()}.svg`, "image/svg+xml", standalone(chosen())), { title: "Save this view as a vector picture" }),
      button("Save PNG", async () => saveFile(`${name()}.png`, "image/png", await asPng(chosen())), { title: "Save this view as an image" })),
    page ? button("Save as a page", () => {
      saveFile("perceptron.html", "text/html", pageOf(document, page()));
      tell("Saved: it opens in any browser, offline.");
    }, { title: "One HTML file with the lab and this experiment in it" }) : null,
  ];
  const root = el("details", { class: "menu" }, el("summary", { text: "Share" }), el("div", { class: "sheet" }, ...items));
  root.addEventListener("toggle", () => tell(""));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    root.open = false;
    root.firstElementChild.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!root.contains(event.target)) root.open = false;
  }, { signal });
  return { root, dialog };
}
