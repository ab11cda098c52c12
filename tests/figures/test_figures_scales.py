"""Figures can be read and believed whatever the scale of the columns, and above rounding."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.figures.drawing.style import LIGHT

APART = np.array([[1, 2], [2, 1], [3, 4], [4, 3], [5, 4]]), np.array([0, 0, 1, 1, 1])
MIXED = (
    np.array([[1, 2], [2, 1], [3, 4], [4, 3], [1.5, 1.4], [4, 3.1], [2, 1.5]]),
    np.array([0, 1, 0, 1, 1, 0, 0]),
)
assert rb.decide(*APART).separable
assert not rb.decide(*MIXED).separable


def fitted(X, y):
    return figures.regions(rb.Perceptron().fit(X, y), X, y)


def fewest(X, y):
    return figures.fewest_errors(rb.fewest_errors(X, y), X, y)


def certificate(X, y):
    return figures.certificate(rb.decide(X, y), X, y)


def words(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def tints(ax):
    """The tinted sides: their colours, and their shares of the picture."""
    from matplotlib.colors import to_hex

    width, height = np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    shares = {}
    for patch in ax.patches:
        x, y = (patch.get_xy()[:-1] / [width, height]).T
        area = 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))
        shares[to_hex(patch.get_facecolor()).upper()] = area
    return shares


@pytest.mark.parametrize("draw", [fitted, fewest, certificate])
@pytest.mark.parametrize("scales", [(1e6, 1e-6), (1e-6, 1e6), (1e9, 1.0)])
def test_each_side_has_its_colour_whatever_the_scales(draw, scales):
    X, y = APART
    shares = tints(draw(X * scales, y))
    positive, negative = shares[LIGHT.positive], shares[LIGHT.negative]
    assert min(positive, negative) > 0.1
    assert np.isclose(positive + negative, 1)
    assert 0 <= shares.get(LIGHT.weights, 0) < 0.9  # the slab


UNLIKE = "axes not to one scale"


@pytest.mark.parametrize("draw", [fitted, fewest, certificate])
@pytest.mark.parametrize("data", [APART, MIXED])
def test_axes_of_different_scales_say_so(draw, data):
    X, y = data
    assert UNLIKE in words(draw(X * [1e3, 1.0], y))
    assert UNLIKE not in words(draw(X, y))


def test_regions_of_several_classes_and_moved_lines_say_so_too():
    X, _ = APART
    weights = np.random.default_rng(0).standard_normal((3, 3))
    assert UNLIKE in words(figures.regions(weights, X * [1e3, 1.0], [0, 1, 2, 2, 1]))
    assert UNLIKE in words(figures.moved_bias([1e-3, 1, 0], X * [1e3, 1.0], [0, 0, 1, 1, 1]))


def test_no_distance_is_drawn_that_would_not_look_perpendicular():
    X, y = APART
    seen = figures.x_space([1, 1, -5], X, y, perpendiculars=True)
    assert "distance" in labels(seen)
    tilted = figures.x_space([1e-3, 1, -5], X * [1e3, 1.0], y, perpendiculars=True)
    assert "distance" not in labels(tilted)
    assert "distances are not drawn" in words(tilted)
    single = figures.x_space([1, -2.5], X[:, :1], y, perpendiculars=True)
    assert "distance" in labels(single)


@pytest.mark.parametrize("draw", [fitted, fewest, certificate])
@pytest.mark.parametrize("data", [APART, MIXED])
@pytest.mark.parametrize("scale", [1e6, 1e-7])
def test_the_factor_of_an_axis_is_beside_the_legend(draw, data, scale):
    X, y = data
    ax = draw(X * scale, y)
    ax.figure.canvas.draw()
    factor = ax.yaxis.get_offset_text()
    assert "10^{" in factor.get_text()
    written = factor.get_window_extent()
    assert not written.overlaps(ax.get_legend().get_window_extent())
    assert ax.figure.bbox.x0 <= written.x0
    assert written.y1 <= ax.figure.bbox.y1


def test_a_section_shows_no_rounding_noise():
    """At the optimum of the five points one (w₂, α) alone is feasible, up to rounding."""
    data = datasets.five_points()
    ax = figures.weight_section(None, data.X, data.y)
    assert "feasible" not in labels(ax)
    assert "hardly any weights but those marked" in words(ax)
    assert np.ptp(ax.get_xlim()) > 1
    assert np.ptp(ax.get_ylim()) > 1
    (star,) = [line for line in ax.lines if line.get_label() == "optimum"]
    at = ax.transData.transform(star.get_xydata())[0]
    through = 0
    for line in ax.lines:
        if len(line.get_xydata()) == 2 and line.get_linewidth() > 1:
            start, end = ax.transData.transform(line.get_xydata())
            (dx, dy), (px, py) = end - start, at - start
            through += abs(dx * py - dy * px) / np.hypot(dx, dy) < 0.5
    assert through == 3


@pytest.mark.parametrize("kind", ["step_sizes", "xw_space", "certificate", "risk_contours"])
@pytest.mark.parametrize("name", ["five_points", "three_samples", "six_points"])
def test_titles_legends_and_notes_are_on_the_page_when_first_drawn(kind, name):
    data = datasets.load(name)
    page = figures.picture(kind, data.X, data.y)
    page.canvas.draw()
    for ax in page.axes:
        places = [ax.title, ax._left_title, ax.get_legend(), ax.xaxis.label, ax.yaxis.label]
        for part in [*places, *ax.texts]:
            at = part.get_window_extent()
            assert at.y1 <= page.bbox.y1 - 3, part
            assert at.y0 >= page.bbox.y0 + 3, part
            assert at.x0 >= page.bbox.x0, part


@pytest.mark.parametrize("kind", ["activation", "risk_surface", "weight_planes", "product"])
@pytest.mark.parametrize("name", ["five_points", "three_samples", "six_points"])
def test_an_upright_axis_does_not_cross_its_labels(kind, name):
    data = datasets.load(name)
    page = figures.picture(kind, data.X, data.y)
    page.canvas.draw()
    for ax in (ax for ax in page.axes if ax.name == "3d"):
        start, end = ax.zaxis.line.get_window_extent().get_points()
        low, high = ax.get_zlim()
        ticks = [tick for tick in ax.zaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert ticks
        called = ax.zaxis.label.get_window_extent()
        for tick in ticks:
            at = tick.label1.get_window_extent()
            assert at.x0 > max(start[0], end[0]) or at.x1 < min(start[0], end[0])
            assert not at.overlaps(called)
        assert called.x0 >= 2
        assert called.x1 <= page.bbox.x1 - 2
