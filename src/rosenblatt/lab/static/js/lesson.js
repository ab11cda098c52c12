// A lesson: the lab with texts beside it, in one file. Its readers can edit, unless its author has
// turned that off.

import { button, el } from "./dom.js";
import { EMPTY } from "./model.js";
import { mount } from "./mount.js";

const LOCKED = "The author of this lesson has turned editing off: step, play and point at things.";

export function lesson(page, root, { title, pages, fixed }) {
  const texts = [...page.querySelectorAll("template")];
  const menu = el("select", { "aria-label": "Page of the lesson" }, ...pages.map((one, k) =>
    el("option", { value: k, text: pages.length > 1 ? `${k + 1}. ${one.title}` : one.title })));
  const back = button("Previous", () => go(Number(menu.value) - 1), { "aria-label": "Previous page" });
  const next = button("Next", () => go(Number(menu.value) + 1), { class: "primary", "aria-label": "Next page" });
  menu.addEventListener("change", () => go(Number(menu.value)));
  const heading = [el("h1", { text: title }), ...(pages.length > 1 ? [el("nav", { "aria-label": "Lesson" }, back, menu, next)] : [])];
  const header = el("header", { class: "title" });
  const text = el("section", { class: "text card", "aria-label": "Text", tabindex: -1 });
  const place = el("div");
  const frame = el("div", { class: "rb-lab lesson" }, header, text, place);
  const wide = matchMedia("(min-width: 1100px)");
  let lab = null;
  let here = -1;

  // Where there is room the text stands beside the plot, and the menu in the lab's own header.
  function arrange() {
    const inside = lab && (wide.matches || place.querySelector(".projector"));
    (inside ? place.querySelector(".top") : header).prepend(...heading);
    if (inside) place.querySelector(".beside").prepend(text);
    else header.after(text);
  }

  function go(k) { location.hash = `#${k + 1}`; }

  // "#2" is the second page, "#2&p=…" the same with another experiment, as "Copy link" gives it.
  const address = () => {
    const [, number, rest] = location.hash.match(/^#?(\d*)&?(.*)$/s);
    return { k: Math.max(0, Math.min(pages.length - 1, (Number(number) || 1) - 1)), rest };
  };

  function show() {
    const { k } = address();
    if (k === here) return;
    here = k;
    menu.value = k;
    back.disabled = k === 0;
    next.disabled = k === pages.length - 1;
    text.replaceChildren(texts[k].content.cloneNode(true));
    text.classList.toggle("hidden", !text.childElementCount);
    header.after(text);
    lab?.unmount();
    lab = pages[k].fragment ? mount(place, { points: EMPTY, fragment: fragmentOf(k), locked: fixed && LOCKED }) : null;
    lab?.model.on("view", arrange);
    follow();
    arrange();
  }

  function fragmentOf(k) {
    const begin = `${location.href.split("#")[0]}#${k + 1}&`;
    return {
      get: () => (address().k === k && address().rest ? `#${address().rest}` : `#${pages[k].fragment}`),
      set: () => {}, link: (words) => begin + words, changed: () => {},
    };
  }

  // Light or dark, as the lab of the page is set; the text outside of it too.
  function follow() {
    const inside = place.querySelector(".rb-lab");
    if (!inside) return;
    const copy = () => { if (inside.dataset.theme) frame.dataset.theme = inside.dataset.theme; };
    new MutationObserver(copy).observe(inside, { attributes: true, attributeFilter: ["data-theme"] });
    copy();
  }

  root.replaceChildren(frame);
  wide.addEventListener("change", arrange);
  addEventListener("hashchange", () => {
    show();
    scrollTo(0, 0);
    if (text.childElementCount) text.focus({ preventScroll: true });
  });
  show();
}
