"""Graphs of ONNX operators: built from inputs, constants, operators and outputs, and written.

Nothing is traced: each function of `exporting.layers` adds the operators of one class of module.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from regard.errors import UnsupportedError

# The domain of ONNX Runtime's own operators: attention, quantized products.
MICROSOFT = "com.microsoft"
FLOAT, INT32, INT64 = 1, 6, 7  # TensorProto's, of casts
OPSET, IR_VERSION = 20, 9  # read by ONNX Runtime 1.18 and later
WEIGHTS = "weights.bin"  # the arrays that the graphs of a folder share
IN_THE_GRAPH = 1024  # bytes; larger constants are in that file
ALIGNMENT = 64  # bytes, the widest register's, so that a mapped array is read where it is


@dataclass(frozen=True)
class Value:
    """An input or output of a graph; a dimension that differs from run to run has a name."""

    name: str
    dtype: type[np.generic]
    shape: tuple[int | str, ...]


@dataclass(frozen=True)
class Node:
    """An operator; the input "" is one that is left out."""

    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str
    attributes: dict[str, Any]

    def renamed(self, value: str, name: str) -> "Node":
        """The same with another name for a value."""
        inputs, outputs = (
            tuple(name if other == value else other for other in side)
            for side in (self.inputs, self.outputs)
        )
        return replace(self, inputs=inputs, outputs=outputs)


class Graph:
    """Operators in the order in which they are computed. A value is known by its name, a str.

    Args:
        precision: of the matrix products: a name in `linear.PRECISIONS`.
    """

    def __init__(self, precision: str):
        self.precision = precision
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.nodes: list[Node] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self._names: dict[bytes, str] = {}  # of constants, by their content
        self._renamed: dict[str, str] = {}  # values that are outputs
        self._count = 0

    def input(self, name: str, dtype: type[np.generic], shape: Sequence[int | str]) -> str:
        """A named input."""
        self.inputs.append(Value(name, dtype, tuple(shape)))
        return name

    def output(
        self, value: str, name: str, dtype: type[np.generic], shape: Sequence[int | str]
    ) -> str:
        """Makes what an operator gave an output of this name."""
        self.nodes = [node.renamed(value, name) for node in self.nodes]
        self._renamed[value] = name
        self.outputs.append(Value(name, dtype, tuple(shape)))
        return name

    def op(self, type: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """The one output of an operator."""
        return self.ops(type, *inputs, outputs=1, domain=domain, **attributes)[0]

    def ops(
        self, type: str, *inputs: str, outputs: int, domain: str = "", **attributes: Any
    ) -> tuple[str, ...]:
        """The outputs of an operator that has several."""
        names = tuple(self._name() for _ in range(outputs))
        inputs = tuple(self._renamed.get(name, name) for name in inputs)
        self.nodes.append(Node(type, inputs, names, domain, attributes))
        return names

    def constant(self, value: NDArray[Any] | Tensor) -> str:
        """An array, or a parameter as float32; the same content is stored once."""
        array = as_array(value) if isinstance(value, Tensor) else np.asarray(value, order="C")
        content = repr((array.dtype.str, array.shape)).encode() + array.tobytes()
        key = hashlib.sha256(content).digest()
        if key not in self._names:
            self._names[key] = self._name()
            self.constants[self._names[key]] = array
        return self._names[key]

    def integers(self, *values: int) -> str:
        """A constant of int64, (number of values,), as shapes and axes are."""
        return self.constant(np.array(values, np.int64))

    def integer(self, value: int) -> str:
        """A constant of int64, ()."""
        return self.constant(np.array(value, np.int64))

    def number(self, value: float) -> str:
        """A constant of float32, ()."""
        return self.constant(np.array(value, np.float32))

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def as_array(parameter: Tensor) -> NDArray[np.float32]:
    """A parameter, (…), as float32."""
    return np.ascontiguousarray(parameter.detach().float().cpu().numpy())


def cannot_export(what: str) -> UnsupportedError:
    """The error for a module or setting that has no operators here."""
    return UnsupportedError(f"{what} cannot be exported to ONNX.")


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
        """Return the offset and length of the array's bytes."""
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
    inputs, outputs = (
        [_value(value) for value in sides] for sides in (graph.inputs, graph.outputs)
    )
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
