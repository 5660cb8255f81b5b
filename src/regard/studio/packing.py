"""A model's weights in one piece of memory, matrices as int8 rows: what the page itself reads.

A row is rounded to whole multiples of its largest entry / 127. Every tensor begins at a multiple of
4 bytes, as arrays of float32 do.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import without_gradients
from regard.errors import UnsupportedError
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import nn

FLOAT = 4  # bytes
LARGEST = 127  # of an int8; -128 is not used, so that a row and its negative round alike


@dataclass(frozen=True)
class Rows:
    """Place of an int8 matrix."""

    at: int  # bytes from the beginning
    rows: int
    columns: int
    scales: int  # where the float32 that multiplies each row is


@dataclass(frozen=True)
class Numbers:
    """Place of a vector of float32."""

    at: int
    length: int


@dataclass(frozen=True, eq=False)
class Packed:
    """Tensors by their names in the model, and the bytes that they are in."""

    tensors: dict[str, dict[str, int]]
    content: bytes


def packed(weights: Mapping[str, NDArray[Any]], without: frozenset[str] = frozenset()) -> Packed:
    """All of a model's weights, those that share memory once.

    Args:
        weights: by name, of float32 or of bfloat16's bits.
        without: names of tensors that the page computes itself.
    """
    places: dict[tuple[int, tuple[int, ...]], Rows | Numbers] = {}
    tensors: dict[str, dict[str, int]] = {}
    content = bytearray()
    for name, array in weights.items():
        if name in without:
            continue
        same = (array.ctypes.data, array.shape)
        if same not in places:
            places[same] = _append(content, name, floats(array))
        tensors[name] = asdict(places[same])
    return Packed(tensors, bytes(content))


def floats(array: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers of float32, from those or from bfloat16's bits."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32, copy=False)


def to_rows(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """(rows, columns) as int8 and what multiplies each row, so that their product is nearest."""
    scales = (np.abs(values).max(axis=1) / LARGEST).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(values / scales[:, None]).astype(np.int8), scales


@without_gradients
def round_weights(model: "nn.Module", without: frozenset[str] = frozenset()) -> None:
    """Give a model the weights that the page computes with, in place."""
    for name, tensor in model.state_dict().items():
        if tensor.dim() > 1 and name not in without:
            matrix = tensor.flatten(1) if len(tensor) > 1 else tensor.flatten(0, -2)
            if tensor.dim() > 2 and len(matrix) == 1:
                continue  # a vector
            rounded, scales = to_rows(matrix.cpu().float().numpy())
            tensor.copy_(torch.from_numpy(rounded * scales[:, None]).view_as(tensor))


def _append(content: bytearray, name: str, array: NDArray[np.float32]) -> Rows | Numbers:
    if array.ndim == 1:
        return Numbers(_add(content, array), len(array))
    if array.ndim != 2:
        raise UnsupportedError(
            f"{name} must be a matrix or a vector to be packed; its shape is {array.shape}."
        )
    rounded, scales = to_rows(array)
    rows, columns = rounded.shape
    return Rows(_add(content, rounded), rows, columns, _add(content, scales))


def _add(content: bytearray, array: NDArray[Any]) -> int:
    at = len(content)
    content += np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    content += bytes(-len(content) % FLOAT)
    return at
