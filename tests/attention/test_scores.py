import math

import pytest
import torch

from regard.attention import additive, attend, average, cosine, dot, gaussian, general, scaled_dot
from regard.errors import RegardError

QUERY = torch.tensor([[3.0, 4.0]])
KEY = torch.tensor([[1.0, 2.0], [-4.0, 3.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("score", "by_hand"),
    [
        (dot, [11.0, 0.0, 0.0]),
        (scaled_dot, [11 / math.sqrt(2), 0.0, 0.0]),
        (cosine, [11 / (5 * math.sqrt(5)), 0.0, 0.0]),
        (gaussian(2.0), [-8 / 8, -50 / 8, -25 / 8]),
        (average, [0.0, 0.0, 0.0]),
        # W = [[1, 2], [0, 1]] turns (3, 4) into (3, 10)
        (general(torch.tensor([[1.0, 2.0], [0.0, 1.0]])), [23.0, 18.0, 0.0]),
    ],
    ids=["dot", "scaled_dot", "cosine", "gaussian", "average", "general"],
)
def test_scores_are_those_computed_by_hand(score, by_hand):
    torch.testing.assert_close(score(QUERY, KEY), torch.tensor([by_hand]))


def test_additive_is_one_hidden_layer_by_hand():
    score = additive(
        torch.tensor([[0.1, 0.0], [0.0, 0.1]]),
        torch.tensor([[1.0, 0.0], [0.0, -1.0]]),
        torch.tensor([2.0, 3.0]),
    )
    expected = [
        2 * math.tanh(0.3 + 1) + 3 * math.tanh(0.4 - 2),
        2 * math.tanh(0.3 - 4) + 3 * math.tanh(0.4 - 3),
        2 * math.tanh(0.3) + 3 * math.tanh(0.4),
    ]
    torch.testing.assert_close(score(QUERY, KEY), torch.tensor([expected]))


def test_additive_takes_what_is_projected_already():
    query, key = torch.randn(2, 3, 5), torch.randn(2, 7, 4)
    query_weight, key_weight, vector = torch.randn(6, 5), torch.randn(6, 4), torch.randn(6)
    expected = additive(query_weight, key_weight, vector)(query, key)
    projected = additive(None, None, vector)(query @ query_weight.T, key @ key_weight.T)
    torch.testing.assert_close(projected, expected)
    torch.testing.assert_close(
        additive(query_weight, None, vector)(query, key @ key_weight.T), expected
    )


def test_general_and_additive_join_queries_and_keys_of_different_width():
    query, key = torch.randn(2, 3, 5), torch.randn(2, 7, 4)
    assert general(torch.randn(5, 4))(query, key).shape == (2, 3, 7)
    score = additive(torch.randn(6, 5), torch.randn(6, 4), torch.randn(6))
    assert score(query, key).shape == (2, 3, 7)


def test_general_takes_one_matrix_per_head():
    query, key, matrix = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(3, 4, 4)
    together = attend(query, key, key, score=general(matrix))
    second = attend(query[:, 1], key[:, 1], key[:, 1], score=general(matrix[1]))
    torch.testing.assert_close(together[:, 1], second)


def test_gaussian_attention_is_nadaraya_watson_regression():
    where, seen_at = torch.tensor([[0.5]]), torch.tensor([[0.0], [1.0], [3.0]])
    seen = torch.tensor([[2.0], [4.0], [-1.0]])
    kernel = [math.exp(-((0.5 - at) ** 2) / (2 * 0.7**2)) for at in (0.0, 1.0, 3.0)]
    expected = (2 * kernel[0] + 4 * kernel[1] - kernel[2]) / sum(kernel)
    estimate = attend(where, seen_at, seen, score=gaussian(0.7))
    torch.testing.assert_close(estimate, torch.tensor([[expected]]))


def test_cosine_of_a_zero_vector_is_zero_with_a_finite_gradient():
    query = torch.zeros(1, 3, requires_grad=True)
    score = cosine(query, torch.randn(2, 3))
    score.sum().backward()
    assert score.tolist() == [[0, 0]]
    assert query.grad is not None
    assert query.grad.isfinite().all()


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "cosine", "gaussian", "average"])
def test_a_name_means_the_function_of_that_name(name):
    query, key = torch.randn(2, 3), torch.randn(5, 3)
    functions = {
        "dot": dot,
        "scaled_dot": scaled_dot,
        "cosine": cosine,
        "gaussian": gaussian(),
        "average": average,
    }
    assert attend(query, key, key, score=name).equal(attend(query, key, key, score=functions[name]))


def test_an_unknown_score_lists_the_known_ones_and_the_nearest():
    with pytest.raises(RegardError, match=r"one of dot, scaled_dot, .* Did you mean 'cosine'\?"):
        attend(QUERY, KEY, KEY, score="cosin")


def test_a_score_with_parameters_says_how_to_pass_them():
    with pytest.raises(RegardError, match=r"score=general\(matrix\)"):
        attend(QUERY, KEY, KEY, score="general")
