"""A model for the page that runs it by itself: its description, as web/src/local/config.ts has it,
and its weights. What the page cannot compute is refused here, before a file of megabytes is
written."""

import base64
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from regard.attention.scores import find_score
from regard.engine.native.library import PRECISIONS
from regard.engine.native.loading import settings_of, weights_of
from regard.generation import GenerationConfig
from regard.inspection.models import tap_name
from regard.inspection.views.formula import scale
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.facts import facts_of
from regard.studio.live_tokenizer import around, tokenizer_parts, unsupported
from regard.studio.packing import packed
from regard.tasks.embedding.task import EVERYDAY
from regard.tasks.images.preparation import Background
from regard.tasks.translation.task import Translator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from regard.engine.task import Task
    from regard.engine.text_to_text import TextToText
    from regard.models.configs.config import ModelConfig
    from regard.tasks.images.task import ImageClassifier

POSITIONS = frozenset({"encoder.embed.positions.weight", "decoder.embed.positions.weight"})
# Settings of decoding that the page follows; of the others only what changes nothing is taken.
FOLLOWED = {
    *("max_new_tokens", "min_new_tokens", "num_beams", "num_return_sequences", "length_penalty"),
    *("early_stopping", "bad_words_ids", "renormalize_logits", "decoder_start_token_id"),
    *("forced_bos_token_id", "forced_eos_token_id", "eos_token_id", "pad_token_id"),
}
DRAWN = frozenset({"do_sample", "temperature", "top_k", "top_p"})  # its own draws; a look searches
KINDS = ("EncoderDecoder", "Decoder", "Encoder", "VisionTransformer")
FILTERS = (2, 3)  # of Pillow: bilinear and bicubic
ANSWERS = {  # of a head: what the notes name, and its output
    "classification": {"label": 0},
    "question_answering": {"the answer begins with": 0, "the answer ends with": 1},
}


@dataclass(frozen=True)
class PageTap:
    """An attention layer."""

    name: str
    side: Literal["encoder", "decoder"]
    kind: Literal["self", "cross"]
    layer: int
    heads: int
    key_heads: int
    dim: int  # of a head
    queries: str  # names of axes
    keys: str
    causal: bool
    scale: float  # of q·k


@dataclass(frozen=True)
class PageConfig:
    """Model that the page runs."""

    engine: str  # regard_config of engine/interface.h, in base64
    taps: list[PageTap]  # in the order in which they run
    d_model: int
    encoder_layers: int
    decoder_layers: int
    norm: Literal["pre", "post"]
    norm_kind: Literal["layer", "rms"]
    norm_eps: float
    positions: Literal["sinusoidal", "learned", "rotary"]
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
    start_id: int  # of a decoder beside an encoder
    forbidden_ids: list[int]  # tokens that are never written
    renormalized: bool  # what the settings leave sums to 1 again
    forced_bos_id: int | None  # the first new token
    forced_eos_id: int | None  # the last one where max_new_tokens is reached
    unsure_below: float  # probability of a word


@dataclass(frozen=True)
class PageImage:
    """Images as a model reads them: sizes are height and width."""

    channels: int
    size: tuple[int, int]
    patch: tuple[int, int]
    first: int  # positions before the patches
    resize: tuple[int, int] | None  # before the middle is cut out
    shorter: int | None  # length of the shorter side then, instead
    resample: int  # Pillow's number of the filter
    factor: float  # by which bytes are multiplied
    background: Background | None  # of all images of the model: others are inverted
    mean: tuple[float, ...]  # subtracted
    std: tuple[float, ...]  # divided by


@dataclass(frozen=True)
class PageReading:
    """Settings of a model that reads: its head, and what its states become."""

    head: str
    labels: list[str]
    several: bool  # a text may have any number of the labels
    ranked: bool  # a text has labels with probabilities
    mean: bool  # the labels are of the mean of all states, not of the first
    answers: dict[str, int]  # outputs that the notes name
    vector: Literal["mean", "cls", "max"] | None  # how the states become one vector
    sentences: list[str]  # beside which the vector is placed
    lowercase: bool
    image: PageImage | None = None


def content(task: "Task") -> tuple[dict[str, Any], bytes]:
    """Return description of a task's model, and its weights.

    Args:
        task: of `regard.load`: one that writes, or that reads texts or images.

    Raises:
        UnsupportedError: the page lacks something of the model, its tokenizer or its settings.
    """
    handle, name = task.handle, task.name
    if handle.architecture not in KINDS or not _computes(handle.architecture, config_of(task)):
        raise unsupported(name, "has attention, positions or a head of another kind")
    model = handle.source if handle.state is None and handle.source else task.model
    config, arrays = weights_of(model)
    state = {name: _row(np.asarray(array)) for name, array in arrays.items()}
    weights = packed(state, without_of(config))
    kinds: dict[str, Callable[[Any], dict[str, Any]]] = {
        "EncoderDecoder": _translator,
        "VisionTransformer": _viewer,
    }
    of_kind = kinds.get(handle.architecture, _alone)
    description = {
        "config": _config(handle.architecture, config, arrays),
        "tensors": weights.tensors,
        "bytes": len(weights.content),
        "prefix": "",
        "decoding": None,
        "reading": None,
        **of_kind(task),
    }
    return description, weights.content


def config_of(task: "Task") -> Any:
    """Return the config of a task's model."""
    source = task.handle.source
    return task.model.config if source is None else source.config


def parameters_of(description: dict[str, Any], config: "ModelConfig") -> int:
    """Return number of a model's parameters, those that the page computes included."""
    places = {place["at"]: place for place in description["tensors"].values()}
    sizes = [place.get("length") or place["rows"] * place["columns"] for place in places.values()]
    shapes = config.shapes()
    return sum(sizes) + sum(math.prod(shapes[name]) for name in without_of(config))


def without_of(config: "ModelConfig") -> frozenset[str]:
    """Tables that the page computes: sinusoids."""
    return POSITIONS if config.positions == "sinusoidal" else frozenset()


def _computes(architecture: str, config: "ModelConfig") -> bool:
    """Return True for attention of the kind that the page's maps are computed by."""
    if architecture == "EncoderDecoder":
        return config.head == "language_model" and config.positions in ("sinusoidal", "learned")
    if architecture == "VisionTransformer":
        return config.head == "classification"
    if architecture == "Decoder" and (config.head != "language_model" or config.norms != "input"):
        return False
    uncommon = ("score_cap", "output_cap", "sinks", "experts", "gate_limit")
    if config.positions == "distances" or len(config.rotaries) > 1 or any(config.windows):
        return False
    return config.head != "masked_lm" and not any(getattr(config, name, None) for name in uncommon)


def _row(array: "NDArray[Any]") -> "NDArray[Any]":
    """Return a table of one row, such as rotary frequencies, as the vector that is not rounded."""
    return array[0] if array.ndim == 2 and len(array) == 1 else array


def _config(architecture: str, config: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    facts = facts_of(architecture, config)
    taps = []
    for path, (heads, key_heads, dim) in facts.attentions().items():
        side, _, layer, module = path.split(".")
        queries, keys = facts.attends(path)
        kind = module.removesuffix("_attention")
        factor = scale(find_score(config.score), dim) if hasattr(config, "score") else dim**-0.5
        if config.score_width:
            factor = config.score_width**-0.5
        causal = side == "decoder" and kind == "self"
        sizes = (heads, key_heads, dim, queries, keys, causal, factor)
        taps.append(PageTap(tap_name(path), side, kind, int(layer), *sizes))  # type: ignore[arg-type]
    settings = settings_of(config, arrays, PRECISIONS.index("fp32"), kernels=0)
    layers = {side: len({tap.layer for tap in taps if tap.side == side}) for side in _SIDES}
    made = PageConfig(
        engine=base64.b64encode(bytes(settings)).decode("ascii"),
        taps=taps,
        d_model=config.d_model,
        encoder_layers=layers["encoder"],
        decoder_layers=layers["decoder"],
        norm="pre" if config.norm_first else "post",
        norm_kind="rms" if "rms" in config.norm_kind else "layer",
        norm_eps=config.norm_eps,
        positions="learned" if config.positions == "grid" else config.positions,
        position_offset=getattr(config, "position_offset", 0),
        max_positions=getattr(config, "max_positions", 0),
        output_scale=(
            config.d_model**-0.5
            if isinstance(config, EncoderDecoderConfig) and config.scale_output
            else 1.0
        ),
    )
    return asdict(made)


_SIDES = ("encoder", "decoder")


def _translator(task: Any) -> dict[str, Any]:
    tokenizers, calibration, name = task.tokenizers, task.calibration, task.name
    if task.has_languages and task.prefix is None:
        raise unsupported(name, "translates between several languages")
    target = None if tokenizers.joint else tokenizer_parts(name, tokenizers.target)
    special = {*tokenizers.target.special_names(), *tokenizers.source.special_names()}
    return {
        "tokenizers": {"source": tokenizer_parts(name, tokenizers.source), "target": target},
        "before": list(task.before),
        "after": list(task.after),
        "prefix": task.prefix or "",
        "special": sorted(special),
        "reads": {"rarest": calibration.rarest, "words": calibration.words},
        "sentences": _sentences(task),
        "decoding": _decoding(name, task.generation, calibration.unsure_below),
    }


def _sentences(task: "TextToText") -> dict[str, Any] | None:
    """Return the way in which a text is translated sentence by sentence; None: it is read as a
    whole."""
    if not isinstance(task, Translator) or task.whole:
        return None
    signs, letters = task.calibration.copied, task.calibration.letters
    return {
        "language": task.language,
        "longest": task.longest,
        "copied": signs,
        "letters": letters,
    }


def _alone(task: Any) -> dict[str, Any]:
    """Return a model of one text, which it continues or reads."""
    tokenizer, name = task.tokenizer, task.name
    before, after = around(name, tokenizer)
    common = {
        "tokenizers": {"source": tokenizer_parts(name, tokenizer), "target": None},
        "before": before,
        "after": after,
        "special": sorted({*tokenizer.special_names(), *tokenizer.special.values()}),
    }
    if task.handle.architecture == "Decoder":
        return common | {"decoding": _decoding(name, task.generation, 0.0, DRAWN)}
    return common | {"reading": asdict(_reading(task))}


def _viewer(task: "ImageClassifier") -> dict[str, Any]:
    """Return a model of images."""
    config, preparation = config_of(task), task.preparation
    if preparation.resample not in FILTERS:
        raise unsupported(task.name, f"resizes images by Pillow's filter {preparation.resample}")
    image = PageImage(
        channels=preparation.channels,
        size=config.image_size,
        patch=config.patch_size,
        first=int(config.class_token),
        resize=preparation.size,
        shorter=preparation.shorter,
        resample=preparation.resample,
        factor=preparation.factor,
        background=preparation.background,
        mean=preparation.mean,
        std=preparation.std,
    )
    return {
        "tokenizers": {"source": None, "target": None},
        "before": [],
        "after": [],
        "special": [],
        "reading": asdict(replace(_reading(task), image=image)),
    }


def _reading(task: "Task") -> PageReading:
    config = config_of(task)
    problem = getattr(task, "problem_type", "")
    vector = getattr(task, "pooling", None)
    labels = [*config.labels] if vector is None else []
    single = config.head != "classification" or problem == "single_label_classification"
    return PageReading(
        head="none" if vector else config.head,
        labels=labels,
        several=problem == "multi_label_classification",
        ranked=bool(problem) and problem != "regression",
        mean=config.pooling == "mean",
        answers=ANSWERS.get(config.head, {}) if single and not vector else {},
        vector=vector,
        sentences=[*EVERYDAY] if vector else [],
        lowercase=getattr(task, "lowercase", False),
    )


def _decoding(
    name: str,
    generation: GenerationConfig,
    unsure_below: float,
    more: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    changed = set(generation.to_dict()) - FOLLOWED - more
    forbidden = generation.bad_words_ids or ()
    if changed or any(len(word) > 1 for word in forbidden):
        what = ", ".join(sorted(changed)) or "bad_words_ids of several tokens"
        raise unsupported(name, f"is decoded with {what}")
    fields = vars(generation) | {
        "eos_ids": list(generation.eos_ids),
        "start_id": generation.decoder_start_token_id or 0,
        "forbidden_ids": [word[0] for word in forbidden if word[0] not in generation.eos_ids],
        "renormalized": generation.renormalize_logits,
        "forced_bos_id": generation.forced_bos_token_id,
        "forced_eos_id": generation.forced_eos_token_id,
        "unsure_below": unsure_below,
    }
    return {name: fields[name] for name in PageDecoding.__dataclass_fields__}
