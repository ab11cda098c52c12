"""Past one machine: the same perceptron on data in pieces, by Dask.

Each round, every partition makes one pass from the same weights where it lies, and the weights that
come of it are mixed (McDonald, Hall and Mann 2010). Only weights travel. Nothing of a scheduler is
written here: any ``distributed.Client`` will do.
"""

from __future__ import annotations

import importlib
from typing import Any

from rosenblatt.errors import MissingExtraError

_HOME = {
    "ClusterError": "places.cluster.batches",
    "Guarantee": "places.cluster.guarantee",
    "MaxMargin": "dask.max_margin",
    "Perceptron": "dask.perceptron",
    "Shards": "places.cluster.shards",
    "decide": "dask.deciding",
    "read_files": "places.cluster.shards",
    "read_parquet": "places.cluster.shards",
    "read_svmlight": "places.cluster.shards",
    "verify": "dask.deciding",
}

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt.dask' has no attribute {name!r}")
    try:
        importlib.import_module("distributed")
        importlib.import_module("dask.array")
    except ImportError as error:
        raise MissingExtraError(
            f'rosenblatt.dask needs Dask ({error}): pip install "rosenblatt[dask]".'
        ) from error
    value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
