// The point of a convex hull nearest to the origin (Wolfe 1976), in floats. Its length is the best
// margin of the vertices, and the point itself the best weights.

const ROUNDS = 500;
const CLOSE = 1e-13; // relative gap at which it is near enough

const inner = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
const minus = (a, b) => a.map((value, j) => value - b[j]);

// lowest(x): the vertex {at, name} of least product with x; lowest(null): any.
// Returns the point, and the vertices that it is a mean of, with their shares.
export function nearest(lowest) {
  let corral = [{ ...lowest(null), share: 1 }];
  let point = corral[0].at;
  let length = inner(point, point);
  let largest = length;
  for (let round = 0; round < ROUNDS; round += 1) {
    const vertex = lowest(point);
    largest = Math.max(largest, inner(vertex.at, vertex.at));
    const gap = length - inner(point, vertex.at);
    const known = corral.some(({ name }) => name === vertex.name);
    if (known || gap <= CLOSE * length || length <= CLOSE * CLOSE * largest) break;
    const next = settle([...corral, { ...vertex, share: 0 }]);
    const found = mean(next);
    const shorter = inner(found, found);
    if (!(shorter < length)) break; // as near as floats can tell
    corral = next;
    point = found;
    length = shorter;
  }
  return { point, corral };
}

function mean(corral) {
  return corral[0].at.map((_, j) => corral.reduce((sum, { at, share }) => sum + share * at[j], 0));
}

// Shares that bring the mean of the vertices nearest to the origin, those without one left out.
function settle(corral) {
  let kept = corral;
  for (;;) {
    const wanted = affine(kept.map(({ at }) => at));
    if (wanted.every((share) => share > 1e-15)) return kept.map((one, k) => ({ ...one, share: wanted[k] }));
    // As far towards them as no share falls below 0.
    const reach = Math.min(1, ...kept.map(({ share }, k) => (wanted[k] < share && wanted[k] <= 1e-15 ? share / (share - wanted[k]) : 1)));
    const moved = kept.map((one, k) => ({ ...one, share: one.share + reach * (wanted[k] - one.share) }));
    const least = Math.min(...moved.map(({ share }) => share));
    kept = moved.filter(({ share }) => share > Math.max(1e-15, least));
    if (kept.length <= 1) return [{ ...(kept[0] ?? moved[0]), share: 1 }];
  }
}

// Shares of sum 1, of any sign, of the point nearest to the origin among all such means: least squares
// by Gram and Schmidt, twice, against rounding.
function affine(vertices) {
  const [first, ...others] = vertices;
  const basis = [];
  const triangle = [];
  for (const vertex of others) {
    let rest = minus(vertex, first);
    const column = basis.map(() => 0);
    for (let again = 0; again < 2; again += 1) {
      basis.forEach((unit, k) => {
        const by = inner(unit, rest);
        column[k] += by;
        rest = rest.map((value, j) => value - by * unit[j]);
      });
    }
    const size = Math.sqrt(inner(rest, rest));
    basis.push(rest.map((value) => (size ? value / size : 0)));
    triangle.push([...column, size]);
  }
  const shares = others.map(() => 0);
  const target = basis.map((unit) => -inner(unit, first));
  for (let k = others.length - 1; k >= 0; k -= 1) {
    const rest = shares.slice(k + 1).reduce((sum, share, j) => sum + triangle[k + 1 + j][k] * share, 0);
    shares[k] = triangle[k][k] ? (target[k] - rest) / triangle[k][k] : 0;
  }
  return [1 - shares.reduce((sum, share) => sum + share, 0), ...shares];
}
