"""A model by its name, ready for its task; and what kind of model a folder holds."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from regard import catalog
from regard.checkpoints import find_folder, read_config
from regard.checkpoints.families import family_for
from regard.errors import RegardError
from regard.models import Decoder, Encoder, RecurrentEncoderDecoder, VisionTransformer
from regard.tasks.defaults import read_defaults

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
    folder = find_folder(name)
    kind = kind_of(folder)
    if task is not None and kind != task and task not in _ALSO.get(kind, ()):
        raise RegardError(catalog.wrong_kind(name, describe(folder), kind, needed))
    task = task or ("translation" if kind == "recurrent-translation" else kind)
    module, class_name = CLASSES[task]
    return getattr(import_module(f"regard.tasks.{module}"), class_name).load(folder, name=str(name))


def kind_of(folder: Path) -> str:
    """What a checkpoint was made for, a name in `catalog.KINDS`.

    An encoder–decoder translates, unless its config.json has settings for summaries alone.

    Raises:
        RegardError: it is no model.
    """
    if (folder / "modules.json").is_file():  # of sentence-transformers
        return "feature-extraction"
    settings = read_config(folder)
    family = family_for(settings["model_type"], where=str(folder / "config.json"))
    if family.model is Encoder:
        return _HEADS[family.from_config(settings).head]
    if family.model is Decoder:
        return "text-generation"
    if family.model is VisionTransformer:
        return "image-classification"
    if family.model is RecurrentEncoderDecoder:
        return "recurrent-translation"
    tasks = [task for task in read_defaults(folder) if task]
    summaries = all(task.startswith("summarization") for task in tasks)
    return "summarization" if tasks and summaries else "translation"


def describe(folder: Path) -> str:
    """The kind of model in a folder, as a sentence names it: "a language model (gpt2)"."""
    what = catalog.KINDS[kind_of(folder)].what
    file = folder / "config.json"
    return f"{what} ({read_config(folder)['model_type']})" if file.is_file() else what
