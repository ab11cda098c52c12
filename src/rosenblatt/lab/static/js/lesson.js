// A lesson that is one file: the lab, with answers that were computed when it was saved. What differs
// from the page is who answers, and that edits to other experiments are refused with a sentence.

import { SETTINGS } from "./controls/settings.js";
import { button, el } from "./dom.js";
import { DEFAULTS } from "./model.js";
import { mount } from "./mount.js";
import { copyText } from "./save.js";
import { toFragment } from "./url.js";

const LAB = "http://127.0.0.1:1958/";
const REFUSED = "This lesson holds recorded runs; nothing in it can be edited. “A recorded run” says how to open it where everything can be.";

export async function lesson(page) {
  const { title, pages } = JSON.parse(page.getElementById("pages").textContent);
  const texts = [...page.querySelectorAll("template")];
  const known = await unpacked(page.getElementById("answers").textContent);
  const menu = el("select", { "aria-label": "Page of the lesson" }, ...pages.map((one, k) =>
    el("option", { value: k, text: pages.length > 1 ? `${k + 1}. ${one.title}` : one.title })));
  const back = button("Previous", () => go(Number(menu.value) - 1), { "aria-label": "Previous page" });
  const next = button("Next", () => go(Number(menu.value) + 1), { class: "primary", "aria-label": "Next page" });
  menu.addEventListener("change", () => go(Number(menu.value)));
  const heading = [el("h1", { text: title }), ...(pages.length > 1 ? [el("nav", { "aria-label": "Lesson" }, back, menu, next)] : [])];
  const header = el("header", { class: "title" });
  const text = el("section", { class: "text card", "aria-label": "Text", tabindex: -1 });
  const told = el("div", { class: "message hidden", role: "status" });
  const place = el("div");
  const root = el("div", { class: "rb-lab lesson" }, header, text, told, place);
  const wide = matchMedia("(min-width: 1100px)");
  let lab = null;

  // Where there is room the text stands beside the plot, and the menu in the lab's own header.
  function arrange() {
    const inside = wide.matches && lab;
    (inside ? place.querySelector(".top") : header).prepend(...heading);
    if (inside) place.querySelector(".side").prepend(text);
    else header.after(text);
  }

  function go(k) { location.hash = `#${k + 1}`; }

  function show() {
    const k = Math.max(0, Math.min(pages.length - 1, (Number(location.hash.slice(1)) || 1) - 1));
    menu.value = k;
    back.disabled = k === 0;
    next.disabled = k === pages.length - 1;
    told.classList.add("hidden");
    text.replaceChildren(texts[k].content.cloneNode(true));
    text.classList.toggle("hidden", !text.childElementCount);
    header.after(text);
    lab?.unmount();
    lab = pages[k].experiment ? laboratory(place, pages[k], known, () => {
      told.textContent = REFUSED;
      told.classList.remove("hidden");
    }) : null;
    follow(root, place);
    arrange();
  }

  page.getElementById("lesson").replaceChildren(root);
  wide.addEventListener("change", arrange);
  addEventListener("hashchange", () => {
    show();
    scrollTo(0, 0);
    if (text.childElementCount) text.focus({ preventScroll: true });
  });
  show();
}

// The lab of one page.
function laboratory(place, { experiment, fragment }, known, refuse) {
  const answerTo = (asked) => known.get(key(asked));
  const transport = {
    compute: async (asked) => {
      const answer = answerTo(asked);
      if (!answer) throw new Error(REFUSED);
      return answer;
    },
    presets: async () => [],
    gif: async () => { throw new Error("A lesson has no library to draw a GIF with; the lab saves it."); },
    fragment: { get: () => `#${fragment}`, set: () => {}, link: (text) => `${LAB}#${text}`, changed: () => {} },
  };
  const lab = mount(place, { points: experiment, trace: answerTo(experiment), transport });
  const { model } = lab;
  for (const name of ["change", "adopt"]) {
    const made = model[name].bind(model);
    model[name] = (other, ...more) => (answerTo(other) ? made(other, ...more) : refuse());
  }
  const node = place.querySelector(".rb-lab");
  node.classList.add("fixed");
  node.querySelector(".side").prepend(recorded(model));
  return lab;
}

// In place of the controls for data and settings: what was set, and how to set it oneself.
function recorded(model) {
  const settings = el("p");
  const command = () => `rosenblatt lab "${LAB}#${toFragment(model.experiment, model.at)}"`;
  const code = el("code");
  const copy = button("Copy", async () => { if (await copyText(command())) copy.textContent = "Copied"; }, { "aria-label": "Copy the command" });
  const draw = () => {
    settings.textContent = inWords(model.experiment);
    code.textContent = command();
    copy.textContent = "Copy";
  };
  model.on("experiment at", draw);
  draw();
  return el("section", { class: "card recorded", "aria-label": "A recorded run" },
    el("h2", { text: "A recorded run" }), settings,
    el("p", { class: "hint", text: "Step, play, point at things; the tour and the quiz are there too. Only editing is off. To move points and change settings, install the lab once and open this run in it:" }),
    el("pre", {}, el("code", { text: "pip install 'rosenblatt[lab]'" })), el("pre", { tabindex: 0 }, code), el("div", { class: "row" }, copy));
}

function inWords({ points, settings }) {
  const set = SETTINGS.flatMap(({ name, label, options, flag }) => {
    const value = settings[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(DEFAULTS[name])) return [];
    if (flag) return [`${label}: ${value ? "yes" : "no"}`];
    return [`${label}: ${options?.find(([one]) => one === value)?.[1] ?? (Array.isArray(value) ? value.join(", ") : value)}`];
  });
  return `${points.length} points. ${set.length ? `${set.join("; ")}.` : "All settings as the lab begins."}`;
}

// Light or dark, as the lab of the page is set; the next page keeps it.
function follow(root, place) {
  const lab = place.querySelector(".rb-lab");
  if (!lab) return;
  if (root.dataset.theme) lab.dataset.theme = root.dataset.theme;
  new MutationObserver(() => { root.dataset.theme = lab.dataset.theme; })
    .observe(lab, { attributes: true, attributeFilter: ["data-theme"] });
}

function key({ classes, points, settings }) {
  return toFragment({ classes, points, settings: Object.fromEntries(Object.entries(settings ?? {}).sort()) }, 0);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const table = await new Response(stream).json();
  return new Map(table.map(([experiment, answer]) => [key(experiment), answer]));
}
