"""Training by the name of a task."""

import os
from typing import Any, Literal

from regard.errors import BadArgumentError, unknown
from regard.translation.translator import Translator

File = str | os.PathLike[str]


def train(
    task: Literal["translation"], data: File | tuple[File, File], output: File, **options: Any
) -> Translator:
    """Trains a model on `data` in the folder `output`, or resumes there; returns the best one.

    >>> translator = regard.train("translation", "pairs.tsv", "runs/en-de", max_minutes=30)

    Args:
        task: "translation".
        data: a file of sentence pairs, or a source file and a target file.
        options: fields of `TrainingOptions`.

    Raises:
        BadArgumentError: an unknown task or option.
        RegardError: any that training raises (see `train_translation`).
    """
    from regard.translation.options import TrainingOptions
    from regard.translation.training import train_translation

    if task != "translation":
        raise BadArgumentError(f"task must be translation; got {task!r}.")
    known = TrainingOptions.__dataclass_fields__
    for name in options:
        if name not in known:
            raise unknown("a training option", name, known)
    pairs = (os.fspath(data[0]), os.fspath(data[1])) if isinstance(data, tuple) else os.fspath(data)
    output = os.fspath(output)
    train_translation(pairs, TrainingOptions(output=output, **options), say=print)
    return Translator.load(f"{output}/model", name=output)
