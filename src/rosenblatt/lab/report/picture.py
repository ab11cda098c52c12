"""The points of a fit in the plane, with the region of each class where it has one.

A region is drawn only in a view in which it is exact: of two classes in the plane of w, of three in
the plane that the differences of their weights span, of more where there are just two features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data.positive import positive_code
from rosenblatt.figures.drawing.projection import DENSE, View, view_of
from rosenblatt.figures.drawing.sources import DrawnData, Hyperplane
from rosenblatt.figures.drawing.words import in_html
from rosenblatt.figures.multiclass import region
from rosenblatt.teaching.geometry import Box, clip_halfplanes, frame

SHOWN_RIGHT, SHOWN_WRONG = 1500, 500
ASPECT = 1.2  # the picture's width over its height


def picture(model: Any, X: Any, y: Any, names: list[str], words: list[Any]) -> dict[str, Any]:
    """What to draw: axes, points, regions.

    Parameters
    ----------
    model : Fitted
    X, y : array or CSR array, and labels
    names : list of str
        Of the features; may be empty.
    words : list
        What the classes are called.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt.fit.learning import fit
    >>> X, y = rb.datasets.load("iris")[:2]
    >>> drawn = picture(fit(X, y), X, y, [], ["setosa", "versicolor", "virginica"])
    >>> len(drawn["points"]), [len(corners) > 2 for corners in drawn["regions"]]
    (150, [True, True, True])
    """
    names = names or [f"x{j}" for j in range(X.shape[1])]
    data = DrawnData(X, np.searchsorted(model.classes, y), tuple(words), tuple(names))
    coef, intercept = np.asarray(model.coef), np.ravel(model.intercept)
    binary = len(coef) == 1
    seen = _view(data, coef, intercept)
    wrong = np.flatnonzero(np.asarray(model.predict(X)) != y)
    rows = _rows(data.n, wrong)
    points = seen.points(data.X[rows], data.signs[rows])
    box = _even(*frame(points))
    notes = [seen.note] if seen.note else []
    if len(rows) < data.n:
        notes.append(f"{len(rows):,} of {data.n:,} points shown")
    inside = coef - coef @ seen.axes.T @ seen.axes
    flat = np.column_stack([_padded(coef @ seen.axes.T), intercept])
    if binary:
        table = np.vstack([-flat, flat])
    else:
        table = flat
        inside = inside - inside.mean(axis=0)
    regions: list[Any] = []
    if np.linalg.norm(inside) <= 1e-9 * max(np.linalg.norm(coef), 1e-300):
        regions = [_region(table, k, box, binary).tolist() for k in range(len(words))]
    else:
        notes.append(f"the regions of {len(words)} classes are no areas of this plane")
    at_fault = set(wrong.tolist())
    codes = data.codes
    if binary and not positive_code(model.classes):  # crosses for the negative class, dots for it
        codes, words, regions = 1 - codes, words[::-1], regions[::-1]
    return {
        "labels": [in_html(label) for label in seen.labels],
        "box": list(box),
        "points": [
            [float(p), float(q), int(codes[row]), int(row in at_fault)]
            for (p, q), row in zip(points, rows.tolist(), strict=True)
        ],
        "regions": regions,
        "classes": words,
        "notes": notes,
    }


def _view(data: DrawnData, coef: np.ndarray, intercept: np.ndarray) -> View:
    if len(coef) == 1:
        return view_of(data, Hyperplane(coef[0], float(intercept[0])))
    if len(coef) == 3 and data.d > 2:
        plane, sizes = np.linalg.qr((coef[1:] - coef[0]).T)
        if abs(np.diag(sizes)).min() > 1e-9 * abs(sizes).max():
            note = f"{data.d} features, projected onto the plane of the differences of the weights"
            return View(plane.T, ("first direction", "second direction"), note)
    wide = data.d > DENSE
    return view_of(data, None, "pca" if wide else "auto")


def _rows(n: int, wrong: np.ndarray) -> np.ndarray:
    """Rows to show: all, or a sample with the mistakes in it."""
    if n <= SHOWN_RIGHT + SHOWN_WRONG:
        return np.arange(n)
    chosen = np.random.default_rng(0).choice(n, SHOWN_RIGHT, replace=False)
    return np.union1d(chosen, wrong[:SHOWN_WRONG])


def _even(box: Box, to_scale: bool) -> Box:
    """The box, widened so that both axes have one scale where the data allows it."""
    if not to_scale:
        return box
    width, height = box.right - box.left, box.top - box.bottom
    across, up = max(0.0, ASPECT * height - width) / 2, max(0.0, width / ASPECT - height) / 2
    return Box(box.left - across, box.right + across, box.bottom - up, box.top + up)


def _padded(flat: np.ndarray) -> np.ndarray:
    """Weights of a single feature have no part in the height of its picture."""
    return np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))


def _region(table: np.ndarray, k: int, box: Box, binary: bool) -> np.ndarray:
    if binary:
        return clip_halfplanes(box, table[k : k + 1, :2], table[k : k + 1, 2])
    return region(table, k, box)
