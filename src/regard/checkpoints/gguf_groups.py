"""Kinds of llama.cpp's numbers whose integers the native engine computes with as they are.

A weight is scale · integer + offset; scale and offset are those of its group. Blocks as in
https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
# Of blocks, (blocks, bytes): the integers, (blocks, numbers), and the scales and offsets of each
# group, (blocks, groups).
Parts = tuple[NDArray[np.int8], Floats, Floats]


def unpacked(kind: str, rows: Bytes, columns: int) -> Bytes:
    """Return a matrix of this kind, (rows, bytes), as `Stored.grouped` gives it.

    Args:
        columns: numbers of a row.
    """
    read, size, block = _KINDS[kind][1:]
    count, groups = len(rows), len(rows) * columns // GROUPS[kind]
    result = np.empty(count * columns + 8 * groups, np.uint8)
    integers = result[: count * columns].view(np.int8).reshape(-1, size)
    floats = result[count * columns :].view(np.float32).reshape(2, -1, size // GROUPS[kind])
    blocks = np.ascontiguousarray(rows).reshape(-1, block)
    for first in range(0, len(blocks), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        integers[some], floats[0, some], floats[1, some] = read(blocks[some])
    return result


def packed_bytes(kind: str, *, table: bool = False) -> float:
    """Bytes of a number of this kind in the native engine, with its share of scale and offset.

    Args:
        table: of embeddings, which always has offsets, and no halves of bytes.
    """
    if kind not in GROUPS:
        return 2 if kind == "BFLOAT16" else 4
    offsets = table or kind in ("Q4_1", "Q5_1", "Q4_K", "Q5_K")
    integer = 0.5 if kind.startswith("Q4") and not table else 1
    return integer + (8 if offsets else 4) / GROUPS[kind]


_AT_ONCE = 2**16  # blocks, so that what is computed on the way takes little memory


def _half(blocks: Bytes, place: int) -> Floats:
    """Numbers of float16, (blocks, 1)."""
    return blocks[:, place : place + 2].copy().view(np.float16).astype(np.float32)


def _bits(blocks: Bytes, width: int, bits: int, shifts: range) -> Bytes:
    """Bits of each byte at each of `shifts`: of all `width` bytes at the first, then the next."""
    parts = blocks.reshape(len(blocks), -1, 1, width) >> np.array(shifts, np.uint8)[:, None]
    return (parts & (2**bits - 1)).reshape(len(blocks), -1)


def _q8_0(blocks: Bytes) -> Parts:
    scale = _half(blocks, 0)
    return blocks[:, 2:].view(np.int8), scale, np.zeros_like(scale)


def _of_32(blocks: Bytes, *, fifth: bool, offsets: bool) -> Parts:
    """Q4_0, Q4_1, Q5_0 and Q5_1: a scale, an offset, the fifth bits, and four bits of each."""
    scale, start = _half(blocks, 0), 4 if offsets else 2
    integers = _bits(blocks[:, start + 4 * fifth :], 16, 4, range(0, 8, 4)).view(np.int8)
    if fifth:
        integers |= (
            np.unpackbits(blocks[:, start : start + 4], 1, bitorder="little").view(np.int8) << 4
        )
    if offsets:
        return integers, scale, _half(blocks, 2)
    return integers - np.int8(16 if fifth else 8), scale, np.zeros_like(scale)


def _of_256(blocks: Bytes, *, fifth: bool) -> Parts:
    """Q4_K and Q5_K: eight groups, whose scales and offsets have six bits each."""
    low, middle, high = blocks[:, 4:16].reshape(-1, 3, 4).swapaxes(0, 1)
    scales = np.hstack([low & 63, high & 15 | low >> 6 << 4])
    offsets = np.hstack([middle & 63, high >> 4 | middle >> 6 << 4])
    integers = _bits(blocks[:, 48 if fifth else 16 :], 32, 4, range(0, 8, 4))
    if fifth:
        integers |= _bits(blocks[:, 16:48], 32, 1, range(8)) << 4
    scales, offsets = _half(blocks, 0) * scales, -_half(blocks, 2) * offsets
    return integers.view(np.int8), scales, offsets


def _q6_k(blocks: Bytes) -> Parts:
    low = _bits(blocks[:, :128], 64, 4, range(0, 8, 4))
    integers = low | _bits(blocks[:, 128:192], 32, 2, range(0, 8, 2)) << 4
    scales = _half(blocks, 208) * blocks[:, 192:208].view(np.int8)
    return integers.view(np.int8) - np.int8(32), scales, np.zeros_like(scales)


# Columns of a group, what reads blocks, and the numbers and the bytes of a block.
_KINDS: dict[str, tuple[int, Callable[[Bytes], Parts], int, int]] = {
    "Q8_0": (32, _q8_0, 32, 34),
    "Q4_0": (32, partial(_of_32, fifth=False, offsets=False), 32, 18),
    "Q4_1": (32, partial(_of_32, fifth=False, offsets=True), 32, 20),
    "Q5_0": (32, partial(_of_32, fifth=True, offsets=False), 32, 22),
    "Q5_1": (32, partial(_of_32, fifth=True, offsets=True), 32, 24),
    "Q4_K": (32, partial(_of_256, fifth=False), 256, 144),
    "Q5_K": (32, partial(_of_256, fifth=True), 256, 176),
    "Q6_K": (16, _q6_k, 256, 210),
}
GROUPS = {kind: group for kind, (group, *_) in _KINDS.items()}
