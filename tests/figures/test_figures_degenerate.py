"""What cannot be drawn as asked: a sensible picture, or a reason."""

from __future__ import annotations

import builtins
import subprocess
import sys

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError

FIVE, THREE, XOR = datasets.five_points(), datasets.three_samples(), datasets.xor()


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def test_importing_the_figures_imports_no_matplotlib():
    code = "import rosenblatt.figures, sys; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_matplotlib_is_imported_late_and_missed_with_a_hint(monkeypatch):
    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"rosenblatt\[plot\]"):
        figures.x_space(None, XOR.X, XOR.y)


@pytest.mark.parametrize(
    ("draw", "match"),
    [
        (lambda: figures.x_space([0, 0, 1], FIVE.X, FIVE.y, slab=True), "no line"),
        (lambda: figures.x_space([1, 0, 0], FIVE.X, FIVE.y, slab=True), "not on their side"),
        (lambda: figures.x_space([1, 1, 0], FIVE.X * np.nan, FIVE.y), "finite"),
        (lambda: figures.x_space([1, 1, 0], FIVE.X * 1e200, FIVE.y), "finite"),
        (lambda: figures.x_space([1, 1], FIVE.X, FIVE.y), "bias last"),
        (lambda: figures.x_space(rb.Perceptron(), FIVE.X, FIVE.y), "no weights"),
        (lambda: figures.x_space(None, FIVE.X), "X and y"),
        (lambda: figures.x_space(None, FIVE.X, FIVE.y, view=(0, 7)), "no column"),
        (lambda: figures.w_space(None, np.eye(3), [0, 1, 1]), "3 features"),
        (lambda: figures.bracket(rb.trace(FIVE.X, FIVE.y, init=[1, 1, 1])), "started at w = 0"),
        (lambda: figures.hulls(rb.decide(THREE.X, THREE.y), THREE.X, THREE.y), "inseparable"),
        (lambda: figures.separation(rb.decide(XOR.X, XOR.y), XOR.X, XOR.y), "inseparability"),
        (lambda: figures.mistakes_per_pass([1, 2, 3]), "needs a run"),
        (lambda: figures.certificate(rb.Run, XOR.X, XOR.y), "no certificate"),
        (lambda: figures.picture("pie", XOR.X, XOR.y), "no figure"),
        (lambda: figures.xw_space(None, XOR.X, XOR.y, axes=[]), "axes must be 2"),
        (lambda: figures.xw_space(None, XOR.X, XOR.y, axes=[1]), "axes must be a sequence of matp"),
        (lambda: figures.x_space(None, XOR.X, XOR.y, title=3), "title must be text or None, got 3"),
        (lambda: figures.cost(rb.Perceptron()), r"a Perceptron as costs: pass \(sizes, costs\)"),
        (lambda: figures.unit(rb.Perceptron()), "no weights to draw: pass a fitted estimator"),
        (lambda: figures.weight_bars([1]), "the bias last; got shape"),
        (lambda: figures.weight_planes([1], *XOR[:2]), "the bias last; got shape"),
        (lambda: figures.risk_contours({}, *XOR[:2]), "dict of descents is empty"),
        (lambda: figures.side_by_side({}), "a dict of names to data sets"),
        (lambda: figures.growth_classes("a"), "most must be a whole number from 1 on, got 'a'"),
        (lambda: figures.update_vectors([1], [1, 2]), "w must be a vector of the plane"),
        (lambda: figures.confusion(3, *XOR[:2]), "pass a fitted estimator, or the labels"),
        (lambda: figures.confusion([1], *XOR[:2]), "1 prediction but 4 labels"),
        (lambda: figures.confusion(rb.Perceptron(), *XOR[:2]), "not fitted"),
        (lambda: figures.angles([1, 1, 0], FIVE.X, FIVE.y, rows=[9]), "rows must be row numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(draw, match):
    with pytest.raises(InputError, match=match):
        draw()


@pytest.mark.parametrize(
    ("weights", "X", "y", "said"),
    [
        ([1, 0, -2], FIVE.X, FIVE.y, ""),  # vertical
        ([0, 0, 1], FIVE.X, FIVE.y, "w = 0"),
        ([1, 1, 0], FIVE.X, [1] * 5, ""),  # one class
        ([1, 1, -9], np.ones((4, 2)), [0, 0, 1, 1], "outside"),  # all points equal
        ([1, 1, 0], FIVE.X * 1e140, FIVE.y, ""),
        ([1e-170, 1e-170, -4e-170], FIVE.X, FIVE.y, ""),
        ([1, 1, 0], FIVE.X * [1, 1e9], FIVE.y, "not to one scale"),
        ([1, -2.5], FIVE.X[:, :1], FIVE.y, "one feature"),
        ([1, 1, -1e9], FIVE.X, FIVE.y, "outside the picture"),
    ],
)
def test_degenerate_data_gives_a_sensible_picture(weights, X, y, said):
    ax = figures.x_space(weights, X, y)
    ax.figure.canvas.draw()
    assert said in words(ax).replace("\n", " ")
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def test_inseparable_runs_say_that_there_is_no_margin():
    run = rb.trace(XOR.X, XOR.y)
    assert "inseparable" in words(figures.sandwich(run))
    assert "no bound" in words(figures.online_mistakes(run))
