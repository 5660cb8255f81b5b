"""Products of the native engine: those that a definition in numpy says, by all kernels."""

from typing import Any

import numpy as np
import pytest
import torch

from regard.engine.native import library
from regard.engine.native.loading import open_native
from regard.engine.native.reads import NativeReader
from regard.models import Encoder, EncoderConfig

LANES, BLOCK = 16, 32
INPUTS, OUTPUTS = 112, 70  # in whole lanes, but not in whole blocks or panels
KERNELS = library.kernels()
draw = np.random.default_rng(7)
WEIGHT = draw.standard_normal((OUTPUTS, INPUTS)).astype(np.float32)
WEIGHT[3] = 0
WEIGHT[4, 32:64] = 1e-36
BIAS = draw.standard_normal(OUTPUTS).astype(np.float32)
X = (draw.standard_normal((11, INPUTS)) * np.logspace(-3, 3, 11)[:, None]).astype(np.float32)
X[5] = 0
X[6] = np.abs(X[6])  # as behind ReLU


def product(precision: str, kernels: int = 0, weight: Any = WEIGHT) -> NativeReader:
    """A head alone: its projection of what it is given."""
    labels = tuple(map(str, range(OUTPUTS)))
    sizes = dict(d_model=INPUTS, num_layers=0, num_heads=1, d_ff=1, max_positions=1)
    config = EncoderConfig(2, head="token_classification", labels=labels, **sizes)  # type: ignore[arg-type]
    model = Encoder(config)
    state = model.state_dict()
    state["head.output.weight"] = torch.from_numpy(weight)
    state["head.output.bias"] = torch.from_numpy(BIAS)
    model.load_state_dict(state)
    reader = open_native(model.eval(), precision, kernels=kernels)
    assert isinstance(reader, NativeReader)
    return reader


def bfloat16(x: Any) -> Any:
    return torch.from_numpy(x).bfloat16().float().numpy()


def defined(precision: str) -> Any:
    """Rows as integers around a middle of their own; sums that are exact, scaled in float32."""
    low, high = X.min(1, keepdims=True).clip(max=-1e-30), X.max(1, keepdims=True).clip(1e-30)
    middles, top = (low + high) / 2, (high - low) / 2
    x, scales = np.rint((X - middles) * (np.float32(127) / top)).astype(int), top / np.float32(127)
    if precision == "int8":
        steps = (np.abs(WEIGHT).max(1, keepdims=True) / np.float32(127)).clip(1e-35)
        whole = np.rint(WEIGHT / steps).astype(int)
        scaled = (x @ whole.T).astype(np.float32) * (steps.T * scales)
        return scaled + middles * (whole * steps).sum(1) + BIAS
    blocks = np.pad(WEIGHT, ((0, 0), (0, -INPUTS % BLOCK))).reshape(OUTPUTS, -1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(2, keepdims=True), 2)
    steps = bfloat16(np.where(np.abs(largest) > 1e-34, largest / -8, np.float32(1e-35)))
    whole = np.rint(blocks / steps).clip(-8, 7).astype(int)
    x = np.pad(x, ((0, 0), (0, -INPUTS % BLOCK))).reshape(len(X), -1, BLOCK)
    exact = np.einsum("rbi,obi->rob", x, whole)
    scaled = (exact.astype(np.float64) * steps[..., 0]).sum(2) * scales
    return scaled + middles * (whole * steps).sum((1, 2)) + BIAS


@pytest.mark.parametrize("precision", ["int8", "int4"])
@pytest.mark.parametrize("kernels", range(len(KERNELS)), ids=KERNELS)
def test_integers_are_multiplied_as_they_are_defined(precision: str, kernels: int) -> None:
    found, expected = product(precision, kernels).head(X), defined(precision)
    size = np.abs(expected - BIAS).max(1, keepdims=True) + np.abs(BIAS).max()
    assert (np.abs(found - expected) <= 1e-6 * size).all()
    assert (found[5] == BIAS).all()
    assert (found[:, 3] == BIAS[3]).all()


@pytest.mark.parametrize(
    ("precision", "error"), [("fp32", 1e-6), ("bf16", 4e-3), ("int8", 0.02), ("int4", 0.15)]
)
def test_a_product_is_near_the_exact_one(precision: str, error: float) -> None:
    exact = X.astype(np.float64) @ WEIGHT.T.astype(np.float64) + BIAS
    size = np.abs(exact - BIAS).max(1, keepdims=True) + np.abs(BIAS).max()
    assert (np.abs(product(precision).head(X) - exact) <= error * size).all()


@pytest.mark.parametrize("precision", library.PRECISIONS)
@pytest.mark.parametrize("kernels", range(len(KERNELS)), ids=KERNELS)
def test_a_row_has_the_same_bits_in_any_company(precision: str, kernels: int) -> None:
    native = product(precision, kernels)
    together = native.head(X)
    for rows in range(1, len(X)):
        assert (native.head(X[-rows:]) == together[-rows:]).all()


def test_blocks_of_the_largest_integers_do_not_overflow() -> None:
    extreme = np.where(np.arange(INPUTS) % BLOCK == 0, -8, 7).astype(np.float32)
    weight = np.repeat(extreme[None], OUTPUTS, 0)
    for kernels in range(len(KERNELS)):
        for x in (np.full((3, INPUTS), 127, np.float32), np.full((3, INPUTS), -127, np.float32)):
            found = product("int4", kernels, weight).head(x)
            assert np.allclose(found, x @ weight.T + BIAS, rtol=1e-6)
