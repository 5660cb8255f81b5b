"""Types of `regard.train`, written by tools/option_types.py."""

import os
from typing import Literal, TypedDict, Unpack, overload

from regard.data.tables import Table
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import Embedder
from regard.tasks.extraction.task import Extractor
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.matching.task import Matcher
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization.task import Summarizer
from regard.tasks.text_generation.task import Writer
from regard.tasks.token_classification.task import TokenClassifier
from regard.tasks.transcription.task import Transcriber
from regard.tasks.translation.task import Translator

File = str | os.PathLike[str]

class Arguments(TypedDict, total=False):
    """Options of every task."""

    dev: Table | str | None
    license: str
    data_note: str
    accumulate: int | None
    learning_rate: float | None
    warmup: int | None
    optimizer: str
    schedule: str
    cooldown: int
    weight_decay: float
    max_steps: int | None
    max_epochs: float | None
    max_minutes: float | None
    evaluate_every: int | None
    average: int
    patience: int
    device: str
    precision: str
    shard: bool
    seed: int
    tensorboard: bool
    base_model: str | None

class TranslationArguments(Arguments, total=False):
    """Options of "translation"."""

    max_tokens: int
    test: Table | str | None
    vocab_size: int | None
    preset: str
    norm: str
    dropout: float | None
    label_smoothing: float
    strict: bool
    source_language: str
    target_language: str
    temperature: float
    joined: float
    names: float
    typed: float
    new_subwords: int | None
    fold_quotes: bool
    separate_vocabularies: bool
    max_length: int
    encoder_layers: int | None
    decoder_layers: int | None
    architecture: str
    cell: str
    attention: str
    dev_sentences: int

class SummarizationArguments(Arguments, total=False):
    """Options of "summarization"."""

    max_tokens: int
    test: Table | str | None
    vocab_size: int | None
    preset: str
    norm: str
    dropout: float | None
    label_smoothing: float
    strict: bool
    document: str | None
    summary: str | None
    max_source_length: int
    max_length: int
    dev_documents: int

class ExtractiveSummarizationArguments(Arguments, total=False):
    """Options of "extractive-summarization"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    lora_rank: int
    lora_alpha: float | None
    lora_targets: str
    vocab_size: int | None
    max_length: int
    folds: int | None
    strict: bool
    document: str | None
    summary: str | None

class LanguageModelArguments(Arguments, total=False):
    """Options of "language-model"."""

    max_tokens: int
    dropout: float | None
    strict: bool
    text: str | None
    dev_fraction: float
    dev_tokens: int
    tokenizer: str | None
    vocab_size: int | None
    preset: str
    d_model: int | None
    layers: int | None
    heads: int | None
    block: int
    batch_size: int | None
    beta2: float
    sample_tokens: int

class ClassificationArguments(Arguments, total=False):
    """Options of "classification"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    lora_rank: int
    lora_alpha: float | None
    lora_targets: str
    vocab_size: int | None
    max_length: int
    folds: int | None
    strict: bool
    text: str | None
    pair: str | None
    label: str | None
    separator: str | None
    class_weights: bool

class TokenClassificationArguments(Arguments, total=False):
    """Options of "token-classification"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    lora_rank: int
    lora_alpha: float | None
    lora_targets: str
    vocab_size: int | None
    max_length: int
    folds: int | None
    strict: bool
    word: str | None
    label: str | None

class QuestionAnsweringArguments(Arguments, total=False):
    """Options of "question-answering"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    lora_rank: int
    lora_alpha: float | None
    lora_targets: str
    vocab_size: int | None
    max_length: int
    folds: int | None
    strict: bool
    question: str | None
    context: str | None
    answer: str | None
    start: str | None
    doc_stride: int
    max_answer_len: int

class MaskedLanguageModelArguments(Arguments, total=False):
    """Options of "masked-language-model"."""

    max_tokens: int
    dropout: float | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    vocab_size: int | None
    max_length: int
    strict: bool
    text: str | None
    dev_fraction: float
    dev_tokens: int
    masked: float

class EmbeddingArguments(Arguments, total=False):
    """Options of "embedding"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    preset: str
    lora_rank: int
    lora_alpha: float | None
    lora_targets: str
    vocab_size: int | None
    max_length: int
    folds: int | None
    strict: bool
    text: str | None
    pair: str | None
    score: str | None
    score_scale: float | None
    pooling: str | None
    temperature: float
    symmetric: bool

class ImageClassificationArguments(Arguments, total=False):
    """Options of "image-classification"."""

    max_tokens: int
    dropout: float | None
    test: Table | str | None
    train_layers: int | None
    layer_decay: float
    batch_size: int
    image_size: int | None
    preset: str | None
    patch_size: int | None
    channels: int | None
    shift: float
    rotate: float
    scale: float
    flip: bool
    class_weights: bool

class MatchingArguments(Arguments, total=False):
    """Options of "matching"."""

    test: Table | str | None
    batch_size: int
    strict: bool
    image: str | None
    text: str | None

class TranscriptionArguments(Arguments, total=False):
    """Options of "transcription"."""

    dropout: float | None
    test: Table | str | None
    batch_size: int
    strict: bool
    sound: str | None
    text: str | None
    language: str | None
    translate: bool
    dev_sounds: int

@overload
def train(
    task: Literal["translation"],
    data: File | tuple[File, File] | list[File] | Table,
    output: File,
    **options: Unpack[TranslationArguments],
) -> Translator: ...
@overload
def train(
    task: Literal["summarization"],
    data: File | Table,
    output: File,
    **options: Unpack[SummarizationArguments],
) -> Summarizer: ...
@overload
def train(
    task: Literal["extractive-summarization"],
    data: File | Table,
    output: File,
    **options: Unpack[ExtractiveSummarizationArguments],
) -> Extractor: ...
@overload
def train(
    task: Literal["language-model"],
    data: File | Table,
    output: File,
    **options: Unpack[LanguageModelArguments],
) -> Writer: ...
@overload
def train(
    task: Literal["classification"],
    data: File | Table,
    output: File,
    **options: Unpack[ClassificationArguments],
) -> Classifier: ...
@overload
def train(
    task: Literal["token-classification"],
    data: File | Table,
    output: File,
    **options: Unpack[TokenClassificationArguments],
) -> TokenClassifier: ...
@overload
def train(
    task: Literal["question-answering"],
    data: File | Table,
    output: File,
    **options: Unpack[QuestionAnsweringArguments],
) -> Answerer: ...
@overload
def train(
    task: Literal["masked-language-model"],
    data: File | Table,
    output: File,
    **options: Unpack[MaskedLanguageModelArguments],
) -> MaskFiller: ...
@overload
def train(
    task: Literal["embedding"],
    data: File | Table,
    output: File,
    **options: Unpack[EmbeddingArguments],
) -> Embedder: ...
@overload
def train(
    task: Literal["image-classification"],
    data: File | Table,
    output: File,
    **options: Unpack[ImageClassificationArguments],
) -> ImageClassifier: ...
@overload
def train(
    task: Literal["matching"],
    data: File | Table,
    output: File,
    **options: Unpack[MatchingArguments],
) -> Matcher: ...
@overload
def train(
    task: Literal["transcription"],
    data: File | Table,
    output: File,
    **options: Unpack[TranscriptionArguments],
) -> Transcriber: ...
