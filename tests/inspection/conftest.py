"""Taps with every kind of mask, and the whole maps that they must agree with."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard.attention import Causal, Dense, Mask, Padding, Window
from regard.attention.record import Attention
from regard.attention.scores import Score, scaled_dot
from regard.inspection.tap import Tap

BATCH, HEADS, KEY_HEADS, DIM, VALUE_DIM = 2, 6, 3, 5, 7


@pytest.fixture(scope="session")
def make_tap() -> Callable[..., Tap]:
    def make(
        rows: int = 11,
        columns: int = 13,
        *,
        mask: Mask | None = None,
        bias: Tensor | None = None,
        score: Score = scaled_dot,
        dtype: torch.dtype = torch.float32,
        heads: int = HEADS,
        key_heads: int = KEY_HEADS,
    ) -> Tap:
        draw = torch.Generator().manual_seed(rows * columns)
        query = 2 * torch.randn(BATCH, heads, rows, DIM, generator=draw)
        key = torch.randn(BATCH, key_heads, columns, DIM, generator=draw)
        value = torch.randn(BATCH, key_heads, columns, VALUE_DIM, generator=draw)
        output_weight = torch.randn(heads, VALUE_DIM, 17, generator=draw)
        return Tap(
            name="decoder.layers.1.self",
            side="decoder",
            kind="self",
            layer=1,
            attention=Attention(query.to(dtype), key.to(dtype), value.to(dtype), score, mask, bias),
            queries="target",
            keys="target",
            output_weight=output_weight,
        )

    return make


@pytest.fixture(
    params=[
        None,
        Causal(),
        Padding.from_lengths(torch.tensor([13, 9]), 13),
        Window(2, 1) & Causal(),
        Dense(torch.arange(2 * 6 * 11 * 13).view(2, 6, 11, 13) % 5 > 1),
        Dense((torch.arange(11) % 2 == 0)[:, None].expand(11, 13)),
    ],
    ids=["none", "causal", "padding", "window", "per head", "empty rows"],
)
def mask(request: pytest.FixtureRequest) -> Mask | None:
    return request.param


@pytest.fixture(scope="session")
def whole_map() -> Callable[[Tap], tuple[Tensor, Tensor]]:
    """Weights in float64 by definition, and what the mask allows; (batch, heads, queries, keys)."""

    def compute(tap: Tap) -> tuple[Tensor, Tensor]:
        key = tap.key.double().repeat_interleave(tap.heads // tap.key_heads, dim=1)
        scores = torch.einsum("bhqd,bhkd->bhqk", tap.query.double(), key) / tap.head_dim**0.5
        if tap.bias is not None:
            scores = scores + tap.bias
        allowed = torch.ones_like(scores, dtype=torch.bool)
        if tap.mask is not None:
            positions = torch.arange(tap.columns - tap.rows, tap.columns)
            allowed = allowed & tap.mask.tile(positions, torch.arange(tap.columns))
        weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).nan_to_num()
        return weights, allowed

    return compute
