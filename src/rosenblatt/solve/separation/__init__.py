"""Complete, quasi-complete or overlap: does a regression have finite estimates?

A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic
regression models", Biometrika 71 (1984), 1–10. Everything is read off the cone C = {z : Az ≥ 0}:
the likelihood rises for ever along its directions with Az ≠ 0.

``question`` holds `separation_kind`, ``answer`` what it returns and ``text`` its words; ``models``
writes the logit, the multinomial and the ordinal model as cones; ``cone`` finds the least face that
holds C, over the subspaces of ``faces``, the program of ``ascent`` and the search of ``strict``;
``redundant`` names columns that depend on each other, ``near_ties`` what only rounding denies.
"""

from rosenblatt.solve.separation.answer import Estimate, Kind, SeparationKind
from rosenblatt.solve.separation.question import separation_kind

__all__ = ["Estimate", "Kind", "SeparationKind", "separation_kind"]
