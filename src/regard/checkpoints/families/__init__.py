"""One module for each family of checkpoints, imported when a folder asks for it."""

from importlib import import_module
from typing import Any

from regard.checkpoints.family import Family
from regard.errors import UnsupportedError, did_you_mean

# The module here → the class of its models, for those who need no more of the family.
ARCHITECTURES: dict[str, str] = {
    "gpt2": "Decoder",
    "llama": "Decoder",
    "bart": "EncoderDecoder",
    "t5": "EncoderDecoder",
    "marian": "EncoderDecoder",
    "recurrent": "RecurrentEncoderDecoder",
    "bert": "Encoder",
    "roberta": "Encoder",
    "distilbert": "Encoder",
    "vit": "VisionTransformer",
}
# Modules whose writing models may have another head (`heads.WRITER_HEADS`).
HEADED = ("gpt2", "llama", "bart")
# model_type of config.json → the module here. For saving, the first module whose family fits the
# model is taken, so a family that fits only some configs stands before one that fits all.
MODULES: dict[str, str] = {
    "gpt2": "gpt2",
    "llama": "llama",
    "mistral": "llama",
    "qwen2": "llama",
    "bart": "bart",
    "mbart": "bart",
    "t5": "t5",
    "marian": "marian",
    "pegasus": "marian",
    "regard": "marian",
    "regard-recurrent": "recurrent",
    "bert": "bert",
    "roberta": "roberta",
    "distilbert": "distilbert",
    "vit": "vit",
}


def family_for(model_type: object, *, where: str) -> Family:
    """The family of a model_type. `where` it was found is for the message.

    Raises:
        UnsupportedError: regard has no such family; the message lists those that it has.
    """
    return _family(_module(model_type, where))


def architecture_for(model_type: object, *, where: str) -> str:
    """The name of the class of the models of a model_type, in `regard.models`.

    Raises:
        UnsupportedError: as `family_for`.
    """
    return ARCHITECTURES[_module(model_type, where)]


def has_heads(model_type: object, *, where: str) -> bool:
    """Whether writing models of a model_type may have a head for labels or answers.

    Raises:
        UnsupportedError: as `family_for`.
    """
    return _module(model_type, where) in HEADED


def _module(model_type: object, where: str) -> str:
    if isinstance(model_type, str) and model_type in MODULES:
        return MODULES[model_type]
    hint = did_you_mean(model_type, MODULES, cutoff=0.82)  # below it are other families: albert
    raise UnsupportedError(
        f"model_type must be one of {', '.join(sorted(MODULES))}; {where} says"
        f" {model_type!r}.{hint} regard look opens other models by transformers; in Python, load"
        " the model with transformers and give it to regard.trace."
    )


def family_of(model: Any) -> Family:
    """The family as which a model is saved."""
    for module in dict.fromkeys(MODULES.values()):
        family = _family(module)
        if type(model) is family.model and family.fits(model.config):
            return family
    raise UnsupportedError(
        f"a model that is saved must be of a family here ({', '.join(sorted(MODULES))});"
        f" got {type(model).__name__}."
    )


def _family(module: str) -> Family:
    family: Family = import_module(f"{__name__}.{module}").FAMILY
    return family
