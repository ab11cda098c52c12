"""
The Mark I
==========

Rosenblatt's machine of 1957 saw 20 × 20 pixels. Here a perceptron learns the letters at that size,
from matplotlib's own fonts, shifted and turned; and then its weights, one image a letter.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

import rosenblatt as rb
from rosenblatt import figures

# The centres of the photocells, and a camera that looks at a letter a little askew.
cells = np.stack(np.meshgrid(np.arange(20), np.arange(20)[::-1]), axis=-1).reshape(-1, 2)
rng = np.random.default_rng(0)


def photograph(letter):
    """One letter as 400 photocells see it: 1 inside its outline, 0 outside."""
    style = FontProperties(family="DejaVu Sans", weight=rng.choice(["normal", "bold"]))
    outline = TextPath((0, 0), letter, size=18, prop=style)
    middle = outline.get_extents().get_points().mean(axis=0)
    turn = Affine2D().translate(*-middle).rotate_deg(rng.uniform(-10, 10))
    moved = outline.transformed(turn.translate(9.5, 9.5).translate(*rng.uniform(-1.5, 1.5, 2)))
    return moved.contains_points(cells).astype(float)


# %%
# What the machine saw:
letters = np.array(list("CEFHKLPRTX"))
y = np.repeat(letters, 80)
X = np.array([photograph(letter) for letter in y])
_, axes = plt.subplots(1, 10, figsize=(10, 1.2))
for ax, image in zip(axes, X[::80], strict=True):
    ax.imshow(image.reshape(20, 20), cmap="gray_r")
    ax.set_axis_off()

# %%
# What it learned:
model = rb.Perceptron().fit(X, y)
figures.weight_images(model, title=f"{model.updates_} updates, {model.score(X, y):.0%} right")
