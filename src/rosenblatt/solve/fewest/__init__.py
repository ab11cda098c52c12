"""The fewest training errors of any linear classifier, bracketed, with a proof of both ends.

Finding the least number of errors is NP-hard (Johnson and Preparata 1978). Rows must be removed
until the rest is separable, and of every inseparable subset at least one row must go: a covering
problem over the irreducible inseparable subsets (Gleeson and Ryan 1990; Amaldi, Pfetsch and Trotter
2003), solved by branch and cut. ``question`` holds `fewest_errors`, ``answer`` what it returns;
``subsets`` finds inseparable subsets, ``cover`` weighs them, ``cases`` branches, ``descent`` finds
weights with few errors, ``starts`` where it begins and ``removal`` makes what they get wrong
irreducible.
"""

from rosenblatt.solve.fewest.answer import FewestErrors
from rosenblatt.solve.fewest.question import fewest_errors

__all__ = ["FewestErrors", "fewest_errors"]
