"""The config of the bidirectional encoder, and its presets: BERT, RoBERTa and similar."""

from dataclasses import dataclass
from typing import Any

from regard.configs.config import (
    ACTIVATIONS,
    ModelConfig,
    Shapes,
    from_preset,
    linear,
    norm,
    one_of,
)
from regard.configs.heads import ENCODER_HEADS
from regard.errors import BadArgumentError

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

    def shapes(self) -> Shapes:
        d_model, width = self.d_model, self.embedding_width or self.d_model
        tables = {
            "tokens": self.vocab_size,
            "positions": self.max_positions + self.position_offset,
            "token_types": self.token_types,
        }
        shapes: Shapes = {
            f"embed.{name}.weight": (rows, width)
            for name, rows in tables.items()
            if rows is not None
        }
        shapes |= norm("embed.norm", width)
        if self.embedding_width is not None:
            shapes |= linear("embed.projection", width, d_model)
        shapes |= self._layers("encoder", self.num_layers, self.num_heads)
        if self.head == "none":
            return shapes
        if self.head == "pooler":
            return shapes | linear("head.dense", d_model, d_model)
        if self.head == "masked_lm":
            shapes["head.bias"] = (self.vocab_size,)
            return shapes | linear("head.dense", d_model, width) | norm("head.norm", width)
        if self.head == "classification":
            shapes |= linear("head.pooler.dense", d_model, d_model)
        return shapes | linear("head.output", d_model, len(self.labels) or 2)


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
