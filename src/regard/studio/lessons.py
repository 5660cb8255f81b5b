"""The lessons' one question: every step of attention for a sentence and the settings beside it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from regard.course.explanation import LONGEST, geometry
from regard.course.explanation.record import Explanation
from regard.course.explanation.sentence import WORDS, explain_words
from regard.course.words import WordVectors, load_vectors
from regard.course.words.segmentation import word_spans
from regard.course.words.vectors import nearest_spelled
from regard.errors import BadArgumentError
from regard.figures.geometry import Geometry
from regard.http.bodies import JsonRoute
from regard.studio.requests import REFUSALS
from regard.studio.trained import explain_encoder, token_of
from regard.text import normalize

OPTIONS = (
    "heads",
    "head_dim",
    "projections",
    "score",
    "mask",
    "window",
    "temperature",
    "positions",
)
CHARACTERS = 2**16  # of a text, before anything is split into words


@dataclass(frozen=True)
class LessonRequest:
    """A sentence and what is done with it. Equal requests have equal answers."""

    text: str
    start: Annotated[int, Field(ge=0)] = 0  # the window of words that is explained
    end: Annotated[int, Field(ge=1)] | None = None
    score: Literal["dot", "scaled_dot", "cosine", "gaussian", "average"] = "scaled_dot"
    mask: Literal["none", "causal", "window"] = "none"
    window: Annotated[int, Field(ge=0, le=LONGEST)] = 2  # tokens to each side, with that mask
    temperature: Annotated[float, Field(gt=0, le=1000)] = 1.0
    heads: Annotated[int, Field(ge=1, le=8)] = 1
    head_dim: Annotated[int, Field(ge=1, le=64)] | None = None  # None: all that there are
    positions: bool = False
    projections: Literal["none", "random", "trained"] = "none"
    layer: Annotated[int, Field(ge=0)] = 0  # of the trained encoder
    head: Annotated[int, Field(ge=0)] = 0  # which one the geometry shows
    spotlight: Annotated[int, Field(ge=0)] | None = None  # whose output; None: no geometry


@dataclass(frozen=True)
class Lesson:
    """The steps, and one head's arrows where a token is in the spotlight."""

    explanation: Explanation
    geometry: Geometry | None
    words: list[int | None]  # which word each token is of; None for the end of the sentence
    stand_ins: dict[str, str | None]  # for words without a vector: whose vector they have
    dimensions: int  # of the vectors, before any are left out


lessons = APIRouter(prefix="/api", responses=REFUSALS, route_class=JsonRoute)


@lessons.post("/explain")
def explain(request: LessonRequest) -> Lesson:
    if len(request.text) > CHARACTERS:
        raise BadArgumentError(
            f"a text may have {CHARACTERS:,} characters here; got {len(request.text):,}: send a"
            " part of it."
        )
    whole = request.start == 0 and request.end is None
    if whole and (count := len(word_spans(normalize(request.text)))) > LONGEST:
        raise BadArgumentError(
            f"a lesson shows at most {LONGEST} words; this text has {count:,}: shorten it."
        )
    if request.projections == "trained":
        explanation, words = explain_encoder(request.text, request.layer)
        stand_ins: dict[str, str | None] = {}
        dimensions = explanation.settings.d_model
    else:
        stand_ins = _stand_ins(request)
        explanation = _of_words(request, stand_ins)
        words = list(range(len(explanation.tokens)))
        dimensions = _words().dim
    arrows = None
    if request.spotlight is not None:
        of_model = request.projections == "trained"
        token = token_of(words, request.spotlight) if of_model else request.spotlight
        arrows = geometry(explanation, head=request.head, spotlight=token)
    return Lesson(explanation, arrows, words, stand_ins, dimensions)


def _of_words(request: LessonRequest, stand_ins: dict[str, str | None]) -> Explanation:
    options = {name: getattr(request, name) for name in OPTIONS}
    part = slice(request.start, request.end)
    return explain_words(request.text, _words(), part=part, stand_ins=stand_ins, **options)


def _stand_ins(request: LessonRequest) -> dict[str, str | None]:
    """Word spelled most like it, for each word without a vector."""
    text = normalize(request.text)
    spans = word_spans(text)[request.start : request.end]
    words = (text[start:end].replace("’", "'") for start, end in spans)
    return {word: nearest_spelled(word, _words()) for word in words if word not in _words()}


@lru_cache(maxsize=1)
def _words() -> WordVectors:
    return load_vectors(WORDS)
