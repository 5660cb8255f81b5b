"""Training by the name of a task; what editors know of it is in training.pyi."""

import os
import warnings
from pathlib import Path

from regard.engine.task import Task
from regard.errors import unknown
from regard.tasks import evaluation
from regard.tasks.catalog import TRAINED
from regard.training import recipe, verdict

File = str | os.PathLike[str]


def train(
    task: str, data: File | tuple[File, File] | list[File], output: File, **options: object
) -> Task:
    """Trains a model on `data` in the folder `output`, or resumes there; returns the best one.

    >>> translator = regard.train("translation", "pairs.tsv", "run", preset="tiny", max_steps=2)
    pairs.tsv: the source is column 1; the target is column 2
    pairs.tsv: 9 read, 9 kept; none left out
    each example of dev is 100.0 points of its score; `--dev` takes a file with more
    7 pairs to train on, 1 dev, 1 test
    vocabulary: 392 shared subwords; 76 tokens
    model: transformer tiny, norm pre, 1,506,816 parameters, 1,375,744 of them trained
    steps: 2; epochs: 2

    Args:
        task: a name in `regard.tasks.catalog.TRAINED`.
        data: a file of examples; of a translation also a source file and a target file as a tuple,
            or a list of files; to classify images a folder with a sub-folder for each label; of
            a language model a file or folder of text.
        options: fields of the task's options, such as `ClassificationOptions`, in
            the task's `train_options`. Files and folders may be strings or paths.

    A classifier that gives one label to everything is a UserWarning.

    Raises:
        BadArgumentError: an unknown task or option.
        RegardError: any that training raises (see `training.recipe.learn`).
    """
    if task not in TRAINED:
        raise unknown("task", task, TRAINED)
    training = TRAINED[task].training
    kind = training.options_class()
    for name in options:
        if name not in kind.settings():
            raise unknown("a training option", name, kind.settings())
    files = _paths(data)
    values = {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in options.items()
    }
    settings = kind(output=os.fspath(output), **values)
    learner = training.recipe_class()(files, settings, say=print, command="")
    recipe.learn(learner)
    model = TRAINED[task].task_class().load(f"{settings.output}/model", name=settings.output)
    part, examples = verdict.held_out(learner, Path(settings.output))
    if part:
        evaluator = evaluation.evaluator_of(TRAINED[task].name, settings.output, {})
        sentence = verdict.nothing_learned(evaluator, evaluator.score(model, examples))
        if sentence:
            warnings.warn(sentence, stacklevel=2)
    return model


def _paths(data: File | tuple[File, ...] | list[File]) -> str | tuple[str, ...] | list[str]:
    """Return the same files by their names."""
    if isinstance(data, tuple):
        return tuple(os.fspath(file) for file in data)
    return [os.fspath(file) for file in data] if isinstance(data, list) else os.fspath(data)
