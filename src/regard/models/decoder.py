"""Decoder-only models, which continue a text or read it for a head: GPT-2, Llama, Mistral, Qwen2.

One decoder with pre-norm layers; the families differ in their settings. Sources: Radford et al.
2019 (GPT-2), Touvron et al. 2023 (Llama), Jiang et al. 2023 (Mistral 7B), Yang et al. 2024 (Qwen2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Documents, Padding
from regard.errors import BadArgumentError
from regard.layers import (
    ACTIVATIONS,
    NORMS,
    Embedding,
    LayerCache,
    Rotary,
    Stack,
    check_ids,
    empty_table,
)
from regard.models.configs import SCORES, ModelConfig, from_preset, one_of
from regard.models.decoding import (
    TextState,
    check_attention_mask,
    check_documents,
    positions_of_tokens,
    positions_within,
)
from regard.models.heads import WRITER_HEADS, LinearHead, TokenHead, last_state
from regard.models.model import Model
from regard.positions.rotary import Llama3Scaling, Scaling


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
    feed_forward_bias: bool = True  # on the projections of the feed-forward networks
    attention_bias: bool = True  # on the projections of queries, keys and values
    attention_output_bias: bool = True  # on the projection that joins the heads
    score: str = one_of("scaled_dot", SCORES)  # or "dot", without 1 / √head_dim
    # "learned": a table of max_positions rows; "rotary": without a limit
    positions: str = one_of("learned", ("learned", "rotary"))
    max_positions: int = 1024  # the longest text, in tokens, that the model was trained on
    rotary_theta: float = 10000.0  # base of the frequencies of rotary positions
    rotary_scaling: Scaling | None = None  # changes them for longer texts
    window: int | None = None  # tokens that a token attends to, itself included; None: all so far
    first_window_layer: int = 0  # layers below it have no window
    tied_output: bool = True  # the embedding table is also the output projection
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
        if self.first_window_layer < 0:
            raise BadArgumentError(
                f"first_window_layer must be at least 0; got {self.first_window_layer}."
            )

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each layer."""
        full = min(self.first_window_layer, self.num_layers)
        return (None,) * full + (self.window,) * (self.num_layers - full)


# Settings that Llama, Mistral and Qwen2 share.
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
}


def decoder_preset(name: str, vocab_size: int, **changes: Any) -> DecoderConfig:
    """The named preset with this vocabulary and any other changes.

    >>> config = decoder_preset("tiny", vocab_size=100)
    >>> config.num_layers, config.d_model
    (4, 128)
    """
    return from_preset(DecoderConfig, DECODER_PRESETS, name, vocab_size=vocab_size, **changes)


class Decoder(Model):
    """Token ids → the output of the config's head: see `models.heads.HEADS`.

    >>> model = Decoder(decoder_preset("tiny", vocab_size=100)).eval()
    >>> model(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 100])
    """

    writing = "generation"

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
        added to the residual stream, so that it does not grow (Radford et al. 2019, section 2.3).
        """
        if self.output_weight.is_meta:
            return  # the weights will be loaded
        for name, weight in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(weight)
            elif weight.ndim == 2:
                added = name.endswith(("self_attention.output.weight", "feed_forward.outer.weight"))
                sums = 2 * self.config.num_layers if added else 1
                nn.init.normal_(weight, std=0.02 * sums**-0.5)

    def forward(self, ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """The head's output. Of a language model, position t predicts token t + 1.

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
        """The last states before the projection, (batch, length, d_model).

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
        return nn.functional.linear(hidden, self.output_weight)

    def predicted(self, inputs: Mapping[str, Tensor], logits: Tensor) -> Tensor | None:
        if not self.writes:
            return None
        return torch.cat([inputs["ids"][:, 1:], logits[:, -1:].argmax(-1)], dim=1)

    def reading(
        self, ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> dict[str, Tensor]:
        return super().reading(ids, attention_mask)

    def start(self, attention_mask: Tensor | None = None) -> TextState:
        """The state from which generation reads a prompt and decodes step by step.

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
        scale=False,
        dropout=config.dropout,
    )
    rotary = None
    if not learned:
        head_dim = config.head_dim or config.d_model // config.num_heads
        rotary = Rotary(head_dim, theta=config.rotary_theta, scaling=config.rotary_scaling)
    layers = (config.layer(config.num_heads, rotary=rotary) for _ in range(config.num_layers))
    norm = config.norm_module()
    return Stack(layers, embed=embed, norm=norm, causal=True, windows=config.windows)


def _head(config: DecoderConfig) -> LinearHead | TokenHead | None:
    if config.head == "language_model":
        return None
    if config.head == "classification":
        return LinearHead(config.d_model, len(config.labels), bias=False)
    return TokenHead(config.d_model, config.labels, dropout=0.0)
