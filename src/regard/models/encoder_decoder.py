"""The Transformer of Attention Is All You Need (Vaswani et al. 2017): an encoder and a decoder.

The defaults are the paper's. Marian is the same with weights of its own; Pegasus, BART, mBART and
T5 are other settings of the same fields. BART also reads a text for a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.attention import Mask, Padding
from regard.errors import BadArgumentError
from regard.layers import (
    ACTIVATIONS,
    NORMS,
    Embedding,
    LayerCache,
    MultiHeadAttention,
    RelativeBias,
    Stack,
    check_ids,
)
from regard.models.configs import SCORES, ModelConfig, from_preset, one_of
from regard.models.decoding import PairState
from regard.models.heads import WRITER_HEADS, ClassificationHead, Pooler, TokenHead, last_state
from regard.models.model import AnyEncoderDecoder, init_projection, two_tables


@dataclass(frozen=True)
class EncoderDecoderConfig(ModelConfig):
    """Defaults as the paper's base model.

    >>> config = EncoderDecoderConfig(vocab_size=37_000)
    >>> config.d_model, config.encoder_layers, config.encoder_heads, config.norm
    (512, 6, 8, 'post')
    """

    vocab_size: int  # number of ids of the source, and of the target if they share them
    target_vocab_size: int | None = None  # None: one vocabulary and one table for both sides
    d_model: int = 512  # width of every hidden state
    encoder_layers: int = 6
    decoder_layers: int = 6
    encoder_heads: int = 8
    decoder_heads: int = 8
    d_ff: int = 2048  # inner width of the feed-forward networks
    dropout: float = 0.1  # on sub-layer outputs and embedding sums, in 1/256 steps
    # "post": as in the paper; "pre": norm before each sub-layer, one at the end
    norm: str = one_of("post", ("post", "pre"))
    norm_kind: str = one_of("layer", NORMS)
    norm_eps: float = 1e-5  # added to the variance before its root is taken
    activation: str = one_of("relu", ACTIVATIONS)
    gated: bool = False  # whether the activation gates a second projection
    feed_forward_bias: bool = True  # on the projections of the feed-forward networks
    attention_bias: bool = True  # on the projections of attention
    head_dim: int | None = None  # width of one head; None: d_model / heads
    score: str = one_of("scaled_dot", SCORES)  # or "dot", without 1 / √head_dim
    # "relative": a bias on scores by distance
    positions: str = one_of("sinusoidal", ("sinusoidal", "learned", "relative"))
    max_positions: int = 512  # longest source or target, in tokens; "relative" has no limit
    position_offset: int = 0  # rows of the table of positions before position 0
    relative_buckets: int = 32  # of distances that share a bias
    relative_distance: int = 128  # all distances from this one on share a bucket
    scale_embedding: bool = True  # token embeddings times √d_model
    embedding_norm: bool = False  # a normalization of the embedding sums
    tied_output: bool = True  # the target's embedding table is also the output projection
    scale_output: bool = False  # the last hidden states times d_model^-½
    logits_bias: bool = False  # a number for each token, added to its logit
    head: str = one_of("language_model", WRITER_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"
    head_dropout: float = 0.0  # before the last projection of "classification"
    pad_id: int = 0
    eos_id: int = 1
    start_id: int = 0  # the decoder's first input

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head != "language_model":
            object.__setattr__(self, "logits_bias", False)  # such a model has no logits of tokens
            if self.target_vocab_size is not None:
                raise BadArgumentError(
                    f"head={self.head!r} needs one vocabulary for both sides, which read the same"
                    f" text; got target_vocab_size={self.target_vocab_size}."
                )
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise BadArgumentError(
                f"sinusoidal positions need an even d_model; got {self.d_model}."
            )
        self._check_ids("pad_id", "eos_id", "start_id", size=self.decoder_vocab_size)

    @property
    def norm_first(self) -> bool:  # type: ignore[override]
        return self.norm == "pre"

    @property
    def decoder_vocab_size(self) -> int:
        return self.target_vocab_size or self.vocab_size


def _sizes(*, heads: int, layers: int, **sizes: int | float) -> dict[str, int | float]:
    sides = {f"{side}_heads": heads for side in ("encoder", "decoder")}
    return sizes | sides | {f"{side}_layers": layers for side in ("encoder", "decoder")}


# base and big are rows of the paper's Table 3; tiny is the Multi30k model of arXiv 2105.14462.
PRESETS: dict[str, dict[str, int | float]] = {
    "tiny": _sizes(d_model=128, d_ff=256, heads=4, layers=4, dropout=0.3),
    "small": _sizes(d_model=256, d_ff=1024, heads=4, layers=3, dropout=0.1),
    "base": _sizes(d_model=512, d_ff=2048, heads=8, layers=6, dropout=0.1),
    "big": _sizes(d_model=1024, d_ff=4096, heads=16, layers=6, dropout=0.3),
}


def preset(name: str, vocab_size: int, **changes: object) -> EncoderDecoderConfig:
    """The named preset with this vocabulary and any other changes.

    >>> preset("tiny", vocab_size=8_000, dropout=0.0).d_model
    128
    """
    return from_preset(EncoderDecoderConfig, PRESETS, name, vocab_size=vocab_size, **changes)


class EncoderDecoder(AnyEncoderDecoder):
    """Source ids and target ids → the output of the config's head: see `models.heads.HEADS`.

    With a head, the target is the source itself, which both sides read; labels are read from the
    decoder's state at the text's last end token (Lewis et al. 2020, section 3.1).

    The two embedding tables and the output projection share one weight (section 3.4); with separate
    vocabularies the target table and the output projection do, unless tied_output is false.

    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> source, target = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[8, 9, 1]])
    >>> model(source, target).shape
    torch.Size([1, 3, 100])
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
        self.config = config
        source_tokens, target_tokens = two_tables(config)
        self.encoder = _stack(config, source_tokens, decodes=False)
        self.decoder = _stack(config, target_tokens, decodes=True)
        vocab = config.decoder_vocab_size
        self.head = _head(config)
        separate = self.head is None and not config.tied_output
        self.output = nn.Linear(config.d_model, vocab, bias=False) if separate else None
        self.logits_bias = nn.Parameter(torch.zeros(vocab)) if config.logits_bias else None
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Xavier-uniform projections, zero biases, embeddings and output of deviation d_model^−½.

        Weights are scaled where the model does not scale, so that scores and logits start alike.
        """
        if self.output_weight.is_meta:
            return  # the weights will be loaded
        for module in self.modules():
            if isinstance(module, nn.Linear):
                init_projection(module)
        for module in self.modules():
            if isinstance(module, MultiHeadAttention) and self.config.score == "dot":
                module.query.weight *= module.head_dim**-0.5
        deviation = 1.0 if self.config.scale_output else self.config.d_model**-0.5
        for module in self.modules():
            if isinstance(module, Embedding):
                nn.init.normal_(module.tokens.weight, std=deviation)
                module.reset_positions()
        if self.output is not None:
            nn.init.normal_(self.output.weight, std=deviation)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The head's output.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to predict, eos last, padded on the right; with a
                head, the source.

        Raises:
            BadArgumentError: of a classification, a source without an end token.
        """
        hidden = self.hidden(source, target)
        if self.head is None:
            return self.logits(hidden)
        if self.config.head == "classification":
            ends = source == self.config.eos_id
            if not bool(ends.any(1).all()):
                raise BadArgumentError(
                    f"each source must contain the end token, {self.config.eos_id}, where its"
                    " labels are read; got one without it. Use the model's own tokenizer."
                )
            hidden = last_state(hidden, ends)
        return self.head(hidden)

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(self.shift_right(target), memory, memory_mask)

    def encode(self, source: Tensor) -> tuple[Tensor, Mask]:
        """Source ids, (batch, source length) → the memory, (batch, source length, d_model), and the
        mask of its padding."""
        check_ids(source, self.config.vocab_size)
        mask = Padding(self.not_padding(source))
        return self.encoder(source, mask=mask), mask

    def decode(
        self,
        inputs: Tensor,
        memory: Tensor,
        memory_mask: Mask,
        caches: list[LayerCache] | None = None,
    ) -> Tensor:
        """Decoder inputs, (batch, length), and the output of `encode` → states, (batch, length,
        d_model), which `logits` projects.

        Args:
            caches: one for each layer; inputs then follow what they hold.
        """
        hidden = self.decoder(inputs, memory, memory_mask=memory_mask, caches=caches)
        return hidden * self.config.d_model**-0.5 if self.config.scale_output else hidden

    def start(self, source: Tensor) -> PairState:
        """Encodes source ids, (batch, source length), for generation to decode step by step."""
        return PairState(self, source)


def _stack(config: EncoderDecoderConfig, tokens: nn.Embedding, *, decodes: bool) -> Stack:
    count, heads = config.encoder_layers, config.encoder_heads
    if decodes:
        count, heads = config.decoder_layers, config.decoder_heads
    embed = Embedding(
        tokens,
        max_positions=config.max_positions,
        positions="none" if config.positions == "relative" else config.positions,
        offset=config.position_offset,
        scale=config.scale_embedding,
        norm=config.norm_module() if config.embedding_norm else None,
        dropout=config.dropout,
    )
    relative_bias = None
    if config.positions == "relative":
        relative_bias = RelativeBias(
            heads,
            num_buckets=config.relative_buckets,
            max_distance=config.relative_distance,
            bidirectional=not decodes,
        )
    return Stack(
        (config.layer(heads, decodes_memory=decodes) for _ in range(count)),
        embed=embed,
        norm=config.norm_module() if config.norm_first else None,
        relative_bias=relative_bias,
        causal=decodes,
    )


def _head(config: EncoderDecoderConfig) -> ClassificationHead | TokenHead | None:
    if config.head == "language_model":
        return None
    if config.head == "classification":
        return ClassificationHead(Pooler(config.d_model), len(config.labels), config.head_dropout)
    return TokenHead(config.d_model, config.labels, dropout=0.0)
