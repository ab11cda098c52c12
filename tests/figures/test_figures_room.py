"""Words and marks keep off each other, off the rim and off the points they are about."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

import rosenblatt as rb
from rosenblatt import datasets, figures

ONE = make_blobs(60, centers=[[-3, 0], [3, 1]], random_state=1)  # separated by one update
FAR = make_blobs(60, centers=[[95, 80], [101, 82]], random_state=1)
MIXED = make_blobs(60, centers=2, random_state=0, cluster_std=1.2)


def legend(ax):
    return dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))


def words(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def outline(text):
    """The rectangle behind words that are written along a line, in pixels."""
    patch = text.get_bbox_patch()
    return patch.get_transform().transform_path(patch.get_path())


@pytest.mark.parametrize("data", [ONE, FAR, MIXED])
def test_biases_are_written_along_their_lines(data):
    ax = figures.moved_bias(rb.Perceptron().fit(*data), *data)
    ax.figure.canvas.draw()
    tags = [text for text in ax.texts if text.get_text().startswith("b = ")]
    assert len(tags) == len({text.get_text() for text in tags}) == 5
    assert not any("e+" in text.get_text() for text in tags)
    boxes = [outline(text) for text in tags]
    assert not any(a.intersects_path(b) for k, a in enumerate(boxes) for b in boxes[:k])
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2]
    crossed = [sum(box.intersects_path(pixels(line)) for line in lines) for box in boxes]
    assert crossed == [1] * 5


def pixels(line):
    return line.get_transform().transform_path(line.get_path())


def test_the_only_mark_of_a_sandwich_is_seen_whole():
    ax = figures.sandwich(rb.trace(*ONE))
    ax.figure.canvas.draw()
    drawn = legend(ax)[r"$\|w\|$"]
    assert drawn.get_linestyle() == "None"
    x, _ = ax.transData.transform((1.0, 1.0))
    assert x - ax.bbox.x0 > drawn.get_markersize() * ax.figure.dpi / 72


def test_the_only_ends_of_a_bracket_are_off_the_axis():
    ax = figures.bracket(rb.trace(*ONE))
    assert ax.get_xlim() == (0, 2)
    ends = [line for label, line in legend(ax).items() if "end" in label]
    assert [line.get_linestyle() for line in ends] == ["None", "None"]


def test_the_angle_view_circles_mistakes():
    model = rb.Perceptron(fit_intercept=False).fit(*MIXED)
    ax = figures.angles(model, *MIXED)
    wrong = int((model.predict(MIXED[0]) != MIXED[1]).sum())
    assert len(legend(ax)[f"mistakes: {wrong}"].get_offsets()) == wrong


@pytest.mark.parametrize("data", [ONE, make_blobs(60, centers=2, random_state=2)])
def test_degrees_are_not_written_over_points(data):
    ax = figures.angles(rb.Perceptron(fit_intercept=False).fit(*data), *data)
    ax.figure.canvas.draw()
    points = ax.transData.transform(data[0])
    degrees = [text.get_window_extent() for text in ax.texts if "°" in text.get_text()]
    assert len(degrees) == 2
    assert not any(box.contains(*point) for box in degrees for point in points)


@pytest.mark.parametrize("vectors", [([100, -1], [-1, 2]), ([3, -1], [-1, 2]), ([-2, 0], [1, 0])])
def test_names_of_vectors_do_not_cover_each_other(vectors):
    ax = figures.update_vectors(*vectors)
    ax.figure.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.texts if t.get_text() in ("old w", "new w", "+x")]
    assert len(boxes) == 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_section_names_the_classes_of_its_lines():
    ax = figures.weight_section(None, *ONE)
    drawn = legend(ax)
    assert drawn["0"].get_linestyle() == "--"
    assert drawn["1"].get_linestyle() == "-"
    assert "at this w₁ hardly any weights but those marked meet all constraints" in words(ax)


def test_the_first_update_is_where_a_logarithmic_line_begins():
    ax = figures.sandwich(rb.trace(*datasets.five_points()[:2]))
    assert ax.get_xscale() == "log"
    start = ax.xaxis.get_transform().transform_non_affine(np.array([0.0]))
    assert not np.isfinite(start).any()


@pytest.mark.parametrize("spread", [1.2, 2.0, 3.0])
def test_every_circled_row_is_numbered_or_said_not_to_be(spread):
    X, y = make_blobs(60, centers=2, random_state=0, cluster_std=spread)
    result = rb.fewest_errors(X, y, time_limit=2)
    ax = figures.fewest_errors(result, X, y)
    numbered = {int(text.get_text()) for text in ax.texts if text.get_text().isdigit()}
    others = {*result.rows.tolist()} - numbered
    assert numbered <= {*result.rows.tolist()}
    if spread == 1.2:
        assert not others
    elif len(others) > 12:
        assert f"{len(others)} of the rows circled are not numbered" in words(ax)
    else:
        assert ", ".join(str(row) for row in result.rows if row in others) in words(ax)


def test_circled_rows_are_drawn_over_all_others():
    X, y = load_iris(return_X_y=True)
    ax = figures.fewest_errors(rb.fewest_errors(X, y == 2), X, y == 2)
    (circle,) = (c for c in ax.collections if "to look at" in c.get_label())
    place = circle.get_offsets()[0]
    at = [c for c in ax.collections if (c.get_offsets() == place).all(axis=1).any()]
    marks = max((c for c in at if c is not circle), key=lambda c: c.get_zorder())
    dots = [c for c in ax.collections if c.get_label() in ("False", "True")]
    assert marks.get_zorder() > max(c.get_zorder() for c in dots)
    assert (marks.get_facecolor() == dots[0].get_facecolor()).all()  # row 83 is of class False
