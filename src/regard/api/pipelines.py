"""`pipeline(task, model)` with the names, arguments and answers that it had in transformers v4.

Version 5 took four of its tasks away (translation, summarization, text2text-generation and
question-answering), and users have programs that read their keys.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

import torch

from regard import catalog
from regard.api.loading import load, task_class
from regard.errors import BadArgumentError, unknown
from regard.tasks.answering import Answer, Answerer
from regard.tasks.classification import Classification, Classifier
from regard.tasks.embedding import Embedder
from regard.tasks.filling import MaskFiller
from regard.tasks.images import ImageClassifier
from regard.tasks.summarization import Rewriter, Summarizer
from regard.tasks.task import Task
from regard.tasks.text_to_text import TextToText
from regard.tasks.writing import Writer
from regard.translation.translator import Translator

Runner = TypeVar("Runner", bound=Task, covariant=True)
Model: TypeAlias = str | os.PathLike[str] | Task
Device: TypeAlias = int | str | torch.device | None
ALIASES = {"sentiment-analysis": "text-classification"}
# What is done by the class of another task.
_DONE_BY = {"zero-shot-classification": "text-classification"}
_TRANSLATION = re.compile(r"translation_(?P<source>.+)_to_(?P<target>.+)")
_SHIPPED = {
    "translation_{}_to_{}".format(*catalog.SHIPPED[name].languages): name
    for name in catalog.taken_by("translate")
}


@dataclass(frozen=True)
class Pipeline(Generic[Runner]):
    """A task and what does it; called with one input or a list of them."""

    task: str
    runner: Runner  # a Translator, Summarizer, Writer …: what `regard.load` gives
    answer: Callable[..., Any]

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """The answer to the inputs, in the shape that transformers v4 gave it.

        Args:
            inputs: one, or a list of them.
            options: of the task, such as top_k, or of generation, such as num_beams.
        """
        return self.answer(self.runner, *inputs, **options)


@overload
def pipeline(
    task: Literal["translation", "translation_en_to_de", "translation_en_to_hi"],
    model: Model | None = None,
    *,
    device: Device = None,
) -> Pipeline[Translator]: ...
@overload
def pipeline(
    task: Literal["summarization"], model: Model, *, device: Device = None
) -> Pipeline[Summarizer]: ...
@overload
def pipeline(
    task: Literal["text2text-generation"], model: Model, *, device: Device = None
) -> Pipeline[Rewriter]: ...
@overload
def pipeline(
    task: Literal["text-generation"], model: Model, *, device: Device = None
) -> Pipeline[Writer]: ...
@overload
def pipeline(
    task: Literal["text-classification", "sentiment-analysis", "zero-shot-classification"],
    model: Model,
    *,
    device: Device = None,
) -> Pipeline[Classifier]: ...
@overload
def pipeline(
    task: Literal["question-answering"], model: Model, *, device: Device = None
) -> Pipeline[Answerer]: ...
@overload
def pipeline(
    task: Literal["fill-mask"], model: Model, *, device: Device = None
) -> Pipeline[MaskFiller]: ...
@overload
def pipeline(
    task: Literal["feature-extraction"], model: Model, *, device: Device = None
) -> Pipeline[Embedder]: ...
@overload
def pipeline(
    task: Literal["image-classification"], model: Model, *, device: Device = None
) -> Pipeline[ImageClassifier]: ...
@overload
def pipeline(task: str, model: Model | None = None, *, device: Device = None) -> Pipeline[Task]: ...
def pipeline(task: str, model: Model | None = None, *, device: Device = None) -> Pipeline[Any]:
    """What does a task, by the name it had in transformers v4.

    >>> translate = regard.pipeline("translation_en_to_de")
    >>> translate("Where is the station?")
    [{'translation_text': 'Wo ist der Bahnhof?'}]

    Args:
        task: a name in TASKS, "sentiment-analysis", or "translation_XX_to_YY".
        model: a folder, "hub:org/name", or what `regard.load` gave. It may be left out for the
            translations that come with the package.
        device: where to compute; a number is that of a GPU, and -1 the CPU.

    Raises:
        BadArgumentError: an unknown task, no model, or an object of another task.
        RegardError: any that `load` raises.
    """
    known = ALIASES.get(task, task)
    languages = _TRANSLATION.fullmatch(task)
    if languages:
        known = "translation"
    if known not in TASKS:
        raise unknown("task", task, [*TASKS, *ALIASES, "translation_XX_to_YY"])
    if model is None:
        model = _SHIPPED.get(task)
    if model is None:
        raise BadArgumentError(
            f"model must be a folder or hub:org/name of a model for {task}; got None."
        )
    done_by = _DONE_BY.get(known, known)
    if isinstance(model, str | os.PathLike):
        model = load(model, done_by)
    kind = task_class(done_by)
    if not isinstance(model, kind):
        raise BadArgumentError(
            f"model must be a {kind.__name__} for {task}; got {type(model).__name__}."
            " Give the folder, or the object that regard.load returned."
        )
    runner: Any = model
    if languages and runner.has_languages:
        runner = runner.between(**languages.groupdict())
    if device is not None:
        where = ("cpu" if device < 0 else f"cuda:{device}") if isinstance(device, int) else device
        runner.model.to(where)
    return Pipeline(task, runner, TASKS[known])


def _text_to_text(key: str) -> Callable[..., Any]:
    """Answers `[{key: text}]` to one text; to a list, one dict each or, of n best, a list each."""

    def answer(runner: TextToText, texts: str | Sequence[str], **options: Any) -> Any:
        one = isinstance(texts, str)
        results = runner.run([texts] if isinstance(texts, str) else texts, **options)
        entries = [
            [{key: each.text} for each in result.alternatives or [result]] for result in results
        ]
        if one:
            return entries[0]
        single = options.get("num_return_sequences", 1) == 1
        return [first for first, *_ in entries] if single else entries

    return answer


def _translate(
    runner: Translator,
    texts: str | Sequence[str],
    *,
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    **options: Any,
) -> Any:
    if src_lang or tgt_lang:
        runner = runner.between(src_lang, tgt_lang)
    return _text_to_text("translation_text")(runner, texts, **options)


def _write(runner: Writer, prompts: Any, *, return_full_text: bool = True, **options: Any) -> Any:
    """`[{"generated_text": …}]` to a text or to a chat, whose answer is one message more."""
    if one := isinstance(prompts, str) or isinstance(prompts[0], Mapping):
        prompts = [prompts]
    full = return_full_text
    entries = []
    for prompt, result in zip(prompts, runner.run(prompts, **options), strict=True):
        texts = [each.text for each in (result, *result.others)]
        entries.append(
            [{"generated_text": _after(prompt, text) if full else text} for text in texts]
        )
    return entries[0] if one else entries


def _after(prompt: Any, text: str) -> Any:
    if isinstance(prompt, str):
        return prompt + text
    return [*prompt, {"role": "assistant", "content": text}]


def _classify(runner: Classifier, inputs: Any, *, top_k: Any = 1, **options: Any) -> Any:
    """`{"label", "score"}` for each text; lists of them, best first, where top_k is not 1.

    An input is a text, or a dict of "text" and "text_pair".
    """
    if one := isinstance(inputs, str | Mapping):
        inputs = [inputs]
    paired = [text if isinstance(text, Mapping) else {"text": text} for text in inputs]
    seconds: list[Any] = [pair.get("text_pair") for pair in paired]
    pairs = seconds if any(seconds) else None
    results = runner.run([pair["text"] for pair in paired], pairs, top_k=top_k, **options)
    entries = [_labels(result) for result in results]
    if top_k != 1:
        return entries[0] if one else entries
    return [first for first, *_ in entries]


def _choose(
    runner: Classifier,
    texts: str | Sequence[str],
    candidate_labels: str | Sequence[str],
    *,
    hypothesis_template: str = "This example is {}.",
    multi_label: bool = False,
    **options: Any,
) -> Any:
    """`{"sequence", "labels", "scores"}` of a text, the best label first; a list for a list.

    The labels may be one string with commas between them.
    """
    labels = candidate_labels
    if isinstance(labels, str):
        labels = [label.strip() for label in labels.split(",") if label.strip()]
    asked = [texts] if isinstance(texts, str) else list(texts)
    results = runner.zero_shot(
        asked, labels, template=hypothesis_template, several=multi_label, **options
    )
    entries = [
        {
            "sequence": text,
            "labels": [each.label for each in result.labels],
            "scores": [each.score for each in result.labels],
        }
        for text, result in zip(asked, results, strict=True)
    ]
    return entries[0] if isinstance(texts, str) else entries


def _see(runner: ImageClassifier, images: Any, *, top_k: int | None = 5, **options: Any) -> Any:
    """`[{"label", "score"}]`, best first, for an image; a list of those for a list."""
    if one := not isinstance(images, Sequence) or isinstance(images, str):
        images = [images]
    entries = [_labels(result) for result in runner.run(images, top_k=top_k, **options)]
    return entries[0] if one else entries


def _labels(result: Classification) -> list[dict[str, Any]]:
    return [asdict(each) for each in result.labels]


def _answer(
    runner: Answerer,
    inputs: Any = None,
    *,
    question: str | Sequence[str] | None = None,
    context: str | Sequence[str] | None = None,
    top_k: int = 1,
    **options: Any,
) -> Any:
    """`{"score", "start", "end", "answer"}` for a question; a list of those where top_k > 1.

    The input is a dict of "question" and "context", or both as keywords, or lists of them.
    """
    if inputs is None:
        if question is None or context is None:
            raise BadArgumentError("a question and its context were expected; give both.")
        questions = [question] if (one := isinstance(question, str)) else list(question)
        contexts = [context] * len(questions) if isinstance(context, str) else list(context)
    else:
        inputs = [inputs] if (one := isinstance(inputs, Mapping)) else inputs
        questions = [each["question"] for each in inputs]
        contexts = [each["context"] for each in inputs]
    asked = list(zip(questions, contexts, strict=True))
    entries = [
        [_span(answer) for answer in answers]
        for answers in runner.run(asked, top_k=top_k, **options)
    ]
    each = [answers[0] for answers in entries] if top_k == 1 else entries
    return each[0] if one else each


def _span(answer: Answer) -> dict[str, Any]:
    return {"score": answer.score, "start": answer.start, "end": answer.end, "answer": answer.text}


def _fill(runner: MaskFiller, texts: str | Sequence[str], **options: Any) -> Any:
    """`[{"score", "token", "token_str", "sequence"}]` for a text; a list of those for several
    masks in it, and for a list of texts."""
    results = runner.run([texts] if isinstance(texts, str) else texts, **options)
    entries = []
    for masks in results:
        guesses = [[vars(guess).copy() for guess in mask] for mask in masks]
        entries.append(guesses[0] if len(guesses) == 1 else guesses)
    return entries[0] if isinstance(texts, str) else entries


def _features(runner: Embedder, texts: str | Sequence[str]) -> Any:
    """The last layer's states as nested lists, (1, tokens, d_model), of each text."""
    if isinstance(texts, str):
        return [runner.states(texts).states.tolist()]
    return [_features(runner, text) for text in texts]


TASKS: dict[str, Callable[..., Any]] = {
    "translation": _translate,
    "summarization": _text_to_text("summary_text"),
    "text2text-generation": _text_to_text("generated_text"),
    "text-generation": _write,
    "text-classification": _classify,
    "zero-shot-classification": _choose,
    "question-answering": _answer,
    "fill-mask": _fill,
    "feature-extraction": _features,
    "image-classification": _see,
}
