"""The lessons on the trained translator: its heads, its layers, and its next words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import Field

from regard.arrays import NUMPY
from regard.course.explanation.inputs import LONGEST, check_length
from regard.course.explanation.model import explain_tap, normalization_of, projection_of
from regard.course.explanation.record import Explanation
from regard.errors import BadArgumentError
from regard.generation.filters import Temperature, TopK, TopP
from regard.http.bodies import JsonRoute
from regard.inspection.naming import Naming
from regard.inspection.trace import Trace
from regard.studio.requests import REFUSALS
from regard.tasks.translation.task import Translator

if TYPE_CHECKING:
    pass

Floats = NDArray[Any]
MODEL = "en-de"
SHOWN = 12  # of the next word's candidates


@dataclass(frozen=True)
class InsideRequest:
    """A sentence, and one of its words on its way through the encoder."""

    text: str
    word: Annotated[int, Field(ge=0)] = 0
    layer: Annotated[int, Field(ge=0)] = 0  # whose parts are shown


@dataclass(frozen=True)
class Depth:
    """The word's vector after some layers; the first one is before any."""

    cosines: list[float]  # with each token's vector at the same depth
    unchanged: float  # cosine with the word's own vector before the first layer


@dataclass(frozen=True)
class Part:
    """Vector in a layer, (d_model,)."""

    name: str  # x, norm_1, attention, sum_1, norm_2, feed_forward, sum_2
    vector: list[float]
    mean: float
    deviation: float


@dataclass(frozen=True)
class Inside:
    tokens: list[str]
    words: list[int | None]  # of each token; None for the end of the sentence
    token: int  # the word's first
    depths: list[Depth]
    parts: list[Part]  # of the layer, in the order in which they are computed
    active: int  # inner units of the feed-forward network that are not 0
    units: int  # how many there are


@dataclass(frozen=True)
class NextRequest:
    """A sentence, and how the next word of its translation is to be drawn."""

    text: str
    step: Annotated[int, Field(ge=0)] = 0  # of the output; the last one if there are fewer
    temperature: Annotated[float, Field(gt=0, le=1000)] = 1.0
    top_k: Annotated[int, Field(ge=1)] | None = None  # None: all
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0


@dataclass(frozen=True)
class NextCandidate:
    token: str
    logit: float
    probability: float  # by the model
    chance: float  # after temperature, top-k and top-p; 0 for one that they exclude


@dataclass(frozen=True)
class NextWord:
    output: list[str]  # the tokens of the translation
    step: int
    candidates: list[NextCandidate]  # the likeliest, best first
    vocabulary: int
    possible: int  # tokens that can be drawn
    rest: float  # the chance of all that are not among the candidates


trained = APIRouter(prefix="/api", responses=REFUSALS, route_class=JsonRoute)


@trained.post("/inside")
def inside(request: InsideRequest) -> Inside:
    """Follow a word's vector through the encoder's layers, and the parts of one of them."""
    trace, tokens, words = _read(request.text)
    token = token_of(words, request.word)
    model, states = _model(), list[Floats]()
    assert model.config.norm_first, "the shipped translator is a pre-norm model"

    def keep(stack: str, layer: int, state: Floats) -> None:
        if stack == "encoder":
            states.append(state[0])

    assert trace.rerun is not None, "a translator's trace can run its model again"
    with model.capturing(at=keep):
        trace.rerun(lambda name, call: None)
    explanation, _ = explain_encoder(request.text, request.layer)
    path = f"encoder.layers.{request.layer}.feed_forward"
    sum_1 = explanation["residual"].array[0]
    norm_2 = normalization_of(model, f"{path}_norm")(sum_1)
    inner = projection_of(model, f"{path}.inner")(norm_2)[token]
    parts = {
        "x": states[request.layer],
        "norm_1": explanation["normalized"].array[0],
        "attention": explanation["projected"].array[0],
        "sum_1": sum_1,
        "norm_2": norm_2,
        "feed_forward": states[request.layer + 1] - sum_1,
        "sum_2": states[request.layer + 1],
    }
    return Inside(
        tokens,
        words,
        token,
        [_depth(state, states[0], token) for state in states],
        [_part(name, rows[token]) for name, rows in parts.items()],
        active=int((inner > 0).sum()),
        units=len(inner),
    )


@trained.post("/next")
def next_word(request: NextRequest) -> NextWord:
    """Return the likeliest next tokens at one step of the translation, and the chance to draw
    each."""
    output, every = _logits(request.text)
    step = min(request.step, len(output) - 1)
    logits = every[step : step + 1]
    nothing = np.empty((1, 0), np.int64)
    drawn = Temperature(request.temperature)(logits, nothing, step)
    if request.top_k is not None:
        drawn = TopK(request.top_k)(drawn, nothing, step)
    if request.top_p < 1:
        drawn = TopP(request.top_p)(drawn, nothing, step)
    probabilities, chances = NUMPY.softmax(logits)[0], NUMPY.softmax(drawn)[0]
    best = NUMPY.best(logits[0], SHOWN)[1].tolist()
    others = np.delete(chances, best)
    names = Naming.of(_translator().tokenizers.target).names(best)
    candidates = [
        NextCandidate(name, float(logits[0, id]), float(probabilities[id]), float(chances[id]))
        for name, id in zip(names, best, strict=True)
    ]
    return NextWord(
        output,
        step,
        candidates,
        vocabulary=logits.shape[1],
        possible=int((drawn > -np.inf).sum()),
        rest=float(others.sum()),
    )


def explain_encoder(text: str, layer: int) -> tuple[Explanation, list[int | None]]:
    """Every step of the encoder's self-attention, and which word each token is of."""
    trace, tokens, words = _read(text)
    count = _model().config.encoder_layers
    if layer >= count:
        raise BadArgumentError(f"there are layers 0 to {count - 1}; got {layer}.")
    assert trace.rerun is not None, "a translator's trace can run its model again"
    tap = f"encoder.layers.{layer}.self"
    return explain_tap(_model(), trace.rerun, tap, tokens, source=MODEL), words


def token_of(words: list[int | None], word: int) -> int:
    """Return the first token of a word. Raises BadArgumentError for a word that is not there."""
    if word not in words:
        last = max((number for number in words if number is not None), default=0)
        raise BadArgumentError(f"there are words 0 to {last}; got {word}.")
    return words.index(word)


def _read(text: str) -> tuple[Trace, list[str], list[int | None]]:
    """Return the trace of a sentence, its source's tokens, and which word each of them is of."""
    trace = _trace(text)
    axis = trace.axes["source"]
    check_length(len(axis.tokens), fits=LONGEST // 2)
    words: list[int | None] = [None] * len(axis.tokens)
    for index, (first, end) in enumerate(axis.words or []):
        words[first:end] = [index] * (end - first)
    return trace, axis.tokens, words


def _depth(state: Floats, first: Floats, token: int) -> Depth:
    def cosines(rows: Floats) -> Floats:
        row = state[token]
        return rows @ row / (np.linalg.norm(rows, axis=-1) * np.linalg.norm(row))

    return Depth(cosines(state).tolist(), float(cosines(first[[token]])[0]))


def _part(name: str, vector: Floats) -> Part:
    return Part(name, vector.tolist(), float(vector.mean()), float(vector.std()))


@lru_cache(maxsize=1)
def _translator() -> Translator:
    return Translator.load(MODEL, lazily=True).run_by("native", precision="fp32")


def _model() -> Any:
    translator = _translator()
    return translator.engine.seen(translator.handle)


@lru_cache(maxsize=4)
def _trace(text: str) -> Trace:
    return _translator().trace(text)


def _logits(text: str) -> tuple[list[str], Floats]:
    """Return the translation's tokens, and the logits (steps, vocab) that each was chosen by."""
    trace = _trace(text)
    assert trace.generation is not None, "a translator's trace has what it wrote"
    return [step.token for step in trace.generation.steps], trace.output[0]
