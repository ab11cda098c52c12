"""What format a source is in, by content first and extension second."""

from __future__ import annotations

import re

from rosenblatt.data.readers.sources import Source
from rosenblatt.errors import InputError, NoRowsError, nearest

FORMATS = ("csv", "tsv", "parquet", "arrow", "svmlight", "vw", "npy", "npz")

_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
}
_EXTENSIONS = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "svm": "svmlight",
    "svmlight": "svmlight",
    "libsvm": "svmlight",
    "vw": "vw",
}
_JSON = re.compile(r'\s*(?:\{\s*(?:"|\})|\[\s*(?:\{|\[\s*["0-9-]))')
_COMPRESSED = re.compile(r"\.(gz|bz2|xz|zst|zstd)$", re.I)
# What else people have, at which byte it says so, and what to do.
_UNPACK, _CONVERT = "unpack it first", "convert it to CSV or Parquet"
_UNREAD = (
    (0, b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (0, b"Rar!", "a RAR archive", _UNPACK),
    (257, b"ustar", "a tar archive", _UNPACK),
    (0, b"\x04\x22\x4d\x18", "compressed by lz4", _UNPACK),
    (0, b"\x1f\x9d", "compressed by compress", _UNPACK),
    (0, b"\xd0\xcf\x11\xe0", "an office document", "save the sheet as CSV"),
    (0, b"\x89HDF", "HDF5", _CONVERT),
    (0, b"SQLite format 3\0", "an SQLite database", _CONVERT),
    (0, b"%PDF", "a PDF", "save its table as CSV"),
    (0, b"\x80\x04\x95", "a pickle", "write its arrays with numpy.savez"),
)
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_SVMLIGHT = re.compile(rf"\s*{_NUMBER}(?:\s+qid:\d+)?(?:\s+\d+:\S+)+\s*(?:#.*)?")
_LABEL_ONLY = re.compile(rf"\s*{_NUMBER}\s*(?:#.*)?")
_VOWPAL = re.compile(rf"\s*(?:{_NUMBER}\s+){{0,3}}(?:'[^\s|]*)?\|[^|]*")


def sniff(source: Source) -> str:
    """The format of a source, one of `FORMATS`."""
    head = source.head.bytes
    name = source.names[0]
    if not head:
        raise NoRowsError(f"{source.label}: is empty")
    for magic, found in _MAGIC.items():
        if head.startswith(magic):
            if found == "npz" and b"[Content_Types].xml" in head:
                raise InputError(f"{name}: is an office document; save the sheet as CSV")
            if found == "npz" and not _first_member(head).endswith(b".npy"):
                raise InputError(f"{name}: is a zip archive; {_UNPACK}")
            return found
    for at, magic, what, advice in _UNREAD:
        if head.startswith(magic, at):
            raise InputError(f"{name}: is {what}, which is not read; {advice}")
    if head.startswith(b"FEA1"):
        raise InputError(f"{name}: is Feather version 1; write it again as version 2")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: is UTF-16 text; save it as UTF-8")
    if b"\0" in head:
        raise InputError(f"{name}: is binary, in no known format; expected {', '.join(FORMATS)}")
    text = head.decode("utf-8-sig", "replace")
    if _JSON.match(text):
        lines = text.split("\n", 1)[0].rstrip().endswith("}")
        what, how = ("JSON Lines", ", lines=True") if lines else ("JSON", "")
        raise InputError(
            f"{source.label}: is {what}, which is not read; convert it to CSV or Parquet, for "
            f"example with pandas.read_json(…{how}).to_csv('rows.csv', index=False)"
        )
    extension = _COMPRESSED.sub("", name).rpartition(".")[2].lower()
    return _EXTENSIONS.get(extension) or _by_text(text)


def _first_member(head: bytes) -> bytes:
    """The name of the first file in a zip archive."""
    return head[30 : 30 + int.from_bytes(head[26:28], "little")]


def _by_text(text: str) -> str:
    """The format of some text: the first telling line decides."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in lines[:100]:
        if _SVMLIGHT.fullmatch(line):
            return "svmlight"
        if not _LABEL_ONLY.fullmatch(line):
            return "vw" if _VOWPAL.match(line) else "csv"
    return "csv"


def checked(format: str) -> str:
    """A format given by name."""
    known = {**dict.fromkeys(FORMATS), **dict.fromkeys(("libsvm", "feather"))}
    if format not in known:
        raise InputError(
            f"format must be one of {', '.join(FORMATS)}, got {format!r}"
            f"{nearest(format, list(known))}"
        )
    return {"libsvm": "svmlight", "feather": "arrow"}.get(format, format)
