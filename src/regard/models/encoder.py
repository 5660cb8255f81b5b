"""The bidirectional encoder, in which every token attends to the whole text, and its heads.

Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers. RoBERTa (Liu et al.
2019), DistilBERT (Sanh et al. 2019) and ELECTRA (Clark et al. 2020) are other settings of the same
fields.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Padding
from regard.configs.encoder import EncoderConfig
from regard.errors import BadArgumentError
from regard.layers import ACTIVATIONS, Embedding, Stack, check_ids, empty_table, make_norm
from regard.models.heads import ClassificationHead, Pooler, TokenHead
from regard.models.model import Model, init_weights, make_layer


class Encoder(Model):
    """Token ids → the output of the config's head: see `configs.heads.HEADS`.

    >>> from regard.models import encoder_preset
    >>> config = encoder_preset("tiny", vocab_size=100, head="classification", labels=("no", "yes"))
    >>> Encoder(config).eval()(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 2])
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.config = config
        width = config.embedding_width
        self.embed = Embedding(
            empty_table(config.vocab_size, width or config.d_model),
            max_positions=config.max_positions,
            positions="learned",
            offset=config.position_offset,
            scale=False,
            token_types=config.token_types,
            norm=make_norm(config.norm_kind, width or config.d_model, config.norm_eps),
            dropout=config.dropout,
            projection=None if width is None else nn.Linear(width, config.d_model),
        )
        self.encoder = Stack(make_layer(config, config.num_heads) for _ in range(config.num_layers))
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
        width = config.embedding_width or config.d_model
        self.dense = nn.Linear(config.d_model, width)
        self.activation = ACTIVATIONS[config.activation]
        self.norm = nn.LayerNorm(width, config.norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """(batch, length, d_model) and (vocab, width) → logits, (batch, length, vocab)."""
        return functional.linear(self.transform(states), table, self.bias)

    def transform(self, states: Tensor) -> Tensor:
        """States (…, d_model) → what the table is multiplied by, (…, width)."""
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
