"""A stack runs its layers in turn, each with the masks, the bias and the cache that are its own."""

import pytest
import torch
from torch import Tensor, nn

from regard.attention import Causal, Padding
from regard.models.layers import (
    Embedding,
    FeedForward,
    LayerCache,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
    Rotary,
    Stack,
    TransformerLayer,
    empty_table,
)

BATCH, LENGTH, SOURCE, D_MODEL, HEADS, VOCAB = 2, 7, 5, 8, 2, 13
IDS = torch.tensor([[5, 9, 2, 10, 7, 3, 1], [8, 3, 3, 6, 4, 0, 9]])
MEMORY_MASK = Padding(torch.arange(SOURCE) < torch.tensor([4, 5])[:, None])


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


def embedding() -> Embedding:
    return Embedding(empty_table(VOCAB, D_MODEL), positions="none", scale=False)


def decoder(*, cross: bool = True) -> Stack:
    """As T5's: causal, with a relative bias."""
    made = Stack(
        layers(cross=cross),
        embed=embedding(),
        norm=RMSNorm(D_MODEL),
        relative_bias=RelativeBias(HEADS, num_buckets=4, max_distance=5, bidirectional=False),
        causal=True,
    )
    return randomized(made)


def windowed(*windows: int | None) -> Stack:
    """As Mistral's: causal, with rotary positions and windows."""
    made = Stack(
        layers(len(windows), rotary=Rotary(4)),
        embed=embedding(),
        norm=nn.LayerNorm(D_MODEL),
        causal=True,
        windows=windows,
    )
    return randomized(made)


def randomized(stack: Stack) -> Stack:
    for parameter in stack.double().parameters():
        nn.init.normal_(parameter, std=0.5)
    return stack


def test_layers_run_in_turn_and_the_norm_comes_last() -> None:
    parts = layers(cross=True)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    masks = dict(mask=Causal(), memory_mask=MEMORY_MASK)
    expected = x
    for part in parts:
        expected = part(expected, memory, **masks)
    norm = RMSNorm(D_MODEL).double()
    assert torch.equal(Stack(parts)(x, memory, **masks), expected)
    assert torch.equal(Stack(parts, norm=norm)(x, memory, **masks), norm(expected))
    for name in masks:
        others = {other: value for other, value in masks.items() if other != name}
        assert not torch.allclose(Stack(parts)(x, memory, **others), expected)


def test_cached_steps_equal_the_whole_with_rotary_positions() -> None:
    stack = Stack(layers(rotary=Rotary(4)), causal=True)
    x = tensor(BATCH, LENGTH, D_MODEL)
    positions = torch.arange(LENGTH) + torch.tensor([[0], [3]])
    whole = stack(x, positions=positions)
    caches = [LayerCache() for _ in stack.layers]
    steps = [
        stack(x[:, t : t + 1], positions=positions[:, t : t + 1], caches=caches)
        for t in range(LENGTH)
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    assert not torch.allclose(stack(x, positions=2 * positions), whole)


def test_a_decoder_by_hand() -> None:
    stack = decoder()
    memory = tensor(BATCH, SOURCE, D_MODEL)
    assert stack.embed is not None
    assert stack.relative_bias is not None
    expected = stack.embed(IDS)
    for layer in stack.layers:
        bias = stack.relative_bias(LENGTH, LENGTH)
        expected = layer(expected, memory, mask=Causal(), bias=bias)
    torch.testing.assert_close(stack(IDS, memory), stack.norm(expected))


@pytest.mark.parametrize("first", [1, 3])
def test_a_decoder_continues_from_its_caches(first: int) -> None:
    stack = decoder()
    memory = tensor(BATCH, SOURCE, D_MODEL)
    caches = [LayerCache() for _ in stack.layers]
    parts = [
        stack(IDS[:, start:end], memory, memory_mask=MEMORY_MASK, caches=caches)
        for start, end in [(0, first), *((t, t + 1) for t in range(first, LENGTH))]
    ]
    whole = stack(IDS, memory, memory_mask=MEMORY_MASK)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole)
    assert not torch.allclose(stack(IDS, memory), whole)


def test_a_mask_is_added_to_the_causal_one() -> None:
    stack = decoder(cross=False)
    attention_mask = torch.ones(BATCH, LENGTH, dtype=torch.bool)
    attention_mask[0, 0] = False
    alone = stack(IDS[:1, 1:])
    torch.testing.assert_close(stack(IDS, mask=Padding(attention_mask))[:1, 1:], alone)
    changed = IDS.clone()
    changed[:, 3] = 4
    assert torch.equal(stack(changed)[:, :3], stack(IDS)[:, :3])


def attended_from(stack: Stack, place: int) -> list[int]:
    """The places whose embedding influences the output at one place."""
    embedded: list[Tensor] = []

    def keep(module: object, inputs: object, output: Tensor) -> Tensor:
        embedded.append(output.detach().requires_grad_())
        return embedded[0]

    assert stack.embed is not None
    stack.embed.register_forward_hook(keep)
    stack(IDS)[:, place].square().cumsum(1).sum().backward()
    assert embedded[0].grad is not None
    both = (embedded[0].grad != 0).any(dim=2)
    assert torch.equal(both[0], both[1])
    return both[0].nonzero().flatten().tolist()


@pytest.mark.parametrize(
    ("windows", "attended"),
    [
        ((None,), [0, 1, 2, 3, 4, 5]),
        ((3,), [3, 4, 5]),
        ((1,), [5]),
        ((3, 2), [2, 3, 4, 5]),  # a second layer reaches further
        ((None, 2), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_window_holds_as_many_positions_as_it_says(
    windows: tuple[int | None, ...], attended: list[int]
) -> None:
    assert attended_from(windowed(*windows), 5) == attended


@pytest.mark.parametrize("windows", [(None, None), (None, 3), (2, 2)])
def test_caches_and_padding_leave_the_output_as_it_is(windows: tuple[int | None, ...]) -> None:
    stack = windowed(*windows)
    whole = stack(IDS)
    padded = torch.cat([torch.zeros(BATCH, 4, dtype=torch.long), IDS], dim=1)
    attention_mask = (torch.arange(11) >= 4).repeat(BATCH, 1)
    positions = (torch.arange(11) - 4).clamp(min=0)[None]
    at_once = stack(padded, mask=Padding(attention_mask), positions=positions)
    torch.testing.assert_close(at_once[:, 4:], whole)
    caches = [LayerCache() for _ in windows]
    parts = [
        stack(
            padded[:, start:end],
            mask=Padding(attention_mask[:, :end]),
            positions=positions[:, start:end],
            caches=caches,
        )
        for start, end in ((0, 6), (6, 7), (7, 11))
    ]
    torch.testing.assert_close(torch.cat(parts, dim=1)[:, 4:], whole)


def test_as_many_windows_as_layers() -> None:
    with pytest.raises(ValueError, match="shorter than"):
        Stack(layers(2), causal=True, windows=[3])(tensor(BATCH, LENGTH, D_MODEL))
