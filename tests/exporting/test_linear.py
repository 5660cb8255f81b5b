"""Projections in each precision: close to the exact ones, and a row's output is the row's own."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fixtures.graphs import Graphs
from regard.exporting.graph import Graph, write_graphs
from regard.exporting.linear import product, quantized_blocks, quantized_columns

Run = Callable[[np.ndarray], np.ndarray]
random = np.random.default_rng(7)
WEIGHT = random.standard_normal((53, 67)).astype(np.float32)
BIAS = random.standard_normal(53).astype(np.float32)
X = random.standard_normal((11, 1, 67)).astype(np.float32) * np.logspace(-3, 3, 11)[:, None, None]
X = X.astype(np.float32)


@pytest.fixture
def projection(tmp_path: Path, precision: str) -> Run:
    graph = Graph(precision)
    x = graph.input("x", np.float32, ("rows", "length", 67))
    graph.output(product(graph, x, WEIGHT, BIAS), "y", np.float32, ("rows", "length", 53))
    write_graphs({"projection": graph}, tmp_path)
    graphs = Graphs(tmp_path)
    return lambda x: graphs.run("projection", {"x": x})[0]


@pytest.mark.parametrize(("precision", "error"), [("fp32", 1e-6), ("int8", 0.02), ("int4", 0.15)])
def test_a_product_is_near_the_exact_one(projection: Run, error: float) -> None:
    exact = X.astype(np.float64) @ WEIGHT.T.astype(np.float64)
    found = projection(X) - BIAS
    # By each row's own size: a row of small numbers is as exact as one of large numbers.
    size = np.abs(exact).max(-1, keepdims=True)
    assert (np.abs(found - exact)[:7] / size[:7]).max() < error + 1e-3  # the bias rounds the rest
    assert (np.abs(found - exact)[7:] / size[7:]).max() < error


@pytest.mark.parametrize(("precision", "error"), [("int8", 0.0), ("int4", 1e-6)])
def test_a_row_is_the_same_alone_and_in_any_batch(projection: Run, error: float) -> None:
    whole = projection(X)
    order = random.permutation(len(X))
    # int4 adds in another order for one row on processors without AVX-512.
    limit = error * np.abs(whole).max(-1)
    alone = np.concatenate([projection(X[row : row + 1]) for row in range(len(X))])
    assert (np.abs(alone - whole).max(-1) <= limit).all()
    assert (np.abs(projection(X[order]) - whole[order]).max(-1) <= limit[order]).all()
    # As further positions of one text, too.
    assert (np.abs(projection(X.transpose(1, 0, 2))[0] - whole[:, 0]).max(-1) <= limit[:, 0]).all()


@pytest.mark.parametrize("precision", ["fp32", "int8", "int4"])
def test_a_row_of_zeros_gives_the_bias(projection: Run) -> None:
    assert (projection(np.zeros_like(X)) == BIAS).all()


def test_integers_fill_their_range() -> None:
    quantized, scales = quantized_columns(WEIGHT)
    assert quantized.shape == (67, 53)
    assert (np.abs(quantized - 128.0).max(0) == 127).all()
    assert (
        np.abs((quantized.T - 128.0) * scales[:, None] - WEIGHT).max() <= scales.max() / 2 * 1.001
    )


def test_blocks_of_four_bits_round_to_the_nearest_step() -> None:
    blocks, scales = quantized_blocks(WEIGHT)
    assert (blocks.shape, scales.shape) == ((53, 3, 16), (53, 3))
    whole = np.stack([blocks & 15, blocks >> 4], -1).reshape(53, 3, 32)
    found = ((whole.astype(int) - 8) * scales[:, :, None]).reshape(53, 96)[:, :67]
    steps = np.repeat(np.abs(scales), 32, axis=1)[:, :67]
    # A weight as large as the largest, of the other sign, is a whole step away.
    assert (np.abs(found - WEIGHT) <= steps * 1.001).all()
    assert (np.abs(found - WEIGHT) <= steps * 0.501).mean() > 0.9
