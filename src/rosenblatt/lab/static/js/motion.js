// The update in motion: the weights go from what they were to what they are, in all views at once.

const LASTS = 450; // milliseconds

export function moveUpdates(model) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let before = { update: 0, experiment: null };
  let frame = 0;

  function begin() {
    cancelAnimationFrame(frame);
    const next = before.experiment === model.experiment && model.update === before.update + 1;
    before = { update: model.update, experiment: model.experiment };
    model.turned = 1;
    if (!next || model.quick || still.matches || document.hidden) return;
    const first = performance.now();
    model.turned = 0;
    const tick = (now) => {
      model.turned = Math.min(1, Math.max(0, (now - first) / LASTS));
      model.emit("frame");
      if (model.turned < 1) frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  }

  function rest() {
    cancelAnimationFrame(frame);
    model.turned = 1;
    before = { update: model.update, experiment: model.experiment };
  }

  model.on("at", begin);
  model.on("experiment answer error", rest);
}
