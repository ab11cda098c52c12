// Light or dark: as the system has it, or as the visitor chose; remembered for the next visit.

import { button } from "./dom.js";

const KEY = "rosenblatt-theme";

// A page from a disk may have no storage, and a visitor may have turned it off.
function remembered(theme) {
  try {
    if (theme === undefined) return localStorage.getItem(KEY);
    localStorage.setItem(KEY, theme);
  } catch { /* then it is as the system has it */ }
  return null;
}

export function themeButton(root) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const known = remembered();
  if (known === "dark" || known === "light") root.dataset.theme = known;
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const node = button("Dark", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    remembered(root.dataset.theme);
    node.setAttribute("aria-pressed", dark());
  }, { "aria-pressed": dark(), title: "Light or dark" });
  return node;
}
