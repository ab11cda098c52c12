// Light or dark, as on the lab's page.

import { button } from "../js/dom.js";

export function themeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const lab = () => document.querySelector(".rb-lab");
  const dark = () => (lab()?.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const node = button("Dark", () => {
    lab().dataset.theme = dark() ? "light" : "dark";
    node.setAttribute("aria-pressed", dark());
  }, { "aria-pressed": system.matches, title: "Light or dark" });
  return node;
}
