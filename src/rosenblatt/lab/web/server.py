"""The web application of the lab: a stateless JSON interface and the files of the page.

Nothing is kept between requests. Computation runs in a few threads, off the event loop; the kernels
release the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rosenblatt.errors import RosenblattError
from rosenblatt.lab.mydata.desk import Desk
from rosenblatt.lab.web.assets import Asset, assets
from rosenblatt.lab.web.guard import Guard
from rosenblatt.lab.web.limits import COMPUTE_SECONDS, GIF_SECONDS, Refused, json_body

THREADS = min(4, os.cpu_count() or 1)
WAITING = 200  # computations that may wait for a thread
DRAWING = 8  # GIFs that may be asked for at once
WORTH_COMPRESSING = 1000  # bytes
COMPRESSION = 1  # the quickest: level 4 takes nearly twice as long for a seventh less


class Pool:
    """A few threads that compute, with a bound on what may wait for them."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lab")
        self.waiting = 0
        self.drawing = 0

    async def run(
        self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None
    ) -> Any:
        """The result of a function; refused where too many wait or it takes too long."""
        seconds = seconds or COMPUTE_SECONDS
        if self.waiting >= WAITING:
            raise Refused(503, "the lab is busy; try again in a moment")
        self.waiting += 1
        work = asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)
        work.add_done_callback(self._done)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(work)
        except TimeoutError:
            work.cancel()
            raise Refused(503, f"not computed within {seconds:g} seconds") from None

    def _done(self, work: asyncio.Future[Any]) -> None:
        self.waiting -= 1
        if not work.cancelled():
            work.exception()


def make_app(host: str = "127.0.0.1") -> Guard:
    """The application.

    Parameters
    ----------
    host : str
        What the server will be bound to; it answers to no other name but those of loopback.

    Examples
    --------
    >>> from starlette.testclient import TestClient
    >>> client = TestClient(make_app(), base_url="http://localhost")
    >>> client.get("/mydata").status_code, client.get("/../server.py").status_code
    (200, 404)
    """
    pool, drawing = Pool(), asyncio.Lock()
    table = assets()
    # Browsers ask for this one beside whatever names no icon, such as a picture.
    table["favicon.ico"] = table["icon.svg"]

    async def experiment(request: Request) -> Response:
        return await pool.run(_experiment, await json_body(request), _takes_gzip(request))

    async def gif(request: Request) -> Response:
        asked = await json_body(request)
        # Matplotlib draws one thing at a time, and the other threads are for those who edit.
        if pool.drawing >= DRAWING:
            raise Refused(503, "the lab is drawing for others; try again in a moment")
        pool.drawing += 1
        try:
            async with drawing:
                return await pool.run(_gif, asked, seconds=GIF_SECONDS)
        finally:
            pool.drawing -= 1

    async def presets(request: Request) -> Response:
        return await pool.run(_presets, _takes_gzip(request))

    async def file(request: Request) -> Response:
        path = request.path_params["path"] or "index.html"
        found = table.get(path) or table.get(f"{path}.html")
        if found is None:
            raise Refused(404, "there is no such page")
        return _file(found, request)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """The first question would pay for all imports and machine code; none waits for that."""
        pool.threads.submit(_warm_up)
        yield
        pool.threads.shutdown(wait=False, cancel_futures=True)

    app = Starlette(
        lifespan=lifespan,
        routes=[
            Route("/api/experiment", experiment, methods=["POST"]),
            Route("/api/gif", gif, methods=["POST"]),
            Route("/api/presets", presets),
            *Desk().routes(),
            Route("/{path:path}", file),
        ],
        exception_handlers={
            Refused: _problem,
            RosenblattError: _problem,
            HTTPException: _problem,
            Exception: _problem,
        },
    )
    # Outermost, so that it sees every answer.
    return Guard(app, host)


async def _problem(_: Request, error: Any) -> Response:
    """An error in a sentence, as JSON."""
    status, sentence = 500, f"internal error: {type(error).__name__}"
    if isinstance(error, Refused):
        status, sentence = error.status, error.sentence
    elif isinstance(error, RosenblattError):
        status, sentence = 422, str(error)
    elif isinstance(error, HTTPException):
        status, sentence = error.status_code, error.detail
    # A body that was refused is not read to its end, so the connection cannot be used again.
    headers = {"connection": "close"} if status in (408, 413) else None
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)


def _warm_up() -> None:
    from rosenblatt.lab.experiment import compute

    points = [[1, 1, 1], [-1, -1, 0], [0, 1, 0]]
    compute({"points": points})
    compute({"points": [*points, [2, 0, 2]], "classes": ["a", "b", "c"]})
    # What is there by now stays: the collector of garbage need not visit it while users wait.
    gc.collect()
    gc.freeze()


def _takes_gzip(request: Request) -> bool:
    """Whether the client names gzip, and not to say that it does not want it."""
    offered = request.headers.get("accept-encoding", "").replace(" ", "").lower()
    return bool(re.search(r"(^|,)gzip(,|;q=(1|0\.0*[1-9])|$)", offered))


def _experiment(experiment: dict[str, Any], compress: bool) -> Response:
    from rosenblatt.lab.experiment import compute

    return _json(compute(experiment), compress)


def _presets(compress: bool) -> Response:
    from rosenblatt.lab.presets import presets

    return _json(presets(), compress)


def _gif(experiment: dict[str, Any]) -> Response:
    import matplotlib as mpl

    from rosenblatt.lab.experiment import gif

    mpl.use("Agg")
    return Response(gif(experiment), media_type="image/gif", headers={"cache-control": "no-store"})


def _json(value: Any, compress: bool) -> Response:
    """Encoded and compressed here, in the thread that computed it."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    headers = {"cache-control": "no-store", "vary": "accept-encoding"}
    if compress and len(text) > WORTH_COMPRESSING:
        headers["content-encoding"] = "gzip"
        text = gzip.compress(text, COMPRESSION, mtime=0)
    return Response(text, media_type="application/json", headers=headers)


def _file(asset: Asset, request: Request) -> Response:
    """A file that the browser may keep as long as it asks whether it is still the same."""
    headers = {"cache-control": "no-cache", "vary": "accept-encoding", "etag": asset.tag}
    if asset.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    content = asset.content
    if _takes_gzip(request) and len(asset.compressed) < len(content):
        content = asset.compressed
        headers["content-encoding"] = "gzip"
    return Response(content, media_type=asset.kind, headers=headers)
