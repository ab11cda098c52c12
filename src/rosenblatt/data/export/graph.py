"""An ONNX graph in the making."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rosenblatt import __version__
from rosenblatt.errors import InputError

OPSET, IR_VERSION = 17, 8  # of 2022, so that older runtimes can read them


class Graph:
    """An ONNX graph in the making: nodes in order, and the constants they use."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operation: str, *inputs: Any, name: str = "", **attributes: Any) -> str:
        """Append a node; what it gives has a name. Arrays among its inputs become constants."""
        from onnx import TensorProto, helper

        if "to" in attributes:
            attributes["to"] = getattr(TensorProto, attributes["to"])
        name = name or f"v{len(self.nodes)}"
        names = [part if isinstance(part, str) else self._constant(part) for part in inputs]
        self.nodes.append(helper.make_node(operation, names, [name], **attributes))
        return name

    def _constant(self, value: np.ndarray) -> str:
        from onnx import TensorProto, helper, numpy_helper

        name = f"c{len(self.constants)}"
        if value.dtype == object:
            words = [word.encode() for word in value]
            made = helper.make_tensor(name, TensorProto.STRING, value.shape, words)
        else:
            made = numpy_helper.from_array(np.ascontiguousarray(value), name)
        self.constants.append(made)
        return name

    def serialised(self, d: int, answers: Any, single: bool, names: list[str] | None) -> bytes:
        """The whole model, checked by onnx itself."""
        from onnx import TensorProto, checker, helper

        kind = helper.np_dtype_to_tensor_dtype(tensor_of(answers).dtype)
        wide = ["n"] if single else ["n", len(answers)]
        graph = helper.make_graph(
            self.nodes,
            "rosenblatt",
            [helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["n", d])],
            [
                helper.make_tensor_value_info("label", kind, ["n"]),
                helper.make_tensor_value_info("scores", TensorProto.DOUBLE, wide),
            ],
            self.constants,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="rosenblatt",
            producer_version=__version__,
        )
        if names:
            helper.set_model_props(model, {"feature_names": json.dumps(names)})
        checker.check_model(model, full_check=True)
        return model.SerializeToString()


def tensor_of(answers: np.ndarray) -> np.ndarray:
    """Labels as ONNX holds them."""
    kind = answers.dtype.kind
    if kind in "iu":
        return answers.astype(np.int64)
    if kind in "UO" and all(isinstance(word, str) for word in answers.tolist()):
        return answers.astype(object)
    if kind in "bf":
        return answers.astype(np.float64) if kind == "f" else answers
    raise InputError(f"ONNX has no labels of {answers.dtype}; use text or whole numbers")
