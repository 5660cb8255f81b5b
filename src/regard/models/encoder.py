"""The bidirectional encoder, in which every token attends to the whole text, and its heads.

Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers. RoBERTa (Liu et al. 2019)
and DistilBERT (Sanh et al. 2019) are other settings of the same fields.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Padding
from regard.errors import BadArgumentError
from regard.layers import ACTIVATIONS, Embedding, Stack, check_ids, empty_table
from regard.models.configs import ModelConfig, from_preset, one_of
from regard.models.heads import (
    ENCODER_HEADS,
    POOLER_ACTIVATIONS,
    ClassificationHead,
    Pooler,
    TokenHead,
)
from regard.models.model import Model, init_weights


@dataclass(frozen=True)
class EncoderConfig(ModelConfig):
    """Defaults as BERT.

    >>> EncoderConfig(vocab_size=30_522).num_layers
    12
    """

    vocab_size: int  # ids a text may have
    d_model: int = 768  # width of every hidden state
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072  # inner width of the feed-forward networks
    dropout: float = 0.1  # on sub-layer outputs and embedding sums, in 1/256 steps
    activation: str = one_of("gelu", ACTIVATIONS)
    norm_eps: float = 1e-12  # added to the variance before its root is taken
    max_positions: int = 512  # longest text, in tokens
    position_offset: int = 0  # rows of the table of positions before position 0
    count_padding: bool = True  # False: padding has no positions (RoBERTa)
    token_types: int | None = 2  # such as question and text; None: the model has none
    head: str = one_of("none", ENCODER_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"
    pooler_activation: str = one_of("tanh", POOLER_ACTIVATIONS)  # of the first token's projection
    head_dropout: float | None = None  # before the head's last projection; None: as dropout
    pad_id: int | None = 0  # None: padding only where attention_mask is False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pad_id is not None:
            self._check_ids("pad_id", size=self.vocab_size)
        if not self.count_padding and (self.pad_id is None or self.position_offset < 1):
            raise BadArgumentError(
                "count_padding=False needs a pad_id and a position_offset of at least 1, whose last"
                f" row is padding's; got {self.pad_id} and {self.position_offset}."
            )


# base and large are BERT's own; the smaller ones are the sizes of Turc et al. 2019.
ENCODER_PRESETS: dict[str, dict[str, Any]] = {
    "tiny": dict(d_model=128, d_ff=512, num_heads=2, num_layers=2),
    "mini": dict(d_model=256, d_ff=1024, num_heads=4, num_layers=4),
    "small": dict(d_model=512, d_ff=2048, num_heads=8, num_layers=4),
    "medium": dict(d_model=512, d_ff=2048, num_heads=8, num_layers=8),
    "base": dict(d_model=768, d_ff=3072, num_heads=12, num_layers=12),
    "large": dict(d_model=1024, d_ff=4096, num_heads=16, num_layers=24),
}


def encoder_preset(name: str, vocab_size: int, **changes: Any) -> EncoderConfig:
    """The named preset with this vocabulary and any other changes.

    >>> config = encoder_preset("tiny", vocab_size=100, head="classification", labels=("no", "yes"))
    >>> config.num_layers, config.labels
    (2, ('no', 'yes'))
    """
    return from_preset(EncoderConfig, ENCODER_PRESETS, name, vocab_size=vocab_size, **changes)


class Encoder(Model):
    """Token ids → the output of the config's head: see `models.heads.HEADS`.

    >>> config = encoder_preset("tiny", vocab_size=100, head="classification", labels=("no", "yes"))
    >>> Encoder(config).eval()(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 2])
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        self.embed = Embedding(
            empty_table(config.vocab_size, config.d_model),
            max_positions=config.max_positions,
            positions="learned",
            offset=config.position_offset,
            scale=False,
            token_types=config.token_types,
            norm=config.norm_module(),
            dropout=config.dropout,
        )
        self.encoder = Stack(config.layer(config.num_heads) for _ in range(config.num_layers))
        self.head = _head(config)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Initialize as BERT: weights of deviation 0.02, zero biases."""
        init_weights(self)

    def forward(self, ids: Tensor, **inputs: Tensor | None) -> Tensor:
        """(batch, length) ids → the head's output; inputs as in `hidden`."""
        states = self.hidden(ids, **inputs)
        if isinstance(self.head, MaskedLMHead):
            return self.head(states, self.embed.tokens.weight)
        return self.head(states)

    def hidden(
        self,
        ids: Tensor,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """The last layer's output, (batch, length, d_model).

        Args:
            ids: (batch, length), padded on either side.
            token_type_ids: (batch, length); 0 by default.
            attention_mask: (batch, length), True for a token, False for padding; by default False
                where ids are pad_id.
        """
        config = self.config
        check_ids(ids, config.vocab_size)
        if token_type_ids is not None:
            _check_token_types(token_type_ids, config.token_types)
        if attention_mask is None and config.pad_id is not None:
            attention_mask = self.not_padding(ids)
        x = self.embed(ids, positions=self._positions(ids), token_type_ids=token_type_ids)
        return self.encoder(x, mask=None if attention_mask is None else Padding(attention_mask))

    def _positions(self, ids: Tensor) -> Tensor | None:
        """RoBERTa's: tokens are counted from 0, and padding is at -1, the row before."""
        if self.config.count_padding:
            return None
        token = self.not_padding(ids).long()
        return token.cumsum(1) * token - 1


class MaskedLMHead(nn.Module):
    """Masked language modeling: table · norm(f(W h + b)) + bias, with the embedding table."""

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.norm = nn.LayerNorm(config.d_model, config.norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """(batch, length, d_model) and (vocab, d_model) → logits, (batch, length, vocab)."""
        return functional.linear(self.transform(states), table, self.bias)

    def transform(self, states: Tensor) -> Tensor:
        """Vectors that the table is multiplied by, (…, d_model) → the same shape."""
        return self.norm(self.activation(self.dense(states)))


def _check_token_types(token_type_ids: Tensor, token_types: int | None) -> None:
    if token_types is None:
        raise BadArgumentError(
            "this model has no token types (config.token_types is None); got token_type_ids."
            " Leave them out."
        )
    if token_type_ids.device.type == "cpu" and token_type_ids.numel():
        low, high = (int(bound) for bound in token_type_ids.aminmax())
        if low < 0 or high >= token_types:
            raise BadArgumentError(
                f"token_type_ids must be from 0 to {token_types - 1};"
                f" got {high if low >= 0 else low}."
            )


def _head(config: EncoderConfig) -> nn.Module:
    dropout = config.dropout if config.head_dropout is None else config.head_dropout
    if config.head == "pooler":
        return Pooler(config.d_model, config.pooler_activation)
    if config.head == "masked_lm":
        return MaskedLMHead(config)
    if config.head == "classification":
        pooler = Pooler(config.d_model, config.pooler_activation)
        return ClassificationHead(pooler, len(config.labels), dropout)
    if config.head == "none":
        return nn.Identity()
    return TokenHead(config.d_model, config.labels, dropout)
