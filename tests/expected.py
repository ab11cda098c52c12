"""Warnings that tests bring about on purpose, as marks; every other warning is an error."""

from __future__ import annotations

import pytest

OUT_OF_PASSES = pytest.mark.filterwarnings(
    "ignore:The budget of passes is spent:sklearn.exceptions.ConvergenceWarning",
    "ignore:All max_iter rounds are made:sklearn.exceptions.ConvergenceWarning",
)
SHORT_OF_THE_MARGIN = pytest.mark.filterwarnings(
    r"ignore:margin=.* was not reached in:sklearn.exceptions.ConvergenceWarning"
)
SHORT_OF_RTOL = pytest.mark.filterwarnings(
    "ignore:The margin is known to be in:sklearn.exceptions.ConvergenceWarning",
    "ignore:The margin is known to be in:rosenblatt.errors.NotConverged",
)
WITHOUT_NAMES = pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
LABELS_ALIKE = pytest.mark.filterwarnings("default:Labels that differ only:UserWarning")
SCALED_BY_THE_COMMAND = pytest.mark.filterwarnings(
    "ignore:.*the model wants features scaled or one-hot encoded:UserWarning"
)
