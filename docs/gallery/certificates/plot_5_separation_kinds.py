"""
Complete, quasi-complete, overlap
=================================

What statisticians ask before a logistic regression. Left, a line has every row strictly on its
side: complete separation. Middle, a line has no row on the wrong side, but some on itself:
quasi-complete separation. Right, overlap: only here does the estimate exist.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

sets = {
    "complete separation": datasets.gaussian(40, 2, 0.3, seed=8)[:2],
    "quasi-complete separation": datasets.touching(40, 2, seed=3)[:2],
    "overlap": datasets.flipped(40, 2, 0.1, flips=3, seed=1)[:2],
}
kinds = [rb.separation_kind(X, y) for X, y in sets.values()]
print([str(found.kind) for found in kinds])
figures.side_by_side(sets, proofs=[None, kinds[1].separation, None])
