"""
An update, as vectors
=====================

Old w plus the point is new w. The angle to the point was obtuse; it always shrinks.
"""

from rosenblatt import figures

figures.update_vectors([3, -1], [-1, 2])
