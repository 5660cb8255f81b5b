"""A kernel's call is shown as it was, or refused: two queries, two keys, worked out by hand."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.attention.scores import capped, scaled, scaled_dot
from regard.inspection.huggingface.interface import CapturedCall
from regard.inspection.huggingface.masks import MaskReader, Unreadable
from regard.inspection.huggingface.understanding import (
    inputs_of,
    output_tolerance,
    score_of,
    understand,
)

# Of one number each, so that the scores are products: 0 and ln 3 for the first query, 0 and ln 9
# for the second. Weights are (1/4, 3/4) and (1/10, 9/10), and log-sum-exp ln 4 and ln 10.
QUERY = torch.tensor([1.0, 2.0]).view(1, 1, 2, 1)
KEY = torch.tensor([0.0, math.log(3)]).view(1, 1, 2, 1)
VALUE = torch.tensor([2.0, 6.0]).view(1, 1, 2, 1)
OUTPUT = torch.tensor([5.0, 5.6]).view(1, 1, 2, 1)
LSE = torch.tensor([math.log(4), math.log(10)]).view(1, 1, 2)
NOTHING_SEEN = torch.tensor([[True, True], [False, False]])[None, None]  # by the second query


def captured(**changes: Any) -> CapturedCall:
    fields: dict[str, Any] = dict(
        module=nn.Identity(), implementation="sdpa", query=QUERY, key=KEY, value=VALUE,
        attention_mask=None, options={"is_causal": False}, output=OUTPUT, lse=LSE,
    )  # fmt: skip
    return CapturedCall(**(fields | changes))


def lse_of(**changes: Any) -> Tensor | None:
    return understand(captured(**changes), MaskReader()).lse


def test_a_kernels_right_log_sum_exp_is_kept():
    call = understand(captured(), MaskReader())
    assert call.lse is LSE
    assert call.output is OUTPUT
    assert torch.allclose(call.inputs.output(), OUTPUT)


@pytest.mark.parametrize(
    "wrong",
    [None, LSE / math.log(2), LSE[..., :1], LSE + 1e-4],
    ids=["missing", "to base 2", "of another shape", "not exact enough"],
)
def test_a_wrong_log_sum_exp_is_dropped_and_the_call_is_kept(wrong: Tensor | None):
    assert lse_of(lse=wrong) is None


def test_rounding_of_the_log_sum_exp_is_allowed():
    assert lse_of(lse=LSE + 2e-6) is not None


def test_an_output_that_is_not_weights_times_value_is_refused():
    # Off by 0.4 in a norm of √(5² + 5.6²) = 7.51.
    with pytest.raises(Unreadable, match=r"its output is off by 5\.3%"):
        understand(captured(output=torch.tensor([5.0, 6.0]).view(1, 1, 2, 1)), MaskReader())


def test_an_output_of_another_shape_is_refused():
    with pytest.raises(Unreadable, match=r"output of shape \(1, 1, 2, 3\)"):
        understand(captured(output=OUTPUT.expand(1, 1, 2, 3)), MaskReader())


@pytest.mark.parametrize("left_over", [0.0, 9.0])
def test_the_output_of_a_query_that_sees_nothing_does_not_matter(left_over: float):
    output = torch.tensor([5.0, left_over]).view(1, 1, 2, 1)
    # What a kernel gives as the log-sum-exp of such a row differs from kernel to kernel.
    assert lse_of(attention_mask=NOTHING_SEEN, output=output) is None


def test_rows_that_flash_attention_left_at_zero_are_passed_over():
    output = torch.tensor([5.0, 0.0]).view(1, 1, 2, 1)
    assert lse_of(implementation="flash_attention_2", output=output) is None
    with pytest.raises(Unreadable, match="off by"):
        lse_of(output=output)  # another kernel has no such rows


def test_values_that_cancel_are_measured_against_the_values():
    # Equal weights of 1 and -1 give 0, which no error can be a share of.
    query = torch.zeros_like(QUERY)
    value = torch.tensor([1.0, -1.0]).view(1, 1, 2, 1)
    nearly = torch.full_like(OUTPUT, 1e-8)
    understand(captured(query=query, value=value, output=nearly, lse=None), MaskReader())
    with pytest.raises(Unreadable, match="off by"):
        understand(captured(query=query, value=value, output=nearly + 0.1, lse=None), MaskReader())


def test_the_usual_scale_is_the_scaled_dot_product():
    assert score_of(captured(options={})) is scaled_dot
    assert score_of(captured(options={"scaling": 1.0})) is scaled_dot  # √1 dimension
    assert score_of(captured(options={"scaling": torch.tensor(1.0)})) is scaled_dot


def test_another_scale_and_a_soft_cap_are_kept():
    assert score_of(captured(options={"scaling": 0.5})) == scaled(0.5)
    assert score_of(captured(options={"softcap": 30})) == capped(scaled_dot, 30.0)
    assert score_of(captured(options={"scaling": 2, "softcap": 30})) == capped(scaled(2.0), 30.0)


def test_a_scale_for_each_head_is_refused():
    with pytest.raises(Unreadable, match="scales the scores of each head differently"):
        score_of(captured(options={"scaling": torch.tensor([1.0, 2.0])}))


def test_a_half_scale_changes_the_weights():
    # Scores 0 and ln 3 for the second query: (1/4, 3/4) and 5.
    output = torch.tensor([2 + 4 * math.sqrt(3) / (1 + math.sqrt(3)), 5.0]).view(1, 1, 2, 1)
    understand(
        captured(options={"scaling": 0.5, "is_causal": False}, output=output, lse=None),
        MaskReader(),
    )


@pytest.mark.parametrize(
    ("name", "shape"), [("s_aux", (1,)), ("sinks", (1, 1, 1, 1)), ("sinks", (1, 1, 2, 1))]
)
def test_a_learned_sink_is_one_more_key(name: str, shape: tuple[int, ...]):
    # Beside scores of 0 and ln 3, ln 9, one of ln 4: sums of 8 and 14.
    sink = torch.full(shape, math.log(4))
    output = torch.tensor([2.5, 4.0]).view(1, 1, 2, 1)
    changes = dict(options={name: sink, "is_causal": False}, output=output)
    inputs = understand(captured(**changes), MaskReader()).inputs
    expected = torch.tensor([[4 / 8, 1 / 8, 3 / 8], [4 / 14, 1 / 14, 9 / 14]])
    torch.testing.assert_close(inputs.weights()[0, 0], expected)
    with pytest.raises(Unreadable, match="off by"):
        understand(captured(**(changes | {"output": OUTPUT})), MaskReader())


def test_a_sink_is_seen_beside_a_mask_and_a_bias():
    mask = torch.tensor([[0.5, -torch.inf], [0.0, 0.0]])[None, None]
    options = {"sinks": torch.zeros(1)}
    inputs = inputs_of(captured(options=options, attention_mask=mask), MaskReader())
    scores = torch.tensor([[0.0, 0.5, -torch.inf], [0.0, 0.0, math.log(9)]])
    torch.testing.assert_close(inputs.scores()[0, 0], scores)


def test_a_sink_of_another_shape_is_refused():
    with pytest.raises(Unreadable, match=r"learned sink of shape \(2,\)|of shape \(1, 2, 1, 1\)"):
        inputs_of(captured(options={"sinks": torch.zeros(2)}), MaskReader())


@pytest.mark.parametrize("name", ["query", "key", "output"])
def test_a_tensor_without_heads_is_refused(name: str):
    with pytest.raises(Unreadable, match=rf"has its {name} as \(1, 2, 1\)"):
        inputs_of(captured(**{name: torch.zeros(1, 2, 1)}), MaskReader())


def test_heads_that_do_not_share_keys_evenly_are_refused():
    query, key = torch.zeros(1, 3, 2, 1), torch.zeros(1, 2, 2, 1)
    with pytest.raises(Unreadable, match="has 3 heads over 2 of keys"):
        inputs_of(captured(query=query, key=key), MaskReader())


def test_learned_queries_are_those_of_every_item_of_the_batch():
    inputs = inputs_of(captured(key=KEY.expand(5, 1, 2, 1)), MaskReader())
    assert inputs.query.shape == (5, 1, 2, 1)
    assert torch.equal(inputs.query[4], QUERY[0])


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(torch.float32, 2e-4), (torch.float64, 2e-4), (torch.float16, 1e-2), (torch.bfloat16, 5e-2)],
)
def test_an_output_of_fewer_bits_may_be_further_off(dtype: torch.dtype, tolerance: float):
    assert output_tolerance(torch.zeros(1, dtype=dtype)) == tolerance
