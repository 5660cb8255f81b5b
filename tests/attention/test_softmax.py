"""One rule for a row that sees no key, and the softmax of the other rows."""

import torch

from regard.attention.softmax import log_sum_exp, log_weights, softmax, zero_where_empty

HIDDEN = float("-inf")


def test_an_empty_row_is_minus_infinity_with_a_gradient_of_zero():
    scores = torch.tensor([[0.0, 1.0], [HIDDEN] * 2], requires_grad=True)
    lse = log_sum_exp(scores)
    lse.sum().backward()
    assert lse[1].isneginf()
    assert scores.grad is not None
    torch.testing.assert_close(scores.grad[1], torch.zeros(2))
    torch.testing.assert_close(scores.grad[0], torch.softmax(torch.tensor([0.0, 1.0]), 0))


def test_both_ways_to_the_weights_agree_and_give_an_empty_row_zeros():
    scores = torch.tensor([[0.5, HIDDEN, 2.0], [HIDDEN] * 3, [90.0, -90.0, 89.0]])
    weights, lse = softmax(scores)
    torch.testing.assert_close(weights[[0, 2]], torch.softmax(scores[[0, 2]], -1))
    assert weights[1].eq(0).all()
    torch.testing.assert_close(lse, log_sum_exp(scores))
    torch.testing.assert_close(log_weights(scores, lse).exp(), weights)


def test_what_an_empty_row_holds_is_replaced_even_where_it_is_not_a_number():
    rows = torch.tensor([[1.0, 2.0], [float("nan"), float("inf")]])
    found = zero_where_empty(rows, torch.tensor([[False], [True]]))
    assert torch.equal(found, torch.tensor([[1.0, 2.0], [0.0, 0.0]]))
