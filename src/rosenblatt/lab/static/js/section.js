// The section of weight space through given weights, with the risk over a grid: a sum over the rows.

import { offsetsAt } from "./geometry.js";

const GRID = 41; // places a side at which the risk is given

// plane: {rows, …}, of which a row is yᵢ(xᵢ, 1); weights: those whose further coordinates (the bias, the
// weight of x₁x₂) the section has; reach: how far it is drawn.
export function sectionOf(plane, weights, reach) {
  const offsets = offsetsAt(plane.rows, weights);
  const risk = heights(plane.rows, offsets, reach);
  return { ...plane, reach, offsets, risk, top: Math.max(...risk.map((line) => Math.max(...line))) };
}

// R(w) = Σ max(0, −(aᵢ·w + cᵢ)).
function heights(rows, offsets, reach) {
  const side = Array.from({ length: GRID }, (_, k) => reach * ((2 * k) / (GRID - 1) - 1));
  return side.map((y) => {
    const line = new Array(GRID).fill(0);
    for (let k = 0; k < rows.length; k += 1) {
      const [a, b] = rows[k];
      const begin = b * y + offsets[k];
      for (let i = 0; i < GRID; i += 1) {
        const score = a * side[i] + begin;
        if (score < 0) line[i] -= score;
      }
    }
    return line;
  });
}
