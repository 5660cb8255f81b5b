import pytest
import torch

from regard.attention import Call, Causal, Window, attend, attention_weights, general, listening
from regard.attention.scores import scaled_dot
from regard.errors import RegardError

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


def test_a_local_window_averages_neighbors():
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


QUERY, KEY, VALUE = torch.randn(3, 2, 3, 7, 5, generator=torch.Generator().manual_seed(1)).unbind()


def test_a_listener_hears_the_inputs_and_the_output():
    captured: list[Call] = []
    with listening(lambda call: captured.append(call)):
        output = attend(QUERY, KEY, VALUE)
    assert len(captured) == 1
    assert captured[0].inputs.query is QUERY
    assert captured[0].inputs.score is scaled_dot
    assert captured[0].output is output


def test_hearing_does_not_change_a_bit():
    alone = attend(QUERY, KEY, VALUE)
    with listening(lambda call: None):
        assert torch.equal(attend(QUERY, KEY, VALUE), alone)


def test_what_a_listener_returns_takes_the_place_of_the_output():
    with listening(lambda call: torch.zeros_like(call.output)):
        assert not attend(QUERY, KEY, VALUE).any()
    assert attend(QUERY, KEY, VALUE).any()


def test_the_innermost_listener_is_the_one_that_hears():
    outer, inner = [], []
    with listening(lambda call: outer.append(call)):
        with listening(lambda call: inner.append(call)):
            attend(QUERY, KEY, VALUE)
        assert (len(outer), len(inner)) == (0, 1)
        attend(QUERY, KEY, VALUE)
    attend(QUERY, KEY, VALUE)
    assert (len(outer), len(inner)) == (1, 1)


def test_a_log_sum_exp_that_the_kernel_gave_is_passed_on():
    captured: list[Call] = []
    with listening(lambda call: captured.append(call)):
        attend(QUERY, KEY, VALUE, kernel="blocked")
    expected = captured[0].inputs.lse()
    assert captured[0].lse is not None
    assert torch.allclose(captured[0].lse, expected, atol=1e-6)


pytestmark = pytest.mark.usefixtures("as_in_production")


def randn(*shape):
    return torch.randn(*shape)


@pytest.mark.parametrize(
    ("query", "key", "value", "sentence"),
    [
        (
            randn(5, 3),
            randn(2, 7, 3),
            randn(2, 7, 3),
            r"same number of dimensions.* \(5, 3\), \(2, 7, 3",
        ),
        (randn(3), randn(3), randn(3), r"\(positions, dim\); got shape \(3,\)"),
        (randn(1, 1, 1, 5, 3),) * 3 + (r"got shape \(1, 1, 1, 5, 3\)",),
        (randn(5, 3), randn(7, 3), randn(6, 3), r"length \(1, 1, 7\); got \(1, 1, 6\)"),
        (randn(5, 3), randn(7, 4), randn(7, 3), r"head_dim 3 .* got 4\. Project .*general\(matrix"),
        (randn(6, 5, 3), randn(4, 7, 3), randn(4, 7, 3), r"must divide query's 6 heads; got 4"),
        (randn(2, 1, 5, 3), randn(3, 1, 7, 3), randn(3, 1, 7, 3), r"query's batch of 2; got 3"),
        (
            randn(5, 3),
            randn(7, 3).double(),
            randn(7, 3),
            "one dtype; got float32, float64, float32",
        ),
        ((randn(5, 3).long(),) * 3 + ("dtypes float64, .* float16; got int64. Cast them first",)),
        ((randn(5, 3).cfloat(),) * 3 + ("one of the dtypes .*; got complex64",)),
        (randn(5, 0), randn(7, 0), randn(7, 3), "head_dim of at least 1; got 0 and 0"),
    ],
)
def test_tensors_that_do_not_fit_together_are_refused(query, key, value, sentence):
    with pytest.raises(RegardError, match=sentence):
        attend(query, key, value)


@pytest.mark.parametrize("kernel", ["auto", "plain", "short", "fused"])
def test_tensors_without_data_give_the_shape_of_the_output(kernel):
    query, key, value = (torch.empty(2, 5, width, device="meta") for width in (3, 3, 4))
    assert attend(query, key, value, mask=Causal(), kernel=kernel).shape == (2, 5, 4)


def test_a_score_that_can_join_different_widths_is_let_through():
    output = attend(randn(5, 3), randn(7, 4), randn(7, 2), score=general(randn(3, 4)))
    assert output.shape == (5, 2)


@pytest.mark.parametrize(
    ("bias", "sentence"),
    [
        (randn(7, 5), r"\(1, 1, 5, 7\); got \(7, 5\)\. Did you transpose it\?"),
        (randn(4), r"broadcast to \(batch, heads, queries, keys\) = \(1, 1, 5, 7\); got \(4,\)\.$"),
        (torch.ones(5, 7) > 0, r"floating point; got bool: pass True and False as mask"),
    ],
)
def test_a_bias_that_does_not_fit_is_refused(bias, sentence):
    with pytest.raises(RegardError, match=sentence):
        attend(randn(5, 3), randn(7, 3), randn(7, 2), bias=bias)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"lse": randn(4)}, r"one number for each query, \(5,\); got \(4,\)\. Pass what attend"),
        ({"queries": 3}, r"queries must be a slice that runs forward, .*; got 3"),
        ({"keys": slice(5, 0, -1)}, r"keys must be a slice that runs forward"),
    ],
)
def test_a_tile_that_makes_no_sense_is_refused(arguments, sentence):
    with pytest.raises(RegardError, match=sentence):
        attention_weights(randn(5, 3), randn(7, 3), **arguments)
