"""
Exclusive or, before and after
==============================

No line separates exclusive or. With the feature x₁x₂ a plane does.
"""

from rosenblatt import figures

figures.with_product()
