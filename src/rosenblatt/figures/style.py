"""The look of the figures: two themes, one palette, classes told apart by marker and by colour.

Colours are those of Okabe and Ito (2008), which survive every common colour blindness. matplotlib
is imported when something is drawn, not before. Imports ``errors`` only.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from rosenblatt.errors import InputError

BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
GREEN, PURPLE, YELLOW, MINT = "#009E73", "#CC79A7", "#F0E442", "#3DDBA8"
MARKERS = ("X", "o", "s", "^", "D", "v", "P", "*", "<", "p")
# Points drawn at most: beyond it a picture is ink, and slow.
MOST = 10_000


class Palette(NamedTuple):
    """The colours of a theme.

    Attributes
    ----------
    ink, faint, paper : str
        Text and lines; notes; background.
    negative, positive : str
        The two classes.
    weights, path, proof : str
        The weight vector, where it came from, and what proves a verdict.
    several : tuple of str
        Classes, when there are more than two.
    """

    ink: str
    faint: str
    paper: str
    negative: str
    positive: str
    weights: str
    path: str
    proof: str
    several: tuple[str, ...]

    def classes(self, count: int) -> list[str]:
        """A colour for each of so many classes; of two, the second is the positive one."""
        if count <= 2:
            return [self.negative, self.positive][-count:]
        return [self.several[k % len(self.several)] for k in range(count)]


LIGHT = Palette(
    ink="#1A1A1A",
    faint="#6B6B6B",
    paper="#FFFFFF",
    negative=VERMILLION,
    positive=BLUE,
    weights=GREEN,
    path=PURPLE,
    proof="#B5338A",
    several=(VERMILLION, BLUE, GREEN, ORANGE, PURPLE, SKY, "#1A1A1A", "#8C7A00"),
)
DARK = Palette(
    ink="#F2F2F2",
    faint="#A8A8A8",
    paper="#14181F",
    negative=ORANGE,
    positive=SKY,
    weights=MINT,
    path="#E5A3C8",
    proof="#FF8AD8",
    several=(ORANGE, SKY, MINT, "#FF7B39", "#E5A3C8", YELLOW, "#F2F2F2", "#7C9CFF"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def markers(count: int) -> list[str]:
    """A marker for each class; past eight classes marker and colour repeat out of step."""
    if count == 1:
        return ["o"]
    return [MARKERS[k % len(MARKERS)] for k in range(count)]


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "rosenblatt.figures draws with matplotlib, which is not installed: "
            "pip install 'rosenblatt[plot]'"
        ) from error
    return plt


def theme(name: str) -> AbstractContextManager[Any]:
    """Draw in a theme: ``with figures.theme("dark"): figures.x_space(clf, X, y)``.

    Parameters
    ----------
    name : {"light", "dark"}

    Returns
    -------
    context manager

    Examples
    --------
    >>> from rosenblatt import figures
    >>> with figures.theme("dark"):
    ...     ax = figures.x_space([1.0, 1.0, 0.0], [[1, 1], [-1, -1]], [1, -1])
    >>> palette_of(ax) is DARK
    True
    """
    return pyplot().rc_context(_settings(name))


def _settings(name: str) -> dict[str, Any]:
    if name not in THEMES:
        raise InputError(f"theme must be one of {', '.join(map(repr, THEMES))}, got {name!r}.")
    colours = THEMES[name]
    pyplot()
    import matplotlib

    ink = {key: colours.ink for key in ("axes.edgecolor", "axes.labelcolor", "text.color")}
    ink |= {key: colours.ink for key in ("xtick.color", "ytick.color", "axes.titlecolor")}
    paper = {key: colours.paper for key in ("axes.facecolor", "figure.facecolor")}
    return {
        **ink,
        **paper,
        "savefig.facecolor": "auto",
        "axes.prop_cycle": matplotlib.cycler(color=list(colours.several)),
        "axes.grid": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 1.2,
        "axes.titlesize": 17,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 15,
        "font.size": 14,
        "legend.fontsize": 13,
        "legend.frameon": False,
        "lines.linewidth": 2.5,
        "xtick.labelsize": 12,
        "ytick.labelsize": 12,
        "figure.figsize": (7.5, 6.0),
        "figure.dpi": 100,
        "savefig.dpi": 150,
        "figure.constrained_layout.use": True,
        "axes.formatter.use_mathtext": True,
        "axes.unicode_minus": True,
        "grid.color": colours.faint,
        "patch.linewidth": 0,
    }


def _luminance(colour: Any) -> float:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(colour)
    return alpha * (0.21 * red + 0.72 * green + 0.07 * blue) + (1 - alpha)


def palette_of(ax: Any) -> Palette:
    """The palette that can be read on those axes."""
    return DARK if _luminance(ax.get_facecolor()) < 0.5 else LIGHT


Draw = TypeVar("Draw", bound=Callable[..., Any])


def styled(draw: Draw) -> Draw:
    """Give a function that makes its own axes the house style; axes of the user keep theirs."""

    @functools.wraps(draw)
    def inner(*args: Any, **kwargs: Any) -> Any:
        plt = pyplot()
        if kwargs.get("ax") is not None or kwargs.get("axes") is not None:
            return draw(*args, **kwargs)
        dark = _luminance(plt.rcParams["axes.facecolor"]) < 0.5
        with plt.rc_context(_settings("dark" if dark else "light")):
            return draw(*args, **kwargs)

    return cast(Draw, inner)


def axes_for(ax: Any, *, solid: bool = False, size: tuple[float, float] | None = None) -> Any:
    """The given axes, or new ones; refuses flat axes where a solid picture needs 3-D ones."""
    if ax is None:
        plt = pyplot()
        figure = plt.figure(figsize=size)
        return figure.add_subplot(projection="3d" if solid else None)
    if solid and getattr(ax, "name", "") != "3d":
        raise InputError(
            "this picture is three-dimensional: make its axes with "
            'fig.add_subplot(projection="3d"), or pass none.'
        )
    return ax


def row_of_axes(
    axes: Any, count: int, *, solid: Sequence[bool] = (), size: tuple[float, float] = (6.2, 5.6)
) -> Any:
    """The given axes, checked to be ``count``, or a new row of them, some of them 3-D."""
    solid = [*solid, *[False] * count][:count]
    if axes is None:
        figure = pyplot().figure(figsize=(size[0] * count, size[1]))
        return np.array(
            [
                figure.add_subplot(1, count, k + 1, projection="3d" if solid[k] else None)
                for k in range(count)
            ]
        )
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) != count:
        raise InputError(f"axes must be {count}, got {len(axes)}.")
    for ax, deep in zip(axes, solid, strict=True):
        axes_for(ax, solid=deep)
    return axes


def heading(ax: Any, title: str = "", *, columns: int = 4, handles: Any = None) -> None:
    """A title over a legend over the axes, none of them covering a point."""
    found, labels = ax.get_legend_handles_labels()
    if handles is not None:
        found, labels = handles, [handle.get_label() for handle in handles]
    rows = math.ceil(len(found) / columns)
    if found:
        ax.legend(
            found,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=columns,
            borderaxespad=0.3,
            handletextpad=0.4,
            columnspacing=1.2,
            handlelength=1.4,
        )
    if title:
        size = pyplot().rcParams["legend.fontsize"]
        line = 1.55 * (size if isinstance(size, int | float) else 10)
        ax.set_title(title, pad=8 + rows * line)


def note(ax: Any, *sentences: str) -> None:
    """What a reader must know of the picture, small, under the axes."""
    text = "\n".join(sentence for sentence in sentences if sentence)
    if not text:
        return
    style = {"fontsize": 11, "color": palette_of(ax).faint}
    if getattr(ax, "name", "") == "3d":
        ax.text2D(0.5, -0.02, text, transform=ax.transAxes, ha="center", va="top", **style)
        return
    ax.annotate(
        text,
        (0.5, 0),
        xycoords=ax.xaxis.label,
        xytext=(0, -4),
        textcoords="offset points",
        ha="center",
        va="top",
        annotation_clip=False,
        **style,
    )


def fit_to(ax: Any, box: Any, to_scale: bool = True) -> None:
    """Show that box, to one scale where lengths and right angles are to be believed."""
    ax.set_xlim(box.left, box.right)
    ax.set_ylim(box.bottom, box.top)
    ax.set_aspect("equal" if to_scale else "auto", adjustable="box")
    ax.locator_params(nbins=6)


def bare(ax: Any) -> None:
    """A 3-D picture without its grey boxes."""
    colours = palette_of(ax)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor((0, 0, 0, 0))
        axis.pane.set_edgecolor(colours.faint)
        axis.pane.set_alpha(0.3)
        axis._axinfo["grid"].update(color=colours.faint, linewidth=0.3)
        axis.set_tick_params(labelsize=10, pad=0)
        axis.labelpad = 6
    ax.locator_params(nbins=5)
