"""`pipeline(task, model)` with the names, arguments and answers that it had in transformers v4.

Version 5 took four of its tasks away, and users have programs that read their keys.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar

from regard.checkpoints import shipped
from regard.checkpoints.hub import PREFIX, download
from regard.engine.task import Task
from regard.engine.text_to_text import TextToText
from regard.errors import BadArgumentError, UnsupportedError, unknown
from regard.lazy import torch
from regard.tasks import catalog
from regard.tasks.extraction.task import Extractor
from regard.tasks.loading import load, task_class
from regard.tasks.pipelines import reading, writing
from regard.tasks.pipelines.arguments import (
    ALIASES,
    ARGUMENTS,
    CONSTRUCTOR,
    ZERO_SHOT,
    admitted,
    done_by,
)

Runner = TypeVar("Runner", bound=Task, covariant=True)
Model: TypeAlias = str | os.PathLike[str] | Task
Device: TypeAlias = "int | str | torch.device | None"
_TRANSLATION = re.compile(r"translation_(?P<source>.+)_to_(?P<target>.+)")
SHIPPED = {
    "translation_{}_to_{}".format(*shipped.SHIPPED[name].languages): name
    for name in catalog.taken_by("translate")
}
# The functions that answer as a task's pipeline of transformers v4.
ANSWERS: Mapping[str, Callable[..., Any]] = {
    "translation": writing.translate,
    "summarization": writing.summarize,
    "text2text-generation": writing.rewrite,
    "text-generation": writing.write,
    "text-classification": reading.classify,
    ZERO_SHOT: reading.classify_zero_shot,
    "token-classification": reading.label,
    "question-answering": reading.answer,
    "fill-mask": reading.fill,
    "feature-extraction": reading.features,
    "image-classification": reading.look,
    "zero-shot-image-classification": reading.match,
}
_MADE_OF = ("config", "tokenizer", "feature_extractor", "image_processor", "processor")


@dataclass(frozen=True)
class Pipeline(Generic[Runner]):
    """A task and what does it; called with one input, a list, a generator or a data set."""

    task: str
    runner: Runner  # a Translator, Summarizer, Writer …: what `regard.load` gives
    options: Mapping[str, Any] = field(default_factory=dict)  # of every call

    def __call__(self, *inputs: object, **options: object) -> Any:
        """Return the answer to the inputs, in the shape that transformers v4 gave it.

        Of a generator, or of a data set (what has a length and items, and is no list), the answers
        are an iterator, and an input is read when its answer is asked for.

        Args:
            inputs: one, or several.
            options: those of the table in docs/howto/pipelines.md.

        Raises:
            BadArgumentError: an unknown option or one out of range, or an input that the model
                refuses.
            UnsupportedError: an option that has no counterpart here; the message says what to
                write instead.
        """
        taken = admitted(f"a pipeline of {self.task}", ARGUMENTS[self.task], options)
        options = {**self.options, **taken}
        items = _inputs(self.task, inputs, options)
        if _is_one(self.task, items):
            [entry] = self._answers([items], options)
            # v4 puts the one label of one text into a list, and that of a list or a pair does not.
            wrapped = self.task == "text-classification" and isinstance(items, str)
            return [entry] if wrapped and "top_k" not in taken else entry
        if not isinstance(items, list | tuple):
            return self._lazily(items, options)
        entries = self._answers(items, options)
        if (self.task == "fill-mask" or len(_columns(self.task)) > 1) and len(entries) == 1:
            return entries[0]
        flat = isinstance(self.runner, TextToText | Extractor) and all(
            len(entry) == 1 for entry in entries
        )
        return [each[0] for each in entries] if flat else entries

    def _answers(self, inputs: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
        answer = ANSWERS[self.task if self.task == ZERO_SHOT else done_by(self.task)]
        if isinstance(self.runner, Extractor):
            return list(writing.extract(self.runner, inputs, **options))
        answers: list[Any] = answer(self.runner, inputs, **options)
        return answers

    def _lazily(self, inputs: Any, options: Mapping[str, Any]) -> Iterator[Any]:
        if hasattr(inputs, "__len__") and hasattr(
            inputs, "__getitem__"
        ):  # iterating over it may be without an end
            inputs = map(inputs.__getitem__, range(len(inputs)))
        rest = iter(inputs)
        while batch := list(islice(rest, options.get("batch_size") or 1)):
            yield from self._answers(batch, options)


def opened(
    task: str | None, model: Model | None, device: Device, arguments: Mapping[str, Any]
) -> Pipeline[Any]:
    """Return the pipeline that `regard.pipeline` returns."""
    if task is None:
        model, task = _made_for(model)
    kind_name = ALIASES.get(task, task)
    languages = _TRANSLATION.fullmatch(task)
    if languages:
        kind_name = "translation"
    if kind_name not in ARGUMENTS:
        raise unknown("task", task, [*ARGUMENTS, *ALIASES, "translation_XX_to_YY"])
    taken = ARGUMENTS[kind_name] | CONSTRUCTOR
    options = admitted(f"a pipeline of {kind_name}", taken, arguments, depth=2)
    if model is None:
        model = SHIPPED.get(task)
    if model is None:
        needed = catalog.KINDS[done_by(kind_name)].needed
        raise BadArgumentError(
            f"model must be a folder or hub:org/name of a model for {task}; got None."
            f" {needed[0].upper()}{needed[1:]}."
        )
    _check_same(model, {name: options.pop(name, None) for name in _MADE_OF})
    dtype, model = (
        _dtype(options.pop("dtype", None)),
        _revised(model, options.pop("revision", None)),
    )
    if isinstance(model, str | os.PathLike):
        model = load(model, done_by(kind_name))
    kind = task_class(done_by(kind_name))
    others = (task_class(name) for name in catalog.LOADED if catalog.KINDS[name].does == kind_name)
    if not isinstance(model, (kind, *others)):
        raise BadArgumentError(
            f"model must be a {kind.__name__} for {task}; got {type(model).__name__}."
            " Give the folder, or the object that regard.load returned; of a model of transformers,"
            " save it and its tokenizer with save_pretrained."
        )
    runner: Any = model
    if languages and runner.has_languages:
        runner = runner.between(**languages.groupdict())
    if device is not None:
        where = ("cpu" if device < 0 else f"cuda:{device}") if isinstance(device, int) else device
        if where != "cpu" or runner.handle.is_loaded:  # a model that is yet to be loaded is there
            runner.model.to(where)
    if dtype is not None:
        runner = runner.run_by("torch")  # the native engine has precisions of its own
        runner.model.to(dtype)
    return Pipeline(kind_name, runner, options)


def _columns(task: str) -> list[str]:
    """Return the inputs that a task must have."""
    return [column.name for column in catalog.KINDS[done_by(task)].inputs if not column.optional]


def _made_for(model: Model | None) -> tuple[Task, str]:
    """Return a model with the task that it was made for."""
    if model is None:
        raise BadArgumentError("a task or a model was expected; give one.")
    loaded = model if isinstance(model, Task) else load(model)
    return loaded, next(task for task in catalog.LOADED if type(loaded) is task_class(task))


def _check_same(model: Model, parts: Mapping[str, Any]) -> None:
    """Refuses a tokenizer, or another part, that is not of the model's folder."""
    for name, part in parts.items():
        origin = (
            part if isinstance(part, str | os.PathLike) else getattr(part, "name_or_path", None)
        )
        if part is not None and str(origin) != str(model).removeprefix(PREFIX):
            raise UnsupportedError(
                f"{name} must be that of the model's folder {model}; got {origin or part!r}. Save"
                " it into that folder with save_pretrained, and leave the argument out."
            )


def _revised(model: Model, revision: str | None) -> Model:
    if revision is None or revision == "main":
        return model
    if isinstance(model, str) and model.startswith(PREFIX):
        return download(model.removeprefix(PREFIX), revision=revision)
    raise BadArgumentError(f"revision needs a model that is named {PREFIX}org/name; got {model}.")


def _dtype(name: object) -> "torch.dtype | None":
    """Return a dtype, or that of a name such as "float16"; None: as models are loaded."""
    if name is None or name == "auto":
        return None
    dtype = getattr(torch, name.removeprefix("torch."), None) if isinstance(name, str) else name
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise BadArgumentError(f"dtype must be a torch.dtype of floats, or its name; got {name!r}.")
    return dtype


def _inputs(task: str, positional: tuple[Any, ...], options: dict[str, Any]) -> object:
    """Return the one input, or what holds several, of the positions and names that v4 lets it
    have."""
    if task == ZERO_SHOT and len(positional) == 2:
        options["candidate_labels"] = positional[1]
        positional = positional[:1]
    columns = _columns(task)
    if len(columns) > 1 and "inputs" not in options:
        pair = [options.pop(name, None) for name in columns]
        if len(positional) != 1:
            return _questions(*(positional if len(positional) == 2 else pair))
    inputs = list(positional) or [options.pop("inputs", None)]
    if len(inputs) != 1 or inputs[0] is None:
        raise BadArgumentError(
            f"one input, or a list of them, was expected for {task}; got {len(positional)}."
        )
    return inputs[0]


def _questions(question: str | Sequence[str] | None, context: str | Sequence[str] | None) -> object:
    if question is None or context is None:
        raise BadArgumentError("a question and its context were expected; give both.")
    if isinstance(question, str):
        return {"question": question, "context": context}
    contexts = [context] * len(question) if isinstance(context, str) else context
    if len(contexts) != len(question):
        raise BadArgumentError(
            f"contexts must be one, or one for each question; got {len(contexts)} for"
            f" {len(question)} questions."
        )
    return [{"question": q, "context": c} for q, c in zip(question, contexts, strict=True)]


def _is_one(task: str, asked: object) -> bool:
    """Return whether it is one input: a text, a mapping, an image, or the messages of a chat."""
    if isinstance(asked, list | tuple):
        return task == "text-generation" and bool(asked) and isinstance(asked[0], Mapping)
    if isinstance(asked, str | bytes | os.PathLike | Mapping):
        return True
    return not (isinstance(asked, Iterable) or hasattr(asked, "__getitem__"))
