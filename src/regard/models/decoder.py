"""Decoder-only models, which continue a text or read it for a head: GPT-2, Llama and similar.

One decoder with pre-norm layers; the families differ in their settings. Sources: Radford et al.
2019 (GPT-2), Touvron et al. 2023 (Llama), Jiang et al. 2023 (Mistral 7B), Yang et al. 2024 (Qwen2)
and 2025 (Qwen3), OLMo et al. 2024 (OLMo 2), Abdin et al. 2024 (Phi-3), Jiang et al. 2024 (Mixtral).
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from regard.attention import Documents, Padding
from regard.models.configs.decoder import DecoderConfig
from regard.models.configs.facts import TextFacts
from regard.models.decoding import (
    check_attention_mask,
    check_documents,
    left_padded,
    positions_of_tokens,
    positions_within,
)
from regard.models.heads import LinearHead, TokenHead, last_state
from regard.models.layers import Embedding, LayerCache, Stack, check_ids, empty_table
from regard.models.model import Model, make_layer, norm_of, rotaries


class Decoder(TextFacts, Model):
    """Token ids → the output of the config's head: see `models.configs.heads.HEADS`.

    >>> from regard.models import decoder_preset
    >>> model = Decoder(decoder_preset("tiny", vocab_size=100)).eval()
    >>> model(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 100])
    """

    def __init__(self, config: DecoderConfig):
        super().__init__()
        self.config = config
        self.decoder = _stack(config)
        self.head = _head(config)
        separate = self.head is None and not config.tied_output
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False) if separate else None
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Initialize as GPT-2: deviation 0.02, by √(2 · num_layers) for projections whose output is
        added to the residual stream, so that it does not grow (Radford et al. 2019, section
        2.3)."""
        if self.output_weight.is_meta:
            return  # the weights will be loaded
        for name, weight in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(weight)
            elif weight.ndim == 2:
                added = name.endswith(("self_attention.output.weight", ".outer.weight"))
                sums = 2 * self.config.num_layers if added else 1
                nn.init.normal_(weight, std=0.02 * sums**-0.5)

    def forward(self, ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Return the head's output. Of a language model, position t predicts token t + 1.

        Args:
            ids: (batch, length).
            attention_mask: (batch, length), True for a token, False for padding, which may be on
                either side. Positions count the tokens only.
        """
        hidden = self.hidden(ids, attention_mask)
        if self.head is None:
            return self.logits(hidden)
        if self.config.head == "classification":
            tokens = self.not_padding(ids)  # as in transformers, also where the mask is True
            tokens = tokens if attention_mask is None else attention_mask & tokens
            hidden = last_state(hidden, tokens)
        return self.head(hidden)

    def hidden(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
        *,
        documents: Tensor | None = None,
    ) -> Tensor:
        """Return the last states before the projection, (batch, length, d_model).

        Args:
            ids: (batch, length).
            attention_mask: (batch, cached + length), True for a token, False for padding.
            caches: one for each layer; ids then follow what they hold.
            documents: (batch, length), for several documents packed in one row: the number of each
                token's, which never falls. A token attends to its own document, and positions
                count from the document's first token. Without attention_mask and caches.
        """
        check_ids(ids, self.config.vocab_size)
        if documents is not None:
            check_documents(documents, ids, attention_mask, caches)
            mask = Documents(documents)
            return self.decoder(ids, mask=mask, positions=positions_within(documents))
        if attention_mask is None:
            return self.decoder(ids, caches=caches)
        cached = caches[0].self_attention.length if caches else 0
        check_attention_mask(attention_mask, (len(ids), cached + ids.shape[1]))
        positions = positions_of_tokens(attention_mask)[:, cached:]
        return self.decoder(ids, mask=Padding(attention_mask), positions=positions, caches=caches)

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states, (…, d_model) → (…, vocab)."""
        logits = nn.functional.linear(hidden, self.output_weight)
        cap = self.config.output_cap
        return logits if cap is None else cap * torch.tanh(logits / cap)

    def start(self, attention_mask: Tensor | None = None) -> "TextState":
        """Return the state from which generation reads a prompt and decodes step by step.

        Args:
            attention_mask: (rows, length) of the prompt that will be read, True for a token, False
                for padding, which may be on either side. None: the prompt has no padding.
        """
        return TextState(self, attention_mask)


def _stack(config: DecoderConfig) -> Stack:
    learned = config.positions == "learned"
    embed = Embedding(
        empty_table(config.vocab_size, config.d_model),
        max_positions=config.max_positions,
        positions="learned" if learned else "none",
        scale=config.scale_embedding,
        dropout=config.dropout,
    )
    layers = (
        make_layer(config, config.num_heads, rotary=rotary, routed=routed)
        for rotary, routed in zip(
            rotaries(config, config.rotary_dim, config.longest), config.routed, strict=True
        )
    )
    norm = norm_of(config)
    return Stack(layers, embed=embed, norm=norm, causal=True, windows=config.windows)


def _head(config: DecoderConfig) -> LinearHead | TokenHead | None:
    if config.head == "language_model":
        return None
    if config.head == "classification":
        return LinearHead(config.d_model, len(config.labels), bias=False)
    return TokenHead(config.d_model, config.labels, dropout=0.0)


class TextState:
    """State of a model that continues texts: the caches of its layers, one row for each text."""

    def __init__(self, model: Decoder, attention_mask: Tensor | None = None):
        self.model = model
        self.attention_mask = attention_mask  # of everything read; None where nothing is padding
        self.caches = [LayerCache() for _ in model.decoder.layers]

    @property
    def length(self) -> int:
        """Number of tokens that each row has read, padding included."""
        return self.caches[0].self_attention.length

    def step(self, tokens: Tensor) -> Tensor:
        """Append tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.view(len(tokens), -1)
        if self.attention_mask is not None:
            if self.length:
                new = torch.ones_like(tokens, dtype=torch.bool)
                self.attention_mask = torch.cat([self.attention_mask, new], 1)
            else:
                tokens, self.attention_mask = left_padded(tokens, self.attention_mask)
        hidden = self.model.hidden(tokens, self.attention_mask, self.caches)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        for cache in self.caches:
            cache.self_attention.select(rows)
        if self.attention_mask is not None:
            self.attention_mask = self.attention_mask.index_select(0, rows)
