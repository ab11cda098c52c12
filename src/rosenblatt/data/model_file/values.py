"""Values as JSON and tensors, and back, with every kind checked.

Plain values stand for themselves; what JSON does not have is an object with one tag; arrays of
numbers are tensors, equal ones stored once, of wide ones the columns in use.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from rosenblatt.data.lossless import is_sparse
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.engine.used_columns import SHARE, UsedColumns
from rosenblatt.errors import InputError, ModelFileError
from rosenblatt.proof.certificate import Certificate, Separation
from rosenblatt.proof.certificate.fields import plain

LONGEST_LABEL = 10_000
MOST_TEXT = 50_000_000  # characters that an array of text may take
# A terminal obeys them and a reader does not see them; half of a surrogate pair is no text.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
NUMBERS = (int, float, np.number)
# Arrays of at least so many columns, and at most so many numbers (2 GB), are stored without their
# empty columns. Without the second limit a short file could ask for all memory.
WIDE, LARGEST_ARRAY = 2**10, 2**28

Tensors = dict[str, np.ndarray]


def require(condition: Any, message: str) -> None:
    """Refuse the file unless the condition holds."""
    if not condition:
        raise ModelFileError(message)


def encoded(value: Any, tensors: Tensors, name: str) -> Any:
    """A value as JSON; its arrays go to the tensors, under keys that start with the name."""
    if isinstance(value, str):
        _refuse_control(value, name)
        return value
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, (Stop, Verdict)):
        return {type(value).__name__: value.name}
    if isinstance(value, Certificate):
        return _encoded_certificate(value, tensors, name)
    if isinstance(value, UsedColumns):
        return {"columns": encoded(value.numbers, tensors, name), "width": value.width}
    if isinstance(value, (np.ndarray, np.generic)):
        return _encoded_array(np.asarray(value), isinstance(value, np.generic), tensors, name)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if is_sparse(value):
        parts = [value.data, value.indices, value.indptr, np.array(value.shape)]
        return {"csr": [encoded(part, tensors, name) for part in parts]}
    if isinstance(value, tuple) and value and all(isinstance(v, Pass) for v in value):
        untimed = [row._replace(seconds=0.0) for row in value]  # equal fits are equal files
        return {"history": encoded(np.array(untimed, dtype=np.float64), tensors, name)}
    if isinstance(value, dict):
        pairs = [[encoded(part, tensors, name) for part in pair] for pair in value.items()]
        return {"dict": pairs}
    if isinstance(value, (list, tuple)):
        tag = "bracket" if isinstance(value, Bracket) else type(value).__name__
        if tag in ("list", "tuple", "bracket"):
            return {tag: [encoded(part, tensors, name) for part in value]}
    raise InputError(
        f"{name}={value!r} cannot be kept in a model file, which holds only plain values; for "
        "random_state use a whole number, for anything else joblib"
    )


def _refuse_control(text: str, name: str) -> None:
    if CONTROL.search(text):
        raise InputError(
            f"{name}: {text[:40]!r} holds a control character, which a model file does not keep; "
            "rename it"
        )


def _encoded_certificate(proof: Certificate, tensors: Tensors, name: str) -> dict[str, Any]:
    """Weights apart, of the columns in use: a million of them take seconds as JSON."""
    if not isinstance(proof, Separation):
        return {"certificate": proof.to_dict()}
    weights, rational = proof.in_use, proof.in_use.dtype == object
    return {
        "certificate": proof.to_dict_without("weights"),
        "weights": plain(weights) if rational else encoded(weights, tensors, name),
        "columns": encoded(proof.columns, tensors, name),
    }


def _columns_in_use(value: np.ndarray) -> np.ndarray | None:
    """The columns of a wide array that are not all 0, where these are few; −0 is not 0."""
    if (
        value.dtype.kind != "f"
        or value.ndim < 1
        or value.shape[-1] < WIDE
        or value.size > LARGEST_ARRAY
    ):
        return None
    bits = value.view(f"u{value.dtype.itemsize}")
    used = np.flatnonzero(bits.any(axis=tuple(range(value.ndim - 1))))
    return used if len(used) <= SHARE * value.shape[-1] else None


def _encoded_array(value: np.ndarray, scalar: bool, tensors: Tensors, name: str) -> dict[str, Any]:
    if value.dtype.kind in "biuf" and value.dtype.isnative and value.dtype.itemsize <= 8:
        # Sums of products are rounded in the order of memory, so that is part of an array.
        by_columns = value.flags.f_contiguous and not value.flags.c_contiguous
        used = _columns_in_use(value)
        if used is not None:
            columns = encoded(UsedColumns(used, value.shape[-1]), tensors, name)
            among = encoded(value.take(used, axis=-1), tensors, name)
            return {"among": among, **columns, "by_columns": by_columns}
        key = _stored(value, tensors, name)
        return {"scalar" if scalar else "tensor": key, "by_columns": by_columns}
    words = value.ravel().tolist()
    if value.dtype.kind not in "UO" or not all(isinstance(word, str) for word in words):
        kind = type(words[0]).__name__ if words and value.dtype == object else value.dtype
        raise InputError(
            f"{name} holds {kind}, which a model file cannot, only text and numbers. Fit with "
            "labels of text, for example [str(label) for label in y], or use joblib."
        )
    for word in words:
        _refuse_control(word, name)
    dtype = "object" if value.dtype == object else value.dtype.str
    return {"text": words, "dtype": dtype, "scalar": scalar}


def _stored(value: np.ndarray, tensors: Tensors, name: str) -> str:
    """The key of an array among the tensors, where it may already be."""
    for key, other in tensors.items():
        same = other.dtype == value.dtype and other.shape == value.shape
        if same and other.tobytes() == value.tobytes():
            return key
    key = f"{name}.{len(tensors)}"
    tensors[key] = np.ascontiguousarray(value)
    return key


def decoded(value: Any, tensors: Tensors) -> Any:
    """The value that `encoded` wrote; anything else is a ModelFileError, or what Python raises."""
    if isinstance(value, str):
        require(not CONTROL.search(value), f"{value[:40]!r} holds a control character")
        return value
    if not isinstance(value, (dict, list)):
        return value
    if not isinstance(value, dict) or not value:
        raise ModelFileError("a value has no tag")
    tag, inner = next(iter(value.items()))
    if tag in ("tensor", "scalar"):
        array = tensors[inner]
        if tag == "scalar":
            return array.reshape(())[()]
        return array.copy("F" if value.get("by_columns") is True else "C")
    if tag == "text":
        return _text(**value)
    if tag == "float":
        return float(inner)
    if tag == "certificate":
        return _certificate(value, tensors)
    if tag == "columns":
        return _columns(decoded(inner, tensors), value["width"])
    if tag == "among":
        columns = _columns(decoded(value["columns"], tensors), value["width"])
        return _among(decoded(inner, tensors), columns, value.get("by_columns") is True)
    if tag in ("Stop", "Verdict"):
        return (Stop if tag == "Stop" else Verdict)[inner]
    if tag == "history":
        table = decoded(inner, tensors)
        require(table.ndim == 2 and table.shape[1] == len(Pass._fields), "bad history")
        return tuple(Pass(int(m), int(k), *rest) for m, k, *rest in table.tolist())
    known = ("dict", "list", "tuple", "bracket", "csr")
    require(tag in known and isinstance(inner, list), f"unknown tag {tag[:40]!r}")
    if tag == "dict":
        return {decoded(k, tensors): decoded(v, tensors) for k, v in inner}
    return _put_together(tag, [decoded(part, tensors) for part in inner])


def _certificate(value: dict[str, Any], tensors: Tensors) -> Certificate:
    content, weights = value["certificate"], value.get("weights")
    if weights is None:  # older files hold them among the rest, and so does what has none
        return Certificate.from_dict(content)
    require(isinstance(content, dict), "bad certificate")
    weights = weights if isinstance(weights, list) else decoded(weights, tensors)
    proof = Separation.from_dict({**content, "weights": weights})
    columns = decoded(value.get("columns"), tensors)
    if columns is None:
        return proof
    require(isinstance(columns, UsedColumns), "bad columns")
    require(proof.features == columns.count, "expected one weight for each column in use")
    return proof.among(columns)


def _columns(numbers: Any, width: Any) -> UsedColumns:
    """Columns among so many, each once and in order: weights are put in their places."""
    whole = isinstance(numbers, np.ndarray) and numbers.dtype.kind == "i" and numbers.ndim == 1
    require(whole and type(width) is int, "bad columns")
    require((np.diff(numbers) > 0).all(), "columns must be sorted and different")
    within = not len(numbers) or (numbers[0] >= 0 and numbers[-1] < width)
    require(within and 0 <= width <= LARGEST_ARRAY, "a column is out of range")
    return UsedColumns(numbers, width)


def _among(values: Any, columns: UsedColumns, by_columns: bool) -> np.ndarray:
    """An array of which these columns have these values, and all others are 0."""
    known = isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.ndim > 0
    require(known and values.shape[-1] == columns.count, "bad columns")
    shape = (*values.shape[:-1], columns.width)
    require(math.prod(shape) <= LARGEST_ARRAY, "too many columns")
    wide = np.zeros(shape, dtype=values.dtype, order="F" if by_columns else "C")
    wide[..., columns.numbers] = values
    return wide


def _put_together(tag: str, parts: list[Any]) -> Any:
    if tag == "bracket":
        require(len(parts) == 2 and all(isinstance(p, NUMBERS) for p in parts), "bad bracket")
        return Bracket(*parts)
    if tag == "csr":
        return _sparse(*parts)
    return parts if tag == "list" else tuple(parts)


def _sparse(data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """A CSR array whose parts fit together: scipy itself would read beyond them."""
    arrays = (data, indices, indptr, shape)
    require(all(isinstance(a, np.ndarray) and a.ndim == 1 for a in arrays), "bad sparse matrix")
    whole = all(a.dtype.kind == "i" for a in arrays[1:])
    require(whole and data.dtype.kind == "f" and shape.shape == (2,), "bad sparse matrix")
    n, d = map(int, shape)
    require(indptr.shape == (n + 1,) and indptr[0] == 0 and d >= 0, "bad sparse matrix")
    require((np.diff(indptr) >= 0).all() and indptr[-1] == len(data), "bad sparse matrix")
    within = len(indices) == len(data) and ((indices >= 0) & (indices < d)).all()
    require(within, "a column of a sparse matrix is out of range")
    from scipy import sparse

    return sparse.csr_array((data, indices, indptr), shape=(n, d))


def _text(text: Any, dtype: Any, scalar: Any) -> Any:
    known = isinstance(text, list) and all(isinstance(word, str) for word in text)
    require(known and isinstance(dtype, str), "bad text")
    wide = re.fullmatch("[<>]U([0-9]{1,5})", dtype)
    require(dtype == "object" or (wide and int(wide[1]) <= LONGEST_LABEL), "bad type of text")
    longest = max(map(len, text), default=0)
    require(not wide or longest <= max(1, int(wide[1])), "text is longer than it should be")
    require(not wide or int(wide[1]) * len(text) <= MOST_TEXT, "too much text")
    require(not any(map(CONTROL.search, text)), "a label or name holds a control character")
    array = np.array(text, dtype=dtype)
    return array.reshape(())[()] if scalar is True else array


class Fields:
    """The fields of a record that was read, each checked when it is taken."""

    def __init__(self, values: Any, what: str):
        require(isinstance(values, dict), f"{what} must be an object")
        self.values, self.what = values, what

    def take(self, name: str, *kinds: Any) -> Any:
        """A field of one of these types; a bool is no number."""
        require(name in self.values, f"{name} is missing from {self.what}")
        value = self.values[name]
        plain = bool in kinds or not isinstance(value, bool)
        require(isinstance(value, kinds) and plain, f"{name} is a {type(value).__name__}")
        require(not isinstance(value, int) or abs(value) < 2**63, f"{name} is too large")
        return value

    def count(self, name: str) -> int:
        """A whole number of at least 0."""
        value = int(self.take(name, int, np.integer))
        require(0 <= value < 2**63, f"{name} must not be negative")
        return value

    def array(self, name: str, kind: str, *shape: int | None) -> np.ndarray:
        """An array of that kind of number and shape, of which None may be anything."""
        value = self.take(name, np.ndarray)
        fits = value.ndim == len(shape) and all(
            want is None or want == have for want, have in zip(shape, value.shape, strict=True)
        )
        wanted = {"f": np.float64, "i": np.int64}[kind]
        require(value.dtype == wanted, f"{name} must hold {np.dtype(wanted)}, not {value.dtype}")
        require(fits, f"{name} has shape {value.shape}")
        return value
