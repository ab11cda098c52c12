// The first visit: one run is played softly, until the visitor does anything.

const WAIT = 900; // milliseconds

export function demonstrate(lab, run, signal) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    clearTimeout(timer);
    run.softly(false);
  };
  const timer = setTimeout(() => { run.softly(true); }, WAIT);
  signal.addEventListener("abort", end);
  for (const kind of ["pointerdown", "keydown", "wheel"]) {
    lab.addEventListener(kind, end, { capture: true, once: true, passive: true, signal: ended.signal });
  }
}
