"""Arrays of other libraries, such as PyTorch's tensors or Arrow's columns, as arrays of NumPy.

With ``sklearn.set_config(array_api_dispatch=True)`` scikit-learn passes such arrays on as they are.
What learns here is machine code that reads the memory of NumPy arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arguments import refuse_masked
from rosenblatt.errors import InputTypeError

CPU = 1  # of DLPack's kinds of devices


def in_numpy(values: Any, name: str) -> Any:
    """An array of another library as one of NumPy; anything else as it is, unless it is masked.

    A table of Arrow becomes a frame of pandas, which keeps the names of its columns.

    Examples
    --------
    >>> in_numpy([1.0, 2.0], "X")
    [1.0, 2.0]
    """
    refuse_masked(values, name)
    if hasattr(values, "collect_schema") and hasattr(values, "collect"):
        raise InputTypeError(
            f"{name} is a lazy frame, which has no rows yet: pass {name}.collect(). fit_stream and "
            "decide_stream take lazy frames, with the label as last column."
        )
    if isinstance(values, memoryview):
        return np.asarray(values)
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return _of_arrow(values)
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return values
    try:
        if values.__dlpack_device__()[0] == CPU:
            return np.array(np.from_dlpack(values))
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        kind = f"{type(values).__module__}.{type(values).__name__}"
        raise InputTypeError(f"{name} is a {kind} that NumPy cannot read: {error}") from error
    raise InputTypeError(
        f"{name} is on the device {getattr(values, 'device', '')!s}, and a perceptron learns "
        "on the processor: move it there first, for example with .cpu()."
    )


def _of_arrow(values: Any) -> Any:
    if not hasattr(values, "column_names"):
        chunks = getattr(values, "chunks", None)
        return values.to_numpy(zero_copy_only=False) if chunks is None else values.to_numpy()
    try:
        return values.to_pandas()
    except ImportError:  # without pandas there are no names
        return np.asarray(values)
