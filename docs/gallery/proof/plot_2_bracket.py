"""
The margin's bracket
====================

Read backwards the sandwich brackets the unknown margin: what was reached ≤ γ ≤ ‖w‖/k.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.five_points()[:2]
run = rb.trace(X, y)
figures.bracket(run)
