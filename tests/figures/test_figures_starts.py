"""Pictures of a descent start where there is some way to go."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from rosenblatt import datasets, figures
from rosenblatt.figures.drawing.sources import data_of
from rosenblatt.figures.risk import uphill

WIDE = make_blobs(60, centers=[[-3, -2], [4, 3]], random_state=1)


@pytest.mark.parametrize("data", [datasets.three_samples()[:2], WIDE])
def test_a_small_step_is_too_small_and_another_good(data):
    axes = figures.step_sizes(*data)
    called = [ax.get_title(loc="left").split(": ")[1] for ax in axes]
    assert called[:2] == ["too small", "good"]
    assert not any("0 steps" in text.get_text() for ax in axes for text in ax.texts)


def test_a_picture_of_contours_shows_a_descent():
    (ax,) = figures.picture("risk_contours", *WIDE).axes
    said = ax.get_legend_handles_labels()[1][-1]
    assert said.startswith("line search: ")
    assert "0 steps" not in said


@pytest.mark.parametrize("seed", range(5))
def test_uphill_some_points_are_on_the_wrong_side(seed):
    X, y = make_blobs(40, centers=[[-3, -2], [4, 3]], random_state=seed)
    data = data_of(None, X, y)
    assert (data.signs * (X @ uphill(data)) < 0).any()


def test_uphill_of_points_without_a_direction():
    assert uphill(data_of(None, [[1, 1], [-1, -1]], [1, 1])) is None
    np.testing.assert_allclose(uphill(data_of(None, [[2], [-1]], [1, -1])), [-1.5])
