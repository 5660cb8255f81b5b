"""A model's weights in one piece of memory, matrices as int8 rows: what the page itself reads.

A row is rounded to whole multiples of its largest entry / 127. Rows are padded with zeros to a
multiple of 16, the numbers that one WebAssembly instruction loads, and every tensor begins at a
multiple of 16 bytes.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.errors import UnsupportedError

BLOCK = 16
LARGEST = 127  # of an int8; -128 is not used, so that a row and its negative round alike


@dataclass(frozen=True)
class Rows:
    """Place of an int8 matrix."""

    at: int  # bytes from the beginning
    rows: int
    columns: int
    width: int  # bytes of a row: columns, and zeros up to a multiple of 16
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


def packed(model: nn.Module, without: frozenset[str] = frozenset()) -> Packed:
    """All of a model's weights, those that share memory once.

    Args:
        without: names of tensors that the page computes itself.
    """
    places: dict[tuple[int, tuple[int, ...]], Rows | Numbers] = {}
    tensors: dict[str, dict[str, int]] = {}
    content = bytearray()
    for name, tensor in model.state_dict().items():
        if name in without:
            continue
        same = (tensor.data_ptr(), tuple(tensor.shape))
        if same not in places:
            places[same] = _append(content, name, tensor)
        tensors[name] = asdict(places[same])
    return Packed(tensors, bytes(content))


def to_rows(matrix: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """(rows, columns) as int8 and what multiplies each row, so that their product is nearest."""
    values = matrix.detach().cpu().float().numpy()
    scales = (np.abs(values).max(axis=1) / LARGEST).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(values / scales[:, None]).astype(np.int8), scales


@torch.no_grad()
def round_weights(model: nn.Module, without: frozenset[str] = frozenset()) -> None:
    """Gives a model the weights that the page computes with, in place."""
    for name, tensor in model.state_dict().items():
        if tensor.dim() == 2 and name not in without:
            rounded, scales = to_rows(tensor)
            tensor.copy_(torch.from_numpy(rounded * scales[:, None]))


def _append(content: bytearray, name: str, tensor: Tensor) -> Rows | Numbers:
    if tensor.dim() == 1:
        return Numbers(_add(content, tensor.detach().cpu().float().numpy()), len(tensor))
    if tensor.dim() != 2:
        raise UnsupportedError(
            f"{name} must be a matrix or a vector to be packed; its shape is {tuple(tensor.shape)}."
        )
    rounded, scales = to_rows(tensor)
    rows, columns = rounded.shape
    padded = np.pad(rounded, ((0, 0), (0, -columns % BLOCK)))
    return Rows(_add(content, padded), rows, columns, padded.shape[1], _add(content, scales))


def _add(content: bytearray, array: NDArray[Any]) -> int:
    at = len(content)
    content += np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    content += bytes(-len(content) % BLOCK)
    return at
