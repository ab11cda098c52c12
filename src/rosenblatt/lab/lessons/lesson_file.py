"""A lesson as one HTML file that opens from disk: the lab's page, with texts beside it."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.lab.lessons.lesson import Lesson, Page
from rosenblatt.lab.web.page import page_html

LARGEST_LESSON = 1_000_000  # bytes


def lesson_html(lesson: Lesson, fixed: bool = False) -> str:
    """The file's text.

    Parameters
    ----------
    lesson : Lesson
    fixed : bool
        Whether its readers may look, step and play, but not edit.

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
    pages = [_page(page) for page in lesson.pages]
    text = page_html(
        "js/page.js",
        lesson.title,
        styles=["lab.css", "lesson.css"],
        root="lab",
        content={"title": lesson.title, "pages": pages, "fixed": fixed},
        texts=[page.html for page in lesson.pages],
        without="The lesson needs JavaScript.",
    )
    size = len(text.encode())
    if size > LARGEST_LESSON:
        raise InputError(
            f"the lesson would have {size:,} bytes, and a lesson has {LARGEST_LESSON:,} at most: "
            "leave pictures out, or make them smaller"
        )
    return text


def _page(page: Page) -> dict[str, Any]:
    if page.linked is None:
        return {"title": page.title}
    return {"title": page.title, "fragment": page.linked.fragment}
