"""
Three step sizes
================

Too small a step takes long to come down; too large a one jumps over the region without risk.
"""

import numpy as np

from rosenblatt import figures

X = np.array([[-2, 2.2], [2.2, -2], [1.5, 0.5], [-1, -2]])
y = np.array([1, 1, 1, -1])
figures.step_sizes(X, y, [0.01, 0.1, 1], init=[3, -4])
