"""Files in, events out: uploads in private folders, processes in a short queue.

A file lives in a folder of its own from its upload to the end of the answer, which is also the end
of the process that reads it: done, failed, out of time, or left by the client. Nothing is kept.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rosenblatt.lab.mydata.findings import Question
from rosenblatt.lab.mydata.queue import Queue
from rosenblatt.lab.web.limits import UPLOAD_BYTES, UPLOAD_SECONDS, Refused, body_parts

RUNNING = max(1, min(4, (os.cpu_count() or 1) // 2))
WAITING = 40  # reports in the queue, each with its file on the disk
LOOKING = 8  # files whose columns are asked for at once
COLUMNS_SECONDS = 30.0
# Reading and starting, then a decision, a fit, the pairs, the rows to blame and the estimates, each
# within its own time.
OVERHEAD, PARTS = 60.0, 5
EVENT_BYTES = 32 << 20
NAME_BYTES = 100

WORKER = [sys.executable, "-P", "-m", "rosenblatt.lab.mydata.worker"]


class Desk:
    """Where files are handed in. One for each application."""

    def __init__(self) -> None:
        self.admitted = 0
        self.reports = Queue(RUNNING)
        # A look at the columns is short, and does not wait for those who want a report.
        self.looks = asyncio.Semaphore(RUNNING)

    def routes(self) -> list[Route]:
        """What the desk answers to."""
        return [
            Route("/api/data/columns", self.columns, methods=["POST"]),
            Route("/api/data/report", self.report, methods=["POST"]),
        ]

    async def columns(self, request: Request) -> Response:
        """The columns of the file that is the body of the request."""
        async with self._handed_in(request) as folder, self.looks:
            task = {"kind": "columns", "name": _file_name(request)}
            async with aclosing(_events(folder, task, COLUMNS_SECONDS)) as events:
                event, content = await anext(events)
        return Response(content, 200 if event == "columns" else 422, media_type="application/json")

    async def report(self, request: Request) -> Response:
        """The report on the file that is the body of the request, as server-sent events."""
        given = {name: value[:200] for name, value in request.query_params.items()}
        given["ignore"] = request.query_params.get("ignore", "")[:20_000]
        question = Question.of(given)
        task = {"kind": "report", "name": _file_name(request), "question": given}
        seconds = OVERHEAD + PARTS * question.seconds
        return Events(self, request, task, seconds)

    @asynccontextmanager
    async def _handed_in(self, request: Request) -> AsyncIterator[str]:
        """A private folder with the file in it, for as long as it is needed."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/octet-stream":
            raise Refused(
                415, f"expected content of type application/octet-stream, got {kind or 'none'}"
            )
        if self.admitted >= RUNNING + WAITING + LOOKING:
            raise Refused(503, "the lab is busy with other files; try again in a moment")
        self.admitted += 1
        folder = tempfile.mkdtemp(prefix="rosenblatt-lab-")
        try:
            size = 0
            with open(os.path.join(folder, _file_name(request)), "wb") as file:
                async for part in body_parts(request, UPLOAD_BYTES, UPLOAD_SECONDS):
                    size += file.write(part)
            if not size:
                raise Refused(400, "the file is empty")
            yield folder
        finally:
            self.admitted -= 1
            shutil.rmtree(folder, ignore_errors=True)


class Events(Response):
    """A report as it is made; the work ends when the client goes away."""

    def __init__(self, desk: Desk, request: Request, task: dict[str, Any], seconds: float):
        super().__init__(
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )
        del self.headers["content-length"]
        self.desk, self.request, self.task, self.seconds = desk, request, task, seconds

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take the file in, then send what becomes known of it."""
        try:
            async with self.desk._handed_in(self.request) as folder:
                head = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                await send(head)
                work = asyncio.create_task(self._work(folder, send))
                gone = asyncio.create_task(_gone(receive))
                try:
                    await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in (work, gone):
                        task.cancel()
                        with suppress(asyncio.CancelledError):
                            await task
        except Refused as refused:
            problem = JSONResponse({"error": refused.sentence}, refused.status)
            await problem(scope, receive, send)
        except ClientDisconnect:
            return

    async def _work(self, folder: str, send: Any) -> None:
        async def say(event: str, content: str) -> None:
            body = f"event: {event}\ndata: {content}\n\n".encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})

        async def waiting(place: int) -> None:
            words = f"waiting for others to finish: number {place} in the queue"
            await say("progress", json.dumps({"words": words}))

        events = _events(folder, self.task, self.seconds)
        async with self.desk.reports.place(waiting), aclosing(events):
            async for event, content in events:
                await say(event, content)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Any) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _events(
    folder: str, task: dict[str, Any], seconds: float
) -> AsyncGenerator[tuple[str, str]]:
    """The events of a task: names and JSON. The process is gone when this ends, however it ends."""
    process = await asyncio.create_subprocess_exec(
        *WORKER,
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=EVENT_BYTES,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    deadline = asyncio.get_running_loop().time() + seconds
    event = ""
    try:
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(json.dumps(task).encode() + b"\n")
            await process.stdin.drain()
        while True:
            async with asyncio.timeout_at(deadline):
                line = await process.stdout.readline()
            if not line:
                break
            event, _, content = line.decode().rstrip("\n").partition(" ")
            yield event, content
        # A process that has ended is waited for, not killed: who kills it may reap it first.
        async with asyncio.timeout_at(deadline):
            await process.wait()
        if event not in ("done", "error"):
            words = "the report ended early; the file may be too large for the lab"
            yield "error", json.dumps({"error": words})
    except TimeoutError:
        words = f"not finished within {seconds:g} seconds; the command line has no limit"
        yield "error", json.dumps({"error": words})
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.stdin.close()
        await process.wait()


def _file_name(request: Request) -> str:
    """The name of the uploaded file, as a name that cannot leave its folder or mean many files.

    Only readers look at it, for the ending, and messages.
    """
    return safe_name(request.query_params.get("name", ""))


def safe_name(name: str) -> str:
    r"""The last part of a path, with nothing in it but letters, digits and a few harmless signs.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name(r"C:\my data*.csv"), safe_name("-")
    ('passwd', 'my data_.csv', 'data')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w .()+-]", "_", last).lstrip(". -")
    # File systems count bytes; the end is kept, for it tells the format.
    kept = kept.encode(errors="replace")[-NAME_BYTES:].decode(errors="ignore")
    kept = kept.lstrip(". -").rstrip(". ")
    return kept or "data"
