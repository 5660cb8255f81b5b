"""Weights that a model hands out when it is asked for them, where its layers cannot be captured.

They are whole maps, as tests and papers use them, and so they are taken of short inputs only. Such
a tap has no query, key and value: its scores are the logarithms of the weights.
"""

import copy
from collections.abc import Mapping
from typing import Any, TypeGuard

import torch
from torch import Tensor, nn

from regard.attention import Call, average
from regard.attention.masks import Dense
from regard.attention.record import Attention
from regard.inspection.huggingface.masks import recognize
from regard.inspection.huggingface.understanding import output_tolerance

AS_HANDED_OUT = "its weights are as the model gave them, not recomputed"
MOST = 2**29  # weights that are taken: 2 GiB
ROW_SUM_ERROR = 1e-3
# Fields of a model's output, and the side and kind of the layers whose weights they have; of a
# model without two sides, the mask says which.
FIELDS = {
    "encoder_attentions": ("encoder", "self"),
    "decoder_attentions": ("decoder", "self"),
    "cross_attentions": ("decoder", "cross"),
    "attentions": ("", "self"),
}

HandedOut = dict[tuple[str, str], list[Call | None]]
"""The layers of each side and kind; None for one of which there is no map of positions."""


@torch.no_grad()
def handed_out(
    model: nn.Module, inputs: dict[str, Any], output: object, batches: frozenset[int]
) -> HandedOut:
    """Return the weights that the model hands out of these inputs, as it is or by eager attention;
    none of a model that computes something else when it is asked for them, and none of a long text.

    Args:
        output: what the model gave of the inputs as it is.
        batches: the sizes that a batch may have: windows of an input are more.
    """
    if weights_of(model, inputs) > MOST:
        return {}
    for make in (as_it_is, eager):
        try:
            handed = make(model)(**inputs, output_attentions=True, return_dict=True)
        except Exception:  # whatever a model that was not made to be asked this does
            continue
        layers = layers_of(handed, model, batches)
        if layers and alike(first_tensor(output), first_tensor(handed)):
            return layers
    return {}


def layers_of(output: object, model: nn.Module, batches: frozenset[int]) -> HandedOut:
    """Return the layers of which the output of a model has maps."""
    by_place: HandedOut = {}
    for field, place in FIELDS.items():
        layers = [whole(weights, model) for weights in getattr(output, field, None) or ()]
        calls = [call_of(weights) if is_map(weights, batches) else None for weights in layers]
        if any(calls):
            by_place[place] = calls
    return by_place


def first_tensor(output: Any) -> Tensor | None:
    """Return the logits or states of a model's output."""
    values = output.values() if isinstance(output, Mapping) else output
    return next((value for value in values if is_numbers(value)), None)


def is_numbers(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.is_floating_point() and value.ndim > 1


def alike(output: Tensor | None, handed: Tensor | None) -> bool:
    """Return True if two runs gave the same, up to what kernels that mean the same differ by."""
    if output is None or handed is None or output.shape != handed.shape:
        return False
    seen = torch.isfinite(output) & torch.isfinite(handed)
    difference = (output - handed)[seen].float().norm()
    return bool(difference <= output_tolerance(output) * output[seen].float().norm())


def as_it_is(model: nn.Module) -> nn.Module:
    return model


def eager(model: nn.Module) -> nn.Module:
    """Return a model of the same tensors that attends by eager attention."""
    config: Any = copy.deepcopy(model.config)
    config._attn_implementation = "eager"
    with torch.device("meta"):
        slow = type(model)(config).eval()  # made so: some choose their layers' class by it
    modules = dict(model.named_modules())
    for path, module in slow.named_modules():
        module._parameters, module._buffers = (modules[path]._parameters, modules[path]._buffers)
    return slow


def weights_of(model: nn.Module, inputs: dict[str, Any]) -> int:
    """About how many weights a model of texts has of these inputs, in all layers and heads."""
    config: Any = model.config
    maps = 1
    for name in ("num_hidden_layers", "num_attention_heads"):
        number = getattr(config.get_text_config(), name, 1)
        maps *= number if isinstance(number, int) else 1
    texts = (value for value in inputs.values() if is_text(value))
    return maps * max((len(text) * text.shape[1] ** 2 for text in texts), default=0)


def is_text(value: object) -> bool:
    return isinstance(value, Tensor) and value.ndim == 2 and not value.is_floating_point()


def is_map(weights: object, batches: frozenset[int]) -> bool:
    """Return True for (batch, heads, queries, keys) whose rows sum to 1, or are empty."""
    if not isinstance(weights, Tensor) or weights.ndim != 4 or len(weights) not in batches:
        return False
    sums = weights.float().sum(-1)
    near = (sums - 1).abs() <= ROW_SUM_ERROR
    return bool((near | (sums == 0)).all()) and bool((weights >= 0).all())


def whole(weights: object, model: nn.Module) -> Any:
    """Return the map of a layer that gives weights by their distance, as Longformer does: of each
    query to the keys from half a window before to half a window after; any other as it is."""
    windows = getattr(model.config, "attention_window", None)
    if windows is None or not isinstance(weights, Tensor) or weights.ndim != 4:
        return weights
    batch, heads, rows, width = weights.shape
    if width - 1 not in ([windows] if isinstance(windows, int) else windows):
        return weights
    keys = torch.arange(rows)[:, None] + torch.arange(width) - width // 2
    there = (keys >= 0) & (keys < rows)
    banded = weights.new_zeros(batch, heads, rows, rows)
    queries = torch.arange(rows)[:, None].expand_as(keys)[there]
    banded[:, :, queries, keys[there]] = weights[:, :, there]
    return banded


def call_of(weights: Tensor) -> Call:
    """Return a call of attention whose weights these are, (batch, heads, queries, keys)."""
    weights = weights.detach().float()
    batch, heads, rows, columns = weights.shape
    query = weights.new_zeros(batch, heads, rows, 1)
    key = weights.new_zeros(batch, heads, columns, 1)
    mask = recognize((weights > 0).any(1, keepdim=True))
    rule = None if isinstance(mask, Dense) else mask
    inputs = Attention(query, key, key, average, rule, weights.log())
    return Call(inputs, query, weights.new_zeros(batch, heads, rows))
