"""Graphs as .onnx files, and beside them one file of the arrays that they share."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from regard.runtime.graph import MICROSOFT, Graph, Value

WEIGHTS = "weights.bin"
OPSET, IR_VERSION = 20, 9  # read by ONNX Runtime 1.18 and later
IN_THE_GRAPH = 1024  # bytes; larger constants are in the file of weights
ALIGNMENT = 64  # bytes, the widest register's, so that a mapped array is read where it is


def write_graphs(graphs: Mapping[str, Graph], folder: str | os.PathLike[str]) -> None:
    """Writes each graph as NAME.onnx, and weights.bin, into an existing folder."""
    folder = Path(folder)
    with open(folder / WEIGHTS, "wb") as file:
        weights = _Weights(file)
        for name, graph in graphs.items():
            (folder / f"{name}.onnx").write_bytes(_model(graph, weights))


class _Weights:
    """Appends arrays to a file; the same content is there once."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._places: dict[bytes, tuple[int, int]] = {}

    def add(self, array: NDArray[Any]) -> tuple[int, int]:
        """Where the array's bytes are: offset and length."""
        content = array.tobytes()
        key = hashlib.sha256(content).digest()
        if key not in self._places:
            self._file.write(bytes(-self._file.tell() % ALIGNMENT))
            self._places[key] = (self._file.tell(), len(content))
            self._file.write(content)
        return self._places[key]


def _model(graph: Graph, weights: _Weights) -> bytes:
    from onnx import helper

    nodes = [
        helper.make_node(
            node.type, list(node.inputs), list(node.outputs), domain=node.domain, **node.attributes
        )
        for node in graph.nodes
    ]
    constants = [_tensor(name, array, weights) for name, array in graph.constants.items()]
    inputs, outputs = ([_value(each) for each in sides] for sides in (graph.inputs, graph.outputs))
    content = helper.make_graph(nodes, "regard", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(content, opset_imports=opsets, producer_name="regard")
    model.ir_version = IR_VERSION
    return bytes(model.SerializeToString())


def _tensor(name: str, array: NDArray[Any], weights: _Weights) -> Any:
    from onnx import TensorProto, numpy_helper

    if array.nbytes <= IN_THE_GRAPH:
        return numpy_helper.from_array(array, name)
    tensor = TensorProto(name=name, data_type=_type(array.dtype), dims=array.shape)
    tensor.data_location = TensorProto.EXTERNAL
    offset, length = weights.add(array)
    for key, value in {"location": WEIGHTS, "offset": offset, "length": length}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def _value(value: Value) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(value.name, _type(np.dtype(value.dtype)), value.shape)


def _type(dtype: "np.dtype[Any]") -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(dtype))
