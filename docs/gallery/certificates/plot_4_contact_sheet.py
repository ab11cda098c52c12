"""
The images that prove it
========================

The digit 8 cannot be told from the others by one hyperplane. These are the images that prove
it, with their weights in the proof.
"""

import rosenblatt as rb
from rosenblatt import datasets, figures

X, y = datasets.load("digits")[:2]
is_eight = (y == 8).astype(int)
decision = rb.decide(X, is_eight)
figures.contact_sheet(decision, X, is_eight)
