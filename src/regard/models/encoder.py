"""The bidirectional encoder, in which every token attends to the whole text, and its heads.

Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers. RoBERTa (Liu et al.
2019), DistilBERT (Sanh et al. 2019), ELECTRA (Clark et al. 2020), DeBERTa (He et al. 2021) and
ModernBERT (Warner et al. 2024) are other settings of the same fields.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Padding
from regard.errors import BadArgumentError
from regard.models.configs.encoder import EncoderConfig, place_read
from regard.models.heads import ClassificationHead, EmbeddingHead, Pooler, TokenHead, mean_state
from regard.models.layers import (
    ACTIVATIONS,
    DistanceStates,
    Dropout,
    Embedding,
    Stack,
    check_ids,
    empty_table,
    make_norm,
)
from regard.models.model import Model, init_weights, make_layer, norm_of, rotaries


class Encoder(Model):
    """Token ids → the output of the config's head: see `models.configs.heads.HEADS`.

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
            positions="learned" if config.positions == "learned" else "none",
            offset=config.position_offset,
            scale=False,
            token_types=config.token_types,
            norm=make_norm(config.norm_kind, width or config.d_model, config.norm_eps)
            if config.embedding_norm
            else None,
            dropout=config.dropout,
            projection=None if width is None else nn.Linear(width, config.d_model),
        )
        layers = [
            make_layer(config, config.num_heads, rotary=rotary)
            for rotary in rotaries(config, config.rotary_dim)
        ]
        if config.norm_first and config.embedding_norm:
            layers[0].self_attention_norm = nn.Identity()
        last = norm_of(config) if config.norm_first else None
        distances = None
        if config.positions == "distances":
            distances = DistanceStates(
                config.d_model,
                buckets=config.distance_buckets,
                longest=config.longest_distance,
                eps=config.norm_eps,
                dropout=config.dropout,
            )
        self.encoder = Stack(
            layers,
            norm=last,
            distances=distances,
            windows=config.windows,
            causal=config.causal,
        )
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
        if self.config.pooling == "mean" and self.config.head == "classification":
            mask = self.mask(ids, inputs.get("attention_mask"))
            states = states.mean(1, keepdim=True) if mask is None else mean_state(states, mask)
        if self.config.head == "embedding":
            rows = torch.arange(len(ids), device=ids.device)
            states = states[rows, place_read(ids, self.config)][:, None]
        return self.head(states)

    def hidden(
        self,
        ids: Tensor,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the last layer's output, (batch, length, d_model).

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
        attention_mask = self.mask(ids, attention_mask)
        x = self.embed(ids, positions=self._positions(ids), token_type_ids=token_type_ids)
        return self.encoder(x, mask=None if attention_mask is None else Padding(attention_mask))

    def mask(self, ids: Tensor, attention_mask: Tensor | None) -> Tensor | None:
        """(batch, length), True for a token: attention_mask, or where ids are not pad_id."""
        if attention_mask is None and self.config.pad_id is not None:
            return self.not_padding(ids)
        return attention_mask

    def _positions(self, ids: Tensor) -> Tensor | None:
        """RoBERTa's: tokens are counted from 0, and padding is at -1, the row before."""
        if self.config.count_padding:
            return None
        token = self.not_padding(ids).long()
        return token.cumsum(1) * token - 1


class _Transform(nn.Module):
    """norm(f(W h + b)), which a head projects."""

    def __init__(self, config: EncoderConfig, width: int):
        super().__init__()
        self.dense = nn.Linear(config.d_model, width, bias=config.head_bias)
        name = config.pooler_activation if config.head_norm else config.activation
        self.activation = ACTIVATIONS[name]
        self.norm = make_norm(config.norm_kind, width, config.norm_eps)

    def transform(self, states: Tensor) -> Tensor:
        """States (…, d_model) → what is projected, (…, width)."""
        return self.norm(self.activation(self.dense(states)))


class MaskedLMHead(_Transform):
    """Masked language modeling: table · norm(f(W h + b)) + bias, with the embedding table."""

    def __init__(self, config: EncoderConfig):
        super().__init__(config, config.embedding_width or config.d_model)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """(batch, length, d_model) and (vocab, width) → logits, (batch, length, vocab)."""
        return functional.linear(self.transform(states), table, self.bias)


class NormalizedHead(_Transform):
    """Labels, of the first state or of each: W' norm(f(W h + b)) + b'."""

    def __init__(self, config: EncoderConfig, dropout: float):
        super().__init__(config, config.d_model)
        self.of_first = config.head == "classification"
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(config.d_model, len(config.labels) or 2)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → logits, (batch, labels) or (batch, length, outputs)."""
        states = states[:, 0] if self.of_first else states
        return self.output(self.dropout(self.transform(states)))


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
    if config.head == "embedding":
        return EmbeddingHead(config)
    if config.head_norm and config.head != "none":
        return NormalizedHead(config, dropout)
    if config.head == "classification":
        pooler = Pooler(config.d_model, config.pooler_activation)
        return ClassificationHead(pooler, len(config.labels), dropout)
    if config.head == "none":
        return nn.Identity()
    return TokenHead(config.d_model, config.labels, dropout)
