"""Training a part of a model, and its layers at different rates."""

import re

from regard.errors import BadArgumentError
from regard.models import Encoder, VisionTransformer
from regard.text import Tokenizer


def check_tokenizer(tokenizer: Tokenizer, vocab_size: int, name: str) -> None:
    """Raises BadArgumentError unless the model `name` has a vector for every token."""
    if tokenizer.vocab_size > vocab_size:
        raise BadArgumentError(
            f"the tokenizer in {name} has {tokenizer.vocab_size:,} tokens, but the model's"
            f" vocabulary is {vocab_size:,}. Put the tokenizer there that the model was trained"
            " with."
        )


def freeze(model: Encoder | VisionTransformer, train_layers: int | None) -> None:
    """Lets the head and the last `train_layers` layers learn; None: everything."""
    if train_layers is None:
        return
    count = model.config.num_layers
    if train_layers > count:
        raise BadArgumentError(
            f"train_layers must be at most {count}, the model's layers; got {train_layers}."
        )
    learning = [model.head, *list(model.encoder.layers)[count - train_layers :]]
    model.requires_grad_(False)
    for part in learning:
        part.requires_grad_(True)


def layer_rate(name: str, layers: int, decay: float) -> float:
    """The rate of a parameter over the head's: `decay` to the power of the layers above it, as in
    ELECTRA and BEiT."""
    if decay == 1 or name.startswith("head."):
        return 1.0
    found = re.match(r"encoder\.layers\.(\d+)\.", name)
    depth = int(found[1]) + 1 if found else 0  # embeddings lie below the first layer
    return float(decay ** (layers + 1 - depth))
