"""Open a model by name to look into it: regard's own, or one of transformers'."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from regard.checkpoints import Checkpoint, open_checkpoint, shipped
from regard.checkpoints.families import TYPES
from regard.checkpoints.hub import short_name
from regard.engine.defaults import read_defaults
from regard.engine.options import TRACED, TraceRequest
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    RegardError,
    UnavailableError,
    UnsupportedError,
    did_you_mean,
)
from regard.generation import GenerationConfig
from regard.generation.config import SAMPLING
from regard.inspection import Trace, huggingface
from regard.inspection.answers import ModelInfo, ModelTask
from regard.inspection.models import tap_name
from regard.models.configs.facts import facts_of
from regard.tasks.images.task import ImageReader
from regard.tasks.kinds import kind_of
from regard.tasks.loading import task_class
from regard.tasks.sample_image import sample_image

if TYPE_CHECKING:
    pass

EXAMPLES = {
    "translation": "The house is small, but it has a large garden.",
    "generation": "The trophy did not fit into the suitcase because",
    "encoding": "The animal didn't cross the street because it was too tired.",
    "transcription": "",
}
SOURCES = {  # of translators, by the language that they say they read
    "en": "I would like to drink a cup of tea with my friends.",
    "de": "Das Haus ist klein, aber es hat einen großen Garten.",
    "hi": "घर छोटा है, लेकिन उसका बगीचा बड़ा है।",
}
_SETTINGS = GenerationConfig.__dataclass_fields__
SEARCH = tuple(field.name for field in fields(TraceRequest) if field.name in _SETTINGS)
OFFERED = tuple(name for name in SEARCH if _SETTINGS[name].metadata)  # by a page
DRAWING = tuple(name for name in OFFERED if name in SAMPLING)
UNLIMITED = 32_768  # tokens, for models whose positions have no end


class Traceable(Protocol):
    """A model to look into: of `regard.load`, or a `TracedModel` of transformers."""

    name: str

    @property
    def trace(self) -> Callable[..., Trace]:
        """Takes a text, or an image's path, and options by name."""


@dataclass(frozen=True)
class Layer:
    """An attention layer, by the name of its tap."""

    tap: str
    heads: int
    key_heads: int
    head_dim: int


def open_for_looking(model: str, *, name: str | None = None) -> Traceable:
    """Return the model of a name, as `regard.load` takes it, computed by the native engine if it
    can be, in fp32 whatever the model was calibrated to: the maps are of its own numbers.

    transformers opens what regard does not implement: another family, or settings of one.

    Args:
        name: what to call it; its `short_name` if not given.

    Raises:
        NotFoundError: there is no such model, or its tokenizer is missing.
        DamagedFileError: it is damaged.
    """
    checkpoint, name = open_checkpoint(model), name or short_name(model)
    if refusal := _refusal(checkpoint):
        if checkpoint.folder.is_file():
            raise refusal
        is_wrong = isinstance(refusal, DamagedFileError)  # a value that transformers may know
        try:
            traced = huggingface.load_for_tracing(checkpoint.folder, name=name)
            if is_wrong:
                traced.trial()
        except Exception as error:
            if not is_wrong and not isinstance(error, UnsupportedError):
                raise
            model_type = str(checkpoint.settings.get("model_type"))
            if is_wrong or model_type in TYPES:
                raise refusal from error
            raise UnsupportedError(f"{error}{did_you_mean(model_type, TYPES)}") from error
        return traced
    if (
        checkpoint.architecture == "VisionTransformer"
        and checkpoint.config.head != "classification"
    ):
        return ImageReader.load(checkpoint, name=name)
    task = task_class(kind_of(checkpoint)).load(checkpoint, name=name, lazily=True)
    try:
        return cast(Traceable, task.run_by("native", precision="fp32"))
    except (UnsupportedError, UnavailableError):
        return cast(Traceable, task)


def look_at(model: Traceable, text: str | Path, **options: Any) -> Trace:
    """Return the trace of a text, or of an image's file.

    Args:
        options: of the model's `trace`: target, hypothesis, without, generate, and those of SEARCH.
            With one of DRAWING, tokens are drawn, by seed 0 if no other is named.

    Raises:
        BadArgumentError: an option that this kind of model has no use for, or out of range.
    """
    takes = signature(model.trace).parameters
    settings = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in takes.values())
    for option in options:
        if option not in takes and not (settings and option in SEARCH):
            raise BadArgumentError(
                f"{model.name} does not take `{option}` when it is looked at; leave it out."
            )
    idle = [name for name in SEARCH[1:] if name in options]
    if "target" in options and idle:
        raise BadArgumentError(
            f"a target leaves nothing to search for; give either a target or {', '.join(idle)}."
        )
    searched = {name: value for name, value in options.items() if name in SEARCH}
    if any(name in DRAWING for name in options):
        searched |= {"do_sample": True, "seed": options.get("seed", 0)}  # a link gives one text
    GenerationConfig(**searched)  # checks the ranges
    return model.trace(text, **(options | searched if settings else options))


def describe(model: str, opened: Callable[[str], Any], *, name: str | None = None) -> ModelInfo:
    """Return description of a model for a page: regard's by their files, others once `opened`.

    Args:
        opened: gives the model of its name.
        name: what to call it; its `short_name` if not given.
    """
    checkpoint, name = open_checkpoint(model), name or short_name(model)
    if _refusal(checkpoint) is not None:
        traced = opened(name)
        writes = traced.task in ("translation", "generation")
        return ModelInfo(
            name=name,
            task=traced.task,
            description=traced.description,
            example=_sample(traced.task),
            max_tokens=traced.max_tokens,
            options=options_of(traced.model.generation_config, traced.task) if writes else {},
        )
    task = facts_of(checkpoint.architecture, checkpoint.config).task
    config = getattr(checkpoint.config, "text", checkpoint.config)  # a page writes texts
    language = checkpoint.card.get("language", [])
    languages = [language] if isinstance(language, str) else [str(name) for name in language]
    return ModelInfo(
        name=name,
        task=cast(ModelTask, task),
        description=", ".join(
            [" → ".join(languages) or checkpoint.settings["model_type"], *_sizes(config)]
        ),
        example=_example(model, task, languages),
        max_tokens=_max_tokens(config),
        options=own_options(checkpoint, task),
    )


def _example(model: str, task: str, languages: list[str]) -> str:
    sample = known.sample if (known := shipped.find(model)) else ""
    source = SOURCES.get(languages[0], "") if task == "translation" and languages else ""
    return sample or source or _sample(task)


def _sample(task: str) -> str:
    return sample_image() if task == "vision" else EXAMPLES[task]


def attention_layers(name: str) -> list[Layer]:
    """Every attention layer of a model. No weight of regard's is read for it; what attends in a
    model of transformers is known once it has run, on a short text."""
    checkpoint = open_checkpoint(name)
    if _refusal(checkpoint) is not None:
        taps = huggingface.load_for_tracing(checkpoint.folder).trial().values()
        return [Layer(tap.name, tap.heads, tap.key_heads, tap.head_dim) for tap in taps]
    attentions = facts_of(checkpoint.architecture, checkpoint.config).attentions()
    return [Layer(tap_name(path), *sizes) for path, sizes in attentions.items()]


def _refusal(checkpoint: Checkpoint) -> RegardError | None:
    """Return why regard lacks the family or these settings; None if it has them."""
    _ = checkpoint.settings  # a folder without a model is refused as that
    try:
        _ = checkpoint.config
    except RegardError as error:
        return error
    return None


def _sizes(config: Any) -> tuple[str, str]:
    """Layers, of a translator those of both sides, and heads."""
    sides = [getattr(config, f"{side}_layers", None) for side in ("encoder", "decoder")]
    layers = " + ".join(map(str, sides if None not in sides else [config.num_layers]))
    heads = getattr(config, "encoder_heads", None) or getattr(config, "num_heads", None)
    kind = f"{heads} heads" if heads else f"recurrent, attention {config.attention}"
    return f"{layers} layers", kind


def _max_tokens(config: Any) -> int:
    """Longest text, in tokens; for an image, how many patches it has."""
    if hasattr(config, "patch_size"):
        height, width = (
            image // patch
            for image, patch in zip(config.image_size, config.patch_size, strict=True)
        )
        return height * width
    if getattr(config, "positions", None) == "relative":
        return UNLIMITED
    ends = 1 if hasattr(config, "decoder_layers") else 0  # the end of sentence
    return int(config.room) - ends


def own_options(checkpoint: Checkpoint, task: str) -> dict[str, float]:
    """Return the options of a model of regard's; of one that does not write, no option.

    Raises:
        DamagedFileError: its generation settings are malformed.
    """
    if task not in ("translation", "generation"):
        return {}
    begins = kind_of(checkpoint).removeprefix("recurrent-")  # the names of its tasks in config.json
    tasks = read_defaults(checkpoint)
    settings = [tasks[name] for name in tasks if name.startswith(begins)]
    chosen = settings[0] if len(settings) == 1 else tasks[""]
    sentence = {"sentence": 1} if begins == "translation" else {}
    return sentence | options_of(chosen.generation, task)


def options_of(settings: object, task: str) -> dict[str, float]:
    """Return the options of a model with these settings, GenerationConfig's or those of
    transformers."""
    plain = GenerationConfig(do_sample=True, seed=0)  # what `look_at` draws by
    values: dict[str, float] = {}
    for name in OFFERED:
        value = getattr(settings, name, None)
        values[name] = getattr(plain, name) if value is None else value
    return values | ({"generate": TRACED} if task == "generation" else {})
