"""What to generate and how: transformers' names, checked once, read from generation_config.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError, unknown

if TYPE_CHECKING:
    import torch
    from jaxtyping import Int
    from torch import Tensor


@dataclass(frozen=True)
class GenerationConfig:
    """Settings of one call of `generate`; the defaults, but for max_new_tokens, of transformers.

    Exactly one strategy is on: sampling (`do_sample`), beam search (`num_beams` > 1) or greedy.

    >>> GenerationConfig(max_new_tokens=20, num_beams=5).updated(do_sample=True, top_k=10).num_beams
    1
    """

    max_new_tokens: int = 256  # the end-of-sentence token counts
    min_new_tokens: int = 0  # no end of sentence before this many other tokens
    num_beams: int = 1
    num_return_sequences: int = 1  # n best of a beam search, or independent samples
    length_penalty: float = (
        1.0  # exponent of the length that divides a log-probability; > 0: longer
    )
    early_stopping: bool | str = False  # True: once num_beams have ended; "never": only when proven
    do_sample: bool = False
    temperature: float = 1.0  # divides the logits before sampling
    top_k: int = 50  # sample among this many likeliest tokens; 0: all
    top_p: float = 1.0  # sample among the likeliest tokens that hold this much probability
    min_p: float | None = (
        None  # sample among tokens at least this fraction as likely as the likeliest
    )
    repetition_penalty: float = 1.0  # > 1 makes tokens already seen less likely
    no_repeat_ngram_size: int = 0  # no n-gram of this size twice; 0: off
    bad_words_ids: Sequence[Sequence[int]] | None = None  # token sequences never to produce
    renormalize_logits: bool = False  # log-softmax once more after the filters
    forced_bos_token_id: int | None = None  # the first new token
    forced_beginning: Sequence[int] | None = None  # the first new tokens, at the model's own cost
    forced_eos_token_id: int | None = None  # the last token when max_new_tokens is reached
    eos_token_id: int | Sequence[int] | None = None  # any of these ends a hypothesis
    pad_token_id: int | None = None
    decoder_start_token_id: int | None = None  # what an encoder–decoder reads first
    seed: int | None = None  # of sampling; None: from the global generator of torch, or numpy

    def __post_init__(self) -> None:
        if isinstance(self.eos_token_id, list):
            object.__setattr__(self, "eos_token_id", tuple(self.eos_token_id))
        if self.forced_beginning is not None:
            object.__setattr__(self, "forced_beginning", tuple(self.forced_beginning))
        if self.bad_words_ids is not None:
            words = tuple(tuple(word) for word in self.bad_words_ids)
            object.__setattr__(self, "bad_words_ids", words)
        self._check_ranges()
        self._check_strategy()

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """Every token that ends a hypothesis."""
        if self.eos_token_id is None:
            return ()
        return (
            (self.eos_token_id,) if isinstance(self.eos_token_id, int) else tuple(self.eos_token_id)
        )

    def start(self, batch: int, device: torch.device | str = "cpu") -> Int[Tensor, "batch 1"]:
        """The prompt of an encoder–decoder: decoder_start_token_id for each sentence."""
        if self.decoder_start_token_id is None:
            raise BadArgumentError(
                "decoder_start_token_id must be set to start an encoder–decoder; got None."
            )
        import torch

        return torch.full((batch, 1), self.decoder_start_token_id, device=device)

    def updated(self, **changes: Any) -> GenerationConfig:
        """A copy with some settings changed, as a caller of a task names them.

        Asking for one strategy leaves the other: `do_sample=True` sets num_beams to 1, and
        `do_sample=False` or `num_beams=4` puts the sampling settings back, unless also named. A
        limit goes before a minimum that was there already.
        """
        for name in changes:
            if name not in _NAMES:
                raise unknown("a generation setting", name, _NAMES)
        if changes.get("do_sample"):
            changes = {"num_beams": 1} | changes
        elif changes.get("do_sample") is False or changes.get("num_beams", 1) != 1:
            changes = _SAMPLING_OFF | changes
        longest = changes.get("max_new_tokens")
        if isinstance(longest, int) and longest < self.min_new_tokens:
            changes = {"min_new_tokens": max(longest, 0)} | changes
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """The content of generation_config.json: what differs from the defaults, and the length."""
        values = {name: getattr(self, name) for name in _NAMES}
        return {
            name: _as_json(value)
            for name, value in values.items()
            if name in ("max_new_tokens", "num_beams") or value != _DEFAULTS[name]
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> tuple[GenerationConfig, list[str]]:
        """Reads generation_config.json; also names each setting in it that is not followed here.

        A setting that leaves the tokens as they are (caches, outputs, versions, a filter that is
        off) is passed over in silence. `max_length` counts the one token a decoder starts from.
        """
        known = {name: values[name] for name in _NAMES if values.get(name) is not None}
        known = new_tokens(values.get("max_length"), values.get("min_length"), prompt=1) | known
        not_followed = []
        for name, value in values.items():
            if name in _NAMES or name in _LENGTHS or name in NO_EFFECT or name[:1] == "_":
                continue
            if value is not None and value != OFF.get(name):
                not_followed.append(name)
        if not known.get("do_sample"):
            # transformers warns and goes on when a file tunes a sampling that it does not do.
            idle = {
                name
                for name in _SAMPLING_OFF
                if known.get(name, _DEFAULTS[name]) != _DEFAULTS[name]
            }
            not_followed += sorted(idle)
            known = {name: value for name, value in known.items() if name not in _SAMPLING_OFF}
        elif known.get("num_beams", 1) > 1:
            not_followed.append("num_beams")
            known["num_beams"] = 1
        return cls(**known), not_followed

    def _check_ranges(self) -> None:
        for name, (allowed, low, high, low_too) in _RANGES.items():
            value = getattr(self, name)
            if value is None and _DEFAULTS[name] is None:
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool)
            whole = isinstance(_DEFAULTS[name], int)
            fits = number and (low < value <= high or (low_too and value == low))
            if not fits or (whole and not isinstance(value, int)):
                raise BadArgumentError(f"{name} must be {allowed}; got {value!r}.")
        for name in _TOKEN_IDS:
            value = getattr(self, name)
            several = isinstance(value, tuple)
            for token in value if several else (value,):
                if token is None and not several:
                    continue
                if not isinstance(token, int) or not 0 <= token < 2**31:
                    raise BadArgumentError(
                        f"{name} must be a token id of at least 0; got {token!r}."
                    )
        for word in self.bad_words_ids or ():
            if not word or any(not isinstance(token, int) or token < 0 for token in word):
                raise BadArgumentError(
                    "bad_words_ids must be non-empty lists of token ids of at least 0;"
                    f" got {list(word)!r}."
                )
        if self.early_stopping not in (True, False, "never"):
            raise BadArgumentError(
                f"early_stopping must be True, False or 'never'; got {self.early_stopping!r}."
            )

    def _check_strategy(self) -> None:
        if self.min_new_tokens > self.max_new_tokens:
            raise BadArgumentError(
                f"min_new_tokens must be at most max_new_tokens = {self.max_new_tokens};"
                f" got {self.min_new_tokens}."
            )
        if len(self.forced_beginning or ()) > self.max_new_tokens:
            raise BadArgumentError(
                f"forced_beginning may have max_new_tokens = {self.max_new_tokens} tokens; got"
                f" {len(self.forced_beginning or ())}."
            )
        if self.do_sample and self.num_beams > 1:
            raise BadArgumentError(
                f"do_sample=True needs num_beams=1; got num_beams={self.num_beams}."
                " Sample or search, not both."
            )
        if not self.do_sample and self.num_return_sequences > self.num_beams:
            raise BadArgumentError(
                f"num_return_sequences must be at most num_beams = {self.num_beams} unless"
                f" do_sample=True; got {self.num_return_sequences}."
            )
        if not self.do_sample:
            for name, off in _SAMPLING_OFF.items():
                if getattr(self, name) != off:
                    raise BadArgumentError(
                        f"{name} affects only sampling; got {name}={getattr(self, name)!r} with"
                        " do_sample=False. Add do_sample=True."
                    )


def new_tokens(
    max_length: int | None, min_length: int | None = None, *, prompt: int
) -> dict[str, int]:
    """transformers' limits, which count the prompt too, as limits of the tokens to write.

    Args:
        prompt: its number of tokens; of an encoder–decoder, 1: what it starts from.
    """
    limits = {} if max_length is None else {"max_new_tokens": max(1, max_length - prompt)}
    return limits | ({"min_new_tokens": max(0, min_length - prompt)} if min_length else {})


_NAMES = tuple(field.name for field in fields(GenerationConfig))
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(GenerationConfig)}
_SAMPLING_OFF: dict[str, Any] = {"do_sample": False} | {
    name: _DEFAULTS[name] for name in ("temperature", "top_k", "top_p", "min_p", "seed")
}
_TOKEN_IDS = (
    "forced_bos_token_id",
    "forced_beginning",
    "forced_eos_token_id",
    "eos_token_id",
    "pad_token_id",
    "decoder_start_token_id",
)

MOST_SEQUENCES = 1024  # of one text; each takes the memory of a text
_INFINITY = float("inf")
# name: what the message says, lower bound, upper bound, whether the lower bound itself is allowed
_RANGES: dict[str, tuple[str, float, float, bool]] = {
    "max_new_tokens": ("a whole number of at least 1", 1, _INFINITY, True),
    "min_new_tokens": ("a whole number of at least 0", 0, _INFINITY, True),
    "num_beams": (f"a whole number from 1 to {MOST_SEQUENCES}", 1, MOST_SEQUENCES, True),
    "num_return_sequences": (f"a whole number from 1 to {MOST_SEQUENCES}", 1, MOST_SEQUENCES, True),
    "length_penalty": ("a number from -100 to 100", -100, 100, True),
    "temperature": ("a number above 0", 0, 1e9, False),
    "top_k": ("a whole number of at least 0 (0: every token)", 0, _INFINITY, True),
    "top_p": ("above 0 and at most 1", 0, 1, False),
    "min_p": ("from 0 to 1", 0, 1, True),
    "repetition_penalty": ("a number above 0", 0, 1e9, False),
    "no_repeat_ngram_size": ("a whole number of at least 0 (0: off)", 0, _INFINITY, True),
    "seed": ("a whole number of at least 0", 0, _INFINITY, True),
}

# Keys of generation_config.json that leave the tokens as they are.
_LENGTHS = ("max_length", "min_length")
NO_EFFECT = (
    "transformers_version",
    "bos_token_id",
    "use_cache",
    "cache_implementation",
    "cache_config",
    "max_cache_len",
    "output_attentions",
    "output_hidden_states",
    "output_scores",
    "output_logits",
    "return_dict_in_generate",
    "compile_config",
    "disable_compile",
    "remove_invalid_values",
)
# The value at which a setting that is not followed here would do nothing.
OFF: dict[str, Any] = {
    "num_beam_groups": 1,
    "diversity_penalty": 0.0,
    "typical_p": 1.0,
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
    "encoder_repetition_penalty": 1.0,
    "encoder_no_repeat_ngram_size": 0,
    "guidance_scale": 1.0,
    "token_healing": False,
    "is_assistant": False,
    "low_memory": False,
    "use_mtp": False,
    "exponential_decay_length_penalty": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
}
# Every setting of decoding that a checkpoint may have, followed here or not.
SETTINGS = (*_NAMES, *_LENGTHS, *OFF)


def _as_json(value: Any) -> Any:
    return [_as_json(item) for item in value] if isinstance(value, tuple) else value
