"""The kernel perceptron's kernels, its Gram rows, and its sweep for the one loop.

In its dual form the perceptron never sees the feature space: w = Σ cᵢφ(xᵢ), and the scores of all
points in view, fᵢ = Σ cⱼ(k(xⱼ, xᵢ) + bias), are kept up to date by adding one Gram row at each
mistake, so that a look costs O(1) (O(K) with K classes); the others' when they come into view.

``kernel`` holds the kernels, made of ``tiles``, ``gram`` their rows, ``dual`` what a run changes,
``scores`` what is known of points out of view, ``looks`` and ``votes`` the plain functions that are
compiled, ``sweep`` what the loop of ``learn`` drives.
"""

from rosenblatt.engine.kernels.dual import Dual, make_dual, queue_coefficients
from rosenblatt.engine.kernels.gram import GramRows
from rosenblatt.engine.kernels.kernel import Kernel
from rosenblatt.engine.kernels.looks import GramView, lap
from rosenblatt.engine.kernels.scores import Scores
from rosenblatt.engine.kernels.sweep import KernelSweep
from rosenblatt.engine.kernels.votes import vote

__all__ = [
    "Dual",
    "GramRows",
    "GramView",
    "Kernel",
    "KernelSweep",
    "Scores",
    "lap",
    "make_dual",
    "queue_coefficients",
    "vote",
]
