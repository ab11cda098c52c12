"""What is drawn, as numbers: lines in boxes, half-planes, feet, hulls. Functions of arrays.

A line is w·p + c = 0 in the plane; a box is (left, right, bottom, top).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError


class Box(NamedTuple):
    """A rectangle of the plane.

    Examples
    --------
    >>> Box(0, 2, 0, 1).corners().tolist()
    [[0, 0], [2, 0], [2, 1], [0, 1]]
    """

    left: float
    right: float
    bottom: float
    top: float

    @property
    def size(self) -> float:
        """The longer side."""
        return max(self.right - self.left, self.top - self.bottom)

    def corners(self) -> np.ndarray:
        """The four corners, counter-clockwise."""
        left, right, bottom, top = self
        return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


# Sides that differ by more than this factor would make a picture to one scale a mere streak.
STREAK = 12.0


def frame(points: Any, pad: float = 0.12, square: bool = True) -> tuple[Box, bool]:
    """A box with some room around points, and whether it is to be drawn to one scale.

    Parameters
    ----------
    points : array of shape (n, 2)
    pad : float
        Room on each side, as a share of the box.
    square : bool
        Where both sides are comparable, no narrower than high, and not much lower than wide.

    Returns
    -------
    Box, bool

    Examples
    --------
    >>> frame([[0, 0], [10, 8]], pad=0.1)
    (Box(left=-1.0, right=11.0, bottom=-1.0, top=9.0), True)
    >>> frame([[3, 3], [3, 3]])[0]  # all points equal
    Box(left=2.0, right=4.0, bottom=2.0, top=4.0)
    >>> frame([[0, 0], [1, 1e6]])[1]
    False
    """
    points = np.asarray(points, dtype=float)
    low, high = points.min(axis=0), points.max(axis=0)
    span = high - low
    # Below this a range is rounding noise, and axes could not tell its ends apart.
    noise = 1e-9 * np.maximum(np.abs(low), np.abs(high))
    flat = span <= noise
    if flat.all():
        reach = np.maximum(1.0, 0.1 * np.abs(high))
        low, high = high - reach, high + reach
        return Box(*map(float, (low[0], high[0], low[1], high[1]))), True
    longest = float(span[~flat].max())
    to_scale = bool(span[~flat].min() * STREAK >= longest)
    room = np.where(flat | to_scale, pad * longest, pad * span)
    if square and to_scale:
        room[0] = max(room[0], (span[1] + 2 * room[1] - span[0]) / 2)
        room[1] = max(room[1], (0.6 * longest - span[1]) / 2)
    low, high = low - room, high + room
    return Box(*map(float, (low[0], high[0], low[1], high[1]))), to_scale


def clip_halfplanes(box: Box, normals: Any, offsets: Any) -> np.ndarray:
    """The polygon {p in the box : nᵢ·p + cᵢ ≥ 0 for all i}; of shape (0, 2) if it is empty.

    Sutherland and Hodgman 1974, the most violated half-plane first, so that few are ever clipped.

    Parameters
    ----------
    box : Box
    normals : array of shape (m, 2)
    offsets : array of shape (m,)

    Returns
    -------
    ndarray of shape (vertices, 2)

    Examples
    --------
    >>> clip_halfplanes(Box(0, 2, 0, 2), [[-1, -1]], [2]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    >>> clip_halfplanes(Box(0, 1, 0, 1), [[1, 0], [-1, 0]], [-2, 1]).shape
    (0, 2)
    >>> clip_halfplanes(Box(0, 4e6, 0, 4e-6), [[0, 1]], [-1e-6])[:, 1].round(12).tolist()
    [1e-06, 4e-06, 4e-06, 1e-06]
    """
    normals = np.asarray(normals, dtype=float).reshape(-1, 2)
    offsets = np.asarray(offsets, dtype=float).reshape(-1)
    polygon = box.corners().astype(float)
    # Heights are shares of the box, whose sides may differ by many powers of ten.
    lengths = np.hypot(*(normals * np.ptp(polygon, axis=0)).T)
    scale = np.where(lengths > 0, lengths, 1.0)
    normals, offsets = normals / scale[:, None], offsets / scale
    tolerance = 1e-12 * (1 + np.abs(normals) @ np.abs(polygon).max(axis=0))
    for _ in range(len(normals)):
        heights = normals @ polygon.T + offsets[:, None]
        below = heights.min(axis=1) + tolerance
        worst = int(below.argmin())
        if below[worst] >= 0:
            break
        polygon = _clip(polygon, heights[worst])
        if not len(polygon):
            break
    return polygon


def _clip(polygon: np.ndarray, heights: np.ndarray) -> np.ndarray:
    kept = []
    for k in range(len(polygon)):
        here, after = heights[k], heights[(k + 1) % len(polygon)]
        if here >= 0:
            kept.append(polygon[k])
        if here * after < 0:
            share = here / (here - after)
            kept.append(polygon[k] + share * (polygon[(k + 1) % len(polygon)] - polygon[k]))
    return np.array(kept).reshape(-1, 2)


def clip_plane(normal: Any, offset: float, low: Any, high: Any) -> np.ndarray:
    """The corners of the part of a plane n·p + c = 0 that lies in a box of space.

    Steep or flat, it is drawn over the two axes along which it goes furthest.

    Parameters
    ----------
    normal : array of shape (3,)
        Not 0.
    offset : float
    low, high : array of shape (3,)
        Corners of the box.

    Returns
    -------
    ndarray of shape (vertices, 3)
        In order around it; none where the plane misses the box.

    Examples
    --------
    >>> clip_plane([2, 0, 1e-16], -1, [0, 0, 0], [1, 2, 3])[:, 0].round(9).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    normal, low, high = (np.asarray(side, dtype=float) for side in (normal, low, high))
    up = int(np.argmax(np.abs(normal) * (high - low)))
    over = [k for k in range(3) if k != up]
    slopes, level = -normal[over] / normal[up], -offset / normal[up]
    box = Box(low[over[0]], high[over[0]], low[over[1]], high[over[1]])
    base = clip_halfplanes(box, [slopes, -slopes], [level - low[up], high[up] - level])
    corners = np.empty((len(base), 3))
    corners[:, over], corners[:, up] = base, base @ slopes + level
    return corners


def clip_line(normal: Any, offset: float, box: Box) -> np.ndarray | None:
    """The two ends of the line inside the box, or None where it misses the box or w = 0.

    Examples
    --------
    >>> clip_line([1, 0], -0.5, Box(0, 1, 0, 2)).tolist()  # x = ½, vertical
    [[0.5, 0.0], [0.5, 2.0]]
    >>> clip_line([1, 1], -9, Box(0, 1, 0, 1)) is None
    True
    >>> clip_line([0, 0], 1, Box(0, 1, 0, 1)) is None
    True
    """
    normal = np.asarray(normal, dtype=float)
    length = math.hypot(*normal)
    if not length > 0:
        return None
    normal, offset = normal / length, offset / length
    along = np.array([-normal[1], normal[0]])
    corners = box.corners()
    low, high = float((corners @ along).min()), float((corners @ along).max())
    start = -offset * normal
    for axis, (least, most) in enumerate(((box.left, box.right), (box.bottom, box.top))):
        if along[axis] == 0:
            if not least <= start[axis] <= most:
                return None
            continue
        ends = sorted(((least - start[axis]) / along[axis], (most - start[axis]) / along[axis]))
        low, high = max(low, ends[0]), min(high, ends[1])
    if low > high:
        return None
    return np.array([start + low * along, start + high * along]) + 0.0


def foot(normal: Any, offset: float, points: Any) -> np.ndarray:
    """The nearest point of the line, or hyperplane, to each point.

    Examples
    --------
    >>> foot([0, 2], -2, [[3, 5]]).tolist()
    [[3.0, 1.0]]
    """
    normal = np.asarray(normal, dtype=float)
    points = np.asarray(points, dtype=float)
    largest = float(np.abs(normal).max())
    if largest == 0:
        raise InputError("there is no line where w = 0, and so no foot on it")
    normal, offset = normal / largest, offset / largest  # squares of tiny weights are 0
    return points - np.outer((points @ normal + offset) / float(normal @ normal), normal)


def convex_hull(points: Any) -> np.ndarray:
    """The corners of the convex hull, counter-clockwise; a segment has two, a point one.

    Andrew's monotone chain, 1979, after Akl and Toussaint's removal of what is far inside, 1978.

    Examples
    --------
    >>> convex_hull([[0, 0], [2, 0], [1, 0.5], [0, 2], [1, 1]]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    >>> convex_hull([[1, 1], [3, 3], [2, 2]]).tolist()
    [[1.0, 1.0], [3.0, 3.0]]
    """
    ordered = np.unique(_rim(np.asarray(points, dtype=float)), axis=0)
    if len(ordered) <= 2:
        return ordered
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _rim(points: np.ndarray) -> np.ndarray:
    """Points without those inside the hull of the farthest ones in sixteen directions."""
    if len(points) <= 1000:
        return points
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    farthest = (points @ np.array([np.cos(turns), np.sin(turns)])).argmax(axis=0)
    corners = convex_hull(points[farthest])
    if len(corners) < 3:
        return points
    sides = np.roll(corners, -1, axis=0) - corners
    depth = np.full(len(points), np.inf)
    for corner, (dx, dy) in zip(corners, sides, strict=True):
        x, y = (points - corner).T
        np.minimum(depth, (dx * y - dy * x) / math.hypot(dx, dy), out=depth)
    return points[depth <= 1e-9 * np.abs(points).max()]


def _chain(points: np.ndarray) -> list[np.ndarray]:
    chain: list[np.ndarray] = []
    for p in points:
        while len(chain) > 1 and not _turns_left(chain[-2], chain[-1], p):
            chain.pop()
        chain.append(p)
    return chain


def _turns_left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0


def angle_between(a: Any, b: Any) -> float:
    """The angle between two vectors in degrees, from 0 to 180.

    Examples
    --------
    >>> angle_between([1, 0], [0, 5])
    90.0
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    if lengths == 0:
        raise InputError("a vector of length 0 has no angle to another")
    return math.degrees(math.acos(min(1.0, max(-1.0, float(a @ b) / lengths))))


def risk_at(rows: Any, offsets: Any, weights: Any) -> np.ndarray:
    """The perceptron risk at weights of a plane, Σ max(0, −(aᵢ·w + cᵢ)).

    Parameters
    ----------
    rows, offsets : array of shape (n, 2), array of shape (n,)
        aᵢ and cᵢ.
    weights : array of shape (…, 2)

    Examples
    --------
    >>> risk_at([[1, 4], [5, 3], [-3, 5]], [0, 0, 0], [[1, 4], [0, -1]]).tolist()
    [0.0, 12.0]
    """
    rows, offsets = np.asarray(rows, dtype=float), np.asarray(offsets, dtype=float)
    weights = np.asarray(weights, dtype=float)
    total = np.zeros(weights.shape[:-1])
    for at in range(0, len(rows), 256):
        heights = weights @ rows[at : at + 256].T + offsets[at : at + 256]
        total -= np.minimum(heights, 0).sum(axis=-1)
    return total


def meeting(proof: Any, X: Any, signs: Any) -> tuple[np.ndarray, np.ndarray]:
    """The combination of positive rows and that of negative ones, which a proof says are equal.

    With a bias both are convex combinations, Σ αᵢxᵢ/Σ αᵢ over each class: a point of both hulls.
    Without one they are sums Σ αᵢxᵢ over each class, divided by Σ αᵢ over both.

    The proof is an Inseparability of two classes, the rows are all of them, with signs ±1.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([-1, -1, 1, 1])
    >>> meeting(rb.decide(X, y).certificate, X, y)
    (array([0.5, 0.5]), array([0.5, 0.5]))
    """
    alpha = proof.shares
    X, signs = X[proof.rows], signs[proof.rows]
    sides = []
    for sign in (1, -1):
        mine = signs == sign
        total = alpha[mine].sum() if proof.fit_intercept else alpha.sum()
        sides.append(np.asarray(alpha[mine] @ X[mine] / total).ravel())
    return sides[0], sides[1]
