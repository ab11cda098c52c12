"""The lab in a notebook: the same page, and what is on it as an attribute."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rosenblatt.data.files import replacing
from rosenblatt.data.labels import distinct, listed, read_labels
from rosenblatt.data.positive import positive_code
from rosenblatt.errors import InputError, nearest
from rosenblatt.lab.lessons.lesson import Lesson, Page
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.lessons.links import Linked, fragment_of
from rosenblatt.lab.presets import from_module
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import bundle

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError(
        'rosenblatt.lab.Widget needs anywidget: pip install "rosenblatt[lab]"'
    ) from error

RENDER = """
function render({ model, el }) {
  const lab = main.mount(el, { points: model.get("experiment"), cell: true });
  lab.model.on("experiment", () => {
    if (model.get("experiment") === lab.model.experiment) return;
    model.set("experiment", lab.model.experiment);
    model.save_changes();
  });
  const changed = () => {
    const given = model.get("experiment");
    const { classes, points, settings = {} } = given;
    if (!Array.isArray(classes) || !Array.isArray(points)) return;
    if (JSON.stringify(given) === JSON.stringify(lab.model.experiment)) return;
    lab.model.load({ classes, points, settings });
  };
  model.on("change:experiment", changed);
  // Arrows move points and Delete removes them; a notebook's shortcuts would take them for cells.
  el.dataset.lmSuppressShortcuts = "true";
  const keep = (event) => event.stopPropagation();
  el.addEventListener("keydown", keep);
  return () => {
    model.off("change:experiment", changed);
    el.removeEventListener("keydown", keep);
    lab.unmount();
  };
}
export default { render };
"""


class Widget(anywidget.AnyWidget):
    """The lab, mounted in a notebook. The page computes by itself.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        The points to begin with; more can be added by a click.
    y : array of shape (n,), optional
        Their classes, at most five.
    **settings
        How to run, by the names that a link of the lab has, such as ``order="shuffled"``.

    Attributes
    ----------
    experiment : dict
        The classes, points and settings as they are on the page now. Assigned to, it changes the
        page.

    Examples
    --------
    >>> from rosenblatt.lab import Widget
    >>> widget = Widget([[1, 1], [-1, -1]], ["yes", "no"], eta=2)
    >>> widget.experiment["classes"], widget.experiment["points"]
    (['no', 'yes'], [[1.0, 1.0, 1], [-1.0, -1.0, 0]])
    """

    experiment = traitlets.Dict().tag(sync=True)

    def __init__(self, X: Any = None, y: Any = None, **settings: Any):
        known = from_module("js/defaults.js", "DEFAULTS")
        for name in settings:
            if name not in known:
                raise InputError(
                    f"the lab has no setting {name!r}{nearest(name, list(known))}; it has "
                    f"{', '.join(known)}"
                )
        experiment = {**_points(X, y), "settings": settings}
        self._esm = bundle("js/mount.js") + RENDER
        self._css = assets()["lab.css"]
        super().__init__(experiment=experiment)

    def export(self, path: str | os.PathLike[str], title: str = "A run of the perceptron") -> None:
        """Write what is on the page as one HTML file that opens without a kernel, offline.

        Parameters
        ----------
        path : str or path
        title : str
            What stands above it.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from rosenblatt.lab import Widget
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.html"
        >>> Widget([[1, 1], [-1, -1]], ["yes", "no"]).export(path)
        >>> path.read_text("utf-8").startswith("<!doctype html>")
        True
        """
        linked = Linked(fragment_of(self.experiment), title)
        text = lesson_html(Lesson(title, [Page(title, "", linked)]))
        with replacing(path) as temporary:
            temporary.write_text(text, "utf-8")


MOST_POINTS, MOST_CLASSES, FARTHEST = 500, 5, 1_000_000


def _points(X: Any, y: Any) -> dict[str, Any]:
    if X is None and y is None:
        return {"classes": ["−1", "+1"], "points": []}
    try:
        rows = np.asarray(X, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"X must be a table of numbers: {error}") from None
    labels = read_labels(y) if y is not None else np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) != len(labels):
        raise InputError(
            f"expected X of shape (n, 2) and as many labels, got {rows.shape} and {len(labels)}"
        )
    if len(rows) > MOST_POINTS:
        raise InputError(f"the lab holds {MOST_POINTS} points at most, got {len(rows):,}.")
    if not (np.abs(rows) <= FARTHEST).all():
        raise InputError(f"X must hold finite numbers; the lab draws those up to {FARTHEST:,}.")
    classes, codes = distinct(labels)
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise InputError(f"y must hold 2 to {MOST_CLASSES} classes, got {len(classes)}.")
    if not positive_code(classes):
        classes, codes = classes[::-1], 1 - codes
    points = [[x1, x2, code] for (x1, x2), code in zip(rows.tolist(), codes.tolist(), strict=True)]
    return {"classes": [str(name) for name in listed(classes)], "points": points}
