"""Finding a model by the name of a shipped one, its folder or its hub id, and what it is for."""

import difflib
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from regard.checkpoints import read_config
from regard.checkpoints.families import family_for
from regard.checkpoints.hub import HUB_ID, find_folder
from regard.errors import RegardError
from regard.models import Decoder, Encoder, VisionTransformer
from regard.tasks.defaults import read_defaults

FOLDER = Path(__file__).parent.parent / "shipped"
SHIPPED = ("en-de", "en-hi")

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
    "masked_word": "fill-mask",
    "pooler": "feature-extraction",
    "none": "feature-extraction",
}


def load(name: str | os.PathLike[str], task: str | None = None) -> Any:
    """The model of a shipped name (en-de, en-hi), in a folder or of a hub id, ready for its task.

    A Translator, Summarizer, Writer, Classifier, Answerer, MaskFiller, Embedder or ImageClassifier.

    Args:
        task: a name in CLASSES; None: what the checkpoint was made for (`task_of`).

    Raises:
        RegardError: no such model; the message lists the shipped names and the nearest.
    """
    folder = find(name, shipped=SHIPPED if task in (None, "translation") else ())
    module, kind = CLASSES[task or task_of(folder)]
    return getattr(import_module(f"regard.tasks.{module}"), kind).load(folder, name=str(name))


def find(name: str | os.PathLike[str], *, shipped: Sequence[str] = SHIPPED) -> Path:
    """The folder of a model; a folder of that name comes before a shipped model or a hub id."""
    if Path(name).is_dir():
        folder = Path(name)
        # A run's folder holds its model one level down.
        return folder / "model" if (folder / "model" / "config.json").exists() else folder
    if str(name) in shipped:
        return FOLDER / str(name)
    if not shipped or HUB_ID.fullmatch(str(name)):
        return find_folder(name)
    near = difflib.get_close_matches(str(name), shipped, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise RegardError(
        f"a model is one of {', '.join(shipped)} or a folder; there is no {str(name)!r}.{hint}"
    )


def task_of(folder: Path) -> str:
    """What a checkpoint was made for, a name in CLASSES.

    An encoder–decoder translates, unless its config.json has settings for summaries alone.
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
    tasks = [task for task in read_defaults(folder) if task]
    summaries = all(task.startswith("summarization") for task in tasks)
    return "summarization" if tasks and summaries else "translation"
