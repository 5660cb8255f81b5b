"""Heads: what a model makes of its last states, such as labels of the text.

`HEADS` is the one list of them, with what they give; which of them a kind of model may have is
below it. Their modules are in `models.heads`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Head:
    """The output of models with a head: states, or logits of `entries`."""

    entries: str = ""  # "token", "label", or "position" of the text; empty: it gives states
    steps: Callable[[Any], Any] = lambda output: output  # as (batch, steps, entries)
    writers: bool = False  # models that write may have it


HEADS = {
    # Hidden states, (batch, length, d_model).
    "none": Head(),
    # The first token's state, projected, (batch, d_model).
    "pooler": Head(),
    # The vector that stands for the text or the image, (batch, width), beside those of others.
    "embedding": Head(),
    # Logits of the next token at every position of the text or target, (batch, length, vocab).
    "language_model": Head("token", writers=True),
    # Logits of the token at each position, (batch, length, vocab).
    "masked_lm": Head("token"),
    # Logits of the labels, (batch, labels): of an encoder from the first token's state, of others
    # from that of the text's last token.
    "classification": Head("label", lambda output: output[:, None], writers=True),
    # Logits of the labels of each token, (batch, length, labels).
    "token_classification": Head("label"),
    # Logits of the answer's first and last token, (batch, length, 2).
    "question_answering": Head("position", lambda output: output.mT, writers=True),
}
ENCODER_HEADS = tuple(name for name in HEADS if name != "language_model")
WRITER_HEADS = tuple(name for name, head in HEADS.items() if head.writers)
VISION_HEADS = ("none", "pooler", "embedding", "classification")
