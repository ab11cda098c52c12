"""The verb that serves the lab, or saves lessons of it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from rosenblatt.cli.outputs import check_places
from rosenblatt.cli.shell import put, say, waiting
from rosenblatt.errors import InputError
from rosenblatt.words import plural

NEEDED = ("starlette", "uvicorn")
PAGES = (".html", ".htm")


def lab(sources: list[str], export: str | None, host: str, port: int, browser: bool) -> int:
    """Serve the lab until Ctrl-C, or write a lesson; the exit code."""
    if export is not None:
        return _export(sources, export)
    fragment = _fragment(sources)
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"the lab needs {' and '.join(missing)}: pip install 'rosenblatt[lab]'")
    from rosenblatt.lab.web.guard import is_loopback
    from rosenblatt.lab.web.serving import open_browser, serve

    if not is_loopback(host):
        say(
            f"warning: bound to {host}, the lab can be used by everyone who reaches this machine",
            style="yellow",
        )

    def ready(url: str) -> None:
        put(f"The lab is at {url}{fragment} (Ctrl-C stops it)\n")
        if browser:
            open_browser(f"{url}{fragment}")

    serve(host, port, ready)
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


def _export(sources: list[str], path: str) -> int:
    """Write the lesson of these sources to a file."""
    if not sources:
        raise InputError(
            "--export needs an experiment: a link copied in the lab, a JSON file, a preset such as "
            "xor, or a lesson in Markdown"
        )
    check_places(*sources, written={"--export": path})
    if Path(path).suffix.lower() not in PAGES:
        raise InputError(f"{path}: a lesson is written to a file ending in {' or '.join(PAGES)}")
    from rosenblatt.data.files import replacing
    from rosenblatt.lab.lessons.lesson import read_lesson
    from rosenblatt.lab.lessons.lesson_file import lesson_html

    done = {"share": 0.0}

    def computed(number: int, of: int) -> None:
        done["share"] = number / of

    lesson = read_lesson(sources)
    with waiting(lambda: ("computing the runs of the lesson", done["share"])):
        text = lesson_html(lesson, computed)
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8")
    pages = plural(len(lesson.pages), "page")
    say(f"{path}: {pages}, {len(text.encode()) / 1000:,.0f} kB; it opens in any browser, offline")
    return 0
