"""A stack runs its layers in turn and gives each what it was given."""

import pytest
import torch
from torch import Tensor, nn

from regard.attention import Causal, Padding
from regard.layers import (
    Embedding,
    FeedForward,
    LayerCache,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
    Rotary,
    Stack,
    TokenStack,
    TransformerLayer,
    empty_table,
)

BATCH, LENGTH, SOURCE, D_MODEL, HEADS, VOCAB = 2, 5, 7, 8, 2, 13


def layers(
    count: int = 3, *, cross: bool = False, rotary: Rotary | None = None
) -> list[TransformerLayer]:
    torch.manual_seed(19)
    return [
        TransformerLayer(
            MultiHeadAttention(D_MODEL, HEADS, rotary=rotary),
            FeedForward(D_MODEL, 11),
            cross_attention=MultiHeadAttention(D_MODEL, HEADS) if cross else None,
            norm=lambda: nn.LayerNorm(D_MODEL),
            norm_first=True,
        ).double()
        for _ in range(count)
    ]


def tensor(*shape: int) -> Tensor:
    torch.manual_seed(29)
    return torch.randn(*shape, dtype=torch.float64)


def token_stack(*, cross: bool = True) -> TokenStack:
    table = empty_table(VOCAB, D_MODEL)
    nn.init.normal_(table.weight)
    relative = RelativeBias(HEADS, num_buckets=4, max_distance=5, bidirectional=False)
    nn.init.normal_(relative.table.weight)
    made = TokenStack(
        Embedding(table, positions="none"),
        layers(cross=cross),
        norm=RMSNorm(D_MODEL),
        relative_bias=relative,
        causal=True,
    )
    return made.double().eval()


IDS = torch.tensor([[3, 9, 9, 1, 12], [7, 2, 5, 5, 0]])


def test_layers_run_in_turn_and_the_norm_comes_last() -> None:
    parts = layers(cross=True)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    given = dict(
        mask=Causal(),
        memory_mask=Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None]),
        bias=tensor(HEADS, LENGTH, LENGTH),
    )
    expected = x
    for part in parts:
        expected = part(expected, memory, **given)
    norm = RMSNorm(D_MODEL).double()
    assert torch.equal(Stack(parts)(x, memory, **given), expected)
    assert torch.equal(Stack(parts, norm=norm)(x, memory, **given), norm(expected))
    for name in given:
        others = {other: value for other, value in given.items() if other != name}
        assert not torch.allclose(Stack(parts)(x, memory, **others), expected)


def test_cached_steps_equal_the_whole_with_rotary_positions() -> None:
    stack = Stack(layers(rotary=Rotary(4)))
    x = tensor(BATCH, LENGTH, D_MODEL)
    positions = torch.arange(LENGTH) + torch.tensor([[0], [3]])
    whole = stack(x, mask=Causal(), positions=positions)
    caches = [LayerCache() for _ in stack.layers]
    steps = [
        stack(x[:, t : t + 1], positions=positions[:, t : t + 1], caches=caches)
        for t in range(LENGTH)
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    assert not torch.allclose(stack(x, mask=Causal(), positions=2 * positions), whole)


def test_a_token_stack_by_hand() -> None:
    stack = token_stack()
    memory = tensor(BATCH, SOURCE, D_MODEL)
    assert stack.relative_bias is not None
    expected = stack.embed(IDS)
    for layer in stack.layers:
        bias = stack.relative_bias(LENGTH, LENGTH)
        expected = layer(expected, memory, mask=Causal(), bias=bias)
    torch.testing.assert_close(stack(IDS, memory), stack.norm(expected))


@pytest.mark.parametrize("first", [1, 3])
def test_a_token_stack_goes_on_from_its_caches(first: int) -> None:
    stack = token_stack()
    memory = tensor(BATCH, SOURCE, D_MODEL)
    seen = Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None])
    caches = [LayerCache() for _ in stack.layers]
    parts = [stack(IDS[:, :first], memory, seen, caches)]
    parts += [stack(IDS[:, t : t + 1], memory, seen, caches) for t in range(first, LENGTH)]
    torch.testing.assert_close(torch.cat(parts, dim=1), stack(IDS, memory, seen))
    assert not torch.allclose(stack(IDS, memory), stack(IDS, memory, seen))


def test_a_mask_is_added_to_the_causal_one() -> None:
    stack = token_stack(cross=False)
    real = torch.tensor([[False, True, True, True, True], [True] * 5])
    alone = stack(IDS[:1, 1:])
    torch.testing.assert_close(stack(IDS, mask=Padding(real))[:1, 1:], alone)
    changed = IDS.clone()
    changed[:, 3] = 4
    assert torch.equal(stack(changed)[:, :3], stack(IDS)[:, :3])
