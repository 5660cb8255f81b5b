import pytest
import torch
from torch import Tensor, nn

from regard.layers import (
    Embedding,
    FeedForward,
    LayerCache,
    MultiHeadAttention,
    Rotary,
    TransformerLayer,
    empty_table,
)
from regard.layers.causal import CausalStack

IDS = torch.tensor([[5, 9, 2, 10, 7, 3, 1], [8, 3, 3, 6, 4, 0, 9]])


def stack(*windows: int | None) -> CausalStack:
    torch.manual_seed(3)
    rotary = Rotary(4)
    layers = [
        TransformerLayer(
            MultiHeadAttention(6, 3, head_dim=4, rotary=rotary),
            FeedForward(6, 11),
            norm=lambda: nn.LayerNorm(6),
            norm_first=True,
        )
        for _ in windows
    ]
    embed = Embedding(empty_table(11, 6), positions="none", scale=False)
    made = CausalStack(embed, layers, norm=nn.LayerNorm(6), windows=windows).double()
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.5)
    return made


def seen_from(made: CausalStack, place: int) -> list[int]:
    """The places whose embedding has an influence on the output at one place."""
    embedded: list[Tensor] = []

    def keep(module: object, inputs: object, output: Tensor) -> Tensor:
        embedded.append(output.detach().requires_grad_())
        return embedded[0]

    made.embed.register_forward_hook(keep)
    made(IDS)[:, place].square().cumsum(1).sum().backward()
    assert embedded[0].grad is not None
    both = (embedded[0].grad != 0).any(dim=2)
    assert torch.equal(both[0], both[1])
    return both[0].nonzero().flatten().tolist()


@pytest.mark.parametrize(
    ("windows", "seen"),
    [
        ((None,), [0, 1, 2, 3, 4, 5]),
        ((3,), [3, 4, 5]),
        ((1,), [5]),
        ((3, 2), [2, 3, 4, 5]),  # through a second layer one sees further
        ((None, 2), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_window_holds_as_many_tokens_as_it_says(
    windows: tuple[int | None, ...], seen: list[int]
) -> None:
    assert seen_from(stack(*windows), 5) == seen


@pytest.mark.parametrize("windows", [(None, None), (None, 3), (2, 2)])
def test_caches_and_padding_leave_the_output_as_it_is(windows: tuple[int | None, ...]) -> None:
    made = stack(*windows)
    whole = made(IDS)
    padded = torch.cat([torch.zeros(2, 4, dtype=torch.long), IDS], dim=1)
    real = (torch.arange(11) >= 4).repeat(2, 1)
    torch.testing.assert_close(made(padded, real)[:, 4:], whole)
    caches = [LayerCache() for _ in windows]
    parts = [
        made(padded[:, start:end], real[:, :end], caches)
        for start, end in ((0, 6), (6, 7), (7, 11))
    ]
    torch.testing.assert_close(torch.cat(parts, dim=1)[:, 4:], whole)
