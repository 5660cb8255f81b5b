"""The config of decoder-only models, and its presets: GPT-2, Llama, Mistral, Qwen2 and Qwen3."""

from dataclasses import dataclass
from typing import Any

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
from regard.models.configs.scaling import DynamicScaling, Llama3Scaling, LongScaling, Scaling


@dataclass(frozen=True)
class DecoderConfig(ModelConfig):
    """Defaults as GPT-2.

    >>> DecoderConfig(vocab_size=50_257).num_layers
    12
    """

    vocab_size: int  # number of token ids
    d_model: int = 768  # width of every hidden state
    num_layers: int = 12
    num_heads: int = 12  # of queries
    num_key_heads: int | None = None  # of keys and values; None: num_heads
    head_dim: int | None = None  # width of one head; None: d_model / num_heads
    d_ff: int = 3072  # inner width of the feed-forward networks
    dropout: float = 0.0  # on sub-layer outputs and embedding sums, in 1/256 steps
    norm_kind: str = one_of("layer", NORMS)
    norm_eps: float = 1e-5  # added to the variance before its root is taken
    activation: str = one_of("gelu_new", ACTIVATIONS)
    gated: bool = False  # whether the activation gates a second projection
    gate_limit: float | None = None  # where a gate's numbers are cut; see FeedForward
    sinks: bool = False  # a learned score for each head of one more key, whose value is zero
    feed_forward_bias: bool = True  # on the projections of the feed-forward networks
    # feed-forward networks of a layer, of which its router chooses for each token; 0: one for all
    experts: int = 0
    experts_per_token: int = 2  # that are chosen
    shares_add_to_one: bool = True  # False: an expert's share is its probability among all
    expert_d_ff: int | None = None  # inner width of an expert; None: d_ff
    unrouted: tuple[int, ...] = ()  # numbers of the layers with one network for all tokens
    attention_bias: bool = True  # on the projections of queries, keys and values
    attention_output_bias: bool = True  # on the projection that joins the heads
    # what a layer's norms are of: the input of a sub-layer, its output before it is added, or both
    norms: str = one_of("input", ("input", "output", "both"))
    # an RMS norm of queries and of keys: of each head, or of all heads as one vector
    query_key_norm: str = one_of("none", ("none", "head", "projection"))
    # whether files join the projections of attention's input, and those of the feed-forward's
    joined_projections: bool = False
    score: str = one_of("scaled_dot", SCORES)  # or "dot", without 1 / √head_dim
    score_width: float | None = None  # whose root divides a scaled score; None: head_dim
    score_cap: float | None = None  # c of c · tanh(score / c), which scores do not pass
    scale_embedding: bool = False  # by √d_model
    # "learned": a table of max_positions rows; "rotary": without a limit
    positions: str = one_of("learned", ("learned", "rotary"))
    max_positions: int = 1024  # the longest text, in tokens, that the model was trained on
    rotary_theta: float = 10000.0  # base of the frequencies of rotary positions
    rotary_scaling: Scaling | None = None  # changes them for longer texts
    rotary_share: float = 1.0  # of a head's numbers, the first ones, that are rotated
    unrotated: tuple[int, ...] = ()  # numbers of the layers without positions
    window: int | None = None  # tokens that a token attends to, itself included; None: all so far
    unwindowed: tuple[int, ...] = ()  # numbers of the layers without a window
    window_theta: float | None = None  # rotary_theta of layers with a window, which are not scaled
    tied_output: bool = True  # the embedding table is also the output projection
    output_cap: float | None = None  # of the logits, as score_cap
    head: str = one_of("language_model", WRITER_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"
    # For the tokenizer and generation; a language model itself does not use them.
    bos_id: int | None = None
    eos_id: int | tuple[int, ...] | None = None
    pad_id: int | None = None  # what "classification" does not read a text's labels from

    norm_first = True

    def __post_init__(self) -> None:
        if isinstance(self.eos_id, list):  # from config.json
            object.__setattr__(self, "eos_id", tuple(self.eos_id))
        super().__post_init__()
        for name in ("vocab_size", "d_model", "num_layers", "num_heads", "d_ff", "max_positions"):
            if getattr(self, name) < 1:
                raise BadArgumentError(f"{name} must be at least 1; got {getattr(self, name)}.")
        if self.window is not None and self.window < 1:
            raise BadArgumentError(f"window must be at least 1 token, or None; got {self.window}.")
        if self.experts and not 1 <= self.experts_per_token <= self.experts:
            raise BadArgumentError(
                f"experts_per_token must be from 1 to the {self.experts} experts;"
                f" got {self.experts_per_token}."
            )
        if not 0 < self.rotary_share <= 1:
            raise BadArgumentError(
                f"rotary_share must be above 0 and at most 1; got {self.rotary_share}."
            )
        if self.gate_limit is not None and not self.gated:
            raise BadArgumentError("gate_limit needs gated=True.")
        for name in ("gate_limit", "score_width", "score_cap", "window_theta", "output_cap"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise BadArgumentError(f"{name} must be above 0, or None; got {value}.")

    def shapes(self) -> Shapes:
        shapes: Shapes = {"decoder.embed.tokens.weight": (self.vocab_size, self.d_model)}
        if self.positions == "learned":
            shapes["decoder.embed.positions.weight"] = (self.max_positions, self.d_model)
        shapes |= self._layers("decoder", self.num_layers, self.num_heads)
        shapes |= self._norm("decoder.norm")
        if self.head != "language_model":
            bias = self.head != "classification"
            return shapes | linear("head.output", self.d_model, len(self.labels) or 2, bias)
        if self.tied_output:
            return shapes
        return shapes | linear("output", self.d_model, self.vocab_size, bias=False)

    @property
    def longest(self) -> int | None:
        """Tokens of a text at most; None: no limit."""
        ends = isinstance(self.rotary_scaling, DynamicScaling | LongScaling)
        return None if self.positions == "rotary" and not ends else self.max_positions

    @property
    def rotary_dim(self) -> int:
        """Numbers of a head that are rotated."""
        return int((self.head_dim or self.d_model // self.num_heads) * self.rotary_share)


# Settings that Llama, Mistral, Qwen2 and Qwen3 share.
_LLAMA: dict[str, Any] = dict(
    norm_kind="rms",
    activation="silu",
    gated=True,
    feed_forward_bias=False,
    attention_bias=False,
    attention_output_bias=False,
    positions="rotary",
)

# The exact GELU is nanoGPT's, and takes half the time of the other on a CPU.
_NANO: dict[str, Any] = dict(activation="gelu")

# nanoGPT's two for characters (tiny on a CPU, mini on a GPU), and the sizes of published models.
DECODER_PRESETS: dict[str, dict[str, Any]] = {
    "tiny": _NANO | dict(d_model=128, num_layers=4, num_heads=4, d_ff=512),
    "mini": _NANO | dict(d_model=384, num_layers=6, num_heads=6, d_ff=1536),
    "small": _NANO | dict(d_model=512, num_layers=8, num_heads=8, d_ff=2048),
    "gpt2": dict(d_model=768, num_layers=12, num_heads=12, d_ff=3072),
    "gpt2-medium": dict(d_model=1024, num_layers=24, num_heads=16, d_ff=4096),
    "gpt2-large": dict(d_model=1280, num_layers=36, num_heads=20, d_ff=5120),
    "gpt2-xl": dict(d_model=1600, num_layers=48, num_heads=25, d_ff=6400),
    "llama-3.2-1b": _LLAMA
    | dict(d_model=2048, num_layers=16, num_heads=32, num_key_heads=8, head_dim=64, d_ff=8192)
    | dict(max_positions=131072, rotary_theta=500000.0)
    | dict(rotary_scaling=Llama3Scaling(32.0, 1.0, 4.0, 8192)),
    "llama-3.1-8b": _LLAMA
    | dict(d_model=4096, num_layers=32, num_heads=32, num_key_heads=8, d_ff=14336)
    | dict(max_positions=131072, rotary_theta=500000.0, tied_output=False)
    | dict(rotary_scaling=Llama3Scaling(8.0, 1.0, 4.0, 8192)),
    "mistral-7b": _LLAMA
    | dict(d_model=4096, num_layers=32, num_heads=32, num_key_heads=8, d_ff=14336)
    | dict(max_positions=32768, window=4096, tied_output=False),
    "qwen2-0.5b": _LLAMA
    | dict(d_model=896, num_layers=24, num_heads=14, num_key_heads=2, d_ff=4864)
    | dict(max_positions=131072, rotary_theta=1000000.0, norm_eps=1e-6, attention_bias=True),
    "qwen3-0.6b": _LLAMA
    | dict(d_model=1024, num_layers=28, num_heads=16, num_key_heads=8, head_dim=128, d_ff=3072)
    | dict(max_positions=40960, rotary_theta=1000000.0, norm_eps=1e-6, query_key_norm="head"),
}


def decoder_preset(name: str, vocab_size: int, **changes: object) -> DecoderConfig:
    """Return the named preset with this vocabulary and any other changes.

    >>> config = decoder_preset("tiny", vocab_size=100)
    >>> config.num_layers, config.d_model
    (4, 128)
    """
    return from_preset(DecoderConfig, DECODER_PRESETS, name, vocab_size=vocab_size, **changes)
