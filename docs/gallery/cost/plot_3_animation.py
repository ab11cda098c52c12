"""
In motion
=========

``figures.animate(run, "run.gif")`` writes a file; ``"run.html"`` a page with a slider that
works offline.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.gaussian(40, 2, 0.05, seed=6)[:2]
run = rb.trace(X + 1, y)
moving = figures.animate(run, fps=4)
