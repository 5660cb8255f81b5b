"""Checks that config.json, the tokenizer and generation_config.json agree."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from regard.errors import RegardError
from regard.generation import GenerationConfig
from regard.text import Tokenizer, TokenizerPair

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """Finding of one check."""

    level: str  # "ok"; "note": worth knowing; "wrong": results will be wrong or missing
    check: str
    message: str


class Note(str):
    """Message that is worth knowing; any other says what is wrong."""


def named(check: str, messages: Iterable[str], good: str) -> Iterator[Finding]:
    """Return the findings of a check: a line for each message, or `good` for a check without
    messages."""
    message = None
    for message in messages:
        yield Finding("note" if isinstance(message, Note) else "wrong", check, message)
    if message is None:
        yield Finding("ok", check, good)


_POSITIONS = ("max_position_embeddings", "n_positions")
_NO_POSITIONS = ("t5", "mt5")  # any length: its n_positions is a note about its training
_FROM_PAD = ("roberta", "xlm-roberta")  # position numbers start behind pad_token_id
_UNLIMITED = 10**9  # transformers writes 1e30 where the tokenizer sets no limit
_IDS = (
    "pad_token_id", "eos_token_id", "bos_token_id", "decoder_start_token_id",
    "forced_bos_token_id", "forced_eos_token_id",
)  # fmt: skip


def check_settings(
    settings: Settings,
    tokenizers: TokenizerPair,
    generation: Settings,
    *,
    reads_sounds: bool = False,
) -> Iterator[Finding]:
    """Every finding; a check that has found nothing wrong says so in one.

    Args:
        reads_sounds: its texts are written only, so that nothing is put around one that is read.
    """
    checks = (
        ("vocabulary", _vocabulary(settings, tokenizers)),
        ("padding", _padding(settings, tokenizers.source)),
        ("special tokens", _special(settings, tokenizers)),
        ("decoder start", _decoder_start(settings, generation)),
        ("positions", _positions(settings, tokenizers.source)),
        ("generation", _generation(settings, generation)),
    )
    for check, messages in checks:
        if not (reads_sounds and check in _OF_SOURCES):
            yield from named(check, messages, _GOOD[check])


_OF_SOURCES = ("padding", "special tokens", "generation")
_GOOD = {
    "vocabulary": "every id of the tokenizer has a row in the model's table",
    "padding": "the model and the tokenizer pad with the same token",
    "special tokens": "the model and the tokenizer agree on the special tokens",
    "decoder start": "as the model's kind needs it",
    "positions": "the tokenizer's limit is within the model's",
    "generation": "generation_config.json agrees with config.json",
}


def _vocabulary(settings: Settings, tokenizers: TokenizerPair) -> Iterator[str]:
    source_size = settings.get("vocab_size")
    target_size = settings.get("decoder_vocab_size") or source_size
    for side, tokenizer, size in (
        ("source", tokenizers.source, source_size),
        ("target", tokenizers.target, target_size),
    ):
        if side == "target" and tokenizers.joint and target_size == source_size:
            continue
        name = "the tokenizer" if tokenizers.joint else f"the {side} tokenizer"
        highest = max(tokenizer.backend.get_vocab(with_added_tokens=True).values())
        if isinstance(size, int) and highest >= size:
            yield (
                f"{name} has ids up to {highest}, but the model has {size} rows: use the tokenizer"
                " that the model was trained with"
            )
    for key in _IDS:
        for id_ in _ids(settings.get(key)):
            if isinstance(target_size, int) and not 0 <= id_ < target_size:
                yield f"{key} is {id_}, but the vocabulary is {target_size}: correct it"


def _padding(settings: Settings, tokenizer: Tokenizer) -> Iterator[str]:
    pad, eos = settings.get("pad_token_id"), _ids(settings.get("eos_token_id"))
    if pad is None and "text_config" in settings:
        return  # a mask alone says what is padding
    if pad is None:
        if "pad" in tokenizer.special:
            yield (Note if _is_decoder_only(settings) else str)(
                f"config.json has no pad_token_id, but the tokenizer pads with {tokenizer.pad_id}:"
                f" set pad_token_id to {tokenizer.pad_id}"
            )
        elif _is_decoder_only(settings):
            yield Note("there is no padding token: give texts one by one, or set pad_token_id")
        return
    if pad in eos:
        both = settings.get("is_encoder_decoder")
        yield (str if both else Note)(
            f"padding and the end of a text are one token ({pad}): a mask made from ids hides the"
            " end, and training on it never learns to stop; use another pad_token_id"
        )
    if "pad" in tokenizer.special and tokenizer.pad_id != pad:
        yield (
            f"pad_token_id is {pad}, but the tokenizer pads with {tokenizer.pad_id}"
            f" ({tokenizer.special['pad']}): set both to the one the model was trained with"
        )
    if _is_decoder_only(settings) and tokenizer.settings.get("padding_side", "right") == "right":
        yield Note(
            "the tokenizer pads on the right, but a text is continued at its right end: set"
            ' "padding_side": "left" in tokenizer_config.json for programs that follow it'
        )


def _special(settings: Settings, tokenizers: TokenizerPair) -> Iterator[str]:
    target = tokenizers.target
    eos = _ids(settings.get("eos_token_id"))
    generates = settings.get("is_encoder_decoder") or _is_decoder_only(settings)
    if generates and eos and "eos" in target.special and target.eos_id not in eos:
        yield (
            f"eos_token_id is {_list(eos)}, but the tokenizer ends texts with {target.eos_id}"
            f" ({target.special['eos']}): the model would not stop; make them equal"
        )
    if generates and not eos:
        yield "there is no eos_token_id: the model would not stop; set it"
    if _is_decoder_only(settings) and "bos" in target.special and settings.get("bos_token_id"):
        bos = target.special_id("bos")
        if bos not in _ids(settings["bos_token_id"]):
            yield (
                f"bos_token_id is {settings['bos_token_id']}, but the tokenizer begins texts with"
                f" {bos} ({target.special['bos']}): make them equal"
            )
    source = tokenizers.source
    around = source.inputs("").ids
    both = bool(settings.get("is_encoder_decoder"))
    if both and eos and "eos" in source.special and source.eos_id not in around:
        yield (
            "the tokenizer does not add the end of sentence that the encoder was trained with:"
            " add a template to tokenizer.json (post_processor)"
        )
    if "cls" in source.special and not generates and len(around) < 2:
        cls, sep = source.special["cls"], source.special.get("sep", "")
        yield (
            f"the tokenizer does not put {cls} and {sep} around a text, but the model was trained"
            " with them: add a template to tokenizer.json (post_processor)"
        )
    masked = any("MaskedLM" in name for name in settings.get("architectures") or ())
    if masked and "mask" not in source.special:
        yield "there is no mask token to fill: name mask_token in tokenizer_config.json"


def _decoder_start(settings: Settings, generation: Settings) -> Iterator[str]:
    if not settings.get("is_encoder_decoder"):
        return
    start = settings.get("decoder_start_token_id")
    decoding = generation.get("decoder_start_token_id")
    if start is None and decoding is None:
        yield (Note if settings.get("model_type") == "mbart" else str)(  # starts with a language
            "there is no decoder_start_token_id: the decoder cannot start; set it (for most models"
            f" to pad_token_id, here {settings.get('pad_token_id')})"
        )
    elif None not in (start, decoding) and start != decoding:
        yield (
            f"decoder_start_token_id is {start} in config.json and {decoding} in"
            " generation_config.json: set both to the one the model was trained with"
        )


def _positions(settings: Settings, tokenizer: Tokenizer) -> Iterator[str]:
    positions = next((settings[name] for name in _POSITIONS if settings.get(name)), None)
    longest = tokenizer.settings.get("model_max_length")
    if not isinstance(positions, int) or not isinstance(longest, int | float):
        return
    if settings.get("model_type") in _NO_POSITIONS:
        return
    if settings.get("model_type") in _FROM_PAD:
        positions -= (settings.get("pad_token_id") or 0) + 1
    if positions < longest < _UNLIMITED:
        yield (
            f"model_max_length is {longest:.0f} in tokenizer_config.json, but the model has"
            f" {positions} positions: set it to {positions}"
        )


def _generation(settings: Settings, generation: Settings) -> Iterator[str]:
    if not generation:
        return
    try:
        _, not_followed = GenerationConfig.from_dict(generation)
    except (RegardError, TypeError) as error:
        yield f"generation_config.json: {error}"
        return
    if not_followed:
        yield Note(f"generation_config.json sets {', '.join(not_followed)}, not followed here")
    pad, decoding = settings.get("pad_token_id"), generation.get("pad_token_id")
    if None not in (pad, decoding) and pad != decoding:
        yield (
            f"pad_token_id is {pad} in config.json and {decoding} in generation_config.json:"
            " set both to the tokenizer's"
        )
    eos, ends = _ids(settings.get("eos_token_id")), _ids(generation.get("eos_token_id"))
    if eos and ends and not set(eos) & set(ends):
        yield (
            f"eos_token_id is {_list(eos)} in config.json and {_list(ends)} in"
            " generation_config.json: the model would not stop; set both to the tokenizer's"
        )


def _is_decoder_only(settings: Settings) -> bool:
    names = settings.get("architectures") or ()
    return any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in names)


def _ids(value: object) -> list[int]:
    """Return a setting that is one id, several, or none."""
    return [id_ for id_ in (value if isinstance(value, list) else [value]) if isinstance(id_, int)]


def _list(ids: list[int]) -> str:
    return " or ".join(map(str, ids))
