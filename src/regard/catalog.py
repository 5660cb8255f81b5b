"""The kinds of models, the commands that take each kind, and the models that come with regard."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "shipped"
VECTOR_FILES = ("vectors.safetensors", "words.txt")  # a folder of word vectors
MODEL = "here a model is needed, such as en-de"


@dataclass(frozen=True)
class Kind:
    """A kind of model."""

    what: str  # one such model, as a sentence names it
    purpose: str  # what it is needed for
    example: str  # what to give for that purpose
    commands: tuple[str, ...]  # of `regard`, that take it
    python: str = ""  # what reads it in Python, where that is not regard.load

    @property
    def needed(self) -> str:
        return f"{self.purpose}, give {self.example}"


_ENCODER = ("encode", "meaning", "look", "explain", "studio")

# By the names that transformers gives to tasks, but for the last two.
KINDS = {
    "translation": Kind(
        "a translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, T5 or Pegasus model",
        ("translate", "evaluate", "look", "explain", "meaning", "studio", "serve"),
    ),
    "summarization": Kind(
        "a summarizer",
        "to summarize",
        "a BART, Pegasus or T5 model",
        ("summarize", "evaluate", "look", "explain", "meaning", "studio", "serve"),
    ),
    "text2text-generation": Kind(
        "a model that rewrites text",
        "to rewrite text",
        "a BART or T5 model",
        ("translate", "summarize", "look", "explain", "meaning", "studio", "serve"),
    ),
    "text-generation": Kind(
        "a language model",
        "to continue a text",
        "shakespeare, or a GPT-2, Llama, Mistral or Qwen2 model",
        ("generate", "evaluate", "look", "explain", "studio", "serve"),
    ),
    "text-classification": Kind(
        "a classifier of texts",
        "to classify texts",
        "emotions, or a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model with labels"
        " (…ForSequenceClassification)",
        ("classify", "evaluate", *_ENCODER, "serve"),
    ),
    "token-classification": Kind(
        "a model that labels words",
        "to label words",
        "a BERT, RoBERTa or DistilBERT model with labels of words (…ForTokenClassification)",
        ("label", "evaluate", *_ENCODER, "serve"),
    ),
    "question-answering": Kind(
        "a model that answers questions",
        "to answer questions",
        "a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model trained for it"
        " (…ForQuestionAnswering)",
        ("answer", "evaluate", *_ENCODER, "serve"),
    ),
    "fill-mask": Kind(
        "a model that fills in masked words",
        "to fill in masked words",
        "a BERT, RoBERTa or DistilBERT model trained for it (…ForMaskedLM)",
        (*_ENCODER, "evaluate"),
    ),
    "feature-extraction": Kind(
        "a text encoder",
        "to encode texts",
        "sentences, or a BERT, RoBERTa, DistilBERT or sentence-transformers model",
        (*_ENCODER, "evaluate", "serve"),
    ),
    "image-classification": Kind(
        "a classifier of images",
        "to classify images",
        "digits, or a ViT model with labels (ViTForImageClassification)",
        ("classify --images", "evaluate", "look"),
    ),
    "recurrent-translation": Kind(
        "a recurrent translator",
        "to translate",
        "en-de, en-hi, or a Marian, BART, mBART, T5 or Pegasus model",
        ("translate", "evaluate", "look", "studio"),
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
    """Whether it is a folder of word vectors."""
    return all((folder / name).is_file() for name in VECTOR_FILES)


def wrong_kind(name: object, what: str, kind: str, needed: str = MODEL) -> str:
    """What to say of a model that cannot do what is asked: what it is, and what takes it.

    Args:
        what: the model, such as "a language model (gpt2)".
        kind: what it is, a name in KINDS.
        needed: what to give in its place.
    """
    commands, python = KINDS[kind].commands, KINDS[kind].python
    listed = f"{', '.join(commands[:-1])} or {commands[-1]}"
    listed += f" (in Python, {python})" if python else ""
    return f"{name} is {what}: use it with regard {listed}; {needed}."
