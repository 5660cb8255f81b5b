"""Load a model by name, for its task or for a pipeline."""

import os
from typing import Any

from regard.checkpoints import open_checkpoint, shipped
from regard.engine.task import Task
from regard.errors import UnsupportedError, unknown
from regard.tasks import catalog
from regard.tasks.kinds import describe, kind_of

Name = str | os.PathLike[str]


def load(name: Name, task: str | None = None) -> Task:
    """The model of a name, ready for its task.

    Its class is that of the task, such as Translator; an editor knows which from the name of a
    shipped model or from `task`.

    The native engine computes where that is possible (`Task.run_by`, engine "auto"). Weights are
    read when something needs them.

    >>> translator = regard.load("en-de")
    >>> translator("Where is the station?")
    'Wo ist der Bahnhof?'
    >>> type(regard.load("emotions")).__name__
    'Classifier'

    Args:
        name: of a shipped model (en-de, emotions, …), a folder, or "hub:org/name" for a model on
            the Hugging Face Hub; nothing else is ever fetched. A file that ends with .gguf is
            opened too.
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
    needed = catalog.KINDS[task].needed if task is not None else shipped.MODEL
    model = shipped.find(name)
    if model is not None and task not in (None, model.kind, catalog.KINDS[model.kind].does):
        raise UnsupportedError(catalog.wrong_kind(name, model.what, model.kind, needed))
    checkpoint = open_checkpoint(name)
    kind = kind_of(checkpoint)
    natural = task in (None, kind, catalog.KINDS[kind].does)
    if not natural and task not in catalog.KINDS[kind].also:
        raise UnsupportedError(catalog.wrong_kind(name, describe(checkpoint), kind, needed))
    task_type = task_class(kind if natural or task is None else task)
    return task_type.load(checkpoint, name=str(name), lazily=True).run_by("auto")


def pipeline(
    task: str | None = None, model: Any = None, *, device: Any = None, **arguments: Any
) -> Any:
    """A pipeline for a task, by the name it had in transformers v4.

    >>> translate = regard.pipeline("translation_en_to_de")
    >>> translate("Where is the station?", max_length=40)
    [{'translation_text': 'Wo ist der Bahnhof?'}]

    Args:
        task: a name in `ARGUMENTS`, "sentiment-analysis", or "translation_XX_to_YY"; None: what the
            model was made for.
        model: a folder, "hub:org/name", or what `regard.load` gave. It may be left out for the
            translations that come with the package.
        device: where to compute; a number is that of a GPU, and -1 the CPU.
        arguments: others that v4 has, those of every call included: the table is in
            docs/howto/pipelines.md.

    Raises:
        BadArgumentError: an unknown task or argument, no model, or an object of another task.
        UnsupportedError: an argument that has no counterpart here; the message says what to write
            instead.
        RegardError: any that `load` raises.
    """
    from regard.tasks.pipelines.pipelines import opened

    return opened(task, model, device, arguments)


def task_class(kind: str) -> type[Task]:
    """The class for a task, or for the kind of a model."""
    task_type: type[Task] = catalog.KINDS[kind].task_class()
    return task_type
