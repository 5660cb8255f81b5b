"""The config of the bidirectional encoder, and its presets: BERT, RoBERTa and similar."""

from dataclasses import dataclass
from typing import Any

from regard.arrays import Array
from regard.errors import BadArgumentError
from regard.models.configs.config import (
    ACTIVATIONS,
    NORMS,
    ModelConfig,
    Shapes,
    from_preset,
    linear,
    norm,
    one_of,
    projection,
)
from regard.models.configs.heads import ENCODER_HEADS

POOLER_ACTIVATIONS = ("tanh", "relu", "gelu")


@dataclass(frozen=True)
class EncoderConfig(ModelConfig):
    """Defaults as BERT.

    >>> EncoderConfig(vocab_size=30_522).num_layers
    12
    """

    vocab_size: int  # ids a text may have
    d_model: int = 768  # width of every hidden state
    embedding_width: int | None = None  # of the tables, if they are projected to d_model
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072  # inner width of the feed-forward networks
    dropout: float = 0.1  # on sub-layer outputs and embedding sums, in 1/256 steps
    activation: str = one_of("gelu", ACTIVATIONS)
    gated: bool = False  # whether the activation gates a second projection
    feed_forward_bias: bool = True  # on the projections of the feed-forward networks
    attention_bias: bool = True  # on those of attention
    norm_kind: str = one_of("layer", NORMS)
    norm_eps: float = 1e-12  # added to the variance before its root is taken
    # whether norms are of what a sub-layer reads, but for the first, where the embedding has
    # normalized that, and of the last states; else of each sum
    norm_first: bool = False
    # "learned": a table of max_positions rows; without a limit: "rotary", or "distances", whose
    # states queries and keys are compared with
    positions: str = one_of("learned", ("learned", "rotary", "distances"))
    max_positions: int = 512  # longest text that the model was trained on, in tokens
    distance_buckets: int = 256  # of distances that share a state, on either side
    longest_distance: int = 512  # those below it share by their logarithm
    rotary_theta: float = 10000.0  # base of the frequencies of rotary positions
    window: int | None = None  # tokens that a token attends to on each side, itself included
    unwindowed: tuple[int, ...] = ()  # numbers of the layers without a window
    window_theta: float | None = None  # rotary_theta of layers with a window
    position_offset: int = 0  # rows of the table of positions before position 0
    count_padding: bool = True  # False: padding has no positions (RoBERTa)
    token_types: int | None = 2  # such as question and text; None: the model has none
    embedding_norm: bool = True  # a normalization of the embedding sums
    causal: bool = False  # whether a token attends to itself and those before it only
    head: str = one_of("none", ENCODER_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"
    pooler_activation: str = one_of("tanh", POOLER_ACTIVATIONS)  # of the first token's projection
    # whether each head projects norm(f(W h)), as that of words does, with f = pooler_activation
    head_norm: bool = False
    head_bias: bool = True  # on W
    # the state that "classification" reads: the first token's, or the mean of all; and "embedding":
    # that of the last place, padding or not, or of the first end_id
    pooling: str = one_of("first", ("first", "mean", "last", "end"))
    end_id: int | None = None  # of pooling "end"; None: the highest id of the text
    projection: int | None = None  # numbers of the vector of "embedding"; None: d_model, as it is
    projection_bias: bool = True
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
        middle = self.distance_buckets // 2
        if middle < 1 or self.longest_distance < middle + 2:
            raise BadArgumentError(
                "distance_buckets must be at least 2, and longest_distance above half of them by"
                f" 2 or more; got {self.distance_buckets} and {self.longest_distance}."
            )

    @property
    def score_width(self) -> float | None:  # type: ignore[override]  # a field of others
        """Width whose root divides a score, where it is not that of a head: of three products."""
        return 3 * (self.d_model // self.num_heads) if self.positions == "distances" else None

    def shapes(self) -> Shapes:
        d_model, width = self.d_model, self.embedding_width or self.d_model
        learned = self.positions == "learned"
        tables = {
            "tokens": self.vocab_size,
            "positions": self.max_positions + self.position_offset if learned else None,
            "token_types": self.token_types,
        }
        shapes: Shapes = {
            f"embed.{name}.weight": (rows, width)
            for name, rows in tables.items()
            if rows is not None
        }
        bias = self.norm_kind == "layer"
        if self.embedding_norm:
            shapes |= norm("embed.norm", width, bias=bias)
        if self.embedding_width is not None:
            shapes |= linear("embed.projection", width, d_model)
        if self.positions == "distances":
            shapes["encoder.distances.table.weight"] = (2 * self.distance_buckets, d_model)
            shapes |= norm("encoder.distances.norm", d_model)
        shapes |= self._layers("encoder", self.num_layers, self.num_heads)
        if self.norm_first and self.embedding_norm:
            for name in norm("encoder.layers.0.self_attention_norm", d_model, bias=bias):
                del shapes[name]
        if self.norm_first:
            shapes |= self._norm("encoder.norm")
        if self.head == "none":
            return shapes
        if self.head == "embedding":
            return shapes | projection(d_model, self.projection, self.projection_bias)
        if self.head == "pooler":
            return shapes | linear("head.dense", d_model, d_model)
        if self.head == "masked_lm":
            shapes["head.bias"] = (self.vocab_size,)
        if self.head == "masked_lm" or self.head_norm:
            shapes |= linear("head.dense", d_model, width, self.head_bias)
            shapes |= norm("head.norm", width, bias=bias)
        elif self.head == "classification":
            shapes |= linear("head.pooler.dense", d_model, d_model)
        if self.head == "masked_lm":
            return shapes
        return shapes | linear("head.output", d_model, len(self.labels) or 2)

    @property
    def longest(self) -> int | None:
        """Tokens of a text at most; None: no limit."""
        return self.max_positions if self.positions == "learned" else None

    @property
    def rotary_dim(self) -> int:
        """Numbers of a head that are rotated: all."""
        return self.d_model // self.num_heads


def place_read(ids: Array, config: EncoderConfig) -> Array:
    """Return the place in each text whose state "embedding" reads, (batch,), of ids (batch,
    length)."""
    if config.pooling == "first":
        return ids[:, 0] * 0
    if config.pooling == "last":
        return ids[:, 0] * 0 + ids.shape[1] - 1
    return (ids if config.end_id is None else 1 * (ids == config.end_id)).argmax(1)


# base and large are BERT's own; the smaller ones are the sizes of Turc et al. 2019.
ENCODER_PRESETS: dict[str, dict[str, Any]] = {
    "tiny": dict(d_model=128, d_ff=512, num_heads=2, num_layers=2),
    "mini": dict(d_model=256, d_ff=1024, num_heads=4, num_layers=4),
    "small": dict(d_model=512, d_ff=2048, num_heads=8, num_layers=4),
    "medium": dict(d_model=512, d_ff=2048, num_heads=8, num_layers=8),
    "base": dict(d_model=768, d_ff=3072, num_heads=12, num_layers=12),
    "large": dict(d_model=1024, d_ff=4096, num_heads=16, num_layers=24),
}


def encoder_preset(name: str, vocab_size: int, **changes: object) -> EncoderConfig:
    """Return the named preset with this vocabulary and any other changes.

    >>> config = encoder_preset("tiny", vocab_size=100, head="classification", labels=("no", "yes"))
    >>> config.num_layers, config.labels
    (2, ('no', 'yes'))
    """
    return from_preset(EncoderConfig, ENCODER_PRESETS, name, vocab_size=vocab_size, **changes)
