"""Answers of the pipelines of transformers v4 whose models read texts or images.

Each function takes what does the task, a list of inputs and the arguments of `ARGUMENTS` that are
taken, and returns an answer for each input.
"""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from regard.engine.reading import ReadingTask
from regard.errors import BadArgumentError, UnsupportedError, check_choice, unknown
from regard.lazy import torch
from regard.tasks.classification.task import TEMPLATE, Classification, Classifier, split_labels
from regard.tasks.embedding.task import Embedder
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.matching.task import Matcher
from regard.tasks.question_answering.task import Answerer
from regard.tasks.token_classification.task import Span, TokenClassifier
from regard.text import Tokenizer

TaskT = TypeVar("TaskT", bound=ReadingTask)
ClassifierT = TypeVar("ClassifierT", Classifier, ImageClassifier)
READING = ("truncation", "max_length", "padding")
APPLIED = {  # function_to_apply → problem_type
    "softmax": "single_label_classification",
    "sigmoid": "multi_label_classification",
    "none": "regression",
}


def classify(
    runner: Classifier,
    inputs: Sequence[Any],
    *,
    top_k: int | str | None = "",
    return_all_scores: bool | None = None,
    function_to_apply: str | None = None,
    truncation: object = None,
    max_length: int | None = None,
    padding: object = None,
    **options: Any,
) -> list[Any]:
    """`{"label", "score"}` for each text, or, where `top_k` is options, a list of them, best first.

    An input is a text, or a mapping of "text" and "text_pair".
    """
    paired = [text if isinstance(text, Mapping) else {"text": text} for text in inputs]
    seconds: list[Any] = [pair.get("text_pair") for pair in paired]
    pairs = seconds if any(seconds) else None
    runner = _applying(_reading(runner, max_length), function_to_apply)
    results = runner.run([pair["text"] for pair in paired], pairs, **options)
    check_whole(truncation, results)
    entries = [_labels(result) for result in results]
    if not isinstance(top_k, str):
        return [labels[:top_k] for labels in entries]
    if return_all_scores:
        order = runner.labels.index
        return [sorted(labels, key=lambda each: order(each["label"])) for labels in entries]
    return [labels[0] for labels in entries]


def classify_zero_shot(
    runner: Classifier,
    texts: Sequence[str],
    *,
    candidate_labels: str | Sequence[str] = (),
    hypothesis_template: str = TEMPLATE,
    multi_label: bool = False,
    **options: Any,
) -> list[Any]:
    """`{"sequence", "labels", "scores"}` of each text, the best label first."""
    labels = candidate_labels
    if isinstance(labels, str):
        labels = [label.strip() for label in labels.split(",") if label.strip()]
    results = runner.zero_shot(
        texts, labels, template=hypothesis_template, multi_label=multi_label, **options
    )
    return [
        {
            "sequence": text,
            "labels": [each.label for each in result.labels],
            "scores": [each.score for each in result.labels],
        }
        for text, result in zip(texts, results, strict=True)
    ]


def look(
    runner: ImageClassifier,
    images: Sequence[Any],
    *,
    top_k: int | None = 5,
    function_to_apply: str | None = None,
    **options: Any,
) -> list[Any]:
    """`[{"label", "score"}]`, best first, for each image."""
    _check_not_fetched(images)
    runner = _applying(runner, function_to_apply)
    return [_labels(result) for result in runner.run(images, top_k=top_k, **options)]


def match(
    runner: Matcher,
    images: Sequence[Any],
    *,
    candidate_labels: str | Sequence[str],
    hypothesis_template: str = "This is a photo of {}.",
    **options: Any,
) -> list[Any]:
    """`[{"score", "label"}]`, best first, for each image."""
    _check_not_fetched(images)
    labels = split_labels(candidate_labels)
    results = runner.run(images, labels, template=hypothesis_template, **options)
    return [[{"score": fit.score, "label": fit.label} for fit in match.labels] for match in results]


def label(
    runner: TokenClassifier, texts: Sequence[str], *, aggregation: str = "none", **options: Any
) -> list[Any]:
    """`[{"entity_group", "score", "word", "start", "end"}]` for each text; without aggregation
    `"entity"`, for each token with its `"index"`."""
    joined = aggregation != "none"

    decoder = runner.tokenizer.backend.decoder
    decoded = " ".join if decoder is None else decoder.decode

    def entry(text: str, span: Span) -> dict[str, Any]:
        pieces = _pieces(runner.tokenizer, text, span)
        if joined:
            content = {"entity_group": span.label, "score": span.score}
            word = decoded(pieces).strip()
        else:
            content = {"entity": span.label, "score": span.score, "index": span.first}
            word = pieces[0]
        return content | {"word": word, "start": span.start, "end": span.end}

    results = runner.run(texts, aggregation=aggregation, **options)
    return [
        [entry(text, span) for span in result.spans]
        for text, result in zip(texts, results, strict=True)
    ]


def _pieces(tokenizer: Tokenizer, text: str, span: Span) -> list[str]:
    """Return the pieces of a span; in place of an unknown one, what stands in the text."""
    pieces = tokenizer.tokens(span.ids)
    if tokenizer.special.get("unk") not in pieces:
        return pieces
    encoding = tokenizer.inputs(text)
    places = iter(zip(encoding.ids[span.first :], encoding.offsets[span.first :], strict=True))
    offsets = [next(offsets for its, offsets in places if its == id_) for id_ in span.ids]
    return [
        text[slice(*place)] if id_ == tokenizer.unk_id else piece
        for id_, piece, place in zip(span.ids, pieces, offsets, strict=True)
    ]


def answer(
    runner: Answerer, inputs: Sequence[Mapping[str, str]], *, padding: object = None, **options: Any
) -> list[Any]:
    """`{"score", "start", "end", "answer"}` for each question; a list of several."""
    for entry in inputs:
        if not isinstance(entry, Mapping) or not {"question", "context"} <= entry.keys():
            raise BadArgumentError(f"a question and its context were expected; got {entry!r}.")
    questions = [(entry["question"], entry["context"]) for entry in inputs]
    entries = [
        [
            {"score": entry.score, "start": entry.start, "end": entry.end, "answer": entry.text}
            for entry in answers
        ]
        for answers in runner.run(questions, **options)
    ]
    return [answers[0] if len(answers) == 1 else answers for answers in entries]


def fill(
    runner: MaskFiller,
    texts: Sequence[str],
    *,
    targets: str | Sequence[str] | None = None,
    tokenizer_kwargs: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Any]:
    """`[{"score", "token", "token_str", "sequence"}]` for each text; a list of those for several
    masks in it."""
    read = checked("tokenizer_kwargs", tokenizer_kwargs)
    if targets is not None:
        words = [targets] if isinstance(targets, str) else targets
        options["targets"] = [_target(runner.tokenizer, word) for word in words]
    if is_cut(read.get("truncation")):
        options["truncation"] = True
    results = _reading(runner, read.get("max_length")).run(texts, **options)
    guessed = [[[vars(guess).copy() for guess in mask] for mask in masks] for masks in results]
    return [masks[0] if len(masks) == 1 else masks for masks in guessed]


def features(
    runner: Embedder,
    texts: Sequence[str],
    *,
    truncation: object = None,
    tokenize_kwargs: Mapping[str, Any] | None = None,
    return_tensors: bool | str = False,
    batch_size: int | None = None,
) -> list[Any]:
    """Return the last layer's states of each text, (1, tokens, d_model), as nested lists or a
    tensor."""
    read: dict[str, Any] = {"truncation": truncation} | checked("tokenize_kwargs", tokenize_kwargs)
    if read.get("padding") == "max_length":
        raise UnsupportedError("padding has no states here; leave padding='max_length' out.")
    runner = _reading(runner, read.get("max_length"))
    results = [runner.states(text) for text in texts]
    check_whole(read["truncation"], results)
    states = [state.states[None] for state in results]
    if not return_tensors:
        return [state.tolist() for state in states]
    return [torch.from_numpy(state) for state in states]


def is_cut(truncation: object) -> bool:
    """Return whether a strategy cuts a text that is too long."""
    return truncation not in (None, False, "do_not_truncate")


def check_whole(truncation: object, results: Sequence[Any]) -> None:
    """Refuses a result of a text that was cut where `truncation` says that it may not be."""
    if truncation is not None and not is_cut(truncation):
        for number, result in enumerate(results):
            if getattr(result, "truncated", False):
                raise BadArgumentError(
                    f"text {number} has more tokens than are read. Shorten it, or give"
                    " truncation=True."
                )


def checked(what: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a dictionary of arguments of reading."""
    for name in options or {}:
        if name not in READING:
            raise unknown(f"a key of {what}", name, READING)
    return dict(options or {})


def _check_not_fetched(images: Sequence[Any]) -> None:
    for image in images:
        if isinstance(image, str) and image.startswith(("http://", "https://")):
            raise UnsupportedError(f"nothing is fetched; got {image}. Give the image as a file.")


def _reading(runner: TaskT, max_length: int | None) -> TaskT:
    return runner if max_length is None else runner.reading_at_most(max_length)


def _applying(runner: ClassifierT, function: str | None) -> ClassifierT:
    """Return the same classifier with another function from logits to scores."""
    if function is None or function.lower() == "default":
        return runner
    check_choice("function_to_apply", function.lower(), (*APPLIED, "default"))
    other = copy.copy(runner)
    other.problem_type = APPLIED[function.lower()]
    return other


def _labels(result: Classification) -> list[dict[str, Any]]:
    return [asdict(label) for label in result.labels]


def _target(tokenizer: Tokenizer, word: str) -> int:
    """Return the id of a word to choose."""
    token = tokenizer.backend.token_to_id(word)
    if token is not None:
        return int(token)
    ids = tokenizer.encode(word)
    if not ids:
        raise BadArgumentError(f"targets must be words of the vocabulary; got {word!r}.")
    piece = tokenizer.backend.id_to_token(ids[0])
    warnings.warn(f"{word!r} is no token of the model; {piece!r} is taken.", stacklevel=5)
    return ids[0]
