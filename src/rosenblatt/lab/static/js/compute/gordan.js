// Gordan's alternative, exactly: of integer rows aᵢ either some z has aᵢ·z > 0 for all, or some weights
// α ≥ 0, not all 0, have Σ αᵢaᵢ = 0. The simplex method over BigInts: α is sought with Σ αᵢ = 1, least
// in its remainder; where a remainder is left, its dual is z. Bland's rule, so that it always ends.

export function alternative(rows) {
  const wide = rows[0].length + 1;
  const n = rows.length;
  // Columns: the rows with a 1 below, then a remainder for each equation, then the right-hand side.
  const table = Array.from({ length: wide }, (_, i) => [
    ...rows.map((row) => (i + 1 < wide ? row[i] : 1n)),
    ...Array.from({ length: wide }, (__, k) => (k === i ? 1n : 0n)), i + 1 < wide ? 0n : 1n,
  ]);
  const cost = table[0].map((_, j) => (j >= n && j < n + wide ? 0n : -table.reduce((sum, line) => sum + line[j], 0n)));
  const basis = Array.from({ length: wide }, (_, i) => n + i);
  let unit = 1n; // all numbers of the table are so many times as large: no fraction is ever needed
  for (;;) {
    const enters = cost.findIndex((value, j) => j < n && value < 0n);
    if (enters < 0) break;
    let leaves = -1;
    table.forEach((line, i) => {
      if (line[enters] <= 0n) return;
      if (leaves < 0) { leaves = i; return; }
      const less = line.at(-1) * table[leaves][enters] - table[leaves].at(-1) * line[enters];
      if (less < 0n || (less === 0n && basis[i] < basis[leaves])) leaves = i;
    });
    const pivot = table[leaves][enters];
    for (const line of [...table, cost]) {
      if (line === table[leaves]) continue;
      const by = line[enters];
      for (let j = 0; j < line.length; j += 1) line[j] = (line[j] * pivot - by * table[leaves][j]) / unit;
    }
    unit = pivot;
    basis[leaves] = enters;
  }
  if (cost.at(-1) !== 0n) {
    // The reduced cost of a remainder is 1 less its dual; z is the dual with its sign turned.
    return { z: Array.from({ length: wide - 1 }, (_, i) => cost[n + i] - unit) };
  }
  const alpha = rows.map(() => 0n);
  basis.forEach((j, i) => { if (j < n) alpha[j] = table[i].at(-1); });
  return { alpha: shortened(alpha) };
}

// Whole numbers without a common divisor.
function shortened(numbers) {
  const divisor = numbers.reduce((a, b) => { while (b) [a, b] = [b, a % b]; return a; }, 0n);
  return numbers.map((value) => value / divisor);
}
