"""The perceptron, with proofs.

The public names are loaded when first used, so that ``import rosenblatt`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "BatchPerceptron": "estimators.batch",
    "Bracket": "margins",
    "Budget": "stopping",
    "Decision": "decision",
    "ErrorBracket": "certificate",
    "Estimate": "kinds",
    "FewestErrors": "fewest",
    "Inseparability": "certificate",
    "Kind": "kinds",
    "KernelPerceptron": "estimators.kernel",
    "MaxMargin": "estimators.max_margin",
    "PassiveAggressive": "estimators.passive_aggressive",
    "Perceptron": "estimators.perceptron",
    "Run": "run",
    "Separation": "certificate",
    "SeparationKind": "kinds",
    "Stop": "stopping",
    "Verdict": "stopping",
    "RosenblattError": "errors",
    "InputError": "errors",
    "NotSeparableError": "errors",
    "CertificateError": "errors",
    "Trace": "tracing",
    "decide": "decision",
    "decide_stream": "streaming.decision",
    "fewest_errors": "fewest",
    "load": "model_file",
    "load_columns": "model_file",
    "margin": "maxmargin",
    "pairs": "decision",
    "save": "model_file",
    "separation_kind": "kinds",
    "sparsity_path": "estimators.path",
    "trace": "tracing",
    "verify_stream": "streaming.decision",
}

_MODULES = (
    "certificate",
    "cost",
    "dask",
    "datasets",
    "export",
    "figures",
    "generalisation",
    "margins",
    "online",
    "readers",
    "risk",
)

__all__ = sorted([*_HOME, *_MODULES, "__version__"])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"rosenblatt.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
