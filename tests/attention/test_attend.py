import doctest
import sys

import pytest
import torch

import regard.attention
from regard.attention import Causal, Window, attend

PUBLIC = regard.attention.__all__
X = torch.tensor([[1.0, 0.0], [0.0, 2.0], [2.0, 2.0]])


def test_self_attention_without_parameters_is_the_one_computed_by_hand():
    # Scores of the first word with all three: x1·x1 = 1, x1·x2 = 0, x1·x3 = 2.
    exponentials = torch.tensor([1.0, 0.0, 2.0]).exp()
    first = (exponentials[:, None] * X).sum(0) / exponentials.sum()
    torch.testing.assert_close(attend(X, X, X, score="dot")[0], first)


def test_the_plain_average_is_a_score_that_says_nothing():
    torch.testing.assert_close(attend(X, X, X, score="average"), X.mean(0).expand(3, 2))


def test_an_oracle_gives_its_own_weights():
    oracle = torch.tensor([[0.9, 0.1, 0.0], [0.0, 0.0, 1.0], [0.2, 0.3, 0.5]])
    output = attend(X, X, X, score="average", bias=oracle.log())
    torch.testing.assert_close(output, oracle @ X)


def test_a_local_window_averages_neighbours():
    output = attend(X, X, X, score="average", mask=Window(1, 1))
    expected = torch.stack([X[:2].mean(0), X.mean(0), X[1:].mean(0)])
    torch.testing.assert_close(output, expected)


def test_any_function_can_be_the_score():
    output = attend(X, X, X, score=lambda query, key: -torch.cdist(query, key, p=1))
    distances = (X[:, None] - X[None]).abs().sum(-1)
    torch.testing.assert_close(output, torch.softmax(-distances, -1) @ X)


def test_axes_left_out_are_left_out_of_the_result():
    query, key, value = torch.randn(4, 5, 3), torch.randn(2, 7, 3), torch.randn(2, 7, 6)
    output, lse = attend(query, key, value, return_lse=True)
    batched, batched_lse = attend(query[None], key[None], value[None], return_lse=True)
    assert (output.shape, lse.shape) == ((4, 5, 6), (4, 5))
    assert output.equal(batched[0])
    assert lse.equal(batched_lse[0])
    flat, flat_lse = attend(query[3], key[1], value[1], return_lse=True)
    torch.testing.assert_close(flat, output[3])
    torch.testing.assert_close(flat_lse, lse[3])


def test_every_optional_input_changes_the_result():
    query, key, value = torch.randn(3, 1, 2, 5, 4).unbind()
    plain = attend(query, key, value)
    for changed in (
        {"score": "cosine"},
        {"mask": Causal()},
        {"bias": torch.randn(5)},
    ):
        assert not attend(query, key, value, **changed).allclose(plain)


def test_the_future_is_unseen():
    query, key, value = torch.randn(3, 1, 2, 7, 4).unbind()
    before = attend(query, key, value, mask=Causal())
    key[:, :, 5:], value[:, :, 5:] = 100.0, -100.0
    after = attend(query, key, value, mask=Causal())
    assert after[:, :, :5].equal(before[:, :, :5])
    assert not after[:, :, 5:].allclose(before[:, :, 5:])


def test_inputs_are_left_as_they_were():
    inputs = torch.randn(3, 2, 2, 7, 4).unbind()
    copies = [tensor.clone() for tensor in inputs]
    for kernel in ("plain", "short", "blocked", "fused"):
        attend(*inputs, mask=Causal(), kernel=kernel)
    assert all(tensor.equal(copy) for tensor, copy in zip(inputs, copies, strict=True))


@pytest.mark.parametrize("module", ["attend", "weights"])
def test_the_examples_in_the_docstrings_run(module):
    names = {"torch": torch, **{name: vars(regard.attention)[name] for name in PUBLIC}}
    result = doctest.testmod(sys.modules[f"regard.attention.{module}"], extraglobs=names)
    assert result.attempted > 0
    assert result.failed == 0
