"""The config of the encoder–decoder, and its presets, whose defaults are those of Attention Is All
You Need (Vaswani et al. 2017)."""

from dataclasses import dataclass

from regard.errors import BadArgumentError
from regard.models.configs.config import (
    ACTIVATIONS,
    NORMS,
    SCORES,
    ModelConfig,
    Shapes,
    from_preset,
    linear,
    one_of,
)
from regard.models.configs.heads import WRITER_HEADS


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
    # "spread": sinusoids as fairseq has them; "relative": a bias on scores by distance
    positions: str = one_of("sinusoidal", ("sinusoidal", "spread", "learned", "relative"))
    max_positions: int = 512  # longest source or target, in tokens; "relative" has no limit
    position_offset: int = 0  # rows of the table of positions before position 0
    count_padding: bool = True  # False: padding of a source has no positions (M2M100)
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
        if self.positions != "relative" and self.max_positions < 1:
            raise BadArgumentError(f"max_positions must be at least 1; got {self.max_positions}.")
        if self.positions in ("sinusoidal", "spread") and self.d_model % 2:
            raise BadArgumentError(
                f"sinusoidal positions need an even d_model; got {self.d_model}."
            )
        if not self.count_padding and (self.position_offset < 1 or self.positions == "relative"):
            raise BadArgumentError(
                "count_padding=False needs a position_offset of at least 1, whose last row is"
                f" padding's; got {self.position_offset} and positions={self.positions!r}."
            )
        self._check_ids("pad_id", "eos_id", "start_id", size=self.decoder_vocab_size)

    def shapes(self) -> Shapes:
        vocab = self.decoder_vocab_size
        shapes: Shapes = {"logits_bias": (vocab,)} if self.logits_bias else {}
        for side, ids, layers, heads in (
            ("encoder", self.vocab_size, self.encoder_layers, self.encoder_heads),
            ("decoder", vocab, self.decoder_layers, self.decoder_heads),
        ):
            shapes[f"{side}.embed.tokens.weight"] = (ids, self.d_model)
            if self.positions == "relative":
                shapes[f"{side}.relative_bias.table.weight"] = (self.relative_buckets, heads)
            else:
                rows = self.max_positions + self.position_offset
                shapes[f"{side}.embed.positions.weight"] = (rows, self.d_model)
            if self.embedding_norm:
                shapes |= self._norm(f"{side}.embed.norm")
            shapes |= self._layers(side, layers, heads, decodes_memory=side == "decoder")
            if self.norm_first:
                shapes |= self._norm(f"{side}.norm")
        if self.head == "classification":
            shapes |= linear("head.pooler.dense", self.d_model, self.d_model)
        if self.head != "language_model":
            return shapes | linear("head.output", self.d_model, len(self.labels) or 2)
        return shapes | ({} if self.tied_output else linear("output", self.d_model, vocab, False))

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
    """Return the named preset with this vocabulary and any other changes.

    >>> preset("tiny", vocab_size=8_000, dropout=0.0).d_model
    128
    """
    return from_preset(EncoderDecoderConfig, PRESETS, name, vocab_size=vocab_size, **changes)
