// Step, back, play, timeline: where in the run the page looks.

import { button, el, freshId } from "../dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 30, 60];
const SOFT = 2.4; // steps a second of a run that plays by itself
const SLOW = 4; // steps a second up to which each update is looked at first, and seen

// said: the sentence on what the step did.
export function runControls(model, said) {
  let timer = null;
  const play = button("Play", () => (timer ? pause() : begin()), { title: "Let it run", class: "near primary big" });
  const reset = button("Reset", () => go(0), { title: "Back to the start of the run", class: "far" });
  const back = button("Back", () => model.backward(), { title: "One step back", class: "near" });
  const step = button("Step", forward, { title: "Look at the next point; if it is a mistake, press again to update", class: "near" });
  const next = button("Next mistake", () => model.toMistake(), { title: "On to the next point that is a mistake, then its update", class: "near" });
  const end = button("End", () => go(model.steps), { title: "Run to the end", class: "far" });
  const softly = (on) => {
    if (!on && !soft) return;
    soft = on;
    if (on) begin();
    else pause();
  };
  let soft = false; // whether it plays by itself
  const speedId = freshId("speed");
  const speed = el("select", { id: speedId }, ...SPEEDS.map((value) => el("option", { value, text: `${value}/s` })));
  speed.value = 4;
  const lineId = freshId("timeline");
  const timeline = el("input", { id: lineId, type: "range", min: 0, value: 0, step: 1, class: "timeline" });
  timeline.addEventListener("input", () => go(Number(timeline.value)));
  const place = el("output", { class: "place", for: lineId });
  const ticks = el("div", { class: "ticks", "aria-hidden": true });
  const root = el("div", { class: "run", role: "group", "aria-label": "Run controls" }, said,
    el("div", { class: "buttons" }, play, step, back, next, reset, end),
    el("div", { class: "line" }, el("label", { for: lineId, text: "Step" }), el("div", { class: "track" }, ticks, timeline), place,
      el("span", { class: "row speed" }, el("label", { for: speedId, text: "Speed" }), speed)));

  function go(at) {
    if (timer && at >= model.steps) pause();
    model.go(at);
  }

  function forward() {
    model.forward();
    if (timer && model.at >= model.steps) pause();
  }

  function begin() {
    if (model.at >= model.steps) model.go(0);
    let last = performance.now();
    const tick = (now) => {
      const rate = soft ? SOFT : Number(speed.value);
      const due = Math.floor(((now - last) / 1000) * rate);
      model.quick = rate > SLOW;
      if (due >= 1) {
        last = now;
        if (model.quick) model.go(model.at + due);
        else model.forward();
      }
      if (model.at >= model.steps) pause();
      else if (timer) timer = requestAnimationFrame(tick);
    };
    timer = requestAnimationFrame(tick);
    model.playing = true;
    play.textContent = "Pause";
    model.emit("playing");
  }

  function pause() {
    cancelAnimationFrame(timer);
    timer = null;
    soft = false;
    model.quick = false;
    model.playing = false;
    play.textContent = "Play";
    model.emit("playing");
  }

  function draw() {
    const { steps, at } = model;
    timeline.max = Math.max(1, steps);
    timeline.value = at;
    for (const node of [reset, back]) node.disabled = model.place === 0 || !model.answer;
    const quiz = Boolean(model.quiz);
    timeline.setAttribute("aria-valuetext", quiz ? `step ${at}` : `step ${at} of ${steps}`);
    place.textContent = quiz ? `${at}` : `${at} / ${steps}`;
    for (const node of [step, next, end]) node.disabled = at >= steps || quiz;
    play.disabled = steps === 0 || quiz;
    timeline.disabled = quiz || !model.answer;
  }

  // A tick for each update, so that the timeline shows where the weights changed.
  function drawTicks() {
    const { run } = model.answer ?? {};
    ticks.replaceChildren();
    if (!run || run.mistakes.length > 400) return;
    run.mistakes.slice(0, model.known).forEach((count, k) => {
      if (!count) return;
      const tick = el("i");
      tick.style.left = `${(100 * (k + 1)) / run.mistakes.length}%`;
      ticks.append(tick);
    });
  }

  model.on("answer error at quiz", draw);
  model.on("answer error at quiz", drawTicks);
  model.on("error", () => { if (timer) pause(); });
  draw();
  return { root, go, pause, forward, softly, playing: () => model.playing };
}
