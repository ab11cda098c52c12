"""A handful of pictures against stored ones, coarse enough for any machine.

Pictures are averaged over blocks of pixels before they are compared, so that fonts' hinting and
antialiasing do not count. ``ROSENBLATT_BASELINES=1 pytest tests/figures/test_figures_images.py``
draws the stored ones anew: look at them before you commit them.
"""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

import rosenblatt as rb
from rosenblatt import datasets, figures

STORED = Path(__file__).parent / "baseline"
BLOCK = 10
THREE, XOR = datasets.three_samples(), datasets.xor()

PICTURES = {
    "xw_space": lambda: figures.xw_space(rb.trace(THREE.X, THREE.y, fit_intercept=False)),
    "max_margin": lambda: figures.x_space([1 / 17, 4 / 17, 0], THREE.X, THREE.y, slab=True),
    "risk_contours": lambda: figures.risk_contours(None, THREE.X, THREE.y),
    "weight_planes": lambda: figures.weight_planes([1 / 17, 4 / 17, 0], THREE.X, THREE.y),
    "hulls": lambda: figures.hulls(rb.decide(XOR.X, XOR.y), XOR.X, XOR.y),
    "sandwich": lambda: figures.sandwich(rb.trace(THREE.X, THREE.y)),
}


def blocks(image):
    """The mean brightness of each block of pixels."""
    pixels = np.asarray(image.convert("L"), dtype=float)
    rows, columns = (size // BLOCK for size in pixels.shape)
    cut = pixels[: rows * BLOCK, : columns * BLOCK]
    return cut.reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name, theme, tmp_path):
    drawn = tmp_path / "drawn.png"
    with figures.theme(theme), matplotlib.rc_context({"font.family": "DejaVu Sans"}):
        axes = PICTURES[name]()
        np.ravel(np.asarray(axes, dtype=object))[0].figure.savefig(drawn, dpi=40)
    stored = STORED / f"{name}_{theme}.png"
    if os.environ.get("ROSENBLATT_BASELINES"):
        STORED.mkdir(exist_ok=True)
        with Image.open(drawn) as image:
            image.convert("RGB").quantize(64).save(stored, optimize=True)
    with Image.open(drawn) as new, Image.open(stored) as old:
        assert new.size == old.size
        difference = np.abs(blocks(new) - blocks(old))
    assert difference.mean() < 4, "the picture as a whole changed"
    assert np.quantile(difference, 0.98) < 40, "a part of the picture changed"
