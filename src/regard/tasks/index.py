"""The declarations of the tasks, with the kinds of models for them, and the shipped models."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError, check_choice, unknown
from regard.options import former
from regard.tasks.declaration import ENCODER, READS, WRITES, Input, Kind, Training

FOLDER = Path(__file__).parent / "shipped"
VECTOR_FILES = ("vectors.safetensors", "words.txt")  # a folder of word vectors
MODEL = "here a model is needed, such as en-de"

_TEXT = (Input("text", "the text"),)

_RUNNING_TEXT = "Text: a file or folder; JSON lines, CSV, Parquet; also .gz."


def _declared(folder: str) -> Kind:
    """Return the declaration of a task that is a folder; it is above this file, so read by name."""
    kind: Kind = import_module(f"regard.tasks.{folder}").TASK
    return kind


# By the names that transformers gives to tasks, but for the last two.
DECLARATIONS = (
    Kind(
        "translation",
        "a translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, M2M100, NLLB, T5 or Pegasus model",
        WRITES,
        task="regard.tasks.translation.task:Translator",
        model="EncoderDecoder",
        also=("summarization", "text2text-generation"),
        verb="translate",
        help="Translate sentences.\n\nOne line in, one line out: an empty line stays empty, and"
        " in a pipe each answer is written as soon as its line arrives. A line that cannot"
        " be translated is named, and its answer is empty; the exit code is then 2.",
        inputs=_TEXT,
        options="regard.tasks.translation.options:TranslationOptions",
        decoding=("Decoding",),
        result="regard.tasks.translation.result:Translation",
        pipeline="regard.tasks.pipelines.writing:translate",
        training=Training(
            "translation",
            "Train a translator on sentence pairs.",
            "Files of sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz. Of several target"
            " languages, de=FILE hi=FILE.",
            "regard.tasks.translation.train:TranslationRecipe",
            "regard.tasks.translation.train_options:TrainingOptions",
            "regard.tasks.translation.score:TranslationEvaluator",
            figures="BLEU, chrF (sacreBLEU's, with the signatures that make them comparable),"
            " loss and speed",
        ),
    ),
    Kind(
        "summarization",
        "a summarizer",
        "to summarize",
        "summaries, or a BART, Pegasus or T5 model",
        WRITES,
        task="regard.tasks.summarization.task:Summarizer",
        also=("translation", "text2text-generation"),
        verb="summarize",
        help="Summarize texts.\n\nOne line in, one line out: an empty line stays empty, and in"
        " a pipe each answer is written as soon as its line arrives.",
        inputs=_TEXT,
        options="regard.tasks.summarization.options:SummarizationOptions",
        decoding=("Decoding",),
        result="regard.tasks.summarization.task:Summary",
        batch_size=8,
        shard=100,
        pipeline="regard.tasks.pipelines.writing:summarize",
        training=Training(
            "summarization",
            "Train a model that summarizes documents, or rewrites any text as another.",
            "Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz.",
            "regard.tasks.summarization.train:SummarizationRecipe",
            "regard.tasks.summarization.train_options:SummarizationOptions",
            "regard.tasks.summarization.score:SummaryEvaluator",
            figures="ROUGE, beside the documents' first words",
        ),
    ),
    Kind(
        "extractive-summarization",
        "a summarizer that takes a sentence of the text",
        "to summarize",
        "summaries, or another model that regard trained for it",
        ("summarize", *READS),
        task="regard.tasks.extraction.task:Extractor",
        also=("token-classification", "feature-extraction"),
        does="summarization",
        training=Training(
            "extractive-summarization",
            "Train a summarizer that takes the best sentence of each document.",
            "Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz.",
            "regard.tasks.extraction.train:ExtractionRecipe",
            "regard.tasks.extraction.train_options:ExtractionOptions",
            "regard.tasks.summarization.score:SummaryEvaluator",
            figures="ROUGE, beside the documents' first words",
        ),
    ),
    Kind(
        "text2text-generation",
        "a model that rewrites text",
        "to rewrite text",
        "a BART or T5 model",
        ("translate", "summarize", "look", "explain", "meaning", "studio", "serve"),
        task="regard.tasks.summarization.task:Rewriter",
        pipeline="regard.tasks.pipelines.writing:rewrite",
    ),
    Kind(
        "text-generation",
        "a language model",
        "to continue a text",
        "shakespeare, or a GPT-2, Llama or similar model",
        ("evaluate", "look", "roles", "explain", "studio", "serve"),
        task="regard.tasks.text_generation.task:Writer",
        model="Decoder",
        verb="generate",
        help="Continue texts, or chat.\n\nOne prompt is written as it comes; Ctrl-C keeps what"
        " is there. Of many, each text is followed by an empty line; --json tells them"
        " apart for a program.",
        inputs=_TEXT,
        options="regard.tasks.text_generation.options:GenerationOptions",
        decoding=("Decoding", "Sampling"),
        result="regard.tasks.text_generation.task:Continuation",
        batch_size=16,
        shard=100,
        blank=True,
        pipeline="regard.tasks.pipelines.writing:write",
        training=Training(
            "language-model",
            "Train a language model, which continues a text, on running text.",
            _RUNNING_TEXT,
            "regard.tasks.text_generation.train:LanguageModelRecipe",
            "regard.tasks.text_generation.train_options:LanguageModelOptions",
            figures="loss, perplexity and bits per byte",
        ),
    ),
    Kind(
        "text-classification",
        "a classifier of texts",
        "to classify texts",
        "emotions, or a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model with labels"
        " (…ForSequenceClassification)",
        READS,
        task="regard.tasks.classification.task:Classifier",
        also=("feature-extraction",),
        heads=("classification",),
        verb="classify",
        help="Label texts or images.\n\nOne line in, one line out: the best label and its"
        " probability, separated by a tab. An empty line stays empty. Each image of a"
        " folder has a line, which begins with its name.",
        inputs=(*_TEXT, Input("text_pair", "the second text, for a model of pairs", True)),
        options="regard.tasks.classification.options:ClassificationOptions",
        result="regard.tasks.classification.task:Classification",
        pipeline="regard.tasks.pipelines.reading:classify",
        training=Training(
            "classification",
            "Train a classifier of texts, or of pairs of texts.",
            "Texts with labels: TSV, CSV, JSON lines, Parquet; also .gz.",
            "regard.tasks.classification.train:ClassificationRecipe",
            "regard.tasks.classification.train_options:ClassificationOptions",
            "regard.tasks.classification.score:TextLabelEvaluator",
            figures="accuracy, F1, Matthews' correlation, calibration, loss, confusions",
        ),
    ),
    Kind(
        "token-classification",
        "a model that labels words",
        "to label words",
        "a BERT, RoBERTa or DistilBERT model with labels of words (…ForTokenClassification)",
        READS,
        task="regard.tasks.token_classification.task:TokenClassifier",
        also=("feature-extraction",),
        heads=("token_classification",),
        verb="label",
        help="Label the words of texts: names, parts of speech.\n\nOne line in, one line out: each"
        " labeled part with its label, such as Anna/PER, separated by tabs.",
        inputs=_TEXT,
        options="regard.tasks.token_classification.options:LabelingOptions",
        result="regard.tasks.token_classification.task:TokenClassification",
        pipeline="regard.tasks.pipelines.reading:label",
        training=Training(
            "token-classification",
            "Train a model that labels words: named entities, parts of speech.",
            "Sentences in columns (CoNLL), JSON lines or Parquet with words and labels, or with"
            " texts and spans; also .gz.",
            "regard.tasks.token_classification.train:TokenClassificationRecipe",
            "regard.tasks.token_classification.train_options:TokenClassificationOptions",
            "regard.tasks.token_classification.score:WordEvaluator",
            figures="precision, recall and F1 of labeled parts",
        ),
    ),
    _declared("question_answering"),
    Kind(
        "fill-mask",
        "a model that fills in masked words",
        "to fill in masked words",
        "a BERT, RoBERTa or DistilBERT model trained for it (…ForMaskedLM)",
        ("encode", *ENCODER, "evaluate"),
        task="regard.tasks.fill_mask.task:MaskFiller",
        also=("feature-extraction",),
        heads=("masked_lm",),
        pipeline="regard.tasks.pipelines.reading:fill",
        training=Training(
            "masked-language-model",
            "Train an encoder on running text, from which other tasks start (--from).",
            _RUNNING_TEXT,
            "regard.tasks.fill_mask.train:MaskedLanguageModelRecipe",
            "regard.tasks.fill_mask.train_options:MaskedLanguageModelOptions",
            figures="loss and accuracy of hidden words",
        ),
    ),
    Kind(
        "feature-extraction",
        "a text encoder",
        "to encode texts",
        "sentences, or a BERT, RoBERTa, DistilBERT or sentence-transformers model",
        (*ENCODER, "evaluate", "serve"),
        task="regard.tasks.embedding.task:Embedder",
        heads=("pooler", "none"),
        verb="encode",
        help="Turn texts into vectors that are close if the texts have similar meanings.\n\nOne"
        ' line in, one vector out. Input lines may be JSON objects with a "text", whose'
        " other fields pass through to JSON lines. A line that cannot be read is named, and"
        " has null or a row of NaN in a vector's place; the exit code is then 2.",
        inputs=_TEXT,
        options="regard.tasks.embedding.options:EncodingOptions",
        result="regard.tasks.embedding.task:Embedding",
        blank=True,
        pipeline="regard.tasks.pipelines.reading:features",
        training=Training(
            "embedding",
            "Train a model that turns texts into vectors, close where the texts belong together.",
            "Pairs of texts that belong together, or with a score: TSV, CSV, JSON lines,"
            " Parquet; also .gz.",
            "regard.tasks.embedding.train:EmbeddingRecipe",
            "regard.tasks.embedding.train_options:EmbeddingOptions",
            "regard.tasks.embedding.score:PairEvaluator",
            figures="recall and reciprocal rank, or rank correlation",
            layout="sentence-transformers'",
        ),
    ),
    Kind(
        "image-classification",
        "a classifier of images",
        "to classify images",
        "digits, or a ViT model with labels (ViTForImageClassification)",
        ("classify --images", "evaluate", "look", "studio"),
        task="regard.tasks.images.task:ImageClassifier",
        model="VisionTransformer",
        pipeline="regard.tasks.pipelines.reading:look",
        training=Training(
            "image-classification",
            "Train a classifier of images.",
            "A folder with a sub-folder of images for each label, or an .npz with the arrays"
            " images and labels.",
            "regard.tasks.images.train:ImageClassificationRecipe",
            "regard.tasks.images.train_options:ImageClassificationOptions",
            figures="accuracy, F1, Matthews' correlation, calibration, loss, confusions",
        ),
    ),
    Kind(
        "zero-shot-image-classification",
        "a model of images and texts",
        "to compare images with texts",
        "a CLIP or SigLIP model",
        ("evaluate", "look", "studio", "serve"),
        task="regard.tasks.matching.task:Matcher",
        model="DualEncoder",
        verb="match",
        help="Say which of several texts fits an image.\n\nOne line in, the name of an image file"
        " or of a folder of them; one line out: the text that fits best and its probability,"
        " separated by a tab. Each image of a folder has a line, which begins with its name.",
        inputs=(Input("image", "the image: a file, or data:image/…;base64,…"),),
        options="regard.tasks.matching.options:MatchingOptions",
        result="regard.tasks.matching.task:Match",
        batch_size=8,
        shard=100,
        pipeline="regard.tasks.pipelines.reading:match",
        training=Training(
            "matching",
            "Train a model of images and texts further, on images with captions.",
            "Image files with texts: TSV, CSV, JSON lines, Parquet; also .gz.",
            "regard.tasks.matching.train:MatchingRecipe",
            "regard.tasks.matching.train_options:MatchingOptions",
            "regard.tasks.matching.score:MatchEvaluator",
            figures="recall of texts and of images, and reciprocal rank",
        ),
    ),
    Kind(
        "automatic-speech-recognition",
        "a model that writes what is said",
        "to transcribe sounds",
        "a Whisper model (WhisperForConditionalGeneration)",
        ("evaluate", "look", "serve"),
        task="regard.tasks.transcription.task:Transcriber",
        model="SpeechEncoderDecoder",
        verb="transcribe",
        help="Write what is said in sounds.\n\nThe names of sound files (WAV, FLAC, OGG, MP3) in,"
        " one line of text for each out. With --timestamps, a line for each segment and its times.",
        inputs=(Input("sound", "the name of a sound file"),),
        options="regard.tasks.transcription.options:TranscriptionOptions",
        decoding=("Decoding",),
        result="regard.tasks.transcription.task:Transcription",
        batch_size=1,
        shard=10,
        training=Training(
            "transcription",
            "Train a model further that writes what is said, on sounds with texts.",
            "Sound files with texts: TSV, CSV, JSON lines, Parquet; also .gz.",
            "regard.tasks.transcription.train:TranscriptionRecipe",
            "regard.tasks.transcription.train_options:TranscriptionOptions",
            "regard.tasks.transcription.score:TranscriptionEvaluator",
            figures="errors of words and characters",
        ),
    ),
    Kind(
        "recurrent-translation",
        "a recurrent translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, M2M100, NLLB, T5 or Pegasus model",
        ("translate", "evaluate", "look", "studio"),
        task="regard.tasks.translation.task:Translator",
        model="RecurrentEncoderDecoder",
        also=("translation", "summarization", "text2text-generation"),
    ),
    Kind(
        "word-vectors",
        "a set of word vectors",
        "to look up the vectors of words",
        "words-en, or a file or folder of word vectors",
        (
            *("words near", "words compare", "words draw", "explain --vectors"),
            "meaning --model static --vectors",
        ),
        "regard.course.words.load_vectors",
    ),
)
KINDS = {kind.name: kind for kind in DECLARATIONS}
# What `regard.load` takes for a task, and those of them that have a command and a route.
LOADED = tuple(name for name, kind in KINDS.items() if kind.task and name[:9] != "recurrent")
VERBS = {kind.verb: name for name, kind in KINDS.items() if kind.verb}
TRAINED = {kind.training.name: kind for kind in DECLARATIONS if kind.training.name}


def doing(verb: str) -> Kind:
    """The declaration of the task with this verb.

    Raises:
        BadArgumentError: an unknown task.
    """
    check_choice("task", verb, VERBS)
    return KINDS[VERBS[verb]]


def chosen(verb: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that differ from their defaults, each within its bounds.

    Raises:
        BadArgumentError: an option that the task does not have, or a value out of range.
    """
    own = doing(verb).options_class()
    for name in options:
        if name not in own.settings():
            raise former(own, name) or not_of(verb, name)
    values: dict[str, Any] = own(**options).passed()
    return values


def not_of(verb: str, name: str) -> BadArgumentError:
    """Return the error for an option, or a column, that a task does not have."""
    takers = [
        other
        for other in VERBS
        if name in doing(other).options_class().settings()
        or name in (each.name for each in doing(other).inputs[1:])
    ]
    if not takers:
        return unknown(f"an option of {verb}", name, doing(verb).options_class().settings())
    return BadArgumentError(
        f"`{name}` belongs to {' and '.join(takers)}; {verb} does not have it. Leave it out."
    )


@dataclass(frozen=True)
class Shipped:
    """A model that comes with regard."""

    name: str
    kind: str  # a name in KINDS
    what: str  # as a sentence names it
    languages: tuple[str, ...]
    sample: str = ""  # a text that shows what it does; none: that of its task

    @property
    def folder(self) -> Path:
        return FOLDER / self.name


SHIPPED = {
    each.name: each
    for each in (
        Shipped("en-de", "translation", "a translator from English to German", ("en", "de")),
        Shipped("en-hi", "translation", "a translator from English to Hindi", ("en", "hi")),
        Shipped(
            "emotions",
            "text-classification",
            "a classifier of emotions in English comments",
            ("en",),
            "What a lovely surprise! Thank you so much.",
        ),
        Shipped("digits", "image-classification", "a classifier of images of digits", ()),
        Shipped(
            "shakespeare",
            "text-generation",
            "a language model of Shakespeare's plays",
            ("en",),
            "My lord, I have remembrances of yours",
        ),
        Shipped(
            "sentences",
            "feature-extraction",
            "an encoder of English and German sentences",
            ("en", "de"),
        ),
        Shipped("minilm", "feature-extraction", "an encoder of English words in context", ("en",)),
        Shipped(
            "answers",
            "question-answering",
            "a model that finds answers in English texts",
            ("en",),
        ),
        Shipped(
            "summaries",
            "extractive-summarization",
            "a summarizer of English abstracts, by one of their sentences",
            ("en",),
        ),
        Shipped("words-en", "word-vectors", "a set of vectors of English words", ("en",)),
    )
    if each.folder.is_dir()  # an installation can be without some
}


def names(*, vectors: bool = False) -> tuple[str, ...]:
    """The shipped models, or the shipped word vectors."""
    return tuple(name for name, each in SHIPPED.items() if (each.kind == "word-vectors") == vectors)


def taken_by(command: str) -> tuple[str, ...]:
    """The shipped models that a command of `regard` takes."""
    return tuple(name for name, each in SHIPPED.items() if command in KINDS[each.kind].commands)


def default(kind: str, *languages: str | None) -> str | None:
    """The shipped model of a kind, which is used where none is named; None: no model is shipped.

    Args:
        languages: of the source and the target of a translator; the first one if none has them.
    """
    models = [model for model in SHIPPED.values() if kind in (model.kind, KINDS[model.kind].does)]
    for model in models:
        pairs = zip(languages, model.languages, strict=False)
        if all(language in (None, its) for language, its in pairs):
            return model.name
    return models[0].name if models else None


def find(name: object) -> Shipped | None:
    """The shipped model of this name; None for another name. Your own files come first."""
    found = SHIPPED.get(str(name))
    if found is None:
        return None
    path = Path(found.name)
    own = path.exists() if found.kind == "word-vectors" else path.is_dir()
    return None if own else found


def is_vectors(folder: Path) -> bool:
    """Return True for a folder of word vectors."""
    return all((folder / name).is_file() for name in VECTOR_FILES)


def wrong_kind(name: object, what: str, kind: str, needed: str = MODEL) -> str:
    """Say of a model that cannot do what is asked what it is, and what takes it.

    Args:
        what: the model, such as "a language model (gpt2)".
        kind: what it is, a name in KINDS.
        needed: what to give in its place.
    """
    commands, python = KINDS[kind].commands, KINDS[kind].python
    listed = f"{', '.join(commands[:-1])} or {commands[-1]}"
    listed += f" (in Python, {python})" if python else ""
    return f"{name} is {what}: use it with regard {listed}; {needed}."
