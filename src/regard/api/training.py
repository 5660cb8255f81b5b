"""Training by the name of a task."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from regard.api.loading import task_class
from regard.errors import unknown
from regard.tasks.task import Task

if TYPE_CHECKING:
    from regard.tasks.answering import Answerer
    from regard.tasks.classification import Classifier
    from regard.tasks.embedding import Embedder
    from regard.tasks.filling import MaskFiller
    from regard.tasks.images import ImageClassifier
    from regard.tasks.summarization import Summarizer
    from regard.tasks.writing import Writer
    from regard.translation.translator import Translator

File = str | os.PathLike[str]


class Taught(NamedTuple):
    """How a task is trained: where its recipe and its options are, and what loads the result."""

    module: str
    recipe: str
    options_module: str
    options: str
    task: str  # a name in api.loading.CLASSES


TAUGHT = {
    "translation": Taught(
        "regard.translation.training",
        "TranslationRecipe",
        "regard.translation.options",
        "TrainingOptions",
        "translation",
    ),
    "classification": Taught(
        "regard.recipes.labels.classification",
        "ClassificationRecipe",
        "regard.recipes.options.encoders",
        "ClassificationOptions",
        "text-classification",
    ),
    "image-classification": Taught(
        "regard.recipes.labels.image_classification",
        "ImageClassificationRecipe",
        "regard.recipes.options.images",
        "ImageClassificationOptions",
        "image-classification",
    ),
    "language-model": Taught(
        "regard.recipes.language.language_model",
        "LanguageModelRecipe",
        "regard.recipes.options.language",
        "LanguageModelOptions",
        "text-generation",
    ),
    "masked-language-model": Taught(
        "regard.recipes.language.masked_language_model",
        "MaskedLanguageModelRecipe",
        "regard.recipes.options.encoders",
        "MaskedLanguageModelOptions",
        "fill-mask",
    ),
    "question-answering": Taught(
        "regard.recipes.answers.question_answering",
        "QuestionAnsweringRecipe",
        "regard.recipes.options.encoders",
        "QuestionAnsweringOptions",
        "question-answering",
    ),
    "embedding": Taught(
        "regard.recipes.vectors.embedding",
        "EmbeddingRecipe",
        "regard.recipes.options.encoders",
        "EmbeddingOptions",
        "feature-extraction",
    ),
    "summarization": Taught(
        "regard.recipes.summaries.summarization",
        "SummarizationRecipe",
        "regard.recipes.options.sequences",
        "SummarizationOptions",
        "summarization",
    ),
}


@overload
def train(
    task: Literal["translation"],
    data: File | tuple[File, File] | list[File],
    output: File,
    **options: Any,
) -> "Translator": ...
@overload
def train(
    task: Literal["classification"], data: File, output: File, **options: Any
) -> "Classifier": ...
@overload
def train(
    task: Literal["language-model"], data: File, output: File, **options: Any
) -> "Writer": ...
@overload
def train(
    task: Literal["masked-language-model"], data: File, output: File, **options: Any
) -> "MaskFiller": ...
@overload
def train(
    task: Literal["summarization"], data: File, output: File, **options: Any
) -> "Summarizer": ...
@overload
def train(
    task: Literal["image-classification"], data: File, output: File, **options: Any
) -> "ImageClassifier": ...
@overload
def train(
    task: Literal["question-answering"], data: File, output: File, **options: Any
) -> "Answerer": ...
@overload
def train(task: Literal["embedding"], data: File, output: File, **options: Any) -> "Embedder": ...
def train(
    task: str, data: File | tuple[File, File] | list[File], output: File, **options: Any
) -> Task:
    """Trains a model on `data` in the folder `output`, or resumes there; returns the best one.

    >>> translator = regard.train("translation", "pairs.tsv", "runs/en-de", max_minutes=30)

    Args:
        task: a name in TAUGHT.
        data: a file of examples; of a translation also a source file and a target file as a tuple,
            or a list of files; of images also a folder with a sub-folder for each label; of a
            language model a file or folder of text.
        options: fields of the task's options, such as `ClassificationOptions`; see
            `regard.recipes.options` and `regard.translation.options`.

    Raises:
        BadArgumentError: an unknown task or option.
        RegardError: any that training raises (see `recipes.recipe.learn`).
    """
    from regard.recipes.recipe import learn

    if task not in TAUGHT:
        raise unknown("task", task, TAUGHT)
    taught = TAUGHT[task]
    kind = getattr(import_module(taught.options_module), taught.options)
    for name in options:
        if name not in kind.settings():
            raise unknown("a training option", name, kind.settings())
    files = _paths(data)
    settings = kind(output=os.fspath(output), **options)
    recipe = getattr(import_module(taught.module), taught.recipe)
    learn(recipe(files, settings, say=print, command=""))
    return task_class(taught.task).load(f"{settings.output}/model", name=settings.output)


def _paths(data: File | tuple[File, ...] | list[File]) -> str | tuple[str, ...] | list[str]:
    """The same files by their names."""
    if isinstance(data, tuple):
        return tuple(os.fspath(file) for file in data)
    return [os.fspath(file) for file in data] if isinstance(data, list) else os.fspath(data)
