"""The page of an animation: HTML, style and script in one text; ``@DATA@`` is the film as JSON."""

PAGE = r"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A perceptron, update by update</title>
<style>
:root { --ink:#1A1A1A; --faint:#6B6B6B; --paper:#FFFFFF; --neg:#D55E00; --pos:#0072B2;
        --w:#009E73; --proof:#B5338A; }
@media (prefers-color-scheme: dark) {
  :root { --ink:#F2F2F2; --faint:#A8A8A8; --paper:#14181F; --neg:#E69F00; --pos:#56B4E9;
          --w:#3DDBA8; --proof:#FF8AD8; } }
* { box-sizing:border-box }
body { margin:0; padding:1.2rem; background:var(--paper); color:var(--ink);
       font:16px/1.4 system-ui, "DejaVu Sans", sans-serif; }
main { max-width:1180px; margin:auto; display:grid; gap:1rem;
       grid-template-columns:repeat(auto-fit,minmax(320px,1fr)); }
svg { width:100%; height:auto; display:block }
svg text { font:15px system-ui, "DejaVu Sans", sans-serif; fill:var(--ink) }
nav { grid-column:1/-1; display:flex; gap:.6rem; align-items:center; flex-wrap:wrap }
button { font:inherit; min-width:3rem; padding:.4rem .8rem; color:var(--ink); cursor:pointer;
         background:transparent; border:1.5px solid var(--faint); border-radius:.5rem }
button:hover, button:focus-visible { border-color:var(--w); outline:none }
input[type=range] { flex:1; min-width:200px; accent-color:var(--w) }
#said { grid-column:1/-1; margin:0; min-height:3em; color:var(--faint) }
#said b { color:var(--ink) }
</style>
<main>
  <svg id="plane" viewBox="0 0 560 520" role="img" aria-label="points and decision line"></svg>
  <svg id="proof" viewBox="0 0 560 520" role="img" aria-label="norm between its bounds"></svg>
  <nav>
    <button id="play" aria-label="play or pause">▶</button>
    <button id="back" aria-label="one update back">◀</button>
    <button id="next" aria-label="one update on">▶|</button>
    <input id="at" type="range" min="0" value="0" aria-label="update">
  </nav>
  <p id="said" aria-live="polite"></p>
</main>
<script>
"use strict";
const film = @DATA@;
const ns = "http://www.w3.org/2000/svg", W = 560, H = 520, L = 62, R = 14, T = 40, B = 50;
const $ = id => document.getElementById(id);
const css = name => `var(--${name})`;
function add(parent, kind, attributes, text) {
  const node = document.createElementNS(ns, kind);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(t);
  return out;
}
const show = v => String(+v.toPrecision(6)).replace("-", "−");
function chart(svg, [x0, x1, y0, y1], xlabel, ylabel, square) {
  let w = W - L - R, h = H - T - B;
  if (square) {
    const scale = Math.min(w / (x1 - x0), h / (y1 - y0));
    w = scale * (x1 - x0); h = scale * (y1 - y0);
  }
  const x = v => L + (v - x0) / (x1 - x0) * w, y = v => T + h - (v - y0) / (y1 - y0) * h;
  const clip = add(svg, "clipPath", {id: svg.id + "-clip"});
  add(clip, "rect", {x: L, y: T, width: w, height: h});
  const inside = add(svg, "g", {"clip-path": `url(#${svg.id}-clip)`});
  add(svg, "path", {d: `M${L} ${T}V${T + h}H${L + w}`, fill: "none", stroke: css("ink")});
  for (const t of ticks(x0, x1))
    add(svg, "text", {x: x(t), y: T + h + 20, "text-anchor": "middle"}, show(t));
  for (const t of ticks(y0, y1))
    add(svg, "text", {x: L - 8, y: y(t) + 5, "text-anchor": "end"}, show(t));
  add(svg, "text", {x: L + w / 2, y: T + h + 42, "text-anchor": "middle"}, xlabel);
  add(svg, "text", {transform: `translate(16 ${T + h / 2}) rotate(-90)`,
                    "text-anchor": "middle"}, ylabel);
  return {inside, x, y};
}
function clipHalf([x0, x1, y0, y1], a, b, c) {
  const corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]], out = [];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % 4], f = a * p[0] + b * p[1] + c, g = a * q[0] + b * q[1] + c;
    if (f >= 0) out.push(p);
    if (f * g < 0) { const s = f / (f - g);
      out.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]); }
  });
  return out;
}
const plane = chart($("plane"), film.box, ...film.labels, true);
const sides = ["pos", "neg"].map(k =>
  add(plane.inside, "polygon", {fill: css(k), opacity: .13}));
const line = add(plane.inside, "line", {stroke: css("ink"), "stroke-width": 3.5});
film.points.forEach((p, i) => mark(plane.inside, plane.x(p[0]), plane.y(p[1]), film.codes[i], 7));
const ring = add(plane.inside, "circle", {r: 14, fill: "none", stroke: css("proof"),
                                          "stroke-width": 3});
function mark(parent, x, y, code, r) {
  if (code) add(parent, "circle", {cx: x, cy: y, r, fill: css("pos"), stroke: css("paper")});
  else add(parent, "path", {d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}` +
    `L${x + r} ${y - r}`, stroke: css("neg"), "stroke-width": 4, fill: "none"});
}
let room = L + 12;
[0, 1].forEach(k => {
  mark($("plane"), room, 20, k, 7);
  add($("plane"), "text", {x: room + 14, y: 25}, film.classes[k]);
  room += Math.max(130, 40 + 9 * film.classes[k].length);
});
const last = Math.max(1, film.updates[film.updates.length - 1]), far = 1.05 * last;
const start = film.norms[0], upper = k => Math.hypot(start, film.radius * Math.sqrt(k));
const top_ = upper(far);
const proof = chart($("proof"), [0, far, 0, top_], "updates k", "‖w‖ / η", false);
const curve = (f, n = 120) => Array.from({length: n + 1}, (_, i) => far * i / n)
  .map(k => `${proof.x(k)},${proof.y(f(k))}`).join(" ");
function path(points, colour, dash, label, place) {
  if (points) add(proof.inside, "polyline", {points, fill: "none", stroke: css(colour),
    "stroke-width": 3, "stroke-dasharray": dash});
  add($("proof"), "line", {x1: L + place, x2: L + place + 30, y1: 20, y2: 20, stroke: css(colour),
    "stroke-width": 3, "stroke-dasharray": dash});
  add($("proof"), "text", {x: L + place + 37, y: 25}, label);
}
const from0 = start === 0, wide = from0 ? 0 : 60;
path(curve(upper), "neg", "9 5", from0 ? "√k·R" : "√(‖w₀‖² + k·R²)", 0);
if (film.gamma > 0) path(curve(k => film.ahead + film.gamma * k), "pos", "9 4 2 4",
  from0 ? "k·γ" : "w₀·u + k·γ", 110 + wide);
path("", "w", "", "‖w‖", 210 + 2 * wide);
const walked = add(proof.inside, "polyline", {fill: "none", stroke: css("w"), "stroke-width": 4});
const dot = add(proof.inside, "circle", {r: 7, fill: css("w"), stroke: css("paper")});
let now = 0, timer = null;
function draw(frame) {
  now = Math.max(0, Math.min(film.weights.length - 1, frame));
  const [a, b, c] = film.weights[now], k = film.updates[now], row = film.rows[now];
  const flat = a === 0 && b === 0;
  [1, -1].forEach((s, i) => sides[i].setAttribute("points", flat ? "" :
    clipHalf(film.box, s * a, s * b, s * c).map(p => plane.x(p[0]) + "," + plane.y(p[1]))
      .join(" ")));
  line.style.display = flat ? "none" : "";
  if (!flat) {
    const n = Math.hypot(a, b), px = -c * a / n / n, py = -c * b / n / n;
    const far = 4 * (film.box[1] - film.box[0] + film.box[3] - film.box[2]) +
      Math.hypot(px - film.box[0], py - film.box[2]);
    line.setAttribute("x1", plane.x(px - far * b / n)); line.setAttribute("y1",
      plane.y(py + far * a / n));
    line.setAttribute("x2", plane.x(px + far * b / n)); line.setAttribute("y2",
      plane.y(py - far * a / n));
  }
  ring.style.display = row < 0 ? "none" : "";
  if (row >= 0) { ring.setAttribute("cx", plane.x(film.points[row][0]));
                  ring.setAttribute("cy", plane.y(film.points[row][1])); }
  walked.setAttribute("points", film.norms.slice(0, k + 1)
    .map((v, i) => proof.x(i) + "," + proof.y(v)).join(" "));
  dot.setAttribute("cx", proof.x(k)); dot.setAttribute("cy", proof.y(film.norms[k]));
  $("at").value = now;
  const said = $("said"), first = document.createElement("b");
  first.textContent = `update ${k} of ${last}`;
  const name = row < 0 ? "" : film.classes[film.codes[row]];
  const cause = row < 0 ? ": the start. " : `: row ${row}, class ${name}, was a mistake. `;
  const most = (from0 ? "R²/γ² = " : "") + show(film.bound);
  const bound = film.gamma > 0 ? ` At most ${most} updates.`
    : " The points are inseparable.";
  said.replaceChildren(first, cause + `w = (${show(a)}, ${show(b)}), b = ${show(c)}.` + bound);
}
function play(on) {
  clearInterval(timer); timer = null;
  if (on) {
    if (now === film.weights.length - 1) draw(0);
    timer = setInterval(() => { draw(now + 1);
      if (now === film.weights.length - 1) play(false); }, 1000 / film.fps);
  }
  $("play").textContent = timer ? "❚❚" : "▶";
}
$("at").max = film.weights.length - 1;
$("at").oninput = event => { play(false); draw(+event.target.value); };
$("play").onclick = () => play(!timer);
$("back").onclick = () => { play(false); draw(now - 1); };
$("next").onclick = () => { play(false); draw(now + 1); };
document.onkeydown = event => {
  if (event.target.tagName === "INPUT") return;
  if (event.key === "ArrowRight") $("next").click();
  else if (event.key === "ArrowLeft") $("back").click();
  else if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault();
    $("play").click(); }
};
draw(0);
</script>
</html>
"""
