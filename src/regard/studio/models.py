"""A model as a page knows it: what it is, before it is loaded, and how it gives a trace."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from regard.checkpoints import find_folder, read_config
from regard.checkpoints.families import marian, recurrent
from regard.errors import RegardError
from regard.inspection.answers import ModelInfo
from regard.inspection.trace import Trace
from regard.tasks.card import read_card
from regard.tasks.loading import load

MODEL_TYPES = (*marian.MODEL_TYPES, *recurrent.MODEL_TYPES)
EXAMPLES = {"en": "I would like to drink a cup of tea with my friends."}


class Model(Protocol):
    """What can be looked into."""

    @property
    def trace(self) -> Callable[..., Trace]:
        """Takes a text and options by name; a `Translator`'s and the other's differ in these."""


def open_model(name: str) -> Model:
    """The model of a name, regard's own or one of transformers'.

    Raises:
        RegardError: there is none, it is damaged, or its tokenizer is missing.
    """
    folder = find_folder(name)
    if is_ours(folder):
        return load(name, "translation")
    from regard.inspection.huggingface import load_for_tracing

    return load_for_tracing(folder, name=name)


def describe(name: str, loaded: Callable[[str], Model]) -> ModelInfo:
    """What a page says of a model. Of ours the folder tells; one of transformers' is `loaded`."""
    folder = find_folder(name)
    if not is_ours(folder):
        model: Any = loaded(name)
        return ModelInfo(name, model.task, model.description, model.example, model.max_tokens)
    config, card = read_config(folder), read_card(folder)
    layers = f"{config['encoder_layers']} + {config['decoder_layers']} layers"
    heads = config.get("encoder_attention_heads")  # which a recurrent model has not
    kind = f"{heads} heads" if heads else f"recurrent, attention {config['attention_type']}"
    languages = [str(language) for language in card.get("language", [])]
    return ModelInfo(
        name=name,
        task="translation",
        description=", ".join([*([" → ".join(languages)] if languages else []), layers, kind]),
        example=EXAMPLES.get(languages[0], "") if languages else "",
        max_tokens=config["max_position_embeddings"] - 1,  # one is for the end of sentence
    )


def is_ours(folder: Path) -> bool:
    """Whether regard has the architecture, with these settings, and the tokenizer's format; else
    transformers may."""
    file = folder / "config.json"
    if not file.is_file():
        raise RegardError(f"{folder} is not a model folder: it has no config.json.")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        family = settings.get("model_type")
    except (ValueError, AttributeError) as error:
        raise RegardError(f"{file} is not a JSON object ({error}); copy it again.") from error
    others = any((folder / name).exists() for name in ("source.spm", "spiece.model"))
    if family not in MODEL_TYPES or (others and not (folder / "tokenizer.json").exists()):
        return False
    return family not in ("marian", "pegasus") or is_readable(settings)


def is_readable(settings: dict[str, Any]) -> bool:
    try:
        marian.FAMILY.from_config(settings)
    except (RegardError, KeyError):
        return False
    return True
