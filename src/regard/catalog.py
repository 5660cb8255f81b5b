"""The declarations of the tasks, with the kinds of models for them, and the shipped models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, get_type_hints

from regard.errors import BadArgumentError, check_choice, unknown
from regard.options import Options, former, panel_of, with_options

FOLDER = Path(__file__).parent / "shipped"
VECTOR_FILES = ("vectors.safetensors", "words.txt")  # a folder of word vectors
DECODING = "regard.generation.config:GenerationConfig"  # the options of decoding
MODEL = "here a model is needed, such as en-de"


@dataclass(frozen=True)
class Input:
    """An input of a task, from each record."""

    name: str  # its column, by default
    help: str
    optional: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of model, and the task that it does: every door is made from this declaration.

    Classes are named `module:class`, and imported when needed.
    """

    what: str  # one such model, as a sentence names it
    purpose: str  # what it is needed for
    example: str  # what to give for that purpose
    others: tuple[str, ...]  # commands of `regard` that take it, beside its verb
    python: str = ""  # what reads it in Python, where that is not regard.load
    task: str = ""  # what `regard.load` gives
    also: tuple[str, ...] = ()  # other tasks that such a model may have been made for
    heads: tuple[str, ...] = ()  # the heads that a model of texts has for it
    verb: str = ""  # its command, its route /run/…, and its name in `regard run`
    help: str = ""  # of its command
    inputs: tuple[Input, ...] = ()
    options: str = ""  # the class of those that are not of decoding
    decoding: tuple[str, ...] = ()  # panels of GenerationConfig whose options it has
    result: str = ""
    batch_size: int = 32
    shard: int = 1000  # records of a part, by default
    blank: bool = False  # blank texts are asked; else they have empty answers

    @property
    def needed(self) -> str:
        return f"{self.purpose}, give {self.example}"

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands of `regard` that take it."""
        return (self.verb, *self.others) if self.verb else self.others

    @property
    def summary(self) -> str:
        """The first paragraph of the command's help."""
        return self.help.partition("\n")[0]

    def task_class(self) -> Any:
        return resolve_name(self.task)

    def result_class(self) -> Any:
        return resolve_name(self.result)

    def options_class(self) -> Any:
        """The class of its options, those of decoding among them; None: the model's own value.

        Naming an option of sampling asks for sampling.
        """
        return _options_class(self.options, self.decoding)

    def chosen(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options that differ from their defaults, each within its bounds.

        Raises:
            BadArgumentError: an option that the task does not have, or a value out of range.
        """
        own = self.options_class()
        for name in options:
            if name not in own.settings():
                raise former(own, name) or not_of(self.verb, name)
        chosen: dict[str, Any] = own(**options).passed()
        return chosen


@cache
def _options_class(options: str, panels: tuple[str, ...]) -> Any:
    own = resolve_name(options)
    if not panels:
        return own
    more = {"passed": _passed_with_sampling} if "Sampling" in panels else {}
    return with_decoding(panels, members=more)(own)


def with_decoding(
    panels: tuple[str, ...], *, but: tuple[str, ...] = (), members: Mapping[str, Any] | None = None
) -> Callable[[Any], Any]:
    """Return a decorator: a class of options gets those of decoding; None is the model's own value.

    Args:
        panels: of GenerationConfig, whose options it gets.
        but: options that it does not get.
        members: others of the class.
    """
    config = resolve_name(DECODING)
    hints = get_type_hints(config)
    settings = [
        (setting.name, hints[setting.name] | None, _optional(setting))
        for setting in fields(config)
        if setting.metadata.get("panel") in panels and setting.name not in but
    ]
    return lambda kind: with_options(kind, settings, **(members or {}))


def decoding(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are of decoding."""
    names = {each.name for each in fields(resolve_name(DECODING))}
    return {name: value for name, value in options.items() if name in names}


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


def _optional(setting: Any) -> Any:
    """An option of decoding, whose default is the model's."""
    return field(default=None, metadata={**setting.metadata, "shown": "model's"})


def _passed_with_sampling(options: Any) -> dict[str, Any]:
    """The options that were given, and that tokens are drawn where one of drawing is among them."""
    chosen: dict[str, Any] = Options.passed(options)
    drawing = chosen.keys() & set(panel_of(options, "Sampling"))
    return ({"do_sample": True} if drawing else {}) | chosen


_ENCODER = ("meaning", "look", "explain", "studio")
_READS = ("evaluate", "encode", *_ENCODER, "serve")
_WRITES = ("evaluate", "look", "explain", "meaning", "studio", "serve")
_TEXT = (Input("text", "the text"),)

# By the names that transformers gives to tasks, but for the last two.
KINDS = {
    "translation": Kind(
        "a translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, T5 or Pegasus model",
        _WRITES,
        task="regard.translation.translator:Translator",
        also=("summarization", "text2text-generation"),
        verb="translate",
        help="Translate sentences.\n\nOne line in, one line out: an empty line stays empty, and"
        " in a pipe each answer is written as soon as its line arrives. A line that cannot"
        " be translated is named, and its answer is empty; the exit code is then 2.",
        inputs=_TEXT,
        options="regard.tasks.options:TranslationOptions",
        decoding=("Decoding",),
        result="regard.translation.translator:Translation",
    ),
    "summarization": Kind(
        "a summarizer",
        "to summarize",
        "a BART, Pegasus or T5 model",
        _WRITES,
        task="regard.tasks.summarization:Summarizer",
        also=("translation", "text2text-generation"),
        verb="summarize",
        help="Summarize texts.\n\nOne line in, one line out: an empty line stays empty, and in"
        " a pipe each answer is written as soon as its line arrives.",
        inputs=_TEXT,
        options="regard.tasks.options:SummarizationOptions",
        decoding=("Decoding",),
        result="regard.tasks.summarization:Summary",
        batch_size=8,
        shard=100,
    ),
    "text2text-generation": Kind(
        "a model that rewrites text",
        "to rewrite text",
        "a BART or T5 model",
        ("translate", "summarize", "look", "explain", "meaning", "studio", "serve"),
        task="regard.tasks.summarization:Rewriter",
    ),
    "text-generation": Kind(
        "a language model",
        "to continue a text",
        "shakespeare, or a GPT-2, Llama, Mistral or Qwen2 model",
        ("evaluate", "look", "explain", "studio", "serve"),
        task="regard.tasks.writing:Writer",
        verb="generate",
        help="Continue texts, or chat.\n\nOne prompt is written as it comes; Ctrl-C keeps what"
        " is there. Of many, each text is followed by an empty line; --json tells them"
        " apart for a program.",
        inputs=_TEXT,
        options="regard.tasks.options:GenerationOptions",
        decoding=("Decoding", "Sampling"),
        result="regard.tasks.writing:Continuation",
        batch_size=16,
        shard=100,
        blank=True,
    ),
    "text-classification": Kind(
        "a classifier of texts",
        "to classify texts",
        "emotions, or a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model with labels"
        " (…ForSequenceClassification)",
        _READS,
        task="regard.tasks.classification:Classifier",
        also=("feature-extraction",),
        heads=("classification",),
        verb="classify",
        help="Label texts or images.\n\nOne line in, one line out: the best label and its"
        " probability, separated by a tab. An empty line stays empty. Each image of a"
        " folder has a line, which begins with its name.",
        inputs=(*_TEXT, Input("text_pair", "the second text, for a model of pairs", True)),
        options="regard.tasks.options:ClassificationOptions",
        result="regard.tasks.classification:Classification",
    ),
    "token-classification": Kind(
        "a model that labels words",
        "to label words",
        "a BERT, RoBERTa or DistilBERT model with labels of words (…ForTokenClassification)",
        _READS,
        task="regard.tasks.token_classification:TokenClassifier",
        also=("feature-extraction",),
        heads=("token_classification",),
        verb="label",
        help="Label the words of texts: names, parts of speech.\n\nOne line in, one line out: each"
        " labeled part with its label, such as Anna/PER, separated by tabs.",
        inputs=_TEXT,
        options="regard.tasks.options:LabelingOptions",
        result="regard.tasks.token_classification:TokenClassification",
    ),
    "question-answering": Kind(
        "a model that answers questions",
        "to answer questions",
        "a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model trained for it"
        " (…ForQuestionAnswering)",
        _READS,
        task="regard.tasks.answering:Answerer",
        also=("feature-extraction",),
        heads=("question_answering",),
        verb="answer",
        help="Answer questions from a text.\n\nOne question in, one line out: the answer and"
        " its probability, separated by a tab.",
        inputs=(Input("question", "the question"), Input("context", "the text to search")),
        options="regard.tasks.options:AnswerOptions",
        result="regard.tasks.answering:Answers",
        shard=100,
        blank=True,
    ),
    "fill-mask": Kind(
        "a model that fills in masked words",
        "to fill in masked words",
        "a BERT, RoBERTa or DistilBERT model trained for it (…ForMaskedLM)",
        ("encode", *_ENCODER, "evaluate"),
        task="regard.tasks.filling:MaskFiller",
        also=("feature-extraction",),
        heads=("masked_lm",),
    ),
    "feature-extraction": Kind(
        "a text encoder",
        "to encode texts",
        "sentences, or a BERT, RoBERTa, DistilBERT or sentence-transformers model",
        (*_ENCODER, "evaluate", "serve"),
        task="regard.tasks.embedding:Embedder",
        heads=("pooler", "none"),
        verb="encode",
        help="Turn texts into vectors that are close if the texts have similar meanings.\n\nOne"
        ' line in, one vector out. Input lines may be JSON objects with a "text", whose'
        " other fields pass through to JSON lines. A line that cannot be read is named, and"
        " has null or a row of NaN in a vector's place; the exit code is then 2.",
        inputs=_TEXT,
        options="regard.tasks.options:EncodingOptions",
        result="regard.tasks.embedding:Embedding",
        blank=True,
    ),
    "image-classification": Kind(
        "a classifier of images",
        "to classify images",
        "digits, or a ViT model with labels (ViTForImageClassification)",
        ("classify --images", "evaluate", "look"),
        task="regard.tasks.images:ImageClassifier",
    ),
    "recurrent-translation": Kind(
        "a recurrent translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, T5 or Pegasus model",
        ("translate", "evaluate", "look", "studio"),
        task="regard.translation.translator:Translator",
        also=("translation", "summarization", "text2text-generation"),
    ),
    "word-vectors": Kind(
        "a set of word vectors",
        "to look up the vectors of words",
        "words-en, or a file or folder of word vectors",
        (
            *("words near", "words compare", "words draw", "explain --vectors"),
            "meaning --model static --vectors",
        ),
        "regard.words.load_vectors",
    ),
}
# What `regard.load` takes for a task, and those of them that have a command and a route.
LOADED = tuple(name for name, kind in KINDS.items() if kind.task and name[:9] != "recurrent")
VERBS = {kind.verb: name for name, kind in KINDS.items() if kind.verb}


def doing(verb: str) -> Kind:
    """The declaration of the task with this verb.

    Raises:
        BadArgumentError: an unknown task.
    """
    check_choice("task", verb, VERBS)
    return KINDS[VERBS[verb]]


@dataclass(frozen=True)
class Shipped:
    """A model that comes with regard."""

    name: str
    kind: str  # a name in KINDS
    what: str  # as a sentence names it
    languages: tuple[str, ...]

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
        ),
        Shipped("digits", "image-classification", "a classifier of images of digits", ()),
        Shipped(
            "shakespeare", "text-generation", "a language model of Shakespeare's plays", ("en",)
        ),
        Shipped(
            "sentences",
            "feature-extraction",
            "an encoder of English and German sentences",
            ("en", "de"),
        ),
        Shipped("words-en", "word-vectors", "a set of vectors of English words", ("en",)),
    )
}


def names(*, vectors: bool = False) -> tuple[str, ...]:
    """The shipped models, or the shipped word vectors."""
    return tuple(name for name, each in SHIPPED.items() if (each.kind == "word-vectors") == vectors)


def taken_by(command: str) -> tuple[str, ...]:
    """The shipped models that a command of `regard` takes."""
    return tuple(name for name, each in SHIPPED.items() if command in KINDS[each.kind].commands)


def default(kind: str) -> str | None:
    """The shipped model of a kind, which is used where none is named; None: no model is shipped."""
    return next((name for name, each in SHIPPED.items() if each.kind == kind), None)


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
