"""Moved."""
from rosenblatt.checks import *  # noqa
from rosenblatt.checks import FLOATS, check_finite, check_labels, check_rows, codes_among, sample_steps  # noqa
