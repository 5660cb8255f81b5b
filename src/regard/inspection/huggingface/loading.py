"""A transformers model from a folder, ready to be looked into: local files, none of their code."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from regard.errors import NotFoundError, UnsupportedError, first_line
from regard.inspection.huggingface.interface import attention_interface, quiet
from regard.inspection.huggingface.traced_model import TracedModel

if TYPE_CHECKING:
    from transformers import PretrainedConfig

T = TypeVar("T")
LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "pytorch_model*.bin")
TOKENIZERS = (
    *("tokenizer.json", "tokenizer.model", "vocab.txt", "vocab.json", "spiece.model"),
    *("sentencepiece.bpe.model", "source.spm", "spm.model", "tekken.json"),
)


def load_for_tracing(folder: str | os.PathLike[str], *, name: str | None = None) -> TracedModel:
    """Return the model in `folder`, with the attention implementation that transformers chooses."""
    attention_interface()  # says so if transformers is missing
    import transformers

    folder = Path(folder)
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {folder}; give the folder of a model.")
    if not (folder / "config.json").is_file():
        raise NotFoundError(f"{folder} is not a model folder: it has no config.json.")
    config = loaded("configuration", transformers.AutoConfig.from_pretrained, folder)
    if not any(list(folder.glob(pattern)) for pattern in WEIGHTS):
        raise NotFoundError(f"{folder} has no weights (model.safetensors); is the folder complete?")
    task, auto = kind_of(config, transformers)
    reader = reader_of(task, folder, transformers)
    model = loaded("model", auto.from_pretrained, folder, config=config)
    return TracedModel(model.eval(), reader, task, name=name or folder.resolve().name)


def kind_of(config: "PretrainedConfig", transformers: ModuleType) -> tuple[str, Any]:
    """Task of the model, and the class that loads it with its head."""
    from transformers.models.auto import modeling_auto as known

    family = config.model_type
    architecture = next(iter(config.architectures or [""]))
    if architecture.endswith("EncoderModel"):
        return "encoding", transformers.AutoModelForTextEncoding
    reads = architecture.endswith(("ForSequenceClassification", "ForTokenClassification"))
    if family in known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES and not reads:
        return "translation", transformers.AutoModelForSeq2SeqLM
    if family in known.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        if architecture.endswith("ForImageClassification"):
            return "vision", transformers.AutoModelForImageClassification
        return "vision", transformers.AutoModel
    for ending, auto in (
        ("ForMaskedLM", transformers.AutoModelForMaskedLM),
        ("ForSequenceClassification", transformers.AutoModelForSequenceClassification),
        ("ForTokenClassification", transformers.AutoModelForTokenClassification),
    ):
        if architecture.endswith(ending):
            return "encoding", auto
    # BERT can be made a causal model, GPT-2 cannot fill in a mask: the latter is what decides.
    both = family in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if family in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (
        not both or getattr(config, "is_decoder", False)
    ):
        return "generation", transformers.AutoModelForCausalLM
    if both or family in known.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        return "encoding", transformers.AutoModel
    raise UnsupportedError(
        f"only text-to-text, text and image models can be looked into; {family!r} is not one"
        " of these: load it with transformers and pass it to regard.trace with its inputs."
    )


def reader_of(task: str, folder: Path, transformers: ModuleType) -> object:
    """Tokenizer or image processor that makes a model's inputs."""
    if task == "vision":
        if not (folder / "preprocessor_config.json").is_file():
            raise NotFoundError(
                f"{folder} has no preprocessor_config.json, which says how images are prepared;"
                " copy it from where the model came from."
            )
        return loaded("image processor", transformers.AutoImageProcessor.from_pretrained, folder)
    if not any((folder / name).is_file() for name in TOKENIZERS):
        raise NotFoundError(
            f"{folder} has no tokenizer (tokenizer.json); copy it from where the model came from,"
            " or save it there with tokenizer.save_pretrained."
        )
    return loaded("tokenizer", transformers.AutoTokenizer.from_pretrained, folder)


def loaded(what: str, load: Callable[..., T], folder: Path, **more: object) -> T:
    """Call `load`. Raises RegardError for what it cannot, with transformers' first line."""
    try:
        with quiet():
            return load(str(folder), **LOCAL, **more)
    except Exception as error:  # transformers and what it calls raise nearly every kind
        raise UnsupportedError(
            f"transformers cannot load the {what} in {folder}: {first_line(error)}."
        ) from error
