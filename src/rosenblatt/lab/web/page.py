"""A page as one HTML file: styles, script and what it shows, in it. It opens from disk, offline."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.bundle import bundle

# Nothing is fetched, from wherever it is opened.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
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
<div id="{root}"><noscript>{without}</noscript></div>
{texts}<script type="application/json" id="content">{content}</script>
<script type="module">
{script}main.begin(document);
</script>
</body>
</html>
"""


def page_html(
    entry: str,
    title: str,
    *,
    styles: Sequence[str],
    root: str,
    content: Any = None,
    texts: Sequence[str] = (),
    without: str = "This page needs JavaScript.",
) -> str:
    """The text of a file.

    Parameters
    ----------
    entry : str
        The module whose ``begin(document)`` fills the page, by its path below ``static``.
    title : str
    styles : sequence of str
        Style sheets below ``static``.
    root : str
        The id of the element that it fills.
    content : JSON, optional
        What it shows.
    texts : sequence of HTML
        Each in a ``template`` of its own.
    without : str
        What those see who have no JavaScript.

    Examples
    --------
    >>> text = page_html("js/page.js", "The lab", styles=["lab.css"], root="lab")
    >>> text.startswith("<!doctype html>"), "http" in POLICY
    (True, False)
    """
    found = assets()
    return FILE.format(
        policy=POLICY,
        title=escape(title),
        icon=base64.b64encode(found["icon.svg"].encode()).decode(),
        style="".join(found[name] for name in styles).strip(),
        root=root,
        without=escape(without),
        texts="".join(f"<template>{text}</template>\n" for text in texts),
        content=in_html(content),
        script=bundle(entry).replace("</", "<\\/"),
    )


def in_html(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")


def lab_html() -> str:
    """The lab.

    Examples
    --------
    >>> import gzip
    >>> len(gzip.compress(lab_html().encode())) < 100_000
    True
    """
    styles = ["lab.css", "lesson.css"]
    return page_html("js/page.js", "The perceptron lab", styles=styles, root="lab")


def figures_js() -> str:
    """A script that puts the lab's live figures where a page has ``class="rb-live"``.

    Examples
    --------
    >>> "main.begin(document);" in figures_js()
    True
    """
    return f"(() => {{\n{bundle('js/figures.js')}main.begin(document);\n}})();\n"


def figures_css() -> str:
    """The styles of the live figures.

    Examples
    --------
    >>> ".rb-live" in figures_css()
    True
    """
    found = assets()
    return found["lab.css"] + found["figures.css"]
