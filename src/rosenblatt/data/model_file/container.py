"""The file itself: safetensors with one JSON text in its metadata, and the digest of both."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from rosenblatt.data.checkpoint import digest
from rosenblatt.data.model_file.values import Tensors, require
from rosenblatt.errors import InputError, ModelFileError

FORMAT, VERSION = "rosenblatt-model", 4
READ = ("3", str(VERSION))
LARGEST_HEADER = 100_000_000  # what safetensors itself allows
LARGEST_JSON = 90_000_000
TRIES = 100
LOOKED_AT = 100  # bytes of a file that is no model file
# What Python and numpy raise when they are given values of the wrong kind.
UNSOUND = (
    *(ValueError, TypeError, LookupError, AttributeError, ImportError),
    *(ArithmeticError, RecursionError, MemoryError),
)


def packed(content: dict[str, Any], tensors: Tensors) -> bytes:
    """The bytes of a model file."""
    from safetensors.numpy import save

    text = json.dumps(content, allow_nan=False)
    if len(text) > LARGEST_JSON:
        raise InputError("the model's certificate is too large for a model file; use joblib")
    head = {"format": FORMAT, "version": str(VERSION), "model": text}
    return _in_order(save(tensors, metadata={**head, "digest": digest(text, tensors)}))


def _in_order(content: bytes) -> bytes:
    """A safetensors file with its metadata sorted: as written, they differ from run to run."""
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    head["__metadata__"] = dict(sorted(head["__metadata__"].items()))
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the tensors begin at a multiple of 8
    return len(text).to_bytes(8, "little") + text + content[8 + size :]


def unpacked(path: Path) -> tuple[dict[str, Any], Tensors]:
    """The JSON and the tensors of a file, both still to be checked."""
    from safetensors import SafetensorError

    try:
        head, tensors = _whole(path)
        text = str(head.get("model", ""))
        require(
            head.get("digest") == digest(text, tensors),
            "the file is damaged: what it holds is not what was saved (its SHA-256 digest differs);"
            " take a copy, or fit the model again",
        )
        content = _parsed(text)
    except (SafetensorError, *UNSOUND) as e:
        if isinstance(e, ModelFileError):
            raise
        raise ModelFileError(f"not a model file, or damaged ({str(e)[:200]})") from None
    require(isinstance(content, dict), "expected a JSON object")
    return content, tensors


def _whole(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Metadata and tensors of one file, also if it is replaced while it is read."""
    from safetensors import safe_open

    for _ in range(TRIES):
        head = _metadata(path)
        require(head.get("format") == FORMAT, "not a rosenblatt model")
        version = str(head.get("version", ""))
        require(
            version in READ,
            f"version {version[:20]!r} is unknown; this library reads {' and '.join(READ)}",
        )
        with safe_open(path, framework="numpy") as file:
            if file.metadata() == head:
                return head, {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    raise ModelFileError("the file is replaced again and again while it is read; try later")


def _metadata(path: Path) -> dict[str, Any]:
    """The metadata, of a header without repeated keys: safetensors would take the last."""
    with path.open("rb") as file:
        start = file.read(8)
        require(len(start) == 8, "not a model file, or cut short")
        (length,) = struct.unpack("<Q", start)
        if length > LARGEST_HEADER:
            raise ModelFileError(_other(start + file.read(LOOKED_AT)))
        header = file.read(length)
    require(len(header) == length, "not a model file, or cut short")
    parsed = _parsed(header.decode("utf-8"))
    metadata = parsed.get("__metadata__") if isinstance(parsed, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _other(start: bytes) -> str:
    """What a file that is no model seems to be, by its first bytes."""
    if b'"rosenblatt-certificate"' in start:
        return "not a model file but a certificate, which `rosenblatt verify` takes"
    if b"\0" in start:
        return "not a model file: its header would be too large"
    return "not a model file but text; `rosenblatt fit DATA -o MODEL` writes models"


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    require(len(found) == len(pairs), "a name occurs twice in one object")
    return found


def _no_number(word: str) -> Any:
    raise ModelFileError(f"{word} is no JSON number")
