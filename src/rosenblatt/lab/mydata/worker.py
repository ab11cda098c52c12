"""The process of one report: reads its task from standard input, writes events, one a line.

A process of its own can be ended at any moment, and what it held in memory goes with it. Run as
``python -P -m rosenblatt.lab.mydata.worker`` in a folder that holds nothing but the file.
"""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from typing import Any

from rosenblatt.errors import RosenblattError
from rosenblatt.fit.report import plain
from rosenblatt.lab.mydata import findings
from rosenblatt.lab.mydata.words import in_words

MEMORY = 4 << 30  # bytes that a report may use


def main() -> None:
    """Do the task and end; its last event is ``done`` or ``error``."""
    _limit_memory()
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if task["kind"] == "columns":
            tell("columns", findings.columns(task["name"]))
        else:
            findings.report(task["name"], findings.Question.of(task["question"]), tell)
        tell("done", {})
    except (RosenblattError, ValueError, OSError) as error:
        tell("error", {"error": in_words(str(error))})
    except MemoryError:
        words = "the data does not fit into the memory of the lab; the command line has no limit"
        tell("error", {"error": words})


def tell(event: str, content: Any) -> None:
    """Write one event."""
    text = json.dumps(plain(content), allow_nan=False, ensure_ascii=True)
    sys.stdout.write(f"{json.dumps(event)[1:-1]} {text}\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """The server holds the other end of standard input; when it is gone, nobody listens."""
    sys.stdin.read()
    import os

    os._exit(1)


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
