"""Pictures of results: lines over sizes or seconds, in the house look, as small files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import QUICK

FOLDER = Path(
    os.environ.get("BENCH_PLOTS", Path(__file__).parent / ("plots-quick" if QUICK else "plots"))
)


class Line(NamedTuple):
    """A contestant's line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def draw(
    name: str,
    panels: dict[str, Sequence[Line]],
    *,
    x: str | Sequence[str],
    y: str,
    log_y: bool = False,
) -> None:
    """Draw titled panels of lines side by side, save them, and print where they are.

    With ``log_y`` both axes are logarithmic and the sizes are the first line's, as powers show.
    Lines are told apart by marker and by colour (`rosenblatt.figures.style`); ours, the first,
    is drawn widest.
    """
    from rosenblatt.figures.style import LIGHT, MARKERS, pyplot, theme

    try:
        plt = pyplot()
    except ImportError:
        print(f"({name} is not drawn: matplotlib is absent.)\n")
        return
    plt.switch_backend("Agg")
    labels = [x] * len(panels) if isinstance(x, str) else list(x)
    with theme("light"):
        size = (5.2 * len(panels), 4.4)
        figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
        for ax, (title, lines), label in zip(axes[0], panels.items(), labels, strict=True):
            for k, line in enumerate(lines):
                colour = LIGHT.several[(k + 1) % len(LIGHT.several)]
                width = 2.8 if k == 0 else 1.6
                ax.plot(
                    line.x,
                    line.y,
                    marker=MARKERS[k % len(MARKERS)],
                    color=colour,
                    linewidth=width,
                    markersize=7,
                    label=line.name,
                )
            ax.set(xscale="log", xlabel=label, ylabel=y, title=title)
            if log_y:
                ax.set_yscale("log")
                sizes = list(lines[0].x)
                ax.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=9)
                ax.set_xticks([], minor=True)
            ax.legend(fontsize=9)
        _save(figure, name)
        plt.close(figure)


def _save(figure: Any, name: str) -> None:
    import io

    from PIL import Image

    FOLDER.mkdir(parents=True, exist_ok=True)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=75)
    few = Image.open(picture).convert("RGB").quantize(48)  # lines on paper need no more colours
    few.save(FOLDER / f"{name}.png", optimize=True)
    print(f"![{name}]({FOLDER.name}/{name}.png)\n", flush=True)
