"""A translator as one HTML file: the page, its weights and its tokenizer, which need no server.

The page runs the native engine, in WebAssembly (web/src/local), from int8 weights with a scale for
each row; it computes in float32.
"""

import base64
import json
import math
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from regard.api.looking import describe
from regard.attention.scores import find_score
from regard.catalog import wrong_kind
from regard.checkpoints import open_checkpoint
from regard.checkpoints.fit import read_state
from regard.checkpoints.weights import as_array
from regard.configs.encoder_decoder import EncoderDecoderConfig
from regard.errors import UnsupportedError
from regard.explanation.sentence import WORDS
from regard.files import whole_file
from regard.generation import GenerationConfig
from regard.inspection.views.formula import scale
from regard.runtime.native.library import PRECISIONS
from regard.runtime.native.loading import settings_of
from regard.studio.packing import packed
from regard.studio.page import of_bytes, of_json, one_file
from regard.tasks.kinds import describe as kind_words
from regard.tasks.kinds import kind_of
from regard.text import Tokenizer
from regard.translation.translator import Translator
from regard.words import load_vectors

NEEDED = "for a page that translates, give en-de, en-hi or a translator of your own"
POSITIONS = frozenset({"encoder.embed.positions.weight", "decoder.embed.positions.weight"})
# Settings of decoding that the page follows; of the others only what changes nothing is taken.
FOLLOWED = {
    *("max_new_tokens", "min_new_tokens", "num_beams", "num_return_sequences", "length_penalty"),
    *("early_stopping", "bad_words_ids", "renormalize_logits", "decoder_start_token_id"),
    *("forced_bos_token_id", "forced_eos_token_id", "eos_token_id", "pad_token_id"),
}


@dataclass(frozen=True)
class PageScales:
    """Factors of q·k in the two stacks."""

    encoder: float
    decoder: float


@dataclass(frozen=True)
class PageConfig:
    """Model that the page runs."""

    engine: str  # regard_config of engine/interface.h, in base64
    d_model: int
    encoder_layers: int
    decoder_layers: int
    encoder_heads: int
    decoder_heads: int
    encoder_head_dim: int
    decoder_head_dim: int
    score_scale: PageScales
    norm: Literal["pre", "post"]
    norm_kind: Literal["layer", "rms"]
    norm_eps: float
    positions: Literal["sinusoidal", "learned"]
    position_offset: int
    max_positions: int
    output_scale: float  # of the last hidden states


@dataclass(frozen=True)
class PageDecoding:
    """Settings of decoding that the page follows."""

    max_new_tokens: int
    min_new_tokens: int
    num_beams: int
    length_penalty: float
    early_stopping: bool | Literal["never"]
    eos_ids: list[int]
    start_id: int
    forbidden_ids: list[int]  # tokens that are never written
    renormalized: bool  # what the settings leave sums to 1 again
    forced_bos_id: int | None  # the first new token
    forced_eos_id: int | None  # the last one where max_new_tokens is reached
    unsure_below: float  # probability of a word


@dataclass(frozen=True)
class PageFile:
    """File that was written."""

    path: Path
    megabytes: float
    model: str
    parameters: int


def translator_page(model: str, path: str | os.PathLike[str]) -> PageFile:
    """Writes the page with a translator inside."""
    checkpoint = open_checkpoint(model)
    info = describe(model, _refuse)
    kind = kind_of(checkpoint)
    if info.task != "translation":
        raise UnsupportedError(wrong_kind(model, kind_words(checkpoint), kind, NEEDED))
    name = Path(model).name if Path(model).is_dir() else model
    translator = Translator.load(checkpoint, name=name, lazily=True)
    description, weights = content(translator)
    facts = asdict(replace(info, name=name))
    html = one_file(
        f"{name} · regard",
        {
            "regard-info": of_json(facts),
            "regard-model": packed_json({"info": facts, **description}),
            "regard-words": of_json(_words()),
        },
        after=of_bytes(weights),
        computes=True,
    )
    with whole_file(path) as file:
        file.write_text(html, encoding="utf-8")
    size = len(html.encode()) / 1e6
    shapes, computed = checkpoint.config.shapes(), without_of(checkpoint.config)
    places = {place["at"]: name for name, place in description["tensors"].items()}
    parameters = sum(math.prod(shapes[name]) for name in (*places.values(), *computed))
    return PageFile(Path(path), round(size, 2), name, parameters)


def packed_json(content: dict[str, Any]) -> str:
    """A script element with JSON, packed as the weights are."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    [element] = of_bytes(text.encode(), kind="gzip", size=None)
    return element


def _words() -> dict[str, Any]:
    """The lessons' word vectors, with their numbers as float16 in base64."""
    words = load_vectors(WORDS)
    numbers = base64.b64encode(words.vectors.astype("<f2").tobytes()).decode()
    return {"name": WORDS, "words": words.words, "dim": words.dim, "vectors": numbers}


def content(translator: Translator) -> tuple[dict[str, Any], bytes]:
    """Description of a translator, as web/src/local/config.ts has it, and its weights."""
    handle, tokenizers = translator.handle, translator.tokenizers
    source = handle.source if handle.state is None else None
    config = translator.model.config if source is None else source.config
    if handle.architecture != "EncoderDecoder" or config.positions not in (
        "sinusoidal",
        "learned",
    ):
        raise _unsupported(translator.name, "is recurrent or has positions of another kind")
    if translator.has_languages and translator.prefix is None:
        raise _unsupported(translator.name, "translates between several languages")
    if source is not None:
        state = read_state(source, config.shapes(), np)
    else:
        tensors = translator.model.state_dict().items()
        state = {name: as_array(tensor) for name, tensor in tensors}
    weights = packed(state, without_of(config))
    target = None if tokenizers.joint else _tokenizer(translator.name, tokenizers.target)
    calibration = translator.calibration
    special = {*tokenizers.target.special_names(), *tokenizers.source.special_names()}
    description = {
        "config": _config(config),
        "tensors": weights.tensors,
        "bytes": len(weights.content),
        "tokenizers": {"source": _tokenizer(translator.name, tokenizers.source), "target": target},
        "before": list(translator.before),
        "after": list(translator.after),
        "prefix": translator.prefix or "",
        "special": sorted(special),
        "reads": {"rarest": calibration.rarest, "words": calibration.words},
        "decoding": _decoding(translator.name, translator.generation, calibration.unsure_below),
    }
    return description, weights.content


def without_of(config: EncoderDecoderConfig) -> frozenset[str]:
    """Tables that the page computes: sinusoids."""
    return POSITIONS if config.positions == "sinusoidal" else frozenset()


def _config(config: EncoderDecoderConfig) -> dict[str, Any]:
    fields: dict[str, Any] = asdict(config)
    for side in ("encoder", "decoder"):
        head_dim = config.head_dim or config.d_model // fields[f"{side}_heads"]
        fields[f"{side}_head_dim"] = head_dim
        fields.setdefault("score_scale", {})[side] = scale(find_score(config.score), head_dim)
    settings = settings_of(config, {}, PRECISIONS.index("fp32"), kernels=0)
    fields["engine"] = base64.b64encode(bytes(settings)).decode("ascii")
    fields["output_scale"] = config.d_model**-0.5 if config.scale_output else 1.0
    return {name: fields[name] for name in PageConfig.__dataclass_fields__}


def _decoding(name: str, generation: GenerationConfig, unsure_below: float) -> dict[str, Any]:
    changed = set(generation.to_dict()) - FOLLOWED
    forbidden = generation.bad_words_ids or ()
    if changed or any(len(word) > 1 for word in forbidden):
        what = ", ".join(sorted(changed)) or "bad_words_ids of several tokens"
        raise _unsupported(name, f"is decoded with {what}")
    fields = vars(generation) | {
        "eos_ids": list(generation.eos_ids),
        "start_id": generation.decoder_start_token_id,
        "forbidden_ids": [word[0] for word in forbidden if word[0] not in generation.eos_ids],
        "renormalized": generation.renormalize_logits,
        "forced_bos_id": generation.forced_bos_token_id,
        "forced_eos_id": generation.forced_eos_token_id,
        "unsure_below": unsure_below,
    }
    return {name: fields[name] for name in PageDecoding.__dataclass_fields__}


def _tokenizer(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """The parts of tokenizer.json that the page reads. What it cannot read is refused here, before
    a file of megabytes is written."""
    contents: dict[str, Any] = json.loads(tokenizer.backend.to_str())
    model, decoder = contents["model"], contents["decoder"] or {}
    normalizer = contents["normalizer"] or {"type": "NFC"}
    steps = {step["type"] for step in normalizer.get("normalizers", [normalizer])}
    kinds = {
        "model": (model["type"], "BPE"),
        "normalizer": (", ".join(sorted(steps - {"Replace"})), "NFC"),
        "decoder": (
            ", ".join(step["type"] for step in decoder.get("decoders", [decoder])),
            "ByteFallback, Metaspace",
        ),
    }
    for part, (kind, expected) in kinds.items():
        if kind != expected:
            raise _unsupported(name, f"has a tokenizer whose {part} is {kind}")
    if not all(token["special"] for token in contents["added_tokens"]):
        raise _unsupported(name, "has added tokens that a text may contain")
    return {
        "added_tokens": [
            {"id": token["id"], "content": token["content"], "special": token["special"]}
            for token in contents["added_tokens"]
        ],
        **{part: contents[part] for part in ("normalizer", "pre_tokenizer", "decoder")},
        "model": {
            part: model.get(part)
            for part in ("type", "vocab", "merges", "unk_token", "byte_fallback")
        },
    }


def _unsupported(name: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"{name} {why}, which the page cannot compute by itself; use `regard studio {name}`."
    )


def _refuse(name: str) -> Any:
    raise UnsupportedError(
        f"{name} must be a translator that regard implements; use `regard studio {name}`."
    )
