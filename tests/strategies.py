"""Problems for property tests: small, exact, and nasty."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st


@st.composite
def labelled(draw, classes=2, largest=6, n=(2, 12), d=(1, 3)):
    """Integer points with labels: duplicates, ties and contradictions included."""
    rows = draw(st.integers(*n))
    columns = draw(st.integers(*d))
    values = st.integers(-largest, largest)
    X = draw(
        st.lists(st.lists(values, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    y = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    assume(len(set(y)) == classes)
    return np.array(X, dtype=float), np.array(y)


@st.composite
def separable(draw, largest=6, n=(2, 12), d=(1, 3), intercept=True):
    """Integer points that a drawn integer hyperplane separates."""
    columns = draw(st.integers(*d))
    values = st.integers(-largest, largest)
    z = np.array(draw(st.lists(values, min_size=columns + 1, max_size=columns + 1)), dtype=float)
    if not intercept:
        z[-1] = 0
    rows = draw(st.integers(*n))
    X = np.array(
        draw(
            st.lists(
                st.lists(values, min_size=columns, max_size=columns), min_size=rows, max_size=rows
            )
        ),
        dtype=float,
    )
    scores = X @ z[:-1] + z[-1]
    keep = scores != 0
    X, y = X[keep], (scores[keep] > 0).astype(int)
    assume(len(set(y)) == 2)
    return X, y


def requirements(X, signs, intercept=True):
    """The rows aᵢ = yᵢ(xᵢ, 1)."""
    pad = np.ones((len(X), 1)) if intercept else np.zeros((len(X), 1))
    return signs[:, None] * np.hstack([X, pad])


def best_margin_squared(X, signs, intercept=True) -> Fraction:
    """γ², exactly: the squared distance of the origin from the hull of the aᵢ."""
    from rosenblatt.solve.wolfe import min_norm_point

    return min_norm_point(requirements(X, signs, intercept)).squared_norm
