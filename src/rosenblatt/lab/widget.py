"""The lab in a notebook: the same page, with messages to the kernel in place of requests."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rosenblatt.data.files import replacing
from rosenblatt.data.labels import distinct, listed, read_labels
from rosenblatt.data.positive import positive_code
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.lab.experiment import compute, gif
from rosenblatt.lab.lessons.lesson import Lesson, Page
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.lessons.links import of_experiment
from rosenblatt.lab.presets import presets
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import bundle

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError(
        "rosenblatt.lab.Widget needs anywidget: pip install 'rosenblatt[lab]'"
    ) from error

RENDER = """
function render({ model, el }) {
  const waiting = new Map();
  let count = 0;
  const ask = (kind, experiment) => new Promise((resolve, reject) => {
    count += 1;
    waiting.set(count, { resolve, reject });
    model.send({ id: count, kind, experiment });
  });
  const answered = (content, buffers) => {
    const question = waiting.get(content.id);
    if (!question) return;
    waiting.delete(content.id);
    if (content.error !== undefined) question.reject(new Error(content.error));
    else if (buffers?.length) question.resolve(new Blob([buffers[0]], { type: "image/gif" }));
    else question.resolve(content.answer);
  };
  model.on("msg:custom", answered);
  const transport = {
    compute: (experiment) => ask("compute", experiment),
    presets: () => ask("presets"),
    gif: (experiment) => ask("gif", experiment),
  };
  const lab = main.mount(el, { points: model.get("experiment"), transport, cell: true });
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
    model.off("msg:custom", answered);
    model.off("change:experiment", changed);
    el.removeEventListener("keydown", keep);
    lab.unmount();
  };
}
export default { render };
"""


class Widget(anywidget.AnyWidget):
    """The lab, mounted in a notebook.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        The points to begin with; more can be added by a click.
    y : array of shape (n,), optional
        Their classes, at most five.
    **settings
        How to run: `rosenblatt.lab.settings.Settings`, such as ``order="shuffled"``.

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
        experiment = {**_points(X, y), "settings": settings}
        compute({**experiment, "want": []})
        self._esm = bundle("js/mount.js") + RENDER
        self._css = assets()["lab.css"].content.decode()
        super().__init__(experiment=experiment)
        self.on_msg(self._asked)

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
        lesson = Lesson(title, [Page(title, "", of_experiment(self.experiment, title))])
        text = lesson_html(lesson)
        with replacing(path) as temporary:
            temporary.write_text(text, "utf-8")

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        """Answer a question of the page's."""
        number = content.get("id") if isinstance(content, dict) else None
        try:
            answer, buffers = _answer(content)
        except RosenblattError as error:
            self.send({"id": number, "error": str(error)})
        else:
            self.send({"id": number, "answer": answer}, buffers)


def _answer(content: Any) -> tuple[Any, list[bytes]]:
    kind = content.get("kind") if isinstance(content, dict) else None
    if kind == "presets":
        return presets(), []
    if kind not in ("compute", "gif") or not isinstance(content.get("experiment"), dict):
        raise InputError("expected a question of the lab's page")
    if kind == "gif":
        return None, [gif(content["experiment"])]
    return compute(content["experiment"]), []


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
    classes, codes = distinct(labels)
    if not positive_code(classes):
        classes, codes = classes[::-1], 1 - codes
    points = [[x1, x2, code] for (x1, x2), code in zip(rows.tolist(), codes.tolist(), strict=True)]
    return {"classes": [str(name) for name in listed(classes)], "points": points}
