"""The verb that writes a page about a table."""

from __future__ import annotations

from pathlib import Path

from rosenblatt.cli.inputs import read
from rosenblatt.cli.outputs import check_places
from rosenblatt.cli.shell import say, waiting
from rosenblatt.data.tables.reading import Choice
from rosenblatt.errors import InputError

PAGES = (".html", ".htm")


def report(data: str, choice: Choice, output: str, test: float, seconds: float) -> int:
    """Write the report; the exit code."""
    check_places(data, written={"--output": output})
    if Path(output).suffix.lower() not in PAGES:
        raise InputError(f"{output}: a report is written to a file ending in {' or '.join(PAGES)}")
    if not 0 <= test < 1:
        raise InputError(f"--test is a share of the rows from 0 to below 1, got {test:g}")
    if not seconds > 0:
        raise InputError(f"--time-limit is a positive number of seconds, got {seconds:g}")
    raw = read(data, choice)
    from rosenblatt.data.files import replacing
    from rosenblatt.lab.report.findings import Question
    from rosenblatt.lab.report.page import report_html

    now = {"words": "getting ready"}
    with waiting(lambda: (now["words"], None)):
        text = report_html(raw, Question(choice, test, seconds), lambda w: now.update(words=w))
    with replacing(output) as temporary:
        temporary.write_text(text, "utf-8")
    say(f"{output}: {len(text.encode()) / 1000:,.0f} kB; it opens in any browser, offline")
    return 0
