"""
The projection of u on v
========================

The foot of the perpendicular from u. With w for v it gives the distance of a point from a line.
"""

from rosenblatt import figures

figures.vector_projection([3, 2], [4, -1])
