"""Certificates, drawn: a slab that keeps the classes apart, or two hulls that meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for
from rosenblatt.figures.drawing.marks import draw_points, ring, shown_rows
from rosenblatt.figures.drawing.projection import view_of
from rosenblatt.figures.drawing.sources import certificate_of, data_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.spaces import finish_view, x_space
from rosenblatt.teaching.geometry import convex_hull, frame, meeting

MEETING = ("inseparability", "overlap")  # kinds of certificates whose weighted rows cancel
LINES = ("separation", "weak-separation")  # those of a hyperplane with no row on the wrong side


def _drawn_by(proof: Any) -> str:
    """The figure of a certificate that is not of the kind asked for."""
    if proof.kind in MEETING:
        return "figures.hulls"
    if proof.kind == "fewest-errors":
        return "figures.fewest_errors(rosenblatt.fewest_errors(X, y), X, y)"
    if proof.kind == "maximum-margin":
        return "figures.x_space(source, X, y, slab=True)"
    return "figures.certificate(rosenblatt.decide(X, y), X, y)"


@figure()
def certificate(
    source: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    view: Any = "auto",
    names: Any = None,
    title: str | None = None,
) -> Any:
    """The proof of a verdict: `separation` or `hulls`, whichever was certified.

    Parameters
    ----------
    source : Decision, SeparationKind, certificate, or estimator fitted with one
    X, y : array and labels
        The certified points.
    ax, view, names
        As for `x_space`.
    title : str, optional
        The verdict by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.xor()[:2]
    >>> figures.certificate(rb.decide(X, y), X, y).get_title(loc="left")
    'Inseparable: the hulls meet'
    """
    proof = certificate_of(source)
    draw = separation if proof.kind in LINES else hulls
    return draw(source, X, y, ax=ax, view=view, names=names, title=title)


@figure()
def separation(
    source: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    view: Any = "auto",
    names: Any = None,
    title: str | None = None,
) -> Any:
    """A separation: the hyperplane of the certificate and the slab that it keeps empty.

    Of a weak separation, with rows on the hyperplane, there is no slab. Parameters are those of
    `certificate`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.three_samples()[:2]
    >>> figures.separation(rb.decide(X, y), X, y).get_title(loc="left")
    'Separable'
    """
    proof = certificate_of(source)
    if proof.kind not in LINES:
        raise InputError(
            f"the certificate is of {proof.kind}, not of a separation: draw {_drawn_by(proof)}."
        )
    slab = proof.kind == "separation"
    if title is None:
        title = "Separable" if slab else "Separable but for rows on the line"
    return x_space(
        proof, X, y, ax=ax, slab=slab, mistakes=slab, view=view, names=names, title=title
    )


@figure()
def hulls(
    source: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    view: Any = "auto",
    names: Any = None,
    title: str | None = None,
) -> Any:
    """An inseparability: both classes' convex hulls, and the point that they share.

    The rows that prove it are circled, and joined to the point of which they are, on either side,
    a weighted mean. A projection keeps all that: means stay means. Parameters are those of
    `certificate`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.quadrants()[:2]
    >>> ax = figures.hulls(rb.decide(X, y), X, y)
    """
    proof = certificate_of(source)
    data = data_of(source, X, y, names)
    if proof.kind in LINES:
        raise InputError(
            "only hulls of inseparable classes meet; these are separable: draw figures.separation."
        )
    if proof.kind not in MEETING:
        raise InputError(
            f"hulls that meet prove an inseparability; this certificate is of {proof.kind}: draw "
            f"{_drawn_by(proof)}."
        )
    if proof.rivals is not None:
        raise InputError(
            "hulls that meet are the proof of two inseparable classes; for several classes see "
            "figures.pairs_matrix, and figures.contact_sheet where features are pixels."
        )
    positive, negative = meeting(proof, data.X, data.signs)
    ax = axes_for(ax)
    palette = palette_of(ax)
    seen = view_of(data, None, view)
    rows, said = shown_rows(data, proof.rows)
    points = seen.points(data.X[rows], data.signs[rows])
    guilty = seen.points(data.dense(proof.rows), data.signs[proof.rows])
    whole = seen.points(data.X, data.signs)
    for k, colour in enumerate(palette.classes(len(data.classes))):
        _draw_hull(ax, convex_hull(whole[data.codes == k]), colour)
    draw_points(ax, points, data.codes[rows], data.classes)
    ring(ax, guilty, proof.rows, data, f"proof: {len(guilty)} rows", palette.proof)
    notes = [seen.note, said]
    if proof.fit_intercept:
        meet = seen.points((positive + negative)[None] / 2, np.zeros(1))[0]
        for point, share in zip(guilty, proof.shares, strict=True):
            width = 1 + 3 * share
            ax.plot(*np.array([point, meet]).T, color=palette.proof, lw=width, alpha=0.8, zorder=2)
        ax.plot(
            *meet, "*", color=palette.proof, ms=22, mec=palette.paper, zorder=6, ls="",
            label="shared point",
        )  # fmt: skip
    elif not proof.fit_intercept:
        notes.append("without a bias: weighted sums, not means, of the circled rows are equal")
    if not proof.exact:
        gap = float(np.linalg.norm(positive - negative))
        notes.append(f"proved to ε = {proof.epsilon:.2g}: the combinations are {gap:.2g} apart")
    title = "Inseparable: the hulls meet" if title is None else title
    finish_view(ax, seen, data, frame(whole), title, *notes)
    return ax


def _draw_hull(ax: Any, corners: np.ndarray, colour: str) -> None:
    if len(corners) > 2:
        ax.fill(*corners.T, facecolor=colour, alpha=0.14, lw=0, zorder=0)
    closed = np.vstack([corners, corners[:1]])
    ax.plot(*closed.T, color=colour, lw=2, zorder=1)
