"""The shipped models, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "shipped"
MODEL = "here a model is needed, such as en-de"

VECTORS = "a set of word vectors"
VECTOR_FILES = ("vectors.safetensors", "words.txt")  # of a folder of word vectors
VECTOR_COMMANDS = (
    "words near",
    "words compare",
    "words draw",
    "explain --vectors",
    "meaning --model static --vectors",
)
VECTOR_READER = "regard.course.words.load_vectors"


@dataclass(frozen=True)
class Shipped:
    """A model that comes with regard."""

    name: str
    kind: str  # a name in the catalog of tasks
    what: str  # as a sentence names it
    languages: tuple[str, ...]
    sample: str = ""  # a text that shows what it does; none: that of its task

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    def fits(self, *languages: str | None) -> bool:
        """Return True for its languages, in capitals too; None stands for any."""
        pairs = zip(languages, self.languages, strict=False)
        return all(language is None or language.lower() == its for language, its in pairs)


SHIPPED = {
    each.name: each
    for each in (
        Shipped("en-de", "translation", "a translator from English to German", ("en", "de")),
        Shipped("en-hi", "translation", "a translator from English to Hindi", ("en", "hi")),
        Shipped(
            "de-en",
            "translation",
            "a translator from German to English",
            ("de", "en"),
            "Ich möchte mit meinen Freunden eine Tasse Tee trinken.",
        ),
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
    """Return the shipped models, or the shipped word vectors."""
    return tuple(name for name, each in SHIPPED.items() if (each.kind == "word-vectors") == vectors)


def find(name: object) -> Shipped | None:
    """Return the shipped model of this name; None for another name. Your own files come first."""
    found = SHIPPED.get(str(name))
    if found is None:
        return None
    path = Path(found.name)
    own = path.exists() if found.kind == "word-vectors" else path.is_dir()
    return None if own else found


def is_vectors(folder: Path) -> bool:
    """Return True for a folder of word vectors."""
    return all((folder / name).is_file() for name in VECTOR_FILES)


def wrong_use(
    name: object, what: str, commands: Sequence[str], python: str = "", needed: str = MODEL
) -> str:
    """Say of a model that cannot do what is asked what it is, and what takes it.

    Args:
        what: the model, such as "a language model (gpt2)".
        commands: of `regard`, that take it.
        python: what reads it in Python, where that is not regard.load.
        needed: what to give in its place.
    """
    listed = f"{', '.join(commands[:-1])} or {commands[-1]}"
    listed += f" (in Python, {python})" if python else ""
    return f"{name} is {what}: use it with regard {listed}; {needed}."
