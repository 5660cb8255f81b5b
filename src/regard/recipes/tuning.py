"""Training a part of a model, and its layers at different rates."""

import re
from collections.abc import Mapping

from torch import nn

from regard.errors import BadArgumentError
from regard.layers import Stack
from regard.text import Tokenizer


def check_tokenizer(tokenizer: Tokenizer, vocab_size: int, name: str) -> None:
    """Raises BadArgumentError unless the model `name` has a vector for every token."""
    if tokenizer.vocab_size > vocab_size:
        raise BadArgumentError(
            f"the tokenizer in {name} has {tokenizer.vocab_size:,} tokens, but the model's"
            f" vocabulary is {vocab_size:,}. Put the tokenizer there that the model was trained"
            " with."
        )


def stacks(model: nn.Module) -> dict[str, Stack]:
    """The model's stacks of layers by their names, the one that reads the input first."""
    members = ((name, getattr(model, name, None)) for name in ("encoder", "decoder"))
    return {name: stack for name, stack in members if isinstance(stack, Stack)}


def freeze(model: nn.Module, train_layers: int | None) -> None:
    """Lets the head and the last `train_layers` layers learn; None: everything."""
    if train_layers is None:
        return
    layers = [layer for stack in stacks(model).values() for layer in stack.layers]
    if train_layers > len(layers):
        raise BadArgumentError(
            f"train_layers must be at most {len(layers)}, the model's layers; got {train_layers}."
        )
    model.requires_grad_(False)
    for part in (model.head, *layers[len(layers) - train_layers :]):
        part.requires_grad_(True)


def layer_rate(name: str, layers: Mapping[str, int], decay: float) -> float:
    """The rate of a parameter over the head's: `decay` to the power of the layers above it, as in
    ELECTRA and BEiT.
    """
    if decay == 1 or name.startswith("head."):
        return 1.0
    below = 0
    for stack, count in layers.items():
        if match := re.match(rf"{stack}\.layers\.(\d+)\.", name):
            return float(decay ** (sum(layers.values()) - below - int(match[1])))
        below += count
        if name.startswith(f"{stack}.norm."):
            return float(decay ** (sum(layers.values()) - below + 1))
    return float(decay ** (below + 1))  # embeddings lie below the first layer
