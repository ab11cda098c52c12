// A point of no class, "?": which class the weights give it, as they change.

import { set, svg } from "../dom.js";
import { number } from "../format.js";
import { grain, snap } from "../geometry.js";
import { ARROWS, draggable } from "./points.js";
import { hue } from "./plot.js";

// scoreOf: the score as a function of the plane, of given weights.
export function queryMark(model, plot, layer, scoreOf) {
  const text = svg("text", { x: 15, y: -10, class: "number" });
  const node = svg("g", { role: "button", tabindex: 0, class: "query hidden" },
    svg("circle", { r: 16, class: "target" }), svg("circle", { r: 10, class: "mark" }),
    svg("text", { y: 5, "text-anchor": "middle", class: "sign", text: "?" }), svg("circle", { r: 14, class: "focus" }), text);
  layer.append(node);
  const put = (p) => model.show({ query: p.map((v) => snap(v, grain(plot.box))) });
  draggable(node, plot, { moved: put });
  node.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (by) put(model.layers.query.map((v, k) => v + grain(plot.box) * (event.shiftKey ? 4 : 1) * by[k]));
    else if (event.key === "Delete" || event.key === "Backspace") model.show({ query: null });
    else return;
    event.preventDefault();
  });

  // The class that the weights give it; on the boundary the positive one, as the library predicts.
  function said(p) {
    const w = model.shown;
    const { classes } = model.experiment;
    if (!w) return { words: "not computed", code: null };
    if (Array.isArray(w[0])) {
      const scores = w.map((row) => scoreOf(row)(p));
      const code = scores.indexOf(Math.max(...scores));
      return { words: `${classes[code]}, scores ${scores.map((s) => number(s)).join(", ")}`, code };
    }
    const score = scoreOf(w)(p);
    const code = score >= 0 ? 1 : 0;
    return { words: `${classes[code]}, score ${number(score)}`, code };
  }

  function draw() {
    const p = model.layers.query;
    node.classList.toggle("hidden", !p);
    if (!p) return;
    const { words, code } = said(p);
    set(node, {
      transform: `translate(${plot.x(p[0])} ${plot.y(p[1])})`,
      class: `query ${code === null ? "" : hue(code)}`,
      "aria-label": `Question mark at ${number(p[0])}, ${number(p[1])}: class ${words}`,
    });
    const right = plot.x(p[0]) > plot.size.width * 0.65;
    set(text, { x: right ? -15 : 15, "text-anchor": right ? "end" : "start" });
    text.textContent = words;
  }
  return { draw };
}
