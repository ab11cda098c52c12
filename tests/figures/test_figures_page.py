"""Nothing on a page is cut off, or written over something else."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures


def blobs(distance, n=120):
    """Two clouds of the plane."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    return rng.standard_normal((n, 2)) + distance * y[:, None] * [0.9, 0.5], y


NEAR, FAR = blobs(3), blobs(8)


def inside(artist, figure):
    """Whether all of an artist is on the page."""
    if figure.stale:  # not drawn as it is now
        figure.canvas.draw()
    box, page = artist.get_window_extent(), figure.bbox
    return box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.width and box.y1 <= page.height


def written(ax):
    """All that is written around axes."""
    titles = [ax.title, getattr(ax, "_left_title", ax.title)]
    yield from (words for words in [*titles, ax.xaxis.label, ax.yaxis.label] if words.get_text())
    if ax.get_legend() is not None:
        yield ax.get_legend()


def test_long_names_stay_on_the_page():
    X, y = FAR
    long = np.where(y, "a class with quite a long name of its own", "another one, no shorter")
    names = ["what a feature may be called in a questionnaire with long questions", "age"]
    ax = figures.x_space(rb.Perceptron().fit(X, long), X, long, names=names, title="word " * 14)
    for artist in (ax.get_legend(), ax.xaxis.label, ax._left_title):
        assert inside(artist, ax.figure)


def test_titles_of_weight_images_are_on_the_page():
    X, y = datasets.load("digits")[:2]
    model = rb.Perceptron().fit(X, np.where(y == 1, "a rather long name", "the others"))
    (ax,) = figures.weight_images(model)
    assert ax.get_title(loc="center").replace("\n", " ") == "the others against a rather long name"
    assert inside(ax.title, ax.figure)


def test_a_moved_bias_can_be_seen_whatever_the_weights():
    for scale in (0.01, 1.0, 300.0):
        ax = figures.moved_bias(scale * np.array([1.0, 0.5, -5.0]), *FAR)
        tags = [text for text in ax.texts if text.get_text().startswith("b = ")]
        assert len(tags) == 5
        ax.figure.canvas.draw()
        assert all(inside(text, ax.figure) for text in tags)


def test_flat_vectors_are_drawn_in_a_box_that_is_no_streak():
    for ax in (
        figures.update_vectors([30, 1], [-0.1, 0.2]),
        figures.vector_projection([-3, 0.1], [1, 0]),
    ):
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        assert top - bottom >= 0.4 * (right - left)


@pytest.mark.parametrize("names", [None, ["petal length (cm)", "petal width (cm)"]])
@pytest.mark.parametrize("kind", ["product", "activation", "risk_surface", "weight_planes"])
def test_the_names_of_solid_axes_are_on_the_page(kind, names):
    figure = figures.picture(kind, *FAR, names=names)
    for ax in figure.axes:
        for axis in ("xaxis", "yaxis", "zaxis"):
            if hasattr(ax, axis):
                assert inside(getattr(ax, axis).label, figure)


@pytest.mark.parametrize("kind", [k for k in figures.kinds() if k not in ("contact_sheet",)])
def test_nothing_written_around_a_picture_is_cut_off(kind):
    X, y = FAR
    names = ["petal length (cm)", "petal width (cm)"]
    if kind == "weight_images":
        X, names = np.pad(X, ((0, 0), (0, 23))), None
    figure = figures.picture(kind, X, np.where(y, "Iris versicolor", "Iris setosa"), names=names)
    for ax in figure.axes:
        for artist in written(ax):
            assert inside(artist, figure)


def test_the_legends_of_pictures_side_by_side_are_not_cut_off():
    X, y = datasets.load("breast_cancer")[:2]
    long = np.array(["malignant", "benign"])[y]
    axes = figures.side_by_side({"blobs that overlap": NEAR, "cells": (X, long), "blobs": FAR})
    for ax in axes:
        for artist in written(ax):
            assert inside(artist, ax.figure)
