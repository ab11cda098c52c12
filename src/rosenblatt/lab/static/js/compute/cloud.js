// Random points of two classes on both sides of a random line, none nearer to it than a margin, some
// of them to test on; noise is the share of labels that are turned round.

import { Random } from "./random.js";

const RADIUS = 5;
const GRAIN = 64;

export function cloud({ n, margin, noise = 0, test = 0, seed = 0 }) {
  const random = new Random(seed);
  const angle = 2 * Math.PI * random.uniform();
  const normal = [Math.cos(angle), Math.sin(angle)];
  const offset = (random.uniform() - 0.5) * Math.max(0, RADIUS - margin);
  const drawn = Array.from({ length: n + test }, (_, k) => {
    // Both classes are there; rounding moves a point by less than 1/GRAIN.
    const side = k < 2 ? 2 * k - 1 : 0;
    for (;;) {
      const p = [0, 1].map(() => Math.round(RADIUS * (2 * random.uniform() - 1) * GRAIN) / GRAIN);
      const ahead = normal[0] * p[0] + normal[1] * p[1] + offset;
      if (Math.hypot(...p) > RADIUS || Math.abs(ahead) < margin || side * ahead < 0) continue;
      return [...p, Number(ahead > 0)];
    }
  });
  const turned = drawn.map(([x1, x2, code]) => [x1, x2, random.uniform() < noise ? 1 - code : code]);
  return { points: turned.slice(0, n), test: turned.slice(n) };
}
