"""A trace in motion: the line tilts update by update, beside the sandwich that closes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import PATH, optional
from rosenblatt.data.files import replacing, write
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import finish, fit_to, row_of_axes
from rosenblatt.figures.drawing.marks import draw_points
from rosenblatt.figures.drawing.sources import data_of, is_trace, path_of
from rosenblatt.figures.drawing.style import palette_of, pyplot
from rosenblatt.figures.drawing.words import in_html, named
from rosenblatt.figures.growth import ProofGrowth, growth_of
from rosenblatt.teaching.geometry import Box, clip_halfplanes, clip_line, frame

FORMATS = (".gif", ".mp4", ".html")


class Film(NamedTuple):
    """What an animation shows.

    Attributes
    ----------
    points : ndarray of shape (n, 2)
    codes : ndarray of int
    classes : tuple
    weights : ndarray of shape (frames, 3)
        The bias last; the first frame is the start.
    rows : ndarray of int
        The row whose mistake led to each frame; −1 for the start.
    updates : ndarray of int
        k at each frame.
    growth : ProofGrowth
        How ‖w‖ grew, between the bounds of the theorem.
    box : Box
    labels : tuple of str
        What the axes are called.
    """

    points: np.ndarray
    codes: np.ndarray
    classes: tuple[Any, ...]
    weights: np.ndarray
    rows: np.ndarray
    updates: np.ndarray
    growth: ProofGrowth
    box: Box
    labels: tuple[str, str]


def film_of(trace: Any, frames: int = 120, names: Any = None) -> Film:
    """The frames of a trace: its start and every update, thinned out evenly if there are more.

    Examples
    --------
    >>> from rosenblatt import datasets, trace
    >>> data = datasets.six_points()
    >>> film = film_of(trace(data.X, data.y, **data.settings))
    >>> film.weights[:, :2].tolist(), film.rows.tolist()
    ([[0.0, 0.0], [1.0, -2.0], [2.0, -1.0], [3.0, 1.0]], [-1, 0, 2, 4])
    """
    if not is_trace(trace):
        raise InputError(f"animate needs a Trace, every step of a run; got {type(trace).__name__}.")
    data = data_of(trace, names=names)
    if data.d != 2 or len(data.classes) != 2:
        raise InputError(
            "the line of an animation lives in the plane: trace two features and two classes, "
            f"not {data.d} features and {len(data.classes)} classes."
        )
    if frames < 2:
        raise InputError(f"frames must be at least 2, got {frames}.")
    weights = path_of(trace)
    rows = np.array([-1, *(step.index for step in trace.steps if step.mistake)])
    keep = np.arange(len(weights))
    if len(keep) > frames:
        keep = np.unique(np.linspace(0, len(weights) - 1, frames).round().astype(int))
    points = data.dense()
    box, _ = frame(points, pad=0.18)
    return Film(
        points=points,
        codes=data.codes,
        classes=data.classes,
        weights=weights[keep],
        rows=rows[keep],
        updates=keep,
        growth=growth_of(trace),
        box=box,
        labels=(data.labels[0], data.labels[1]),
    )


@figure(path=optional(PATH))
def animate(
    trace: Any,
    path: Any = None,
    *,
    fps: float = 2.0,
    frames: int = 120,
    dpi: float = 80.0,
    axes: Any = None,
    names: Any = None,
) -> Any:
    """Show a trace in motion, on the screen or as a file.

    Parameters
    ----------
    trace : Trace
        Of two features and two classes, from any start.
    path : str or Path, optional
        Where to write: ``.gif``; ``.mp4``, which needs ffmpeg; or ``.html``, a page with a slider
        that needs nothing else, not even a network.
    fps : float
        Updates a second.
    frames : int
        At most so many; longer runs are thinned out, and the picture says which update it shows.
    dpi : float
        Pixels an inch, of GIF and MP4.
    axes : two matplotlib Axes, optional
    names : sequence of str, optional
        The features' names; by default those of the data frame that was traced.

    Returns
    -------
    matplotlib.animation.FuncAnimation, or the Path that was written

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import datasets, figures, trace
    >>> data = datasets.six_points()
    >>> run = trace(data.X, data.y, **data.settings)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figures.animate(run, f"{folder}/run.html").name
    'run.html'
    """
    target = None if path is None else Path(path)
    if target is not None and target.suffix.lower() not in FORMATS:
        raise InputError(f"an animation is written as {', '.join(FORMATS)}, not {target.suffix!r}.")
    film = film_of(trace, frames, names)
    if target is not None and target.suffix.lower() == ".html":
        text = page(film, fps)
        write(target, text)
        return target
    if target is not None and target.suffix.lower() == ".mp4":
        _require_ffmpeg()
    if target is None:
        return _moving(film, fps, axes)
    save = _save_gif if target.suffix.lower() == ".gif" else _save_mp4
    with replacing(target) as temporary:
        save(_frames(film, dpi, axes), temporary, max(1, round(fps)))
    return target


def _save_gif(frames: Iterator[np.ndarray], target: Any, fps: int) -> None:
    """Write images without matplotlib's writer, which draws a page for each of them."""
    from PIL import Image

    first, *others = (Image.fromarray(frame).convert("RGB") for frame in frames)
    first.save(target, save_all=True, append_images=others, duration=int(1000 / fps), loop=0)


def _save_mp4(frames: Iterator[np.ndarray], target: Any, fps: int) -> None:
    from matplotlib.animation import FFMpegWriter
    from matplotlib.figure import Figure

    first, writer = next(frames), FFMpegWriter(fps=fps)
    height, width = first.shape[:2]
    page = Figure(figsize=(width / 100, height / 100), dpi=100)
    shown = page.figimage(first)
    with writer.saving(page, target, 100):
        writer.grab_frame()
        for frame in frames:
            shown.set_data(frame)
            writer.grab_frame()


def _frames(film: Film, dpi: float, axes: Any) -> Iterator[np.ndarray]:
    """Every frame in pixels; what costs most, the layout and the axes' words, is done once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pair, show = _shown(film, axes)
    page, moving = pair[0].figure, [(ax, part) for ax in pair for part in _inside(ax)]
    before = page.dpi
    canvas = FigureCanvasAgg(page)
    try:
        page.set_dpi(dpi)
        page.draw_without_rendering()
        page.set_layout_engine("none")
        for _, part in moving:
            part.set_animated(True)
        canvas.draw()
        around = canvas.copy_from_bbox(page.bbox)
        for k in range(len(film.weights)):
            show(k)
            canvas.restore_region(around)
            for ax, part in moving:
                ax.draw_artist(part)
            yield np.array(canvas.buffer_rgba())
    finally:
        for _, part in moving:
            part.set_animated(False)
        page.set_dpi(before)
        pyplot().close(page)


def _inside(ax: Any) -> list[Any]:
    """All of some axes but their ticks, names and legend, in the order in which it is drawn."""
    parts = {*ax.lines, *ax.collections, *ax.patches, *ax.texts, *ax.spines.values()}
    found = [part for part in ax.get_children() if part in parts]
    return sorted(found, key=lambda part: part.get_zorder())


def _require_ffmpeg() -> None:
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise InputError("an .mp4 needs ffmpeg, which is not installed: write a .gif or an .html.")


def _moving(film: Film, fps: float, axes: Any) -> Any:
    from matplotlib.animation import FuncAnimation

    pair, show = _shown(film, axes)
    moving: Any = FuncAnimation(
        pair[0].figure, show, frames=len(film.weights), interval=1000 / fps, repeat_delay=2000
    )
    moving._draw_was_started = True  # or it would warn where it is neither shown nor saved
    return moving


def _shown(film: Film, axes: Any) -> tuple[Any, Callable[[int], list[Any]]]:
    """Two axes with the first frame, and what shows another."""
    left, right = pair = row_of_axes(axes, 2, size=(6.0, 5.4))
    update = [_draw_plane(left, film), _draw_sandwich(right, film, film.growth)]

    def show(k: int) -> list[Any]:
        for part in update:
            part(k)
        return []

    show(0)
    return pair, show


def _draw_plane(ax: Any, film: Film) -> Any:
    palette = palette_of(ax)
    draw_points(ax, film.points, film.codes, film.classes)
    (line,) = ax.plot([], [], color=palette.ink, lw=3, zorder=2)
    circle = ax.scatter(
        [], [], s=330, facecolors="none", edgecolors=palette.proof, linewidths=2.5, zorder=4
    )
    sides = [
        (sign, ax.fill([0, 0], [0, 0], color=colour, alpha=0.12, lw=0, zorder=0)[0])
        for sign, colour in ((1, palette.positive), (-1, palette.negative))
    ]
    fit_to(ax, film.box)
    finish(ax, film.labels)
    words = ax.text(1, 1.015, "", transform=ax.transAxes, ha="right", va="bottom")

    def show(k: int) -> None:
        w = film.weights[k]
        ends = clip_line(w[:2], w[2], film.box)
        line.set_data(*(ends.T if ends is not None else ([], [])))
        for sign, patch in sides:
            side = clip_halfplanes(film.box, [sign * w[:2]], [sign * w[2]])
            patch.set_xy(side if w[:2].any() and len(side) else np.zeros((1, 2)))
        row = film.rows[k]
        circle.set_offsets(film.points[[row]] if row >= 0 else np.empty((0, 2)))
        words.set_text(f"update {film.updates[k]:,} of {film.updates[-1]:,}")

    return show


def _draw_sandwich(ax: Any, film: Film, growth: Any) -> Any:
    palette = palette_of(ax)
    last = max(1, int(film.updates[-1]))
    k = np.linspace(0, 1.05 * last, 200)
    upper, lower = growth.upper(k), np.maximum(0.0, growth.lower(k))
    ax.plot(k, upper, color=palette.negative, ls="--", label=growth.names[0])
    if growth.gamma > 0:
        ax.plot(k, growth.lower(k), color=palette.positive, ls="-.", label=growth.names[1])
    ax.fill_between(k, lower, upper, color=palette.faint, alpha=0.13, lw=0)
    (walked,) = ax.plot([], [], color=palette.weights, lw=3.2, label=r"$\|w\|$")
    (dot,) = ax.plot([], [], "o", color=palette.weights, ms=10, mec=palette.paper)
    ax.set(xlim=(0, 1.05 * last), ylim=(0, float(growth.upper(1.05 * last))))
    ax.locator_params(axis="x", integer=True)
    said = growth.said_bound if growth.gamma > 0 else "no γ: inseparable"
    finish(ax, ("updates k", r"$\|w\|\,/\,\eta$"), "", said)

    def show(at: int) -> None:
        done = film.updates[at] + 1
        walked.set_data(growth.updates[:done], growth.norms[:done])
        dot.set_data(growth.updates[done - 1 : done], growth.norms[done - 1 : done])

    return show


def page(film: Film, fps: float = 2.0) -> str:
    """The film as one HTML page that draws itself, with play, step and slider.

    Examples
    --------
    >>> from rosenblatt import datasets, trace
    >>> text = page(film_of(trace(*datasets.three_samples()[:2])))
    >>> "http" in text.replace("http://www.w3.org/2000/svg", "")
    False
    """
    from rosenblatt.figures.drawing.player import PAGE

    growth = film.growth
    content = {
        "points": film.points.tolist(),
        "codes": film.codes.tolist(),
        "classes": [in_html(name) for name in named(film.classes)],
        "labels": [in_html(label) for label in film.labels],
        "weights": film.weights.tolist(),
        "rows": film.rows.tolist(),
        "updates": film.updates.tolist(),
        "norms": growth.norms.tolist(),
        "radius": growth.radius,
        "gamma": growth.gamma,
        "ahead": growth.ahead,
        "bound": growth.bound if growth.gamma > 0 else None,
        "box": list(film.box),
        "fps": fps,
    }
    # "</" would end the script that carries the data, wherever a class name holds it.
    return PAGE.replace("@DATA@", json.dumps(content).replace("</", "<\\/"))
