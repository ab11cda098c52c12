"""
The sandwich
============

Every update adds at least γ to w·w* and at most R² to ‖w‖². So k·γ ≤ ‖w‖ ≤ √k·R, and k ≤ R²/γ².
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.five_points()[:2]
run = rb.trace(X, y)
figures.sandwich(run)
