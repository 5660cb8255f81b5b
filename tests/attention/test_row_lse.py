import math

import torch

from regard.attention import Causal, dot
from regard.attention.row_lse import log_sum_exp, row_lse


def test_the_log_sum_exp_by_hand_in_blocks_of_one_key(monkeypatch):
    monkeypatch.setattr("regard.attention.row_lse.KEY_BLOCK", 1)
    query, key = torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[[[0.0], [3.0]]]])
    expected = [math.log(math.exp(0)), math.log(math.exp(0) + math.exp(6))]
    lse = row_lse(query, key, dot, Causal(), None)
    torch.testing.assert_close(lse, torch.tensor([[expected]]))


def test_wanted_rows_only():
    query, key = torch.randn(1, 2, 7, 3), torch.randn(1, 2, 5, 3)
    wanted = torch.tensor([4, 6])
    some = row_lse(query, key, dot, None, None, wanted)
    torch.testing.assert_close(some, row_lse(query, key, dot, None, None)[:, :, wanted])


def test_an_empty_row_is_minus_infinity_with_a_gradient_of_zero():
    scores = torch.tensor([[0.0, 1.0], [float("-inf")] * 2], requires_grad=True)
    lse = log_sum_exp(scores)
    lse.sum().backward()
    assert lse[1].isneginf()
    assert scores.grad is not None
    torch.testing.assert_close(scores.grad[1], torch.zeros(2))
    torch.testing.assert_close(scores.grad[0], torch.softmax(torch.tensor([0.0, 1.0]), 0))
