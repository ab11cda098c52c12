"""Where figures are drawn: axes made or checked, headings, notes, limits."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.style import palette_of, pyplot

FONTS = (("legend", "fontsize"), ("axes", "titlesize"))
LETTER, BOLD = 0.6, 0.62  # the mean width of a letter, over its height
NOTE = "note"  # the mark by which matplotlib knows a note
TICK_POINTS = 10  # the letters of a 3-D picture's ticks, in points


def axes_for(ax: Any, *, solid: bool = False, size: tuple[float, float] | None = None) -> Any:
    """The given axes, or new ones; refuses flat axes where a solid picture needs 3-D ones."""
    if ax is None:
        figure = pyplot().figure(figsize=size, layout=_layout())
        return figure.add_subplot(projection="3d" if solid else None)
    if solid and getattr(ax, "name", "") != "3d":
        raise InputError(
            "this picture is three-dimensional: make its axes with "
            'fig.add_subplot(projection="3d"), or pass none.'
        )
    return ax


def _layout() -> Any:
    from rosenblatt.figures.drawing.layout import SettledLayout

    return SettledLayout()


def row_of_axes(
    axes: Any, count: int, *, solid: Sequence[bool] = (), size: tuple[float, float] = (6.2, 5.6)
) -> Any:
    """The given axes, checked to be ``count``, or a new row of them, some of them 3-D."""
    solid = [*solid, *[False] * count][:count]
    if axes is None:
        figure = pyplot().figure(figsize=(size[0] * count, size[1]), layout=_layout())
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


def panels(axes: Any, count: int, columns: int, size: tuple[float, float]) -> Any:
    """The given axes, checked to be enough, or a new grid of them; those not needed are hidden."""
    if axes is None:
        lines = math.ceil(count / columns)
        figsize = (size[0] * columns, size[1] * lines + 0.4)
        figure = pyplot().figure(figsize=figsize, layout=_layout())
        axes = figure.subplots(lines, columns, squeeze=False)
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) < count:
        raise InputError(f"axes must be {count} or more, got {len(axes)}.")
    for ax in axes[count:]:
        ax.set_axis_off()
    return axes


def heading(ax: Any, title: str = "", *, columns: int = 4) -> None:
    """A title over a legend over the axes, none of them covering a point."""
    from matplotlib.font_manager import FontProperties

    found, labels = ax.get_legend_handles_labels()
    sizes = [pyplot().rcParams[f"{part}.{key}"] for part, key in FONTS]
    small, large = (FontProperties(size=size).get_size_in_points() for size in sizes)
    wide = 72 * _slot(ax) * ax.figure.get_figwidth()
    columns = _columns_that_fit(labels, columns, wide / small)
    # The factor of the heights, "×10⁶", would else be written over the legend.
    ax.yaxis.get_offset_text().set_horizontalalignment("right")
    if found:
        legend = ax.legend(
            _row_by_row(found, columns),
            _row_by_row(labels, columns),
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=columns,
            borderaxespad=0.3,
            handletextpad=0.4,
            columnspacing=1.2,
            handlelength=1.4,
        )
        for handle in legend.legend_handles:
            handle.set_alpha(max(0.35, handle.get_alpha() or 1.0))
            if hasattr(handle, "set_sizes"):
                handle.set_sizes([75])
    if title:
        rows = math.ceil(len(found) / columns)
        words = textwrap.fill(title, max(20, int(wide / large / BOLD)))
        ax.set_title(words, pad=8 + rows * 1.75 * small)


def _slot(ax: Any) -> float:
    """The share of the page's width that axes may write on: nearly all of their column."""
    place = ax.get_subplotspec()
    if place is None:
        return ax.get_position().width
    return 0.88 * len(place.colspan) / place.get_gridspec().ncols


def _columns_that_fit(labels: Sequence[str], most: int, wide: float) -> int:
    """How many columns of a legend fit into a width, in letters' heights.

    Examples
    --------
    >>> _columns_that_fit(["yes", "no"], 4, 30), _columns_that_fit(["a" * 30, "b" * 30], 4, 30)
    (4, 1)
    """
    lengths = [_letters(label) for label in labels]
    for columns in range(most, 1, -1):
        # A column is as wide as its longest entry, with 3 for the mark and the space around.
        needed = sum(LETTER * max(lengths[k::columns]) + 3 for k in range(columns) if lengths[k:])
        if needed <= wide + 3:
            return columns
    return 1


def _letters(label: str) -> int:
    """How many letters are seen of a label, which may be mathematics."""
    return len(re.sub(r"\\[a-z]+|[${}_^\\]", "", label))


def _row_by_row(items: Sequence[Any], columns: int) -> list[Any]:
    """Items in the order in which a legend, which fills column by column, reads row by row."""
    return [item for column in range(columns) for item in items[column::columns]]


def note(ax: Any, *sentences: str) -> None:
    """What a reader must know of the picture, small, under the axes and under earlier notes."""
    text = "\n".join(textwrap.fill(sentence, 64) for sentence in sentences if sentence)
    if not text:
        return
    for earlier in ax.texts:
        if earlier.get_gid() == NOTE:
            earlier.set_text(f"{earlier.get_text()}\n{text}")
            return
    style = {"fontsize": 11, "color": palette_of(ax).faint, "gid": NOTE}
    if getattr(ax, "name", "") == "3d":
        ax.text2D(0.5, -0.09, text, transform=ax.transAxes, ha="center", va="top", **style)
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


def finish(ax: Any, labels: Sequence[str], title: str = "", *notes: str, columns: int = 4) -> None:
    """What ends every flat picture: the axes' names, the title over the legend, the notes."""
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    heading(ax, title, columns=columns)
    note(ax, *notes)


def finish_solid(
    ax: Any, labels: Sequence[str], view: tuple[float, float], title: str = "", *notes: str
) -> None:
    """What ends every 3-D picture: the axes' names, where to look from, legend, title, notes."""
    for name, label in zip("xyz", labels, strict=True):
        getattr(ax, f"set_{name}label")(label)
    ax.view_init(*(None if angle is None else float(angle) for angle in view))
    bare(ax)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left")
    if title:
        ax.set_title(title, loc="left")
    note(ax, *notes)


def fit_to(ax: Any, box: Any, to_scale: bool = True) -> None:
    """Show that box, to one scale where lengths and right angles are to be believed."""
    ax.set_xlim(box.left, box.right)
    ax.set_ylim(box.bottom, box.top)
    ax.set_aspect("equal" if to_scale else "auto", adjustable="box")
    ax.locator_params(nbins=6)


def said_scale(to_scale: bool) -> str:
    """What a reader must know of a plane whose axes have different scales."""
    return "" if to_scale else "axes not to one scale: right angles do not look right"


def bare(ax: Any) -> None:
    """A 3-D picture without its grey boxes."""
    colours = palette_of(ax)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set(facecolor=(0, 0, 0, 0), edgecolor=colours.faint, alpha=None)
        axis.pane.fill = False
        axis._axinfo["grid"].update(color=colours.faint, linewidth=0.3)
        axis.set_tick_params(labelsize=TICK_POINTS, pad=0)
        axis.labelpad = 6
    ax.locator_params(nbins=5)
    _beside_the_upright_axis(ax)


def _beside_the_upright_axis(ax: Any) -> None:
    """Keep the labels of its ticks, which are centred, off the line, and its name on the page."""
    heights = ax.zaxis.get_major_formatter().format_ticks(ax.zaxis.get_majorticklocs())
    wide = (
        LETTER * TICK_POINTS * (max(map(_letters, heights), default=1) - 1)
    )  # one letter has room
    ax.zaxis.set_tick_params(pad=wide / 2)
    ax.zaxis.labelpad += 0.7 * wide
    # A layout leaves no room for the names of axes in space.
    share = wide / (72 * _slot(ax) * ax.figure.get_figwidth())
    ax.set_box_aspect(ax._box_aspect, zoom=max(0.6, 1 - 1.5 * share))
