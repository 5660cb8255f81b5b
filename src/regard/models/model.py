"""The base of all models: a model says what it is, so that its users need not know its class."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from regard.attention.padding import not_padding
from regard.attention.scores import capped, find_score, scaled
from regard.configs.config import ModelConfig
from regard.configs.heads import HEADS
from regard.layers import (
    FeedForward,
    MultiHeadAttention,
    Norm,
    Rotary,
    TransformerLayer,
    check_ids,
    empty_table,
    make_norm,
)


class Model(nn.Module):
    """A model of `regard.models`: what it reads, writes and attends between."""

    config: Any
    axes: ClassVar[tuple[str, ...]] = ("tokens",)  # the sequences between which it attends
    reads: ClassVar[str] = "text"  # or "image"
    grid: tuple[int, int]  # rows and columns of patches, of an image
    decoder: Any  # of a model that writes; its `embed` has the table of tokens
    output: nn.Linear | None  # likewise; None: that table is the output projection
    writing: ClassVar[str] = ""  # the task of those that write: "generation" or "translation"
    stepwise: ClassVar[bool] = False  # attention is computed for one step after another

    @property
    def architecture(self) -> str:
        """The name of its class in `regard.models`, such as "Encoder"."""
        classes = (base for base in type(self).__mro__ if base.__module__.startswith(__package__))
        return next(classes).__name__

    @property
    def head_name(self) -> str:
        """A name in `heads.HEADS`."""
        head: str = self.config.head
        return head

    @property
    def writes(self) -> bool:
        """Return True if it predicts the next token of a text."""
        return self.head_name == "language_model"

    @property
    def rewrites(self) -> bool:
        """Return True if it writes another output where a part of its attention is switched off."""
        return self.writes and not self.stepwise

    @property
    def task(self) -> str:
        """ "translation", "generation", "encoding" or "vision"."""
        if self.writes:
            return self.writing
        return "vision" if self.reads == "image" else "encoding"

    @property
    def output_weight(self) -> Tensor:
        """The output projection, (vocab, d_model), of a model that writes."""
        if self.output is not None:
            return self.output.weight
        weight: Tensor = self.decoder.embed.tokens.weight
        return weight

    @classmethod
    def attends(cls, path: str) -> tuple[str, str]:
        """The axes of the queries and of the keys of the attention at a module's path."""
        return cls.axes[0], cls.axes[0]

    def logits_of(self, output: Tensor) -> Tensor | None:
        """The output of forward as logits, (batch, steps, entries); None where it is states."""
        head = HEADS[self.head_name]
        return head.steps(output) if head.entries else None

    def ids(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The token ids that the model looks up, (batch, length) for each axis that has ids."""
        return {self.axes[0]: inputs["ids"]}

    def predicted(self, inputs: Mapping[str, Tensor], logits: Tensor) -> Tensor | None:
        """The token ids that the positions of the last axis predict, (batch, length); None of a
        model that does not write.
        """
        return None

    def reading(
        self, ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> dict[str, Tensor]:
        """The arguments of forward for a text that is read for the head, each (batch, length)."""
        inputs = {"ids": ids, "attention_mask": attention_mask}
        return inputs if token_type_ids is None else inputs | {"token_type_ids": token_type_ids}

    def not_padding(self, ids: Tensor) -> Tensor:
        """True for a token, False for padding, (batch, length)."""
        return not_padding(ids, self.config.pad_id)


class AnyEncoderDecoder(Model):
    """An encoder of the source and a decoder of the target, which may be two views of one text."""

    axes = ("source", "target")
    writing = "translation"
    logits_bias: Tensor | None

    @classmethod
    def attends(cls, path: str) -> tuple[str, str]:
        side = "source" if path.startswith("encoder") else "target"
        return side, "source" if "cross" in path else side

    def ids(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {"source": inputs["source"], "target": self.shift_right(inputs["target"])}

    def predicted(self, inputs: Mapping[str, Tensor], logits: Tensor) -> Tensor | None:
        return inputs["target"] if self.writes else None

    def reading(
        self, ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> dict[str, Tensor]:
        return {"source": ids, "target": ids}

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        """The decoder's last states, (batch, target length, d_model), which `logits` projects.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to predict, eos last, padded on the right.
        """
        raise NotImplementedError

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states, (…, d_model) → (…, vocab)."""
        return nn.functional.linear(hidden, self.output_weight, self.logits_bias)

    def shift_right(self, target: Tensor) -> Tensor:
        """The decoder's inputs for target, (batch, length): start_id, then all but the last id."""
        check_ids(target, self.config.decoder_vocab_size)
        start = target.new_full((target.shape[0], 1), self.config.start_id)
        return torch.cat([start, target[:, :-1]], dim=1)


def two_tables(config: Any) -> tuple[nn.Embedding, nn.Embedding]:
    """The empty tables of token embeddings of source and target: one and the same if they share a
    vocabulary."""
    source = empty_table(config.vocab_size, config.d_model)
    if config.target_vocab_size is None:
        return source, source
    return source, empty_table(config.target_vocab_size, config.d_model)


def norm_of(config: ModelConfig) -> Norm:
    """A normalization of states, (…, d_model)."""
    return make_norm(config.norm_kind, config.d_model, config.norm_eps)


def rotaries(config: ModelConfig, dim: int, longest: int | None = None) -> Iterator[Rotary | None]:
    """The rotary positions of each layer, which layers share; None where there are none.

    Args:
        dim: numbers of a head that are rotated.
        longest: tokens of a text at most; None: no limit.
    """
    kinds = [
        Rotary(dim, theta=theta, scaling=scaling, longest=longest)
        for theta, scaling in config.rotaries
    ]
    return (kinds[number - 1] if number else None for number in config.rotated)


def make_layer(
    config: ModelConfig,
    num_heads: int,
    *,
    rotary: Rotary | None = None,
    decodes_memory: bool = False,
) -> TransformerLayer:
    """A layer of this configuration, with cross-attention if it decodes a memory."""

    score = find_score(config.score)
    if config.score_width is not None:
        score = scaled(config.score_width**-0.5)
    if config.score_cap is not None:
        score = capped(score, config.score_cap)
    # of queries and keys, by their width
    heads_norm = partial(
        make_norm, config.norm_kind if "rms" in config.norm_kind else "rms", eps=config.norm_eps
    )

    def attention(rotary: Rotary | None = None) -> MultiHeadAttention:
        return MultiHeadAttention(
            config.d_model,
            num_heads,
            num_key_heads=config.num_key_heads,
            head_dim=config.head_dim,
            bias=config.attention_bias,
            output_bias=config.attention_output_bias,
            score=score,
            rotary=rotary,
            norm=None if config.query_key_norm == "none" else heads_norm,
            norm_together=config.query_key_norm == "projection",
        )

    feed_forward = FeedForward(
        config.d_model,
        config.d_ff,
        activation=config.activation,
        gated=config.gated,
        bias=config.feed_forward_bias,
    )
    norm = partial(norm_of, config)
    return TransformerLayer(
        attention(rotary),
        feed_forward,
        cross_attention=attention() if decodes_memory else None,
        norm=nn.Identity if config.norms == "output" else norm,
        output_norm=nn.Identity if config.norms == "input" else norm,
        norm_first=config.norm_first,
        dropout=config.dropout,
    )


@torch.no_grad()
def init_weights(model: nn.Module, std: float = 0.02) -> None:
    """Normal weights in all projections and tables, zero biases; skips modules on meta."""
    for module in model.modules():
        if not isinstance(module, nn.Linear | nn.Embedding) or module.weight.is_meta:
            continue
        nn.init.normal_(module.weight, std=std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


def init_projection(linear: nn.Linear) -> None:
    """Xavier-uniform weights, a zero bias."""
    nn.init.xavier_uniform_(linear.weight)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)
