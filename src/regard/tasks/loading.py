"""Load a model by name, for its task; find out what kind of model a checkpoint is."""

import os
from importlib import import_module
from typing import Any

from regard import catalog
from regard.checkpoints import Checkpoint, open_checkpoint
from regard.errors import RegardError
from regard.models import Decoder, Encoder, RecurrentEncoderDecoder, VisionTransformer
from regard.tasks.defaults import task_settings

# The tasks, by the names of transformers, and the class of each in this folder.
CLASSES = {
    "translation": ("translation", "Translator"),
    "summarization": ("summarization", "Summarizer"),
    "text2text-generation": ("summarization", "Rewriter"),
    "text-generation": ("writing", "Writer"),
    "text-classification": ("classification", "Classifier"),
    "question-answering": ("answering", "Answerer"),
    "fill-mask": ("filling", "MaskFiller"),
    "feature-extraction": ("embedding", "Embedder"),
    "image-classification": ("images", "ImageClassifier"),
}
_HEADS = {
    "classification": "text-classification",
    "question_answering": "question-answering",
    "masked_lm": "fill-mask",
    "pooler": "feature-extraction",
    "none": "feature-extraction",
}
# A checkpoint of an encoder–decoder often does not say which of these it was trained for, and every
# encoder has states.
_ALSO = {
    "translation": {"summarization", "text2text-generation"},
    "recurrent-translation": {"translation", "summarization", "text2text-generation"},
    "summarization": {"translation", "text2text-generation"},
    "text-classification": {"feature-extraction"},
    "question-answering": {"feature-extraction"},
    "fill-mask": {"feature-extraction"},
}


def load(name: str | os.PathLike[str], task: str | None = None) -> Any:
    """The model of a name, ready for its task.

    A Translator, Summarizer, Writer, Classifier, Answerer, MaskFiller, Embedder or ImageClassifier.

    Args:
        name: of a shipped model (en-de, en-hi), a folder, or "hub:org/name" for a model on the
            Hugging Face Hub; nothing else is ever fetched.
        task: a name in CLASSES; None: what the checkpoint was made for (`kind_of`).

    Raises:
        RegardError: no such model, or one of another kind; the message says what it is for.
    """
    if task is not None and task not in CLASSES:
        raise RegardError(f"task must be one of {', '.join(CLASSES)}; got {task!r}.")
    needed = catalog.KINDS[task].needed if task is not None else catalog.MODEL
    shipped = catalog.find(name)
    if task is not None and shipped is not None and shipped.kind != task:
        raise RegardError(catalog.wrong_kind(name, shipped.what, shipped.kind, needed))
    checkpoint = open_checkpoint(name)
    kind = kind_of(checkpoint)
    if task is not None and kind != task and task not in _ALSO.get(kind, ()):
        raise RegardError(catalog.wrong_kind(name, describe(checkpoint), kind, needed))
    task = task or ("translation" if kind == "recurrent-translation" else kind)
    module, class_name = CLASSES[task]
    task_class = getattr(import_module(f"regard.tasks.{module}"), class_name)
    return task_class.load(checkpoint, name=str(name))


def kind_of(checkpoint: Checkpoint) -> str:
    """The kind of model, a name in `catalog.KINDS`.

    An encoder–decoder translates, unless its config.json has task settings for summaries only.

    Raises:
        RegardError: the folder does not hold a model.
    """
    if (checkpoint.folder / "modules.json").is_file():  # of sentence-transformers
        return "feature-extraction"
    model = checkpoint.family.model
    if model is Encoder:
        return _HEADS[checkpoint.config.head]
    if model is Decoder:
        return "text-generation"
    if model is VisionTransformer:
        return "image-classification"
    if model is RecurrentEncoderDecoder:
        return "recurrent-translation"
    tasks = task_settings(checkpoint)
    summaries = all(task.startswith("summarization") for task in tasks)
    return "summarization" if tasks and summaries else "translation"


def describe(checkpoint: Checkpoint) -> str:
    """The kind of model as a noun phrase for messages: "a language model (gpt2)"."""
    what, settings = catalog.KINDS[kind_of(checkpoint)].what, checkpoint.files.get("config.json")
    return what if settings is None else f"{what} ({settings['model_type']})"
