// The geometry of drawing: boxes, ticks, clipping, contours. A line is n·p + c = 0.

export function frameOf(points) {
  if (!points.length) return [-5, 5, -5, 5];
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const low = [Math.min(...xs), Math.min(...ys)];
  const high = [Math.max(...xs), Math.max(...ys)];
  // The origin belongs into the picture where it is not far off.
  const near = 0.6 * Math.max(high[0] - low[0], high[1] - low[1], 1);
  for (const axis of [0, 1]) {
    if (low[axis] > 0 && low[axis] < near) low[axis] = 0;
    if (high[axis] < 0 && high[axis] > -near) high[axis] = 0;
  }
  const span = Math.max(high[0] - low[0], high[1] - low[1], 1) * 1.4;
  // One scale for both axes: a right angle looks like one.
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  const step = tickStep(span, 8);
  const reach = Math.ceil(span / 2 / step) * step;
  const centre = middle.map((m) => Math.round(m / step) * step);
  return [centre[0] - reach, centre[0] + reach, centre[1] - reach, centre[1] + reach];
}

export function inside(box, p) {
  return p[0] >= box[0] && p[0] <= box[1] && p[1] >= box[2] && p[1] <= box[3];
}

export function tickStep(span, count) {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].find((m) => m * power >= raw) * power;
}

export function ticks(low, high, count = 8) {
  const step = tickStep(high - low, count);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) {
    found.push(Number((k * step).toPrecision(12)));
  }
  return found;
}

// Points and drags come to rest on quarters, so that fractions stay short; in a picture of very small
// or very large numbers on finer or coarser steps.
export function grain(box) {
  const step = (box[1] - box[0]) / 44;
  return step > 0.03 && step < 0.5 ? 0.25 : 2 ** Math.round(Math.log2(step));
}

// How far to draw, that all of these are in view: doubled only where it must be, so that pictures stay.
export function reachOf(least, values) {
  let reach = 1.3 * least;
  const furthest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  while (reach < 1.1 * furthest) reach *= 2;
  return reach;
}

export function snap(value, step) {
  return Math.round(value / step) * step;
}

export function corners([left, right, bottom, top]) {
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
}

// The part of a polygon where n·p + c ≥ 0 (Sutherland and Hodgman).
export function clip(polygon, normal, offset) {
  const height = (p) => normal[0] * p[0] + normal[1] * p[1] + offset;
  const kept = [];
  polygon.forEach((here, k) => {
    const after = polygon[(k + 1) % polygon.length];
    const a = height(here);
    const b = height(after);
    if (a >= 0) kept.push(here);
    if (a * b < 0) {
      const share = a / (a - b);
      kept.push([here[0] + share * (after[0] - here[0]), here[1] + share * (after[1] - here[1])]);
    }
  });
  return kept;
}

export function lineInBox(normal, offset, box) {
  const polygon = corners(box);
  const ends = [];
  polygon.forEach((here, k) => {
    const after = polygon[(k + 1) % 4];
    const a = normal[0] * here[0] + normal[1] * here[1] + offset;
    const b = normal[0] * after[0] + normal[1] * after[1] + offset;
    if (a === 0) ends.push(here);
    else if (a * b < 0) {
      const share = a / (a - b);
      ends.push([here[0] + share * (after[0] - here[0]), here[1] + share * (after[1] - here[1])]);
    }
  });
  return ends.length >= 2 && (normal[0] || normal[1]) ? [ends[0], ends[1]] : null;
}

// Values of a function on a grid over a box.
export function sample(f, box, n) {
  const grid = [];
  for (let j = 0; j < n; j += 1) {
    const y = box[2] + ((box[3] - box[2]) * j) / (n - 1);
    const row = [];
    for (let i = 0; i < n; i += 1) row.push(f([box[0] + ((box[1] - box[0]) * i) / (n - 1), y]));
    grid.push(row);
  }
  return grid;
}

function eachCell(grid, box, visit) {
  const rows = grid.length - 1;
  const columns = grid[0].length - 1;
  const dx = (box[1] - box[0]) / columns;
  const dy = (box[3] - box[2]) / rows;
  for (let j = 0; j < rows; j += 1) {
    for (let i = 0; i < columns; i += 1) {
      const x = box[0] + i * dx;
      const y = box[2] + j * dy;
      visit([
        [x, y, grid[j][i]], [x + dx, y, grid[j][i + 1]],
        [x + dx, y + dy, grid[j + 1][i + 1]], [x, y + dy, grid[j + 1][i]],
      ]);
    }
  }
}

function crossing(a, b, level) {
  const share = (level - a[2]) / (b[2] - a[2]);
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
}

// The line at a level, as segments (marching squares).
export function contour(grid, box, level) {
  const segments = [];
  eachCell(grid, box, (cell) => {
    const found = [];
    cell.forEach((here, k) => {
      const after = cell[(k + 1) % 4];
      if ((here[2] >= level) !== (after[2] >= level)) found.push(crossing(here, after, level));
    });
    for (let k = 0; k + 1 < found.length; k += 2) segments.push([found[k], found[k + 1]]);
  });
  return segments;
}

// The part of the box at or above a level, as polygons, one a cell.
export function above(grid, box, level) {
  const polygons = [];
  eachCell(grid, box, (cell) => {
    const part = [];
    cell.forEach((here, k) => {
      const after = cell[(k + 1) % 4];
      if (here[2] >= level) part.push(here);
      if ((here[2] >= level) !== (after[2] >= level)) part.push(crossing(here, after, level));
    });
    if (part.length > 2) polygons.push(part);
  });
  return polygons;
}

// The constraint lines in the plane of w₁ and w₂ through these weights.
export function offsetsAt(rows, weights) {
  return rows.map((row) => row.slice(2).reduce((sum, value, j) => sum + value * weights[2 + j], 0));
}

// Where all rows a·p + c ≥ 0 agree within a box; and which rows bound that region.
export function wedgeOf(rows, offsets, box) {
  let polygon = corners(box);
  rows.forEach((row, k) => { if (polygon.length) polygon = clip(polygon, row, offsets[k]); });
  const area = polygon.reduce((sum, p, k) => {
    const q = polygon[(k + 1) % polygon.length];
    return sum + p[0] * q[1] - q[0] * p[1];
  }, 0) / 2;
  const size = box[1] - box[0];
  if (Math.abs(area) < 1e-9 * size ** 2) return { polygon: [], edges: new Set() };
  const touches = (row, k) => polygon.filter((p) => {
    const height = row[0] * p[0] + row[1] * p[1] + offsets[k];
    return Math.abs(height) <= 1e-7 * size * Math.hypot(row[0], row[1]);
  }).length > 1;
  return { polygon, edges: new Set(rows.map((_, k) => k).filter((k) => touches(rows[k], k))) };
}
