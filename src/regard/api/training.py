"""Training by the name of a task."""

import os
from typing import Any

from regard.errors import RegardError
from regard.translation.translator import Translator

File = str | os.PathLike[str]


def train(task: str, data: File | tuple[File, File], output: File, **options: Any) -> Translator:
    """Trains a model on `data` in the folder `output`, or resumes there; returns the best one.

    >>> translator = regard.train("translation", "pairs.tsv", "runs/en-de", max_minutes=30)

    Args:
        task: "translation".
        data: a file of sentence pairs, or a source file and a target file.
        options: fields of `TrainingOptions`.

    Raises:
        RegardError: an unknown task or option, or a mistake in the data.
    """
    from regard.translation.options import TrainingOptions
    from regard.translation.training import train_translation

    if task != "translation":
        raise RegardError(f"task must be translation; got {task!r}.")
    known = TrainingOptions.__dataclass_fields__
    for name in options:
        if name not in known:
            raise RegardError(f"a training option is one of {', '.join(known)}; got {name!r}.")
    pairs = (os.fspath(data[0]), os.fspath(data[1])) if isinstance(data, tuple) else os.fspath(data)
    output = os.fspath(output)
    train_translation(pairs, TrainingOptions(output=output, **options), say=print)
    return Translator.load(f"{output}/model", name=output)
