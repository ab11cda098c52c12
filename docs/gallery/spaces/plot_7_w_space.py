"""
The path of w
=============

The weights walk into the wedge, update by update.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

data = datasets.six_points()
run = rb.trace(data.X, data.y, **data.settings)
figures.w_space(run)
