"""Masks read from tensors: the rule that they follow, and never another."""

import pytest
import torch

import regard
from regard.attention import Causal, Dense, Padding, Window
from regard.inspection.huggingface.interface import CapturedCall
from regard.inspection.huggingface.masks import MaskReader, Rule, recognize, split

transformers = pytest.importorskip("transformers", reason="transformers is an optional extra")

LENGTH = 13


def whole(mask, rows: int = LENGTH, columns: int = LENGTH) -> torch.Tensor:
    return mask.tile(torch.arange(columns - rows, columns), torch.arange(columns))


REAL = torch.tensor([[True] * LENGTH, [True] * 8 + [False] * 5, [False] * 3 + [True] * 10])


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        (Causal(), LENGTH),
        (Causal(), 5),
        (Causal() & Padding(REAL), LENGTH),
        (Causal() & Window(4, 0), LENGTH),
        (Causal() & Window(4, 0) & Padding(REAL), LENGTH),
        (Window(3, 2), LENGTH),
        (Window(3, 3) & Padding(REAL), LENGTH),
        (Padding(REAL), LENGTH),
    ],
)
def test_a_rule_is_recognized_and_holds_no_matrix(rule, rows):
    given = whole(rule, rows).expand(3, 1, rows, LENGTH)
    found = recognize(given)
    assert torch.equal(whole(found, rows).expand_as(given), given)
    assert "Dense" not in str(vars(found)) + type(found).__name__


def test_one_entry_off_a_rule_is_kept_as_it_is():
    given = whole(Causal()).clone()
    given[0, 0, 9, 4] = False
    found = recognize(given)
    assert isinstance(found, Dense)
    assert found.allowed is given


def test_a_mask_that_hides_nothing_is_none():
    assert recognize(torch.ones(2, 1, LENGTH, LENGTH, dtype=torch.bool)) is None


def test_an_additive_mask_is_a_mask_and_a_bias_where_it_adds():
    lowest = torch.finfo(torch.float32).min
    hides = torch.zeros(1, 1, LENGTH, LENGTH).masked_fill(~whole(Causal()), lowest)
    mask, bias = split(hides)
    assert isinstance(mask, Causal)
    assert bias is None
    slopes = torch.arange(LENGTH) * -0.5
    mask, bias = split(hides + slopes)
    assert isinstance(mask, Causal)
    assert bias[0, 0, 12, 3] == -1.5
    mask, bias = split(slopes.expand(1, 1, LENGTH, LENGTH))
    assert mask is None


def test_the_parts_of_a_long_mask_are_looked_at_together(monkeypatch):
    monkeypatch.setattr("regard.inspection.huggingface.masks.ENTRIES", 2 * LENGTH)
    given = whole(Causal() & Window(4, 0))
    assert torch.equal(whole(recognize(given)), given)
    given = given.clone()
    given[0, 0, -1, 0] = True
    assert isinstance(recognize(given), Dense)


def test_a_function_of_indices_is_a_mask():
    rule = Rule(lambda item, head, query, key: (key <= query) & (key >= item), 2, 0)
    tile = rule.tile(torch.tensor([3, 4]), torch.arange(LENGTH))
    assert tile.shape == (2, 1, 2, LENGTH)
    assert tile[0, 0, 0].sum() == 4
    assert tile[1, 0, 1].sum() == 4


@pytest.mark.parametrize("window", [None, 5])
def test_a_flash_kernels_padding_and_window_are_read_from_its_arguments(family, families, window):
    """Such a kernel is given which tokens are real, and does the rest by itself."""
    model, inputs = family("Mistral")
    model.config.sliding_window = window
    for layer in model.model.layers:
        layer.self_attn.sliding_window = window
    expected = families.eager_weights(model, inputs)
    interfaces = transformers.AttentionInterface, transformers.AttentionMaskInterface
    sdpa = interfaces[0]._global_mapping["sdpa"]

    def flash(module, query, key, value, attention_mask, sliding_window=None, **options):
        assert attention_mask is None or attention_mask.ndim == 2
        length = key.shape[2]
        allowed = Causal() if sliding_window is None else Window(sliding_window - 1, 0)
        real = torch.ones(2, length) if attention_mask is None else attention_mask
        allowed = whole(allowed & Padding(real.bool()), length, length)
        output, weights = sdpa(module, query, key, value, allowed, **options)
        return output * real[:, :, None, None], weights

    interfaces[0].register("a_flash", flash)
    interfaces[1].register("a_flash", interfaces[1]._global_mapping["flash_attention_2"])
    model.config._attn_implementation_internal = "a_flash"
    trace = regard.trace(model, **inputs)
    assert set(trace) == set(expected)
    assert families.largest_difference(trace, expected, inputs) <= 1e-5


def test_flex_attentions_rules_are_recognized():
    from torch.nn.attention.flex_attention import create_block_mask

    def causal(item, head, query, key):
        return (key <= query) & (key >= item)  # the second sequence begins with padding

    query = torch.zeros(2, 3, LENGTH, 4)
    captured = CapturedCall(
        module=torch.nn.Module(),
        implementation="flex_attention",
        query=query,
        key=query,
        value=query,
        attention_mask=create_block_mask(causal, 2, None, LENGTH, LENGTH, device="cpu"),
        options={},
        output=query,
        lse=None,
    )
    mask, bias = MaskReader().read(captured)
    real = torch.arange(LENGTH) >= torch.tensor([[0], [1]])
    assert bias is None
    assert torch.equal(whole(mask), whole(Causal() & Padding(real)))
    assert isinstance(mask.left, Causal)
