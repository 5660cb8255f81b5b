"""Load a model by name, for its task or for a pipeline."""

import os

from regard.checkpoints import open_checkpoint, shipped
from regard.engine.task import Task
from regard.errors import UnsupportedError, unknown
from regard.tasks import catalog
from regard.tasks.kinds import describe, kind_of

Name = str | os.PathLike[str]


def load(name: Name, task: str | None = None) -> Task:
    """Return the model of a name, ready for its task.

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
            the Hugging Face Hub; nothing else is ever fetched. A file that ends with .gguf or
            .argosmodel is opened too, and "argos:en-de", which Argos Translate has installed.
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


def task_class(kind: str) -> type[Task]:
    """Return the class for a task, or for the kind of a model."""
    task_type: type[Task] = catalog.KINDS[kind].task_class()
    return task_type
