"""How much a client may send, and how it is read: bounded in bytes, depth, numbers and time."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from typing import Any

JSON_BYTES = 1 << 20
JSON_DEPTH = 16
JSON_VALUES = 50_000
JSON_SECONDS = 10.0
UPLOAD_BYTES = 32 << 20
UPLOAD_SECONDS = 120.0
COMPUTE_SECONDS = 60.0  # the very first answer may have to be compiled
GIF_SECONDS = 120.0


class Refused(Exception):
    """A request that is not served: a status of HTTP and a sentence."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


async def body_parts(request: Any, most: int, seconds: float) -> AsyncIterator[bytes]:
    """The body of a request, part by part; refused once it is too large or too slow."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise Refused(413, f"expected at most {most:,} bytes, got {int(announced):,}")
    deadline = asyncio.get_running_loop().time() + seconds
    got, parts = 0, request.stream()
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                part = await anext(parts, None)
        except TimeoutError:
            raise Refused(408, f"the request did not arrive within {seconds:g} seconds") from None
        if part is None:
            return
        got += len(part)
        if got > most:
            raise Refused(413, f"expected at most {most:,} bytes, got more")
        yield part


async def json_body(request: Any) -> dict[str, Any]:
    """The JSON object that a request holds."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, f"expected content of type application/json, got {kind or 'none'}")
    parts = [part async for part in body_parts(request, JSON_BYTES, JSON_SECONDS)]
    return parsed(b"".join(parts))


def parsed(text: bytes) -> dict[str, Any]:
    """A JSON object of bounded depth and size whose numbers are finite.

    Examples
    --------
    >>> parsed(b'{"points": [[1, 2.5]]}')
    {'points': [[1, 2.5]]}
    >>> parsed(b'{"eta": 1e999}')
    Traceback (most recent call last):
    rosenblatt.lab.web.limits.Refused: numbers must be finite
    """
    try:
        value = json.loads(text, parse_constant=_not_finite, parse_float=_finite)
    except RecursionError:
        raise Refused(400, f"the JSON is nested more than {JSON_DEPTH} deep") from None
    except ValueError as error:
        raise Refused(400, f"the request is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise Refused(400, "expected a JSON object")
    _check_size(value)
    return value


def _check_size(value: Any) -> None:
    level, seen = [value], 0
    for _ in range(JSON_DEPTH):
        seen += len(level)
        if seen > JSON_VALUES:
            raise Refused(413, f"the JSON holds more than {JSON_VALUES:,} values")
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if level:
        raise Refused(400, f"the JSON is nested more than {JSON_DEPTH} deep")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _not_finite(text)


def _not_finite(_: str) -> Any:
    raise Refused(400, "numbers must be finite")
