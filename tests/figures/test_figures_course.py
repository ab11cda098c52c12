"""The course's pictures: an update as vectors, a projection, the ball, the bias, the unit."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError

FIVE, SIX = datasets.five_points(), datasets.six_points()


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def line(ax, label):
    return next(one for one in ax.lines if one.get_label() == label)


def test_an_update_turns_the_weights_towards_the_point():
    ax = figures.update_vectors([2, 2], [1, -3])
    assert "117° 53°" in " ".join(t for t in words(ax).split() if "°" in t)
    assert "y·w·x was -4 and is 6: larger by η‖x‖² = 10" in words(ax)
    new = np.array([3, -1])
    np.testing.assert_allclose(new @ line(ax, "new line").get_xydata().T, 0, atol=1e-9)


def test_an_update_from_zero_has_one_vector():
    ax = figures.update_vectors([0, 0], [-1, 2], -1)
    assert "new w = −x" in words(ax)
    assert "°" not in words(ax)


def test_a_negative_update_with_a_step():
    ax = figures.update_vectors([1, 0], [2, 0], -1, eta=0.25)
    assert "−0.25x" in words(ax)
    assert "y·w·x was -2 and is -1" in words(ax)


def test_a_projection_and_its_foot():
    ax = figures.vector_projection([-1, 2], [2, 1])
    assert "signed length u·v/‖v‖ = 0; projection (0, 0)" in words(ax)
    ax = figures.vector_projection([-3, 0], [1, 1])
    assert "u·v/‖v‖ = -2.121; projection (-1.5, -1.5)" in words(ax)


def test_the_ball_is_about_the_origin():
    X = SIX.X + 5
    ax = figures.ball(X, SIX.y, centre=True)
    circle = next(one for one in ax.lines if one.get_label().startswith("R = "))
    radii = np.hypot(*circle.get_data())
    np.testing.assert_allclose(radii, np.linalg.norm(X, axis=1).max())
    assert any(one.get_label() == "about their middle: 2.236" for one in ax.lines)


def test_points_are_lifted_to_one():
    ax = figures.lifted_points([1, -1, -1], FIVE.X, FIVE.y)
    heights = np.concatenate([np.ravel(part._offsets3d[2]) for part in ax.collections[2:4]])
    assert heights.tolist() == [1] * 5
    assert figures.lifted_points(None, FIVE.X, FIVE.y) is not None
    assert "outside" in words(figures.lifted_points([1, 0, 99], FIVE.X, FIVE.y))


def test_a_larger_bias_moves_the_line_against_w():
    ax = figures.moved_bias([1, 0, 0], SIX.X, SIX.y, steps=[1])
    assert "b = 0" in words(ax)
    drawn = sorted(float(np.mean(one.get_xdata())) for one in ax.lines)
    np.testing.assert_allclose(drawn, [-1, 0])


def test_the_unit_computes_its_output():
    assert "w·x + b = −15" in words(figures.unit([0.5, 0.5, -50], [30, 40]))
    assert words(figures.unit([0.5, 0.5, -50], [30, 40])).endswith("−1")
    assert "⋮" in words(figures.unit(inputs=12))
    assert "homework = 90" in words(figures.unit([1, 1, 0], [90, 80], names=["homework", "exam"]))


def test_the_classes_of_growth_are_in_order():
    ax = figures.growth_classes(32)
    ends = [one.get_ydata()[-1] for one in ax.lines]
    assert ends == sorted(ends)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: figures.update_vectors([1, 2, 3], [1, 2]), "vector of the plane"),
        (lambda: figures.update_vectors([1, 2], [0, 0]), "other than 0"),
        (lambda: figures.update_vectors([1, 2], [1, 0], 0), "y must be 1 or -1"),
        (lambda: figures.vector_projection([1, 2], [0, 0]), "no direction"),
        (lambda: figures.ball([[1, 2, 3]], [1]), "two features, not 3"),
        (lambda: figures.lifted_points(None, [[1.0]], [1]), "two features, not 1"),
        (lambda: figures.moved_bias([0, 0, 1], SIX.X, SIX.y), "other than 0"),
        (lambda: figures.unit([1, 2], [1, 2, 3]), "d inputs and d . 1 weights"),
        (lambda: figures.unit(inputs=2, names=["one"]), "names must be 2"),
        (lambda: figures.growth_classes(2), "at least 4"),
    ],
)
def test_bad_input_is_refused(draw, said):
    with pytest.raises(InputError, match=said):
        draw()


@pytest.mark.parametrize(
    ("draw", "solid"),
    [
        (lambda ax: figures.update_vectors([3, -1], [-1, 2], ax=ax), False),
        (lambda ax: figures.vector_projection([3, -1], [-1, 2], ax=ax), False),
        (lambda ax: figures.ball(SIX.X, SIX.y, ax=ax), False),
        (lambda ax: figures.lifted_points([1, 1, 0], SIX.X, SIX.y, ax=ax), True),
        (lambda ax: figures.moved_bias([1, 1, 0], SIX.X, SIX.y, ax=ax), False),
        (lambda ax: figures.unit(ax=ax), False),
        (lambda ax: figures.growth_classes(ax=ax), False),
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_they_draw_where_they_are_told(draw, solid, theme):
    with figures.theme(theme):
        ax = plt.figure().add_subplot(projection="3d" if solid else None)
        assert draw(ax) is ax
        ax.figure.canvas.draw()


def test_a_unit_names_the_columns_of_the_frame_that_was_fitted():
    X = pd.DataFrame(SIX.X, columns=["height", "age"])
    drawn = words(figures.unit(rb.Perceptron().fit(X, SIX.y), [1, 2]))
    assert "height = 1" in drawn
    assert "age = 2" in drawn
