"""Pictures of results: lines over sizes or seconds, in the house look, as small files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import QUICK, show

FOLDER = Path(
    os.environ.get("BENCH_PLOTS", Path(__file__).parent / ("plots-quick" if QUICK else "plots"))
)


class Line(NamedTuple):
    """A contestant's line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def draw(name: str, panels: dict[str, Sequence[Line]], *, x: str | Sequence[str], y: str) -> None:
    """Draw titled panels of lines, save them, and print where they are.

    An axis whose name begins with "time" is logarithmic and marked in units of time; the other is
    logarithmic where it has sizes, and marked by those of the first line. Ours, whose names begin
    with "ours" or "rosenblatt", are all blue and told apart by marker; each of the others has a
    colour and a marker of its own (`rosenblatt.figures.drawing.style`), the same in every panel.
    """
    from rosenblatt.figures.drawing.style import pyplot, theme

    try:
        plt = pyplot()
    except ImportError:
        print(f"({name} is not drawn: matplotlib is absent.)\n")
        return
    plt.switch_backend("Agg")
    labels = [x] * len(panels) if isinstance(x, str) else list(x)
    columns = 2 if len(panels) == 4 else min(3, len(panels))
    rows = -(-len(panels) // columns)
    looks = _looks(line.name for lines in panels.values() for line in lines)
    with theme("light"):
        size = (5.2 * columns, 4.4 * rows)
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        for ax in axes.flat[len(panels) :]:
            ax.remove()
        for ax, (title, lines), label in zip(axes.flat, panels.items(), labels, strict=False):
            for line in lines:
                ax.plot(line.x, line.y, markersize=7, label=line.name, **looks[_who(line.name)])
            ax.set(xlabel=label, ylabel=y, title=title)
            if label.startswith("time"):
                _in_time(ax, ax.xaxis)
            else:
                ax.set_xscale("log")
                marks = list(lines[0].x)[:: 2 if len(lines[0].x) > 5 else 1]
                ax.set_xticks(marks, [f"{size:,}" for size in marks])
                ax.set_xticks([], minor=True)
            if y.startswith("time"):
                _in_time(ax, ax.yaxis)
            ax.legend(fontsize=9)
        if len({tuple(line.name for line in lines) for lines in panels.values()}) == 1 < rows:
            _share_legend(figure, axes)
        _save(figure, name)
        plt.close(figure)


def _share_legend(figure: Any, axes: Any) -> None:
    """One legend below all panels, which have the same lines."""
    handles, names = axes.flat[0].get_legend_handles_labels()
    for ax in figure.axes:
        ax.get_legend().remove()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names))


def _who(name: str) -> str:
    """The contestant, without what is said about its line."""
    return name.split(", exponent")[0]


def _looks(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour, marker and width by contestant."""
    from rosenblatt.figures.drawing.style import LIGHT, MARKERS

    known = dict.fromkeys(map(_who, names))
    ours = [name for name in known if name.startswith(("ours", "rosenblatt"))]
    others = [name for name in known if name not in ours]
    blue, colours = LIGHT.positive, [c for c in LIGHT.several if c != LIGHT.positive]
    return {
        name: {"color": blue, "marker": MARKERS[k % len(MARKERS)], "linewidth": 2.6 - 0.4 * k}
        for k, name in enumerate(ours)
    } | {
        name: {
            "color": colours[k % len(colours)],
            "marker": MARKERS[(k + len(ours)) % len(MARKERS)],
            "linewidth": 1.4,
        }
        for k, name in enumerate(others)
    }


def _in_time(ax: Any, axis: Any) -> None:
    """A logarithmic axis of seconds, marked 1, 2, 5 of their units, or 1 alone where it is long."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    getattr(ax, f"set_{axis.axis_name}scale")("log")
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > 300 * low else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda seconds, _: show(seconds)))
    axis.set_minor_locator(NullLocator())


def _save(figure: Any, name: str) -> None:
    import io

    from PIL import Image

    FOLDER.mkdir(parents=True, exist_ok=True)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=75)
    few = Image.open(picture).convert("RGB").quantize(48)  # lines on paper need no more colours
    few.save(FOLDER / f"{name}.png", optimize=True)
    print(f"![{name}]({FOLDER.name}/{name}.png)\n", flush=True)
