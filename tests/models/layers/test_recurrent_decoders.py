import math

import pytest
import torch

from regard.attention import Padding
from regard.models.layers.recurrent_decoders import BahdanauAttention, LuongAttention

QUERY = torch.tensor([[[0.5, -1.0]]])  # (batch, queries, width)
MEMORY = torch.tensor([[[1.0, 0.0, 2.0], [0.0, 3.0, -1.0], [9.0, 9.0, 9.0]]])
REAL = Padding(torch.tensor([[True, True, False]]))


def test_bahdanaus_context_is_appendix_a_1_2_by_hand() -> None:
    attention = BahdanauAttention(2, 3, 2)
    with torch.no_grad():
        attention.query.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        attention.key.weight.copy_(torch.tensor([[0.5, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        attention.vector.copy_(torch.tensor([3.0, -1.0]))
    # W s = (0.5, −2); U h_1 = (0.5, 2), U h_2 = (0, −1).
    first = 3 * math.tanh(1.0) - math.tanh(0.0)
    second = 3 * math.tanh(0.5) - math.tanh(-3.0)
    weight = math.exp(first) / (math.exp(first) + math.exp(second))
    expected = [weight, 3 * (1 - weight), 2 * weight - (1 - weight)]
    context = attention(QUERY, attention.keys(MEMORY), MEMORY, REAL)
    torch.testing.assert_close(context, torch.tensor([[expected]]))


@pytest.mark.parametrize("score", ["general", "dot"])
def test_luongs_context_is_equation_8_by_hand(score: str) -> None:
    attention = LuongAttention(2, score=score)
    memory = MEMORY[:, :, :2].contiguous()
    if attention.matrix is not None:
        with torch.no_grad():
            attention.matrix.copy_(torch.tensor([[2.0, 1.0], [0.0, -1.0]]))
    # q W = (1, 1.5): scores 1 and 4.5; without the matrix 0.5 and −3.
    first, second = (1.0, 4.5) if score == "general" else (0.5, -3.0)
    weight = math.exp(first) / (math.exp(first) + math.exp(second))
    context = attention(QUERY, attention.keys(memory), memory, REAL)
    torch.testing.assert_close(context, torch.tensor([[[weight, 3 * (1 - weight)]]]))


@pytest.mark.parametrize("score", ["bahdanau", "general"])
def test_gradients_are_those_of_finite_differences(score: str) -> None:
    torch.manual_seed(5)
    attention = (BahdanauAttention(3, 3, 2) if score == "bahdanau" else LuongAttention(3)).double()
    attention.reset_scores()
    query = torch.randn(2, 2, 3, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(2, 5, 3, dtype=torch.float64, requires_grad=True)
    mask = Padding.from_lengths(torch.tensor([5, 3]))

    def context(query: torch.Tensor, memory: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        return attention(query, attention.keys(memory), memory, mask)

    assert torch.autograd.gradcheck(context, (query, memory, *attention.parameters()))
