"""Training by the name of a task; what editors know of it is in training.pyi."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

from regard.data.tables import Table, Tables
from regard.engine.task import Task
from regard.errors import BadArgumentError, unknown
from regard.tasks import evaluation
from regard.tasks.catalog import TRAINED
from regard.training import recipe, verdict

File = str | os.PathLike[str]
_NAME = (str, os.PathLike, type(None))  # of a file
HELD = ("dev", "test")  # options that are files like the data


def train(
    task: str, data: File | tuple[File, File] | list[File] | Table, output: File, **options: object
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
            a language model a file or folder of text. Or the examples: a DataFrame of pandas or
            polars, a table of pyarrow, a data set of datasets, or a list or generator of
            dictionaries, or of tuples in the order of the task's columns (`Training.columns`).
            They are written to the folder `from-python` in `output` and read from there.
        options: fields of the task's options, such as `ClassificationOptions`, in
            the task's `train_options`. Files and folders may be strings or paths; dev and test may
            be examples, as data may.

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
    values = {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in options.items()
    }
    held = {name: values.pop(name) for name in HELD if not isinstance(values.get(name, ""), _NAME)}
    settings = kind(output=os.fspath(output), **values)
    tables = Tables(Path(settings.output), training.columns, options)
    with tables.named():
        source = _files(task, data, tables)
        files = {name: tables.path(name, table) for name, table in held.items()}
        note = settings.data_note or tables.about.get("data", "")
        settings = replace(settings, data_note=note, **files)
        learner = training.recipe_class()(source, settings, say=tables.say, command="")
        recipe.learn(learner)
    model = TRAINED[task].task_class().load(f"{settings.output}/model", name=settings.output)
    part, examples = verdict.held_out(learner, Path(settings.output))
    if part:
        evaluator = evaluation.evaluator_of(TRAINED[task].name, settings.output, {})
        sentence = verdict.nothing_learned(evaluator, evaluator.score(model, examples))
        if sentence:
            warnings.warn(sentence, stacklevel=2)
    return model


def _files(
    task: str, data: File | tuple[File, ...] | list[File] | Table, tables: Tables
) -> str | tuple[str, ...] | list[str]:
    """Return the names of the files of pairs, or of the one file of examples.

    Raises:
        BadArgumentError: several files for a task that reads one.
    """
    several = isinstance(data, tuple | list) and all(isinstance(file, _NAME) for file in data)
    if not several or not data:
        return tables.path("data", data)
    files = [os.fspath(file) for file in data]
    if task != "translation":
        raise BadArgumentError(
            f"{task} reads one file as `data`; got {len(files)}. Give one, or give texts as"
            f" tuples of {', '.join(tables.columns)}."
        )
    return tuple(files) if isinstance(data, tuple) else files
