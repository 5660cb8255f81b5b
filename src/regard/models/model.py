"""The base of all models: a model says what it is, so that its users need not know its class."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.attention.padding import not_padding
from regard.attention.scores import score_of
from regard.models.configs.config import ModelConfig
from regard.models.configs.facts import Facts, PairFacts
from regard.models.layers import (
    FeedForward,
    MixtureOfExperts,
    MultiHeadAttention,
    Norm,
    Rotary,
    TransformerLayer,
    check_ids,
    empty_table,
    make_norm,
)

if TYPE_CHECKING:
    from regard.models.configs.encoder_decoder import EncoderDecoderConfig
    from regard.models.configs.recurrent import RecurrentConfig


class Model(Facts, nn.Module):
    """A model of `regard.models`; what it reads, writes and attends between is in its facts."""

    decoder: Any  # of a model that writes; its `embed` has the table of tokens
    output: nn.Linear | None  # likewise; None: that table is the output projection

    @property
    def architecture(self) -> str:
        """The name of its class in `regard.models`, such as "Encoder"."""
        classes = (base for base in type(self).__mro__ if base.__module__.startswith(__package__))
        return next(classes).__name__

    @property
    def output_weight(self) -> Tensor:
        """The output projection, (vocab, d_model), of a model that writes."""
        if self.output is not None:
            return self.output.weight
        weight: Tensor = self.decoder.embed.tokens.weight
        return weight

    def not_padding(self, ids: Tensor) -> Tensor:
        """Return True for a token, False for padding, (batch, length)."""
        return not_padding(ids, self.config.pad_id)


class AnyEncoderDecoder(PairFacts, Model):
    """An encoder of the source and a decoder of the target, which may be two views of one text."""

    logits_bias: Tensor | None

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the decoder's last states, (batch, target length, d_model), which `logits`
        projects.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to predict, eos last, padded on the right.
        """
        raise NotImplementedError

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states, (…, d_model) → (…, vocab)."""
        return nn.functional.linear(hidden, self.output_weight, self.logits_bias)

    def shift_right(self, target: Tensor) -> Tensor:
        check_ids(target, self.config.decoder_vocab_size)
        return super().shift_right(target)


def two_tables(
    config: "EncoderDecoderConfig | RecurrentConfig",
) -> tuple[nn.Embedding, nn.Embedding]:
    """Return the empty tables of token embeddings of source and target: one and the same if they
    share a vocabulary."""
    source = empty_table(config.vocab_size, config.d_model)
    if config.target_vocab_size is None:
        return source, source
    return source, empty_table(config.target_vocab_size, config.d_model)


def norm_of(config: ModelConfig) -> Norm:
    """Return a normalization of states, (…, d_model)."""
    return make_norm(config.norm_kind, config.d_model, config.norm_eps)


def rotaries(config: ModelConfig, dim: int, longest: int | None = None) -> Iterator[Rotary | None]:
    """Return the rotary positions of each layer, which layers share; None for a layer without them.

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
    routed: bool = False,
) -> TransformerLayer:
    """Return a layer of this configuration, with cross-attention if it decodes a memory, and a
    mixture of experts if a router chooses."""

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
            key_bias=config.key_bias,
            score=score_of(config),
            rotary=rotary,
            norm=None if config.query_key_norm == "none" else heads_norm,
            norm_together=config.query_key_norm == "projection",
            sinks=config.sinks,
        )

    options: dict[str, Any] = dict(
        activation=config.activation,
        gated=config.gated,
        bias=config.feed_forward_bias,
        gate_limit=config.gate_limit,
    )
    feed_forward: nn.Module
    if routed:
        feed_forward = MixtureOfExperts(
            config.d_model,
            config.expert_d_ff or config.d_ff,
            experts=config.experts,
            per_token=config.experts_per_token,
            adds_to_one=config.shares_add_to_one,
            **options,
        )
    else:
        feed_forward = FeedForward(config.d_model, config.d_ff, **options)
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
    """Return normal weights in all projections and tables, zero biases; skips modules on meta."""
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
