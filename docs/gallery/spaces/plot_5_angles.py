"""
The angle view
==============

The sign of w·x is that of the cosine between them: acute angles are positive.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

data = datasets.six_points()
run = rb.trace(data.X, data.y, **data.settings)
figures.angles(run)
