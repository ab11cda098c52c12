"""The look of the figures: two themes, one palette, classes told apart by marker and by colour.

Colours are those of Okabe and Ito (2008), which survive every common colour blindness. matplotlib
is imported when something is drawn, not before.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from rosenblatt.errors import InputError

BLUE, SKY, VERMILLION, ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
GREEN, PURPLE, YELLOW, MINT = "#009E73", "#CC79A7", "#F0E442", "#3DDBA8"
MARKERS = ("X", "o", "s", "^", "D", "v", "P", "*", "<", "p")
# Points drawn at most: beyond it a picture is ink, and slow.
MOST_DRAWN = 10_000


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
            'pip install "rosenblatt[plot]"'
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
    if not isinstance(name, str) or name not in THEMES:
        raise InputError(f"theme must be one of {', '.join(map(repr, THEMES))}, got {name!r}.")
    colours = THEMES[name]
    pyplot()
    from cycler import cycler

    ink = dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color"), colours.ink)
    ink |= dict.fromkeys(("xtick.color", "ytick.color", "axes.titlecolor"), colours.ink)
    paper = dict.fromkeys(("axes.facecolor", "figure.facecolor"), colours.paper)
    return {
        **ink,
        **paper,
        "savefig.facecolor": "auto",
        "axes.prop_cycle": cycler(color=list(colours.several)),
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
        "figure.figsize": (7.2, 6.4),
        "figure.dpi": 100,
        "savefig.dpi": 150,
        "figure.constrained_layout.use": True,
        "figure.constrained_layout.h_pad": 0.12,
        "figure.constrained_layout.w_pad": 0.12,
        "axes.formatter.use_mathtext": True,
        "axes.unicode_minus": True,
        "grid.color": colours.faint,
        "patch.linewidth": 0,
        "figure.max_open_warning": 100,
    }


def _luminance(colour: Any) -> float:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(colour)
    return alpha * (0.21 * red + 0.72 * green + 0.07 * blue) + (1 - alpha)


def palette_of(ax: Any) -> Palette:
    """The palette that can be read on those axes."""
    return DARK if _luminance(ax.get_facecolor()) < 0.5 else LIGHT


def house_style(given: bool) -> AbstractContextManager[Any]:
    """The house style for figures that make their own axes; axes of the user keep theirs."""
    plt = pyplot()
    if given:
        return nullcontext()
    dark = _luminance(plt.rcParams["axes.facecolor"]) < 0.5
    return plt.rc_context(_settings("dark" if dark else "light"))
