"""
The classes of growth
=====================

From constant to exponential; `rosenblatt.cost.growth_class` names the one that costs follow.
"""

from rosenblatt import figures

figures.growth_classes()
