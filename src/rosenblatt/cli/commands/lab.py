"""The verb that opens the lab, or saves lessons of it."""

from __future__ import annotations

from pathlib import Path

from rosenblatt.cli.outputs import check_places
from rosenblatt.cli.shell import put, say
from rosenblatt.errors import InputError
from rosenblatt.text import plural

PAGES = (".html", ".htm")


def lab(
    sources: list[str], export: str | None, fixed: bool, host: str, port: int, browser: bool
) -> int:
    """Serve the lab until Ctrl-C, or write a lesson; the exit code."""
    if export is not None:
        return _export(sources, export, fixed)
    if fixed:
        raise InputError("--fixed is about a lesson: name its file with --export FILE.html")
    fragment = _fragment(sources)
    from rosenblatt.lab.web.page import lab_html
    from rosenblatt.lab.web.serving import open_browser, serve

    def ready(url: str) -> None:
        put(f"The lab is at {url}{fragment} (Ctrl-C stops it)\n")
        if browser:
            open_browser(f"{url}{fragment}")

    serve(lab_html(), host, port, ready)
    say("The lab has stopped.")
    return 0


def _fragment(sources: list[str]) -> str:
    """What the address ends with, so that the page opens at the experiment."""
    if not sources:
        return ""
    if len(sources) > 1 or sources[0].endswith(".md"):
        raise InputError("the lab opens one experiment; --export FILE.html makes a lesson of many")
    from rosenblatt.lab.lessons.links import find

    return f"#{find(sources[0]).fragment}"


def _export(sources: list[str], path: str, fixed: bool) -> int:
    """Write the lab, or the lesson of these sources, to a file."""
    check_places(*sources, written={"--export": path})
    if Path(path).suffix.lower() not in PAGES:
        raise InputError(f"{path}: a page is written to a file ending in {' or '.join(PAGES)}")
    from rosenblatt.data.files import replacing

    if sources:
        from rosenblatt.lab.lessons.lesson import read_lesson
        from rosenblatt.lab.lessons.lesson_file import lesson_html

        lesson = read_lesson(sources)
        text, what = lesson_html(lesson, fixed), plural(len(lesson.pages), "page")
    else:
        from rosenblatt.lab.web.page import lab_html

        text, what = lab_html(), "the lab"
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8")
    say(f"{path}: {what}, {len(text.encode()) / 1000:,.0f} kB; it opens in any browser, offline")
    return 0
