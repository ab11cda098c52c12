"""The report as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.fit.report import plain
from rosenblatt.lab.report.findings import Question, report
from rosenblatt.lab.web.page import page_html


def report_html(raw: Any, question: Question, progress: Callable[[str], None]) -> str:
    """Everything that is found out about a table, as the text of a file.

    Parameters
    ----------
    raw : RawTable
        As `rosenblatt.data.tables.reading.read_file` returns it.
    question : Question
    progress : callable
        Is told what is being done.
    """
    events: list[tuple[str, Any]] = []

    def tell(event: str, content: Any) -> None:
        if event == "progress":
            progress(content["words"])
        else:
            events.append((event, plain(content)))

    report(raw, question, tell)
    return page_html(
        "report/main.js",
        f"{raw.source}: a report",
        styles=["lab.css", "report.css"],
        root="report",
        content=events,
        without="The report needs JavaScript.",
    )
