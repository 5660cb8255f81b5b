"""Types of `regard.load` and `regard.pipeline`, written by tools/load_types.py."""

import os
from typing import Any, Literal, overload

from regard.engine.task import Task
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import Embedder
from regard.tasks.extraction.task import Extractor
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.matching.task import Matcher
from regard.tasks.pipelines.pipelines import Device, Model, Pipeline
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization.task import Rewriter, Summarizer
from regard.tasks.text_generation.task import Writer
from regard.tasks.token_classification.task import TokenClassifier
from regard.tasks.transcription.task import Transcriber
from regard.tasks.translation.task import Translator

Name = str | os.PathLike[str]

@overload
def load(name: Literal["en-de"], task: None = None) -> Translator: ...
@overload
def load(name: Literal["en-hi"], task: None = None) -> Translator: ...
@overload
def load(name: Literal["emotions"], task: None = None) -> Classifier: ...
@overload
def load(name: Literal["digits"], task: None = None) -> ImageClassifier: ...
@overload
def load(name: Literal["shakespeare"], task: None = None) -> Writer: ...
@overload
def load(name: Literal["sentences"], task: None = None) -> Embedder: ...
@overload
def load(name: Literal["minilm"], task: None = None) -> Embedder: ...
@overload
def load(name: Literal["answers"], task: None = None) -> Answerer: ...
@overload
def load(name: Literal["summaries"], task: None = None) -> Extractor: ...
@overload
def load(name: Name, task: Literal["translation"]) -> Translator: ...
@overload
def load(name: Name, task: Literal["summarization"]) -> Summarizer: ...
@overload
def load(name: Name, task: Literal["extractive-summarization"]) -> Extractor: ...
@overload
def load(name: Name, task: Literal["text2text-generation"]) -> Rewriter: ...
@overload
def load(name: Name, task: Literal["text-generation"]) -> Writer: ...
@overload
def load(name: Name, task: Literal["text-classification"]) -> Classifier: ...
@overload
def load(name: Name, task: Literal["token-classification"]) -> TokenClassifier: ...
@overload
def load(name: Name, task: Literal["question-answering"]) -> Answerer: ...
@overload
def load(name: Name, task: Literal["fill-mask"]) -> MaskFiller: ...
@overload
def load(name: Name, task: Literal["feature-extraction"]) -> Embedder: ...
@overload
def load(name: Name, task: Literal["image-classification"]) -> ImageClassifier: ...
@overload
def load(name: Name, task: Literal["zero-shot-image-classification"]) -> Matcher: ...
@overload
def load(name: Name, task: Literal["automatic-speech-recognition"]) -> Transcriber: ...
@overload
def load(name: Name, task: str | None = None) -> Task: ...
@overload
def pipeline(
    task: Literal["translation", "translation_en_to_de", "translation_en_to_hi"],
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
def task_class(kind: str) -> type[Task]: ...
