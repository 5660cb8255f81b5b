"""Word alignment from cross-attention.

The weights are not kept by the model: a hook notes what each cross-attention layer was given, and
the weights are computed afterwards from query and key by `attention_weights`, the same numbers
that the fast kernel used.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn

from regard.attention import attention_weights
from regard.errors import RegardError
from regard.layers import MultiHeadAttention
from regard.models import EncoderDecoder

STEPS = ("output", "input")


@torch.no_grad()
def cross_attention(
    model: EncoderDecoder,
    source: Tensor,
    target: Tensor,
    *,
    layer: int | None = None,
    step: str = "output",
) -> Tensor:
    """What the decoder looked at in the source for each target token.

    Args:
        source: (batch, source length) ids.
        target: (batch, target length) ids, eos last.
        layer: counted from 0, negative from the end; the mean over all layers when not given.
        step: "output" reads the step that predicts a token, "input" the next one, which reads it.
            The input step aligned better in the six-layer models of Kobayashi et al. 2020, Table 2;
            in the shallow models trained here the output step does (benchmarks/alignment.py).

    Returns:
        (batch, heads, target length, source length), rows summing to 1.
    """
    if step not in STEPS:
        raise RegardError(f"step must be one of {', '.join(STEPS)}; got {step!r}.")
    layers = list(model.decoder.layers)
    if layer is not None:
        if not -len(layers) <= layer < len(layers):
            raise RegardError(
                f"the decoder has layers 0 to {len(layers) - 1}; got {layer}. Choose one of these."
            )
        layers = [layers[layer]]
    memory, memory_mask = model.encode(source)
    start = target.new_full((len(target), 1), model.config.start_id)
    inputs = torch.cat([start, target], dim=1)  # step t reads inputs[t] and predicts target[t]
    rows = slice(0, -1) if step == "output" else slice(1, None)
    attentions = [layer.get_submodule("cross_attention") for layer in layers]
    with ExitStack() as hooks:
        seen = [hooks.enter_context(_input_of(attention)) for attention in attentions]
        model.decoder(inputs, memory, memory_mask)
    maps = []
    for attention, states in zip(attentions, seen, strict=True):
        assert isinstance(attention, MultiHeadAttention)
        query, key = attention.project(states[0], memory)
        maps.append(attention_weights(query, key, mask=memory_mask)[:, :, rows])
    return torch.stack(maps).mean(0)


@contextmanager
def _input_of(attention: nn.Module) -> Iterator[list[Tensor]]:
    """Collects what the layer is called with."""
    seen: list[Tensor] = []
    handle = attention.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0]))
    try:
        yield seen
    finally:
        handle.remove()
