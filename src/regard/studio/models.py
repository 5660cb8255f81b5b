"""A model as a page knows it: what it is, before it is loaded, and how it gives a trace."""

from collections.abc import Callable
from typing import Any, Protocol

from regard.checkpoints import Checkpoint, open_checkpoint
from regard.checkpoints.families import marian, recurrent
from regard.errors import RegardError
from regard.inspection.answers import ModelInfo
from regard.inspection.trace import Trace
from regard.translation.card import read_card
from regard.translation.translator import Translator

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
        NotFoundError: there is none, or its tokenizer is missing.
        DamagedFileError: it is damaged.
    """
    checkpoint = open_checkpoint(name)
    if is_ours(checkpoint):
        return Translator.load(checkpoint, name=name)
    from regard.inspection.huggingface import load_for_tracing

    return load_for_tracing(checkpoint.folder, name=name)


def describe(name: str, loaded: Callable[[str], Model]) -> ModelInfo:
    """What a page says of a model: one of ours is read from its folder, others are `loaded`."""
    checkpoint = open_checkpoint(name)
    if not is_ours(checkpoint):
        model: Any = loaded(name)
        return ModelInfo(name, model.task, model.description, model.example, model.max_tokens)
    config, card = checkpoint.settings, read_card(checkpoint.folder)
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


def is_ours(checkpoint: Checkpoint) -> bool:
    """Whether regard implements the architecture with these settings, and the tokenizer's format;
    if not, transformers may."""
    folder, model_type = checkpoint.folder, checkpoint.settings.get("model_type")
    others = any((folder / name).exists() for name in ("source.spm", "spiece.model"))
    if model_type not in MODEL_TYPES or (others and not (folder / "tokenizer.json").exists()):
        return False
    return model_type not in ("marian", "pegasus") or is_readable(checkpoint)


def is_readable(checkpoint: Checkpoint) -> bool:
    try:
        return checkpoint.config is not None
    except RegardError:
        return False
