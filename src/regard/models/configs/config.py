"""Configs of models: the values that each field takes, their checks and their presets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from typing import Any, TypeVar

from regard.errors import BadArgumentError, unknown
from regard.models.configs.heads import HEADS
from regard.models.configs.scaling import Scaling, stretched

Config = TypeVar("Config")

Shapes = dict[str, tuple[int, ...]]

SCORES = ("scaled_dot", "dot")  # of Transformers that write
NORMS = ("layer", "layer_without_bias", "rms", "rms_plus_one")
ACTIVATIONS = (
    *("relu", "gelu", "gelu_tanh", "gelu_new", "gelu_pytorch_tanh", "silu", "swish"),
    *("quick_gelu", "tanh"),
)


def one_of(default: str, names: Iterable[str]) -> str:
    """Return a field of a config that has one of these values."""
    return field(default=default, metadata={"names": tuple(names)})


class ModelConfig:
    """Everything that determines a model's function besides its weights.

    Each field is checked by its name or by the names that it may have; a subclass checks what
    depends on several.
    """

    # Of configs that leave no choice.
    head = "language_model"
    labels: tuple[str, ...] = ()
    # Of its tokens.
    vocab_size: int
    pad_id: int | None
    # Of a Transformer's layers, likewise.
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
    score_width: float | None = None
    score_cap: float | None = None
    gated = False
    gate_limit: float | None = None
    sinks = False
    feed_forward_bias = True
    experts = 0
    experts_per_token = 0
    shares_add_to_one = True
    expert_d_ff: int | None = None
    unrouted: tuple[int, ...] = ()
    attention_bias = True
    key_bias: bool | None = None
    attention_output_bias: bool | None = None
    norms = "input"
    query_key_norm = "none"
    # Of its positions.
    num_layers: int
    positions = "learned"
    max_positions: int
    rotary_theta: float
    rotary_scaling: Scaling | None = None
    window: int | None = None
    unwindowed: tuple[int, ...] = ()
    window_theta: float | None = None
    unrotated: tuple[int, ...] = ()

    def shapes(self) -> Shapes:
        """Return the shapes of a model's weights by their names in `models`, in their order
        there."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        for option in fields(self):  # type: ignore[arg-type]  # each subclass is a dataclass
            name, value = option.name, getattr(self, option.name)
            if value not in option.metadata.get("names", (value,)):
                raise unknown(name, value, option.metadata["names"])
            if name.endswith("dropout") and (value is not None or option.default is not None):
                check_dropout(value)
        if (HEADS[self.head].entries == "label") != bool(self.labels):
            raise BadArgumentError(
                "labels must be given for head='classification' or 'token_classification', and for"
                " no other head;"
                f" got head={self.head!r} and {len(self.labels)} labels."
            )

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each layer."""
        layers = range(self.num_layers)
        return tuple(None if index in self.unwindowed else self.window for index in layers)

    @property
    def room(self) -> int:
        """Tokens of a text at most, in tasks."""
        return stretched(self.max_positions, self.rotary_scaling)

    @property
    def rotaries(self) -> tuple[tuple[float, Scaling | None], ...]:
        """The kinds of rotary positions: theta, and a scaling."""
        if self.positions != "rotary":
            return ()
        local = () if self.window_theta is None else ((self.window_theta, None),)
        return ((self.rotary_theta, self.rotary_scaling), *local)

    @property
    def rotated(self) -> tuple[int, ...]:
        """For each layer the number of its kind of rotary positions, from 1; 0: it has none."""
        kinds = len(self.rotaries)
        return tuple(
            0 if index in self.unrotated else min(kinds, 1 if window is None else 2)
            for index, window in enumerate(self.windows)
        )

    @property
    def routed(self) -> tuple[bool, ...]:
        """True for each layer that has a mixture of experts."""
        layers = range(self.num_layers)
        return tuple(self.experts > 0 and index not in self.unrouted for index in layers)

    def _layers(
        self, path: str, count: int, num_heads: int, *, decodes_memory: bool = False
    ) -> Shapes:
        """Shapes of a stack of layers, with cross-attention if it decodes a memory."""
        d_model, head_dim = self.d_model, self.head_dim or self.d_model // num_heads
        queries, keys = head_dim * num_heads, head_dim * (self.num_key_heads or num_heads)
        bias, output_bias = self.attention_bias, self.attention_output_bias
        output_bias = bias if output_bias is None else output_bias
        key_bias = bias if self.key_bias is None else self.key_bias
        places = {"input": ["norm"], "output": ["output_norm"]}.get(
            self.norms, ["norm", "output_norm"]
        )
        layer = Shapes()
        for attention in ("self_attention", "cross_attention")[: 1 + decodes_memory]:
            if self.sinks:
                layer[f"{attention}.sinks"] = (num_heads,)
            layer |= linear(f"{attention}.query", d_model, queries, bias)
            layer |= linear(f"{attention}.key", d_model, keys, key_bias)
            layer |= linear(f"{attention}.value", d_model, keys, bias)
            layer |= linear(f"{attention}.output", queries, d_model, output_bias)
            if self.query_key_norm != "none":
                for name, width in (("query_norm", queries), ("key_norm", keys)):
                    width = head_dim if self.query_key_norm == "head" else width
                    layer |= norm(f"{attention}.{name}", width, bias=False)
            for place in places:
                layer |= self._norm(f"{attention}_{place}")
        networks = [self._feed_forward("feed_forward", self.d_ff), Shapes()]
        if self.experts:
            networks[1] |= linear(
                "feed_forward.router", d_model, self.experts, self.feed_forward_bias
            )
            for number in range(self.experts):
                expert = f"feed_forward.experts.{number}"
                networks[1] |= self._feed_forward(expert, self.expert_d_ff or self.d_ff)
        norms = Shapes()
        for place in places:
            norms |= self._norm(f"feed_forward_{place}")
        routed = self.routed if self.experts else (False,) * count
        return {
            f"{path}.layers.{index}.{name}": shape
            for index in range(count)
            for name, shape in (layer | networks[routed[index]] | norms).items()
        }

    def _feed_forward(self, name: str, d_ff: int) -> Shapes:
        shapes = Shapes()
        for part in ("gate", "inner")[not self.gated :]:
            shapes |= linear(f"{name}.{part}", self.d_model, d_ff, self.feed_forward_bias)
        return shapes | linear(f"{name}.outer", d_ff, self.d_model, self.feed_forward_bias)

    def _norm(self, name: str) -> Shapes:
        return norm(name, self.d_model, bias=self.norm_kind == "layer")

    def _check_ids(self, *names: str, size: int) -> None:
        """Raise BadArgumentError unless these ids are in a vocabulary of that size."""
        for name in names:
            value = getattr(self, name)
            if not 0 <= value < size:
                raise BadArgumentError(
                    f"{name} must be below the vocabulary's {size}; got {value}."
                )


def linear(name: str, inputs: int, outputs: int, bias: bool = True) -> Shapes:
    """Shapes of a projection."""
    return {f"{name}.weight": (outputs, inputs)} | ({f"{name}.bias": (outputs,)} if bias else {})


def projection(inputs: int, outputs: int | None, bias: bool = True) -> Shapes:
    """Shapes of the last projection of "embedding"; None: there is no such projection."""
    return {} if outputs is None else linear("head.output", inputs, outputs, bias)


def norm(name: str, width: int, *, bias: bool = True) -> Shapes:
    """Shapes of a normalization."""
    return dict.fromkeys((f"{name}.weight", f"{name}.bias")[: 1 + bias], (width,))


def from_preset(
    config: Callable[..., Config],
    presets: Mapping[str, Mapping[str, Any]],
    name: str,
    **changes: object,
) -> Config:
    """Return the config with the values of the named preset, but for the changes.

    Raises BadArgumentError for an unknown name.
    """
    if name not in presets:
        raise unknown("preset", name, presets)
    return config(**{**presets[name], **changes})


def check_dropout(probability: float) -> None:
    """Raise BadArgumentError unless 0 ≤ probability ≤ 255/256."""
    if not 0 <= probability <= 255 / 256:
        raise BadArgumentError(f"dropout must be from 0 to 255/256; got {probability}. Lower it.")
