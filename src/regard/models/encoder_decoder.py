"""The Transformer of Attention Is All You Need (Vaswani et al. 2017): an encoder and a decoder."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Causal, Mask, Padding
from regard.errors import RegardError
from regard.layers import DecoderLayer, Embedding, EncoderLayer, LayerCache, empty_table
from regard.layers.dropout import check_dropout
from regard.layers.feed_forward import ACTIVATIONS


@dataclass(frozen=True)
class EncoderDecoderConfig:
    """Everything that fixes the model's function besides its weights."""

    vocab_size: int  # ids the source (and, when shared, the target) may have
    target_vocab_size: int | None = None  # None: one vocabulary and one table for both sides
    d_model: int = 512  # width of every hidden state
    encoder_layers: int = 6
    decoder_layers: int = 6
    encoder_heads: int = 8
    decoder_heads: int = 8
    d_ff: int = 2048  # inner width of the feed-forward networks
    dropout: float = 0.1  # on sub-layer outputs and embedding sums, in 1/256 steps
    norm: str = "post"  # "post": as in the paper; "pre": norm before each sub-layer, one at the end
    activation: str = "relu"  # a name in layers.feed_forward.ACTIVATIONS
    positions: str = "sinusoidal"  # or "learned"
    max_positions: int = 512  # longest source or target, in tokens
    pad_id: int = 0
    eos_id: int = 1
    start_id: int = 0  # the decoder's first input

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise RegardError(
                    f"{name} must be one of {', '.join(allowed)}; got {getattr(self, name)!r}."
                )
        check_dropout(self.dropout)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise RegardError(f"sinusoidal positions need an even d_model; got {self.d_model}.")
        for name in ("pad_id", "eos_id", "start_id"):
            if not 0 <= getattr(self, name) < self.decoder_vocab_size:
                raise RegardError(
                    f"{name} must be below the vocabulary's {self.decoder_vocab_size};"
                    f" got {getattr(self, name)}."
                )

    @property
    def decoder_vocab_size(self) -> int:
        return self.target_vocab_size or self.vocab_size


_CHOICES = {
    "norm": ("post", "pre"),
    "activation": tuple(ACTIVATIONS),
    "positions": ("sinusoidal", "learned"),
}

# base and big are rows of the paper's Table 3; tiny is the Multi30k model of arXiv 2105.14462.
PRESETS: dict[str, dict[str, int | float]] = {
    "tiny": dict(
        d_model=128,
        d_ff=256,
        encoder_heads=4,
        decoder_heads=4,
        encoder_layers=4,
        decoder_layers=4,
        dropout=0.3,
    ),
    "small": dict(
        d_model=256,
        d_ff=1024,
        encoder_heads=4,
        decoder_heads=4,
        encoder_layers=3,
        decoder_layers=3,
        dropout=0.1,
    ),
    "base": dict(),
    "big": dict(d_model=1024, d_ff=4096, encoder_heads=16, decoder_heads=16, dropout=0.3),
}


def preset(name: str, vocab_size: int, **changes: object) -> EncoderDecoderConfig:
    """The named preset with a vocabulary and any other field changed."""
    if name not in PRESETS:
        raise RegardError(f"preset must be one of {', '.join(PRESETS)}; got {name!r}.")
    base = EncoderDecoderConfig(vocab_size, **PRESETS[name])  # type: ignore[arg-type]
    return replace(base, **changes)  # type: ignore[arg-type]


class EncoderDecoder(nn.Module):
    """Source ids and the target so far → logits of the next target token.

    The two embedding tables and the output projection share one weight (section 3.4), or, with
    separate vocabularies, the target table and the output projection do.
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
        self.config = config
        source_tokens = empty_table(config.vocab_size, config.d_model)
        target_tokens = source_tokens
        if config.target_vocab_size is not None:
            target_tokens = empty_table(config.target_vocab_size, config.d_model)
        self.encoder = Encoder(config, source_tokens)
        self.decoder = Decoder(config, target_tokens)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Xavier-uniform projections, zero biases, embeddings of deviation d_model^−½."""
        if self.output_weight.is_meta:
            return  # a model about to be loaded has nothing to set
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        for embed in (self.encoder.embed, self.decoder.embed):
            nn.init.normal_(embed.tokens.weight, std=self.config.d_model**-0.5)
            embed.reset_positions()

    @property
    def output_weight(self) -> Tensor:
        """The output projection, (vocab, d_model): the target embedding table itself."""
        return self.decoder.embed.tokens.weight

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits, (batch, target length, vocab), for teacher forcing.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to give, eos last, padded on the right.
        """
        return functional.linear(self.hidden(source, target), self.output_weight)

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        """The decoder's last states before the projection, (batch, target length, d_model)."""
        memory, memory_mask = self.encode(source)
        return self.decoder(self.shift_right(target), memory, memory_mask)

    def encode(self, source: Tensor) -> tuple[Tensor, Mask]:
        """Source ids → (memory (batch, source length, d_model), the mask of its real tokens)."""
        _check_ids(source, self.config.vocab_size)
        mask = Padding(source != self.config.pad_id)
        return self.encoder(source, mask), mask

    def shift_right(self, target: Tensor) -> Tensor:
        """What the decoder reads to give `target`: start_id, then all but the last token."""
        _check_ids(target, self.config.decoder_vocab_size)
        start = target.new_full((target.shape[0], 1), self.config.start_id)
        return torch.cat([start, target[:, :-1]], dim=1)

    def start(self, source: Tensor) -> "DecodingState":
        """Encodes the source and returns the state from which generation decodes step by step."""
        return DecodingState(self, source)


class Encoder(nn.Module):
    """Embedding, then N layers; pre-norm adds one normalisation at the end."""

    def __init__(self, config: EncoderDecoderConfig, tokens: nn.Embedding):
        super().__init__()
        self.embed = _embedding(config, tokens)
        self.layers = nn.ModuleList(
            EncoderLayer(config.d_model, config.encoder_heads, config.d_ff, **_style(config))
            for _ in range(config.encoder_layers)
        )
        self.norm = _final_norm(config)

    def forward(self, source: Tensor, mask: Mask | None) -> Tensor:
        hidden = self.embed(source)
        for layer in self.layers:
            hidden = layer(hidden, mask=mask)
        return self.norm(hidden)


class Decoder(nn.Module):
    """Embedding, then N layers that also attend to the encoder's output."""

    def __init__(self, config: EncoderDecoderConfig, tokens: nn.Embedding):
        super().__init__()
        self.embed = _embedding(config, tokens)
        self.layers = nn.ModuleList(
            DecoderLayer(config.d_model, config.decoder_heads, config.d_ff, **_style(config))
            for _ in range(config.decoder_layers)
        )
        self.norm = _final_norm(config)

    def forward(
        self,
        target: Tensor,
        memory: Tensor,
        memory_mask: Mask | None,
        caches: list[LayerCache] | None = None,
    ) -> Tensor:
        start = caches[0].self_attention.length if caches else 0
        hidden = self.embed(target, start=start)
        causal = Causal() if target.shape[1] > 1 else None  # one query may see all that is cached
        for index, layer in enumerate(self.layers):
            hidden = layer(
                hidden,
                memory,
                self_mask=causal,
                cross_mask=memory_mask,
                cache=caches[index] if caches else None,
            )
        return self.norm(hidden)


class DecodingState:
    """The caches of a running decode, one row for each hypothesis: generation's Decoder."""

    def __init__(self, model: EncoderDecoder, source: Tensor):
        self.model = model
        self.memory, self.memory_mask = model.encode(source)
        self.real = source != model.config.pad_id
        self.sentence = torch.arange(len(source), device=source.device)  # of each row
        self.caches = [LayerCache() for _ in model.decoder.layers]

    def step(self, tokens: Tensor) -> Tensor:
        """Appends tokens, (rows,) or (rows, new); gives the next token's logits, (rows, vocab)."""
        if tokens.dim() == 1:
            tokens = tokens[:, None]
        hidden = self.model.decoder(tokens, self.memory, self.memory_mask, self.caches)
        return functional.linear(hidden[:, -1], self.model.output_weight)

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices into the present ones."""
        for cache in self.caches:
            cache.self_attention.select(rows)
        sentence = self.sentence.index_select(0, rows)
        if torch.equal(sentence, self.sentence):
            return  # beams changed places within their sentences, which share the encoder's output
        self.sentence = sentence
        self.memory = self.memory.index_select(0, rows)
        self.real = self.real.index_select(0, rows)
        self.memory_mask = Padding(self.real)
        for cache in self.caches:
            cache.cross_attention.select(rows)


def _embedding(config: EncoderDecoderConfig, tokens: nn.Embedding) -> Embedding:
    return Embedding(
        tokens,
        max_positions=config.max_positions,
        positions=config.positions,
        dropout=config.dropout,
    )


def _style(config: EncoderDecoderConfig) -> dict[str, Any]:
    return dict(norm=config.norm, activation=config.activation, dropout=config.dropout)


def _final_norm(config: EncoderDecoderConfig) -> nn.Module:
    return nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()


def _check_ids(ids: Tensor, vocab_size: int) -> None:
    if ids.device.type == "cpu" and ids.numel():
        low, high = (int(bound) for bound in ids.aminmax())
        if low < 0 or high >= vocab_size:
            raise RegardError(
                f"token ids must be from 0 to {vocab_size - 1}; got {high if low >= 0 else low}."
                " Does the tokenizer belong to this model?"
            )
