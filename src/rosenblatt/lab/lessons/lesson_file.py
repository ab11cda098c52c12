"""A lesson as one HTML file that opens from disk: the lab's page, with the answers in it.

The modules are those of the page; in place of a server they ask a table of answers, computed here:
to the lesson's experiments and to all that the stations of the tour ask for.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from html import escape
from itertools import product
from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.lab.experiment import compute
from rosenblatt.lab.lessons.lesson import Lesson
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import bundle

LARGEST = 1_000_000  # bytes
# Nothing is fetched, from wherever it is opened.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
FILE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="rosenblatt">
<title>{title}</title>
<link rel="icon" href="data:image/svg+xml;base64,{icon}">
<style>
{style}
</style>
</head>
<body>
<div id="lesson"><noscript>The lesson needs JavaScript.</noscript></div>
{texts}
<script type="application/json" id="pages">{pages}</script>
<script type="text/plain" id="answers">{answers}</script>
<script type="module">
{script}
main.lesson(document);
</script>
</body>
</html>
"""


def lesson_html(lesson: Lesson, progress: Callable[[int, int], None] | None = None) -> str:
    """The file's text.

    Parameters
    ----------
    lesson : Lesson
    progress : callable, optional
        Is told how many of how many answers are computed.

    Raises
    ------
    InputError
        The file would be larger than a megabyte.

    Examples
    --------
    >>> from rosenblatt.lab.lessons.lesson import read_lesson
    >>> text = lesson_html(read_lesson(["five_points"]))
    >>> text.startswith("<!doctype html>"), len(text) < 1_000_000
    (True, True)
    """
    asked = [page.linked.experiment for page in lesson.pages if page.linked]
    table = {_json(one): one for one in (*asked, *_tour())}
    answers = []
    for number, one in enumerate(table.values()):
        answers.append([one, compute(one)])
        if progress is not None:
            progress(number + 1, len(table))
    found = assets()
    packed = gzip.compress(_json(answers).encode(), 9, mtime=0)
    text = FILE.format(
        policy=POLICY,
        title=escape(lesson.title),
        icon=base64.b64encode(found["icon.svg"].content).decode(),
        style=found["lab.css"].content.decode() + found["lesson.css"].content.decode(),
        texts="\n".join(f"<template>{page.html}</template>" for page in lesson.pages),
        pages=_inside({"title": lesson.title, "pages": [_page(page) for page in lesson.pages]}),
        answers=base64.b64encode(packed).decode(),
        script=bundle("js/lesson.js").replace("</", "<\\/"),
    )
    size = len(text.encode())
    if size > LARGEST:
        raise InputError(
            f"the lesson would have {size:,} bytes, and a lesson has {LARGEST:,} at most: leave "
            "experiments or pictures out, or allow fewer passes"
        )
    return text


def _page(page: Any) -> dict[str, Any]:
    if page.linked is None:
        return {"title": page.title}
    experiment, fragment, _ = page.linked
    return {"title": page.title, "experiment": experiment, "fragment": fragment}


def _tour() -> Iterator[dict[str, Any]]:
    """What the stations of the tour show, and what is tried there, points and settings mixed."""
    text = assets()["js/stations.js"].content.decode()
    stations = json.loads(text.partition("export const STATIONS = ")[2].rstrip().rstrip(";"))
    for station in stations:
        changes = [{}, *(change for _, change, *_ in station["tries"] if change)]
        points = [change.get("points", station["points"]) for change in changes]
        settings = [
            station["settings"] | {k: v for k, v in change.items() if k != "points"}
            for change in changes
        ]
        for some, chosen in product(points, settings):
            yield {"classes": ["−1", "+1"], "points": some, "settings": chosen}


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)


def _inside(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return _json(value).replace("<", "\\u003c")
