"""Configs of models: the values that each field takes, their checks and their presets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from typing import Any, TypeVar

from regard.errors import BadArgumentError, unknown
from regard.layers import (
    FeedForward,
    MultiHeadAttention,
    Norm,
    Rotary,
    TransformerLayer,
    check_dropout,
    make_norm,
)
from regard.models.heads import HEADS

Config = TypeVar("Config")

SCORES = ("scaled_dot", "dot")  # of Transformers that write


def one_of(default: str, names: Iterable[str]) -> Any:
    """A field of a config that has one of these values."""
    return field(default=default, metadata={"names": tuple(names)})


class ModelConfig:
    """Everything that determines a model's function besides its weights.

    Each field is checked by its name or by the names that it may have; a subclass checks what
    depends on several.
    """

    # Of a Transformer's layers, in those that leave no choice.
    d_model: int
    d_ff: int
    dropout: float
    activation: str
    norm_eps: float
    norm_kind = "layer"
    norm_first = False
    num_key_heads: int | None = None
    head_dim: int | None = None
    score = "scaled_dot"
    gated = False
    feed_forward_bias = True
    attention_bias = True
    attention_output_bias: bool | None = None

    def norm_module(self) -> Norm:
        """A normalization of states, (…, d_model)."""
        return make_norm(self.norm_kind, self.d_model, self.norm_eps)

    def layer(
        self, num_heads: int, *, rotary: Rotary | None = None, decodes_memory: bool = False
    ) -> TransformerLayer:
        """A layer of this configuration, with cross-attention if it decodes a memory."""

        def attention(rotary: Rotary | None = None) -> MultiHeadAttention:
            return MultiHeadAttention(
                self.d_model,
                num_heads,
                num_key_heads=self.num_key_heads,
                head_dim=self.head_dim,
                bias=self.attention_bias,
                output_bias=self.attention_output_bias,
                score=self.score,
                rotary=rotary,
            )

        feed_forward = FeedForward(
            self.d_model,
            self.d_ff,
            activation=self.activation,
            gated=self.gated,
            bias=self.feed_forward_bias,
        )
        return TransformerLayer(
            attention(rotary),
            feed_forward,
            cross_attention=attention() if decodes_memory else None,
            norm=self.norm_module,
            norm_first=self.norm_first,
            dropout=self.dropout,
        )

    def __post_init__(self) -> None:
        for option in fields(self):  # type: ignore[arg-type]  # each subclass is a dataclass
            name, value = option.name, getattr(self, option.name)
            if value not in option.metadata.get("names", (value,)):
                raise unknown(name, value, option.metadata["names"])
            if name.endswith("dropout") and (value is not None or option.default is not None):
                check_dropout(value)
        head = getattr(self, "head", "none")
        labels = getattr(self, "labels", ())
        if (HEADS[head].entries == "label") != bool(labels):
            raise BadArgumentError(
                "labels must be given for head='classification' or 'token_classification', and for"
                " no other head;"
                f" got head={head!r} and {len(labels)} labels."
            )

    def _check_ids(self, *names: str, size: int) -> None:
        """Raises BadArgumentError unless these ids are in a vocabulary of that size."""
        for name in names:
            value = getattr(self, name)
            if not 0 <= value < size:
                raise BadArgumentError(
                    f"{name} must be below the vocabulary's {size}; got {value}."
                )


def from_preset(
    config: Callable[..., Config],
    presets: Mapping[str, Mapping[str, Any]],
    name: str,
    **changes: Any,
) -> Config:
    """The config with the values of the named preset, but for the changes.

    Raises BadArgumentError for an unknown name.
    """
    if name not in presets:
        raise unknown("preset", name, presets)
    return config(**{**presets[name], **changes})
