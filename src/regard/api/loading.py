"""Load a model by name, for its task."""

import os
from typing import TYPE_CHECKING, Literal, overload

from regard import catalog
from regard.checkpoints import open_checkpoint
from regard.errors import UnsupportedError, unknown
from regard.tasks.kinds import describe, kind_of
from regard.tasks.task import Task

if TYPE_CHECKING:
    from regard.tasks.answering import Answerer
    from regard.tasks.classification import Classifier
    from regard.tasks.embedding import Embedder
    from regard.tasks.filling import MaskFiller
    from regard.tasks.images import ImageClassifier
    from regard.tasks.summarization import Rewriter, Summarizer
    from regard.tasks.writing import Writer
    from regard.translation.translator import Translator

Name = str | os.PathLike[str]


@overload
def load(name: Literal["en-de", "en-hi"], task: None = None) -> "Translator": ...
@overload
def load(name: Literal["emotions"], task: None = None) -> "Classifier": ...
@overload
def load(name: Literal["digits"], task: None = None) -> "ImageClassifier": ...
@overload
def load(name: Literal["shakespeare"], task: None = None) -> "Writer": ...
@overload
def load(name: Literal["sentences"], task: None = None) -> "Embedder": ...
@overload
def load(name: Name, task: Literal["translation"]) -> "Translator": ...
@overload
def load(name: Name, task: Literal["summarization"]) -> "Summarizer": ...
@overload
def load(name: Name, task: Literal["text2text-generation"]) -> "Rewriter": ...
@overload
def load(name: Name, task: Literal["text-generation"]) -> "Writer": ...
@overload
def load(name: Name, task: Literal["text-classification"]) -> "Classifier": ...
@overload
def load(name: Name, task: Literal["question-answering"]) -> "Answerer": ...
@overload
def load(name: Name, task: Literal["fill-mask"]) -> "MaskFiller": ...
@overload
def load(name: Name, task: Literal["feature-extraction"]) -> "Embedder": ...
@overload
def load(name: Name, task: Literal["image-classification"]) -> "ImageClassifier": ...
@overload
def load(name: Name, task: str | None = None) -> Task: ...
def load(name: Name, task: str | None = None) -> Task:
    """The model of a name, ready for its task.

    A Translator, Summarizer, Writer, Classifier, Answerer, MaskFiller, Embedder or ImageClassifier;
    an editor knows which from the name of a shipped model or from `task`.

    A Translator computes by its packed model where that is possible (`Task.run_by`, engine "auto"),
    another task by the model itself. The weights of a model that has been packed before are read
    when something needs them.

    >>> translator = regard.load("en-de")
    >>> translator("Where is the station?")
    'Wo ist der Bahnhof?'
    >>> type(regard.load("emotions")).__name__
    'Classifier'

    Args:
        name: of a shipped model (en-de, emotions, …), a folder, or "hub:org/name" for a model on
            the Hugging Face Hub; nothing else is ever fetched.
        task: a name in `catalog.LOADED`; None: what the checkpoint was made for (`kind_of`).

    Raises:
        BadArgumentError: an unknown task.
        NotFoundError: no such model, or a file of it is missing.
        DamagedFileError: a file of it is damaged.
        UnsupportedError: a model of another kind or family; the message says what it is for.
        UnavailableError: the network cannot be reached.
    """
    if task is not None and task not in catalog.LOADED:
        raise unknown("task", task, catalog.LOADED)
    needed = catalog.KINDS[task].needed if task is not None else catalog.MODEL
    shipped = catalog.find(name)
    if task is not None and shipped is not None and shipped.kind != task:
        raise UnsupportedError(catalog.wrong_kind(name, shipped.what, shipped.kind, needed))
    checkpoint = open_checkpoint(name)
    kind = kind_of(checkpoint)
    if task is not None and kind != task and task not in catalog.KINDS[kind].also:
        raise UnsupportedError(catalog.wrong_kind(name, describe(checkpoint), kind, needed))
    found = task_class(task or kind)
    if found is task_class("translation"):
        return found.load(checkpoint, name=str(name), engine="auto")  # type: ignore[call-arg]
    return found.load(checkpoint, name=str(name), lazily=True)


def task_class(kind: str) -> type[Task]:
    """The class for a task, or for the kind of a model."""
    found: type[Task] = catalog.KINDS[kind].task_class()
    return found
