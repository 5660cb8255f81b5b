"""Types of `regard.pipeline`, written by tools/load_types.py."""

from typing import Any, Literal, overload

from regard.engine.task import Task
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import Embedder
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.matching.task import Matcher
from regard.tasks.pipelines import Device, Model, Pipeline
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization.task import Rewriter, Summarizer
from regard.tasks.text_generation.task import Writer
from regard.tasks.token_classification.task import TokenClassifier
from regard.tasks.translation.task import Translator

@overload
def pipeline(
    task: Literal[
        "translation", "translation_en_to_de", "translation_en_to_hi", "translation_de_to_en"
    ],
    model: Model | None = None,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Translator]: ...
@overload
def pipeline(
    task: Literal["summarization"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Summarizer]: ...
@overload
def pipeline(
    task: Literal["text2text-generation"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Rewriter]: ...
@overload
def pipeline(
    task: Literal["text-generation"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Writer]: ...
@overload
def pipeline(
    task: Literal["text-classification", "zero-shot-classification", "sentiment-analysis"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Classifier]: ...
@overload
def pipeline(
    task: Literal["token-classification", "ner"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[TokenClassifier]: ...
@overload
def pipeline(
    task: Literal["question-answering"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Answerer]: ...
@overload
def pipeline(
    task: Literal["fill-mask"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[MaskFiller]: ...
@overload
def pipeline(
    task: Literal["feature-extraction"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Embedder]: ...
@overload
def pipeline(
    task: Literal["image-classification"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[ImageClassifier]: ...
@overload
def pipeline(
    task: Literal["zero-shot-image-classification"],
    model: Model,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Matcher]: ...
@overload
def pipeline(
    task: str | None = None,
    model: Model | None = None,
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[Task]: ...
