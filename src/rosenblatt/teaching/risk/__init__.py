"""The perceptron criterion of the second lecture, and descent on it.

R(w) = Σ −yᵢ w·xᵢ over the misclassified points V = {i : yᵢ w·xᵢ < 0}: convex, piecewise linear,
never negative, and R(cw) = c·R(w) for c ≥ 0. A point on the boundary is not in V, as the lecture
has it, so R(0) = 0 though 0 separates nothing: descent starts elsewhere, and ends should it come to
0. Labels are of two classes, +1 of −1 and +1 or as `rosenblatt.decide` finds the positive one;
``positive=`` says another. Weights have d entries (a hyperplane through the origin) or d + 1 (the
bias last, by padding every point with a 1).

``values`` holds the criterion, its gradient and the line search; ``descent`` walks down, which is
the package's one loop with the sweep of ``sweep``; ``studies`` compares step sizes; ``problem`` has
the checked data under all of them.
"""

from rosenblatt.teaching.risk.descent import Path, descend, step_bound
from rosenblatt.teaching.risk.studies import Study, study
from rosenblatt.teaching.risk.sweep import STEPS, Descent, DescentSweep, Entry
from rosenblatt.teaching.risk.values import criterion, gradient, line_search

__all__ = [
    "STEPS",
    "Descent",
    "DescentSweep",
    "Entry",
    "Path",
    "Study",
    "criterion",
    "descend",
    "gradient",
    "line_search",
    "step_bound",
    "study",
]
