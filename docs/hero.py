"""The picture of the README: why a perceptron stops. Writes ``docs/_static/hero.png``,
and ``hero-dark.png`` for dark pages.

Left: separable points, their maximum-margin slab, and the sandwich that bounds the mistakes.
Right: the same points with one label turned, the two hulls meeting, and the rows that prove it.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.solve.max_margin import max_margin

FOLDER = Path(__file__).parent / "_static"


def clouds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points in the plane, labels that a line explains, and the same with one label turned."""
    cloud = datasets.gaussian(90, 2, 0.18, seed=30)
    X = cloud.X + np.array([1.0, 0.4])
    turned = cloud.y.copy()
    turned[np.argmin(np.linalg.norm(X - [-0.7, 1.4], axis=1))] *= -1
    return X, cloud.y, turned


def draw(theme: str, target: Path) -> None:
    """Draw in a theme, and write."""
    X, y, turned = clouds()
    with figures.theme(theme), plt.rc_context({"legend.fontsize": 12, "font.size": 13}):
        figure, (left, middle, right) = plt.subplots(1, 3, figsize=(16, 5.2))
        figures.x_space(
            max_margin(X, y), X, y, slab=True, ax=left, title="Separable: here is the line"
        )
        run = rb.trace(X, y, order="shuffled", random_state=11)
        figures.sandwich(run, ax=middle, title="Mistakes: never more than R²/γ²")
        figures.hulls(rb.decide(X, turned), X, turned, ax=right, title="One label turned: no line")
        middle.set_box_aspect(0.87)
        figure.savefig(target, dpi=110)


if __name__ == "__main__":
    draw("light", FOLDER / "hero.png")
    draw("dark", FOLDER / "hero-dark.png")
