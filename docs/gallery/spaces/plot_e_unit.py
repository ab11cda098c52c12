"""
The unit
========

Inputs times weights, summed, compared with zero.
"""

from rosenblatt import figures

figures.unit([0.5, 0.5, -50], [90, 80], names=["homework", "exam"])
