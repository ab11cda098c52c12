// In a notebook's cell: the plot and the run beside one panel at a time, so that all fits a screen.

import { el } from "./dom.js";

// panels: {name: element}. Says how to bring an element to the front.
export function compact(lab, panels) {
  const names = Object.keys(panels);
  const tabs = names.map((name, k) => el("button", {
    type: "button", role: "tab", text: name, "aria-selected": k === 0, tabindex: k ? -1 : 0, on: { click: () => show(name) },
  }));
  const root = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" }, ...tabs);
  lab.classList.add("compact");

  function show(name) {
    names.forEach((one, k) => {
      tabs[k].setAttribute("aria-selected", String(one === name));
      tabs[k].setAttribute("tabindex", one === name ? 0 : -1);
      panels[one].classList.toggle("behind", one !== name);
    });
  }

  root.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = (tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length;
    show(names[next]);
    tabs[next].focus();
    event.preventDefault();
  });
  show(names[0]);
  return { root, reveal: (node) => { const name = names.find((one) => panels[one] === node); if (name) show(name); } };
}
