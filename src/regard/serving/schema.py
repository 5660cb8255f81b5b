"""What the server's own interface, /run/{task}, is asked and answers."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

OneOrMore = str | Annotated[list[str], Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0)]


class _Asked(BaseModel):
    """What every request has."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = None  # None: the first that is served for this task
    timeout: Seconds | None = None  # less than the server's own


class _Search(_Asked):
    """How to decode; what is not given is as the model's files have it."""

    max_new_tokens: int | None = None
    num_beams: int | None = None
    n_best: int | None = None  # results for each text
    length_penalty: float | None = None
    no_repeat_ngram_size: int | None = None
    repetition_penalty: float | None = None

    def options(self) -> dict[str, Any]:
        """Fields of GenerationConfig."""
        named = self.model_dump(include=_SEARCH, exclude_none=True)
        if self.n_best is not None:
            named["alternatives"] = self.n_best
        return named


_SEARCH = {
    "max_new_tokens",
    "num_beams",
    "length_penalty",
    "no_repeat_ngram_size",
    "repetition_penalty",
}


class Translate(_Search):
    """Texts to be translated."""

    text: OneOrMore
    source: str | None = None  # languages, of a model that has several
    target: str | None = None
    alignment: Literal["input", "output"] | None = None  # the decoder's step that it is read from
    trace: bool = False  # of one text


class Summarize(_Search):
    """Texts to be summarized."""

    text: OneOrMore


class Generate(_Search):
    """Texts to be continued, or a chat to be answered."""

    text: OneOrMore | None = None
    messages: list[dict[str, Any]] | None = None
    do_sample: bool | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    seed: int | None = None
    stop: str | Annotated[list[str], Field(max_length=16)] | None = None

    def options(self) -> dict[str, Any]:
        """Fields of GenerationConfig."""
        drawing = ("do_sample", "temperature", "top_k", "top_p", "min_p", "seed")
        named = self.model_dump(include=set(drawing), exclude_none=True)
        if named:
            named.setdefault("do_sample", True)
        return super().options() | named


class Classify(_Asked):
    """Texts to be classified."""

    text: OneOrMore
    pair: OneOrMore | None = None  # the second text of each, for a model of pairs
    top_k: Annotated[int, Field(ge=1)] | None = None


class Question(_Asked):
    """A question, and the text that may hold its answer."""

    question: str
    context: str
    top_k: Annotated[int, Field(ge=1, le=100)] = 1


class Encode(_Asked):
    """Texts to be turned into vectors."""

    text: OneOrMore


@dataclass(frozen=True)
class NBest:
    """One of the n best texts."""

    text: str
    score: float
    finished: bool


@dataclass(frozen=True)
class Translation:
    """Of one text."""

    translation: str
    score: float
    finished: bool
    n_best: list[NBest]
    source_words: list[str] | None = None
    target_words: list[str] | None = None
    alignment: list[list[float]] | None = None  # target words × source words


@dataclass(frozen=True)
class Translations:
    model: str
    results: list[Translation]
    trace: str | None = None  # the address of a page to look at


@dataclass(frozen=True)
class Summary:
    """Of one text."""

    summary: str
    score: float
    finished: bool
    truncated: bool
    n_best: list[NBest]


@dataclass(frozen=True)
class Summaries:
    model: str
    results: list[Summary]


@dataclass(frozen=True)
class Generated:
    """What follows one text."""

    continuation: str
    score: float
    finished: bool
    n_best: list[NBest]


@dataclass(frozen=True)
class Generations:
    model: str
    results: list[Generated]


@dataclass(frozen=True)
class Label:
    label: str
    score: float


@dataclass(frozen=True)
class Labeled:
    """One text's labels, best first."""

    labels: list[Label]
    chosen: list[str]  # those that the text has
    truncated: bool


@dataclass(frozen=True)
class Classifications:
    model: str
    results: list[Labeled]


@dataclass(frozen=True)
class Answer:
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True)
class Answers:
    model: str
    answers: list[Answer]


@dataclass(frozen=True)
class Vectors:
    model: str
    vectors: list[list[float]]
    truncated: list[bool]
