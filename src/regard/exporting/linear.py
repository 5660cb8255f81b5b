"""Projections, x Wᵀ + b, in the precisions that a model can be exported in.

Every form computes a row of the output from the same row of the input alone, so that a result does
not depend on what else is in the batch. (ONNX Runtime's DynamicQuantizeMatMul does not: it scales
the activations of the whole batch by one number.)
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import nn

from regard.exporting.graph import MICROSOFT, Graph, as_array, cannot_export
from regard.layers.low_rank import LowRankLinear

Matrix = NDArray[np.float32]
TINY = float(np.finfo(np.float32).tiny)


def linear(graph: Graph, x: str, *projections: nn.Module, rectified: bool = False) -> str:
    """x (…, d_in) → (…, d_out): the projections of one input as one product, side by side.

    Args:
        rectified: numbers of x below zero count as zero.
    """
    weight, bias = side_by_side(*projections)
    return product(graph, x, weight, bias, rectified=rectified)


def side_by_side(*projections: nn.Module) -> tuple[Matrix, Matrix]:
    """Weight, (d_out, d_in), and bias, (d_out,), of the projections of one input as one."""
    merged = [plain(projection) for projection in projections]
    biases = [
        np.zeros(projection.out_features, np.float32)
        if projection.bias is None
        else as_array(projection.bias)
        for projection in merged
    ]
    return np.concatenate([as_array(projection.weight) for projection in merged]), np.concatenate(
        biases
    )


def product(
    graph: Graph, x: str, weight: Matrix, bias: Matrix | None = None, *, rectified: bool = False
) -> str:
    """x (…, d_in), weight (d_out, d_in), bias (d_out,) → (…, d_out).

    Args:
        rectified: numbers of x below zero count as zero.
    """
    y = PRECISIONS[graph.precision](graph, x, weight, rectified)
    return y if bias is None or not bias.any() else graph.op("Add", y, graph.constant(bias))


def _float32(graph: Graph, x: str, weight: Matrix, rectified: bool) -> str:
    return graph.op("MatMul", graph.op("Relu", x) if rectified else x, graph.constant(weight.T))


def _int8(graph: Graph, x: str, weight: Matrix, rectified: bool) -> str:
    """Integers in both factors: the weights scaled by column, the activations by row.

    Sums of integers are exact, so a row's output has the same bits in any batch. In a row of zeros
    the quotient is undefined, but finite when rounded, and multiplied by zero at the end. What is
    rectified has all 256 steps, and needs no operator for it: below the first step is nothing.
    """
    quantized, scales = quantized_columns(weight)
    size = x if rectified else graph.op("Abs", x)
    largest = graph.op("ReduceMax", size, graph.integers(-1), keepdims=1)
    if rectified:
        largest = graph.op("Max", largest, graph.number(TINY))
    step = graph.number(1 / 255 if rectified else 1 / 127)
    zero = graph.constant(np.array(0 if rectified else 128, np.uint8))
    whole = graph.op("QuantizeLinear", graph.op("Div", x, largest), step, zero)
    y = graph.op(
        "MatMulIntegerToFloat",
        whole,
        graph.constant(quantized),
        step,
        graph.constant(scales),
        zero,
        graph.constant(np.full_like(scales, 128, np.uint8)),
        domain=MICROSOFT,
    )
    return graph.op("Mul", y, largest)


def quantized_columns(weight: Matrix) -> tuple[NDArray[np.uint8], Matrix]:
    """weight (d_out, d_in) → integers from 1 to 255, (d_in, d_out), and the number that each column
    is multiplied by, (d_out,); 128 is zero.

    Signed integers would have smaller sums than the exact ones on a processor without VNNI, whose
    instruction for them adds two products in 16 bits.
    """
    scales = np.maximum(np.abs(weight).max(1) / 127, TINY)
    whole = np.round(weight / scales[:, None]) + 128
    return whole.astype(np.uint8).T, scales.astype(np.float32)


def _int4(graph: Graph, x: str, weight: Matrix, rectified: bool) -> str:
    """4 bits for each weight, and a scale for each block of neighboring inputs; the activations of
    a block are rounded to 8 bits. In blocks of another size, ONNX Runtime rounds a row in
    another way where there are more rows; in these, its sums at most end with other bits.
    """
    blocks, scales = quantized_blocks(weight)
    return graph.op(
        "MatMulNBits",
        graph.op("Relu", x) if rectified else x,
        graph.constant(blocks),
        graph.constant(scales),
        domain=MICROSOFT,
        K=weight.shape[1],
        N=weight.shape[0],
        bits=4,
        block_size=INT4_BLOCK,
        accuracy_level=4,  # 8-bit integers
    )


INT4_BLOCK = 32  # inputs


def quantized_blocks(weight: Matrix) -> tuple[NDArray[np.uint8], Matrix]:
    """weight (d_out, d_in) → two weights a byte, the first in its lower half, from 0 to 15 with 8
    for zero, (d_out, blocks, 16), and each block's scale, (d_out, blocks).

    The largest weight of a block becomes 0, which stands for −8, so a scale may be negative.
    """
    padded = np.pad(weight, ((0, 0), (0, -weight.shape[1] % INT4_BLOCK)))
    parts = padded.reshape(len(weight), -1, INT4_BLOCK)
    largest = np.take_along_axis(parts, np.abs(parts).argmax(2, keepdims=True), 2)
    scales = np.where(largest == 0, TINY, largest / -8).astype(np.float32)
    whole = np.clip(np.round(parts / scales) + 8, 0, 15).astype(np.uint8)
    return whole[..., ::2] | whole[..., 1::2] << 4, scales[..., 0]


PRECISIONS: dict[str, Callable[[Graph, str, Matrix, bool], str]] = {
    "fp32": _float32,
    "int8": _int8,
    "int4": _int4,
}


def split(graph: Graph, x: str, widths: Sequence[int], axis: int = -1) -> tuple[str, ...]:
    """x (…, sum of widths) → its parts, (…, width) each; or along another axis."""
    return graph.ops("Split", x, graph.integers(*widths), outputs=len(widths), axis=axis)


def plain(projection: nn.Module) -> nn.Linear:
    """The projection as one matrix; adapters are merged into it."""
    if isinstance(projection, LowRankLinear):
        return projection.merged()
    if type(projection) is not nn.Linear:
        raise cannot_export(f"the projection {type(projection).__name__}")
    return projection
