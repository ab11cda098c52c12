// Gordan's alternative, exactly: of integer rows aᵢ either some z has aᵢ·z > 0 for all, or some weights
// α ≥ 0, not all 0, have Σ αᵢaᵢ = 0. The revised simplex method over BigInts: α is sought with Σ αᵢ = 1,
// least in its remainders; where a remainder is left, z is the dual.

const PATIENCE = 4; // times as many steps as equations without progress: then Bland's rule, so that it ends

/*
 * Column k of the equations is (aₖ, 1), their right-hand side (0, …, 0, 1). The table is the inverse of
 * the basis, times a whole number, the unit: no fraction is ever needed (Edmonds 1967), and its last
 * column is the basic solution. guess(y): the row that floats take to lie furthest on the positive side
 * of y, which stands for whole numbers of any size.
 */
export function alternative(rows, guess) {
  const wide = rows[0].length + 1;
  const n = rows.length;
  const table = Array.from({ length: wide }, (_, i) => Array.from({ length: wide }, (__, j) => BigInt(i === j)));
  const basis = table.map((_, i) => n + i); // a row, or from n on the remainder of an equation
  let unit = 1n;
  let idle = 0;
  const times = (line, k) => rows[k].reduce((sum, value, j) => (value && line[j] ? sum + value * line[j] : sum), line.at(-1));
  for (;;) {
    const left = table.filter((_, i) => basis[i] >= n);
    const dual = table.map((_, j) => left.reduce((sum, line) => sum + line[j], 0n));
    let enters = idle > PATIENCE * wide ? -1 : guess(dual);
    if (enters < 0 || times(dual, enters) <= 0n) enters = rows.findIndex((_, k) => times(dual, k) > 0n);
    if (enters < 0) {
      if (dual.at(-1) !== 0n) return { z: dual.slice(0, -1).map((value) => -value) };
      const alpha = rows.map(() => 0n);
      basis.forEach((k, i) => { if (k < n) alpha[k] = table[i].at(-1); });
      return { alpha: shortened(alpha) };
    }
    const column = table.map((line) => times(line, enters));
    let leaves = -1;
    column.forEach((value, i) => {
      if (value <= 0n) return;
      const less = leaves < 0 ? -1n : table[i].at(-1) * column[leaves] - table[leaves].at(-1) * value;
      if (less < 0n || (less === 0n && basis[i] < basis[leaves])) leaves = i;
    });
    const pivot = table[leaves];
    idle = pivot.at(-1) ? 0 : idle + 1;
    column.forEach((by, i) => {
      if (i !== leaves) table[i] = table[i].map((value, j) => (value * column[leaves] - by * pivot[j]) / unit);
    });
    unit = column[leaves];
    basis[leaves] = enters;
  }
}

// Whole numbers without a common divisor.
function shortened(numbers) {
  const divisor = numbers.reduce((a, b) => { while (b) [a, b] = [b, a % b]; return a; }, 0n);
  return numbers.map((value) => value / divisor);
}
