"""Products of dense rows with weights, and with each other, in tiles that fit into registers.

A single score reads one weight for each product. A tile of four rows and four classes reads eight
numbers for sixteen products, and keeps its sixteen sums in registers, so that a block of rows costs
a third of the same rows one by one. Machine code for ``scores``, ``scores_of`` and ``products`` of
``points``.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from rosenblatt.engine.machine.prefetch import prefetch

ONE, TWO, THREE, FOUR = (np.uint64(k) for k in (1, 2, 3, 4))
# Entries of the rows that are multiplied with all classes before the next rows: half of a small
# cache.
NUMBERS_AT_ONCE = np.uint64(2**16)
# Prefetch distance, in entries of a sparse row.
ENTRIES_AHEAD = np.uint64(8)


@register_jitable
def scores_of(values, bias, chosen, weights, out):
    """``out[k, c]`` ← w_c·x + b_c·bias of the k-th chosen row."""
    rows, classes = np.uint64(len(chosen)), np.uint64(out.shape[1])
    fours = classes - classes % FOUR
    # These rows stay in the cache for all classes; rows are the inner loop, so that the weights of
    # four classes are read once for all of them. An incomplete tile repeats its last row or class,
    # which writes the same numbers again.
    at_once = FOUR * max(ONE, NUMBERS_AT_ONCE // (FOUR * max(ONE, np.uint64(values.shape[1]))))
    for first in range(np.uint64(0), rows, at_once):
        end = min(first + at_once, rows)
        for c in range(np.uint64(0), fours, FOUR):
            for k in range(first, end, FOUR):
                _tile_of_four(values, bias, chosen, k, rows - ONE, weights, c, out)
        for c in range(fours, classes, TWO):
            for k in range(first, end, FOUR):
                _tile_of_two(values, bias, chosen, k, rows - ONE, weights, c, classes - ONE, out)


@register_jitable(forceinline=True)
def _tile_of_four(values, bias, chosen, k, last, weights, c, out):
    """Four rows, four classes."""
    d, c1, c2, c3 = np.uint64(values.shape[1]), c + ONE, c + TWO, c + THREE
    k1, k2, k3 = min(k + ONE, last), min(k + TWO, last), min(k + THREE, last)
    i0, i1 = np.uint64(chosen[k]), np.uint64(chosen[k1])
    i2, i3 = np.uint64(chosen[k2]), np.uint64(chosen[k3])
    a0 = b0 = e0 = f0 = bias * weights[c, d]
    a1 = b1 = e1 = f1 = bias * weights[c1, d]
    a2 = b2 = e2 = f2 = bias * weights[c2, d]
    a3 = b3 = e3 = f3 = bias * weights[c3, d]
    for j in range(d):
        a, b, e, f = values[i0, j], values[i1, j], values[i2, j], values[i3, j]
        w = weights[c, j]
        a0, b0, e0, f0 = a0 + a * w, b0 + b * w, e0 + e * w, f0 + f * w
        w = weights[c1, j]
        a1, b1, e1, f1 = a1 + a * w, b1 + b * w, e1 + e * w, f1 + f * w
        w = weights[c2, j]
        a2, b2, e2, f2 = a2 + a * w, b2 + b * w, e2 + e * w, f2 + f * w
        w = weights[c3, j]
        a3, b3, e3, f3 = a3 + a * w, b3 + b * w, e3 + e * w, f3 + f * w
    out[k, c], out[k, c1], out[k, c2], out[k, c3] = a0, a1, a2, a3
    out[k1, c], out[k1, c1], out[k1, c2], out[k1, c3] = b0, b1, b2, b3
    out[k2, c], out[k2, c1], out[k2, c2], out[k2, c3] = e0, e1, e2, e3
    out[k3, c], out[k3, c1], out[k3, c2], out[k3, c3] = f0, f1, f2, f3


@register_jitable(forceinline=True)
def _tile_of_two(values, bias, chosen, k, last, weights, c, last_class, out):
    """Four rows, the last two classes or the very last one."""
    d, c1 = np.uint64(values.shape[1]), min(c + ONE, last_class)
    k1, k2, k3 = min(k + ONE, last), min(k + TWO, last), min(k + THREE, last)
    i0, i1 = np.uint64(chosen[k]), np.uint64(chosen[k1])
    i2, i3 = np.uint64(chosen[k2]), np.uint64(chosen[k3])
    a0 = b0 = e0 = f0 = bias * weights[c, d]
    a1 = b1 = e1 = f1 = bias * weights[c1, d]
    for j in range(d):
        a, b, e, f = values[i0, j], values[i1, j], values[i2, j], values[i3, j]
        w = weights[c, j]
        a0, b0, e0, f0 = a0 + a * w, b0 + b * w, e0 + e * w, f0 + f * w
        w = weights[c1, j]
        a1, b1, e1, f1 = a1 + a * w, b1 + b * w, e1 + e * w, f1 + f * w
    out[k, c], out[k1, c], out[k2, c], out[k3, c] = a0, b0, e0, f0
    out[k, c1], out[k1, c1], out[k2, c1], out[k3, c1] = a1, b1, e1, f1


@register_jitable
def products(values, bias, i, chosen, out):
    """``out[k]`` ← x·x′ + bias² of row i and the k-th chosen row, four of them at a time."""
    i, d, rows = np.uint64(i), np.uint64(values.shape[1]), np.uint64(len(chosen))
    for k in range(np.uint64(0), rows, FOUR):
        k1, k2, k3 = min(k + ONE, rows - ONE), min(k + TWO, rows - ONE), min(k + THREE, rows - ONE)
        i0, i1 = np.uint64(chosen[k]), np.uint64(chosen[k1])
        i2, i3 = np.uint64(chosen[k2]), np.uint64(chosen[k3])
        a = b = e = f = bias * bias
        for j in range(d):
            x = np.float64(values[i, j])
            a, b = a + x * values[i0, j], b + x * values[i1, j]
            e, f = e + x * values[i2, j], f + x * values[i3, j]
        out[k], out[k1], out[k2], out[k3] = a, b, e, f


@register_jitable(fastmath={"contract"}, forceinline=True)
def sparse_products(data, indices, first, end, weights):
    """Σ data[k]·weights[indices[k]] over first ≤ k < end.

    Four entries at a time, in pairs, so that few additions wait for each other. The order of
    additions is fixed: else LLVM would gather the weights into registers, which is slower.
    """
    total, k = 0.0, first
    while k + FOUR <= end:
        j0, j1 = np.uint64(indices[k]), np.uint64(indices[k + ONE])
        j2, j3 = np.uint64(indices[k + TWO]), np.uint64(indices[k + THREE])
        pair = data[k] * weights[j0] + data[k + ONE] * weights[j1]
        total += pair + (data[k + TWO] * weights[j2] + data[k + THREE] * weights[j3])
        k += FOUR
    if k + TWO <= end:
        j0, j1 = np.uint64(indices[k]), np.uint64(indices[k + ONE])
        total += data[k] * weights[j0] + data[k + ONE] * weights[j1]
        k += TWO
    if k < end:
        total += data[k] * weights[np.uint64(indices[k])]
    return total


@register_jitable
def sparse_scores(rows, first, end, bias, weights, out):
    """``out[c]`` ← w_c·x + b_c·bias of the sparse row that these entries store.

    Four entries at a time, for all classes, so that each score is read and written a quarter as
    often. Weights are prefetched by index, since the processor cannot predict them.
    """
    classes, width = np.uint64(out.shape[0]), np.uint64(rows.width)
    stored = np.uint64(len(rows.indices))
    for c in range(classes):
        out[c] = bias * weights[c, width]
    fours = end - (end - first) % FOUR
    for k in range(first, fours, FOUR):
        x0, x1, x2, x3 = rows.data[k], rows.data[k + ONE], rows.data[k + TWO], rows.data[k + THREE]
        j0, j1 = np.uint64(rows.indices[k]), np.uint64(rows.indices[k + ONE])
        j2, j3 = np.uint64(rows.indices[k + TWO]), np.uint64(rows.indices[k + THREE])
        for later in range(k + ENTRIES_AHEAD, min(k + ENTRIES_AHEAD + FOUR, stored)):
            prefetch(weights, (np.uint64(0), np.uint64(rows.indices[later])))
        for c in range(classes):
            pair = x0 * weights[c, j0] + x1 * weights[c, j1]
            out[c] += pair + (x2 * weights[c, j2] + x3 * weights[c, j3])
    for k in range(fours, end):
        x, j = rows.data[k], np.uint64(rows.indices[k])
        for c in range(classes):
            out[c] += x * weights[c, j]
