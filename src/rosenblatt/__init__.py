"""The perceptron, with proofs.

The public names are loaded when first used, so that ``import rosenblatt`` costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_HOME = {
    "BatchPerceptron": "estimators.batch",
    "Bracket": "engine.margins",
    "Budget": "engine.stopping",
    "Decision": "solve.answer",
    "ErrorBracket": "proof.certificate",
    "Estimate": "solve.separation",
    "FewestErrors": "solve.fewest",
    "Inseparability": "proof.certificate",
    "Kind": "solve.separation",
    "KernelPerceptron": "estimators.kernel",
    "MaxMargin": "estimators.max_margin",
    "Pairs": "solve.answer",
    "PassiveAggressive": "estimators.passive_aggressive",
    "Perceptron": "estimators.perceptron",
    "Run": "engine.run",
    "Separation": "proof.certificate",
    "SeparationKind": "solve.separation",
    "Stop": "engine.stopping",
    "Verdict": "engine.stopping",
    "RosenblattError": "errors",
    "InputError": "errors",
    "NotSeparableError": "errors",
    "CertificateError": "errors",
    "Trace": "teaching.tracing",
    "decide": "solve.decision",
    "decide_stream": "solve.decision",
    "fewest_errors": "solve.fewest",
    "load": "data.model_file",
    "load_columns": "data.model_file",
    "margin": "solve.max_margin",
    "pairs": "solve.decision",
    "save": "data.model_file",
    "separation_kind": "solve.separation",
    "sparsity_path": "estimators.path",
    "trace": "teaching.tracing",
    "verify_stream": "places.file.verifying",
}

_MODULES = {
    "certificate": "proof.certificate",
    "cost": "teaching.cost",
    "dask": "dask",
    "datasets": "data.datasets",
    "exercises": "teaching.exercises",
    "export": "data.export",
    "figures": "figures",
    "generalisation": "proof.generalisation",
    "margins": "engine.margins",
    "online": "online",
    "readers": "data.readers",
    "risk": "teaching.risk",
    "rounds": "dask.rounds",
}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"rosenblatt.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _PublicModules:
    """Finds public modules by their short names: ``rosenblatt.cost`` is ``teaching.cost``.

    Both names give one module object, and so do the names of its submodules. A finder and loader
    without their base classes, whose import would take long.
    """

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        name, dot, below = rest.partition(".")
        home = _MODULES.get(name, name)
        if package != __name__ or home == name:
            return None
        loader: Any = self
        return ModuleSpec(fullname, loader, origin=f"{__name__}.{home}{dot}{below}")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # Importing gave the module the short name's specification: back to its own.
        given = module.__spec__
        module.__spec__ = given.loader_state if given else None


sys.meta_path.insert(0, _PublicModules())  # type: ignore[arg-type]
