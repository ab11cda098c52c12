"""From many features to the plane: an orthonormal view that says on the axes what it is.

A hyperplane is drawn in a view only if its normal lies in the view's plane; anything else would be
a line through filled-in values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.sources import DrawnData, Hyperplane

SAMPLE = 5_000  # rows that the components are computed from
SHRINKAGE = 1e-3
DENSE = 1_000  # features up to which a covariance matrix is formed


class View(NamedTuple):
    """An orthonormal map of the features to the plane, p = A·x.

    Attributes
    ----------
    axes : ndarray of shape (2, d), or (1, d) for a single feature
        Orthonormal rows.
    labels : tuple of str
        What the axes say.
    note : str
        What the reader must know; empty if the data is drawn as it is.
    """

    axes: np.ndarray
    labels: tuple[str, str]
    note: str = ""

    def points(self, X: Any, signs: Any = None) -> np.ndarray:
        """Where the rows are drawn; a single feature has the class for its height."""
        flat = np.asarray(X @ self.axes.T)
        return flat if len(self.axes) == 2 else np.column_stack([flat[:, 0], signs])

    def line(self, plane: Hyperplane) -> tuple[np.ndarray, float] | None:
        """The hyperplane as a line of the view; None where it is none.

        Examples
        --------
        >>> view = View(np.eye(3)[:2], ("x₁", "x₂"))
        >>> view.line(Hyperplane(np.array([1.0, 2.0, 0.0]), 3.0))
        (array([1., 2.]), 3.0)
        >>> view.line(Hyperplane(np.array([1.0, 2.0, 0.1]), 3.0)) is None
        True
        """
        drawn = self.axes @ plane.normal
        rest = plane.normal - self.axes.T @ drawn
        if np.linalg.norm(rest) > 1e-9 * np.linalg.norm(plane.normal):
            return None
        return np.pad(drawn, (0, 2 - len(drawn))), plane.bias


def planar(data: DrawnData, what: str) -> DrawnData:
    """The data where it has two features; a figure of one plane only is no projection."""
    if data.d != 2:
        raise InputError(
            f"{what} is drawn for two features, not {data.d}: choose two columns of X, or draw "
            "x_space, which projects."
        )
    return data


def view_of(data: DrawnData, plane: Hyperplane | None = None, view: Any = "auto") -> View:
    """The view to draw data in.

    Parameters
    ----------
    data : Data
    plane : Hyperplane, optional
    view : {"auto", "w", "lda", "pca"}, or two column numbers or names
        For more than two features: the plane of w and the leading component orthogonal to it
        (``"auto"`` and ``"w"``); of the best discriminant directions (``"auto"`` without a w, for
        several classes, and ``"lda"``); of the two leading components; or two columns.

    Examples
    --------
    >>> data = DrawnData(np.eye(4), np.array([0, 0, 1, 1]), (0, 1))
    >>> view = view_of(data, Hyperplane(np.array([3.0, 0, 0, 4.0]), 0.0))
    >>> view.axes[0], view.labels[0]
    (array([0.6, 0. , 0. , 0.8]), 'distance along w')
    >>> view_of(data, view=(0, 2)).labels
    ('$x_{1}$', '$x_{3}$')
    """
    labels = data.labels
    if not isinstance(view, str):
        return _columns(data, view)
    if view not in ("auto", "w", "lda", "pca"):
        raise InputError(f"view must be 'auto', 'w', 'lda', 'pca' or two columns, got {view!r}.")
    if view == "auto" and data.d == 1:
        return View(np.ones((1, 1)), (labels[0], "class"), "one feature: height is the class")
    if view == "auto" and data.d == 2:
        return View(np.eye(2), (labels[0], labels[1]))
    if data.d == 1:
        raise InputError("one feature needs no projection; leave view at 'auto'.")
    along_w = plane is not None and bool(plane.normal.any())
    if view == "w" and not along_w:
        raise InputError("view='w' needs weights that are not all 0.")
    if view == "auto":
        view = "w" if along_w else ("lda" if len(data.classes) > 1 else "pca")
    if view == "w" and plane is not None:
        first, label = plane.normal, "distance along w"
        note = f"{data.d} features, projected onto w and the leading component orthogonal to it"
    elif view == "lda":
        return _discriminants(data)
    else:
        first, label = leading_component(data), "leading component"
        note = f"{data.d} features, projected onto the two leading components"
    first = first / np.linalg.norm(first)
    second = leading_component(data, first)
    other = r"leading component $\perp$ w" if view == "w" else "second component"
    return View(np.array([first, second]), (label, other), note)


def _columns(data: DrawnData, columns: Any) -> View:
    chosen, labels = list(columns), data.labels
    if len(chosen) != 2:
        raise InputError(f"view must name two columns, got {columns!r}.")
    places: list[Any] = [data.names.index(c) if c in data.names else c for c in chosen]
    for place in places:
        if not isinstance(place, int | np.integer) or not 0 <= place < data.d:
            raise InputError(f"there is no column {place!r} among {data.d}; the first is 0.")
    note = f"2 of {data.d} features shown" if data.d > 2 else ""
    return View(np.eye(data.d)[places], (labels[places[0]], labels[places[1]]), note)


def _discriminants(data: DrawnData) -> View:
    """Fisher's directions, made orthonormal; with two classes the leading component beside it."""
    present = len(np.unique(data.codes))
    if present < 2:
        raise InputError("view='lda' tells classes apart, but the points are of one class.")
    rows = _sample(data)
    X, codes = data.dense(rows), data.codes[rows]
    directions = fisher_directions(X, codes)
    first = directions[:, 0] / np.linalg.norm(directions[:, 0])
    note = f"{data.d} features, projected onto "
    if present == 2:
        labels = ("discriminant", r"leading component $\perp$ discriminant")
        note += "Fisher's discriminant and the leading component orthogonal to it"
        second = leading_component(data, first)
    else:
        labels = ("discriminant 1", "discriminant 2")
        note += "the two best discriminant directions (Fisher), made orthogonal"
        second = directions[:, 1]
        second = second - (second @ first) * first
        second /= np.linalg.norm(second)
    return View(np.array([first, second]), labels, note)


def fisher_directions(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Directions that tell the classes apart, the best first (Fisher 1936): one a column.

    Generalised eigenvectors of the covariance between the classes against that within them, both
    shrunk a little towards a multiple of the identity, as scikit-learn's discriminant analysis
    shrinks them.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 0.0], [1.0, 4.0]])
    >>> first = fisher_directions(X, np.array([0, 0, 1, 1]))[:, 0]
    >>> (np.abs(first) / np.abs(first).max()).round(6).tolist()
    [1.0, 0.0]
    """
    from scipy.linalg import eigh

    within = np.zeros((X.shape[1], X.shape[1]))
    for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
        within += count / len(codes) * _shrunk(X[codes == code])
    values, vectors = eigh(_shrunk(X) - within, within)
    return vectors[:, np.argsort(values)[::-1]]


def _shrunk(X: np.ndarray) -> np.ndarray:
    """The covariance of rows, shrunk."""
    away = X - X.mean(axis=0)
    covariance = away.T @ away / len(X)
    mean = np.trace(covariance) / len(covariance)
    return (1 - SHRINKAGE) * covariance + SHRINKAGE * mean * np.eye(len(covariance))


def _sample(data: DrawnData) -> np.ndarray:
    if data.n <= SAMPLE:
        return np.arange(data.n)
    return np.sort(np.random.default_rng(0).choice(data.n, SAMPLE, replace=False))


def leading_component(data: DrawnData, beside: np.ndarray | None = None) -> np.ndarray:
    """The unit direction of largest variance, among those orthogonal to a unit vector.

    Its largest entry is positive, so that a picture does not flip from machine to machine.

    Examples
    --------
    >>> data = DrawnData(np.array([[0.0, 0, 0], [9, 3, 1], [-9, -3, 2]]), np.zeros(3, int), (0,))
    >>> np.abs(leading_component(data, np.array([1.0, 0, 0]))).argmax()
    np.int64(1)
    """
    X = data.X[_sample(data)]
    mean = np.asarray(X.mean(axis=0)).ravel()
    beside = np.zeros(data.d) if beside is None else beside
    if data.d <= DENSE:
        centred = (X.toarray() if hasattr(X, "toarray") else X) - mean
        centred = centred - np.outer(centred @ beside, beside)
        # Orthogonal to ``beside`` even where the points do not vary at all.
        blocked = centred.T @ centred
        blocked -= (1.0 + np.trace(blocked)) * np.outer(beside, beside)
        direction = np.linalg.eigh(blocked)[1][:, -1]
    else:
        direction = _by_products(X, mean, beside)
    direction = direction - (direction @ beside) * beside
    direction /= np.linalg.norm(direction)
    return direction * np.sign(direction[np.abs(direction).argmax()])


def _by_products(X: Any, mean: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """The same from products with X alone, for many features (Lanczos)."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    def apply(v: np.ndarray) -> np.ndarray:
        v = v.ravel() - (v.ravel() @ beside) * beside
        seen = X @ v - mean @ v
        back = X.T @ seen - mean * seen.sum()
        return back - (back @ beside) * beside

    size = len(mean)
    operator: Any = LinearOperator((size, size), matvec=apply, dtype=float)  # pyright: ignore
    start = np.random.default_rng(0).standard_normal(size)
    return eigsh(operator, k=1, v0=start)[1][:, 0]
