"""Settings of generation: transformers' names, checked once, read from generation_config.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from regard.errors import BadArgumentError, unknown
from regard.lazy import torch
from regard.options import OptionsT, check_options, option, panel_of, with_options

if TYPE_CHECKING:
    from torch import Tensor

    from regard.shapes import Int


T = TypeVar("T")
MOST_SEQUENCES = 1024  # of one text; each takes the memory of a text


def _decoding(default: T, help: str, **more: Any) -> T:
    return option(default, help, panel="Decoding", **more)


def _sampling(default: T, help: str, **more: Any) -> T:
    return option(default, help, panel="Sampling", **more)


@dataclass(frozen=True)
class GenerationConfig:
    """Settings of one call of `generate`; the defaults, but for max_new_tokens, of transformers.

    The names are those of transformers too, but for `alternatives`, num_return_sequences there.
    Exactly one strategy is on: sampling (`do_sample`), beam search (`num_beams` > 1) or greedy.

    >>> GenerationConfig(max_new_tokens=20, num_beams=5).updated(do_sample=True, top_k=10).num_beams
    1
    """

    max_new_tokens: int = _decoding(256, "Longest output, in tokens; its end counts.", min=1)
    min_new_tokens: int = _decoding(0, "Shortest output, in tokens.", min=0)
    num_beams: int = _decoding(
        1, "Hypotheses kept at each step; 1 is greedy.", min=1, max=MOST_SEQUENCES
    )
    alternatives: int = _decoding(
        1,
        "Outputs for each text, best first: of the beams, or drawn independently.",
        min=1,
        max=MOST_SEQUENCES,
    )
    # The exponent of the length that divides a log-probability.
    length_penalty: float = _decoding(1.0, "Above 0 favors longer text.", min=-100, max=100)
    early_stopping: bool | str = False  # True: once num_beams have ended; "never": only when proven
    do_sample: bool = _sampling(
        False,
        "Draw tokens at random; the other options of sampling imply it.",
        flag="--do-sample/--no-sample",
    )
    temperature: float = _sampling(1.0, "Values below 1 favor likelier tokens.", above=0)
    top_k: int = _sampling(50, "Number of likeliest tokens to draw from; 0: all.", min=0)
    top_p: float = _sampling(
        1.0, "Total probability of the likeliest tokens to draw from.", above=0, max=1
    )
    min_p: float | None = _sampling(
        None, "Draw only tokens at least this fraction as likely as the likeliest.", min=0, max=1
    )
    repetition_penalty: float = _decoding(
        1.0, "Values above 1 make tokens already seen less likely.", above=0
    )
    no_repeat_ngram_size: int = _decoding(
        0, "Never repeat a sequence of this many tokens; 0 allows any.", min=0
    )
    bad_words_ids: Sequence[Sequence[int]] | None = None  # token sequences never to produce
    renormalize_logits: bool = False  # log-softmax once more after the filters
    # Of each of these one variant is written before the end: ids of phrases with their variants.
    forced_phrases: tuple[tuple[tuple[int, ...], ...], ...] = ()
    cut_repetition: bool = False  # end a hypothesis that repeats itself, see `repetition`
    # Likeliest tokens that are kept at each step, with their log-probabilities; None: none are.
    top_logprobs: int | None = None
    forced_bos_token_id: int | None = None  # the first new token
    forced_beginning: Sequence[int] | None = None  # the first new tokens, at the model's own cost
    forced_eos_token_id: int | None = None  # the last token when max_new_tokens is reached
    suppress_tokens: Sequence[int] | None = None  # never to be produced
    begin_suppress_tokens: Sequence[int] | None = None  # nor as the first new token
    # Whisper's: the id of 0.00 s, from which on ids are times, that are written in pairs and rise;
    # and of how many of them the first may be.
    timestamps_from: int | None = None
    max_initial_timestamp_index: int | None = None
    eos_token_id: int | Sequence[int] | None = None  # any of these ends a hypothesis
    pad_token_id: int | None = None
    decoder_start_token_id: int | None = None  # what an encoder–decoder reads first
    # Without a seed, the global generator of torch, or of numpy.
    seed: int | None = _sampling(None, "The same seed draws the same text.", min=0)

    def __post_init__(self) -> None:
        if isinstance(self.eos_token_id, list):
            object.__setattr__(self, "eos_token_id", tuple(self.eos_token_id))
        for name in _LISTS:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(getattr(self, name)))
        phrases = tuple(tuple(map(tuple, variants)) for variants in self.forced_phrases)
        object.__setattr__(self, "forced_phrases", phrases)
        if self.bad_words_ids is not None:
            words = tuple(tuple(word) for word in self.bad_words_ids)
            object.__setattr__(self, "bad_words_ids", words)
        self._check_ranges()
        self._check_strategy()

    @property
    def width(self) -> int:
        """Rows of one search, which are the hypotheses kept at each step; 1 for a sample."""
        return self.num_beams

    @property
    def rows(self) -> int:
        """Rows that one text takes while it is decoded: hypotheses, or samples."""
        return max(self.num_beams, self.alternatives)

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """Every token that ends a hypothesis."""
        if self.eos_token_id is None:
            return ()
        return (
            (self.eos_token_id,) if isinstance(self.eos_token_id, int) else tuple(self.eos_token_id)
        )

    def start(self, batch: int, device: torch.device | str = "cpu") -> Int[Tensor, "batch 1"]:
        """Return the prompt of an encoder–decoder: decoder_start_token_id for each sentence."""
        if self.decoder_start_token_id is None:
            raise BadArgumentError(
                "decoder_start_token_id must be set to start an encoder–decoder; got None."
            )
        return torch.full((batch, 1), self.decoder_start_token_id, device=device)

    def with_all_found(self) -> GenerationConfig:
        """Return a copy that gives every hypothesis of a search; of sampling, one sample."""
        return replace(self, alternatives=self.num_beams)

    def with_alternatives(self, count: int) -> dict[str, int]:
        """Return the changes for this many outputs of a search."""
        return {"num_beams": max(count, self.num_beams), "alternatives": count}

    def check_streams(self, sentences: int) -> None:
        """Compare the settings with a stream's, of which each token is certain.

        Raises:
            BadArgumentError: several sentences or outputs, or a beam search.
        """
        if sentences != 1 or self.alternatives > 1:
            raise BadArgumentError(
                f"a stream generates one sentence; got {sentences} with alternatives ="
                f" {self.alternatives}. Generate several without a stream."
            )
        if self.num_beams > 1:
            raise BadArgumentError(
                "a beam search cannot stream, since its best beam may change until the end; got"
                f" num_beams={self.num_beams}. Set num_beams=1, or generate without a stream."
            )

    def updated(self, **changes: object) -> GenerationConfig:
        """Return a copy with some settings changed, as a caller of a task names them.

        Asking for one strategy leaves the other: `do_sample=True` sets num_beams to 1, and
        `do_sample=False` or `num_beams=4` puts the sampling settings back, unless also named. A
        limit goes before a minimum that was there already.
        """
        try:
            return _updated(self, **changes)
        except TypeError:  # a list cannot be looked up
            return _updated.__wrapped__(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of generation_config.json: what differs from the defaults, and the
        length."""
        values = {name: getattr(self, name) for name in _NAMES}
        return {
            FILE_NAMES.get(name, name): _as_json(value)
            for name, value in values.items()
            if name in ("max_new_tokens", "num_beams") or value != _DEFAULTS[name]
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> tuple[GenerationConfig, list[str]]:
        """Read generation_config.json; also names each setting in it that is not followed here.

        A setting that leaves the tokens as they are (caches, outputs, versions, a filter that is
        off) is passed over in silence. `max_length` counts the one token a decoder starts from.
        """
        names = {name: FILE_NAMES.get(name, name) for name in _NAMES}
        known = {name: values[file] for name, file in names.items() if values.get(file) is not None}
        known = new_tokens(values.get("max_length"), values.get("min_length"), prompt=1) | known
        not_followed = []
        for name, value in values.items():
            if name in names.values() or name in NEW_TOKENS or name in NO_EFFECT or name[:1] == "_":
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
        check_options(self)
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
        if self.top_logprobs is not None and self.top_logprobs < 0:
            raise BadArgumentError(
                f"top_logprobs must be None or at least 0; got {self.top_logprobs}."
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
        if self.forced_phrases and (self.do_sample or self.rows == 1):
            raise BadArgumentError(
                "forced_phrases, which a glossary asks for, are shared out among the beams of a"
                f" search: num_beams must be at least 2 and do_sample False; got num_beams ="
                f" {self.num_beams} and do_sample = {self.do_sample}."
            )
        if not self.do_sample and self.alternatives > self.num_beams:
            raise BadArgumentError(
                f"alternatives must be at most num_beams = {self.num_beams} without"
                f" sampling; got {self.alternatives}."
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
    """Return transformers' limits, which count the prompt too, as limits of the tokens to write.

    Args:
        prompt: its number of tokens; of an encoder–decoder, 1: what it starts from.
    """
    limits = {} if max_length is None else {"max_new_tokens": max(1, max_length - prompt)}
    return limits | ({"min_new_tokens": max(0, min_length - prompt)} if min_length else {})


GREEDY: dict[str, Any] = {"num_beams": 1}
ROWS = ("num_beams", "alternatives")  # what a text's rows depend on
DECODING = tuple(panel_of(GenerationConfig, "Decoding"))
SAMPLING = tuple(panel_of(GenerationConfig, "Sampling"))
_NAMES = tuple(field.name for field in fields(GenerationConfig))
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(GenerationConfig)}
FILE_NAMES = {"alternatives": "num_return_sequences"}  # of transformers and its files
_SAMPLING_OFF: dict[str, Any] = {name: _DEFAULTS[name] for name in SAMPLING}
_LISTS = ("forced_beginning", "suppress_tokens", "begin_suppress_tokens")
_TOKEN_IDS = (
    "forced_bos_token_id",
    "forced_beginning",
    "forced_eos_token_id",
    "suppress_tokens",
    "begin_suppress_tokens",
    "timestamps_from",
    "max_initial_timestamp_index",
    "eos_token_id",
    "pad_token_id",
    "decoder_start_token_id",
)

# Keys of generation_config.json that leave the tokens as they are.
# transformers' limits, which count the prompt, and those that count only what is written.
NEW_TOKENS = {"max_length": "max_new_tokens", "min_length": "min_new_tokens"}
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
}
# Every setting of decoding that a checkpoint may have, followed here or not.
SETTINGS = (*(FILE_NAMES.get(name, name) for name in _NAMES), *NEW_TOKENS, *OFF)


def _as_json(value: object) -> object:
    return [_as_json(item) for item in value] if isinstance(value, tuple) else value


@lru_cache(maxsize=256, typed=True)  # a caller asks for the same each time; checking is slow
def _updated(config: GenerationConfig, **changes: Any) -> GenerationConfig:
    for name in changes:
        if name not in _NAMES:
            raise unknown("a generation setting", name, _NAMES)
    if changes.get("do_sample"):
        changes = {"num_beams": 1} | changes
    elif changes.get("do_sample") is False or changes.get("num_beams", 1) != 1:
        changes = _SAMPLING_OFF | changes
    longest = changes.get("max_new_tokens")
    if isinstance(longest, int) and longest < config.min_new_tokens:
        changes = {"min_new_tokens": max(longest, 0)} | changes
    return replace(config, **changes)


def with_decoding(
    panels: tuple[str, ...], *, but: tuple[str, ...] = (), members: Mapping[str, Any] | None = None
) -> Callable[[type[OptionsT]], type[OptionsT]]:
    """Return a decorator: a class of options gets those of decoding; None is the model's own value.

    Args:
        panels: of GenerationConfig, whose options it gets.
        but: options that it does not get.
        members: others of the class.
    """
    hints = get_type_hints(GenerationConfig)
    settings = [
        (setting.name, hints[setting.name] | None, _optional(setting))
        for setting in fields(GenerationConfig)
        if setting.metadata.get("panel") in panels and setting.name not in but
    ]
    return lambda kind: with_options(kind, settings, **(members or {}))


def decoding_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are of decoding."""
    return {name: value for name, value in options.items() if name in _NAMES}


def _optional(setting: Field[Any]) -> object:
    """Return an option of decoding, whose default is the model's."""
    return field(default=None, metadata={**setting.metadata, "shown": "model's"})
