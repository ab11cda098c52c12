"""The kernel perceptron's kernels, its Gram rows, and its sweep for the one loop.

In its dual form the perceptron never sees the feature space: w = Σ cᵢφ(xᵢ), and the scores of all
points, fᵢ = Σ cⱼ(k(xⱼ, xᵢ) + bias), are kept up to date by adding one Gram row at each mistake, so
that a look costs O(1) (O(K) with K classes). Rows are computed when a mistake first asks for them.

``gram`` holds the kernels and their rows, ``dual`` what a run changes, ``looks`` and ``votes`` the
plain functions that are compiled, ``sweep`` what the loop of ``learn`` drives.
"""

from rosenblatt.engine.kernels.dual import Dual, make_dual, queue_coefficients
from rosenblatt.engine.kernels.gram import GramRows, Kernel
from rosenblatt.engine.kernels.looks import GramView, lap
from rosenblatt.engine.kernels.sweep import KernelSweep
from rosenblatt.engine.kernels.votes import vote

__all__ = [
    "Dual",
    "GramRows",
    "GramView",
    "Kernel",
    "KernelSweep",
    "lap",
    "make_dual",
    "queue_coefficients",
    "vote",
]
