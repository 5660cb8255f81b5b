"""The server's own interface: /run/{task}, with everything that is known of a result."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from regard.errors import BadArgumentError
from regard.serving.asking import looked, prepared, results_of
from regard.serving.served import Model, Texts, reading_jobs
from regard.serving.state import Here, State
from regard.serving.written import Prompts
from regard.tasks.text_to_text import Alternative

run = APIRouter(tags=["regard"])

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
            named["num_return_sequences"] = self.n_best
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
    stop: OneOrMore | None = None

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


@run.post("/run/translate")
async def translate(request: Request, asked: Translate, here: Here) -> Translations:
    """Translations, with word alignments and a trace on request."""
    model, texts = here.served.model("translate", asked.model), _listed(asked.text)
    if asked.trace and len(texts) > 1:
        raise BadArgumentError(f"a trace is of one text; got {len(texts)}. Send one at a time.")
    work, found = await decoded(
        request, model, texts, asked, languages=(asked.source, asked.target)
    )
    if asked.alignment is None:
        results = work.results(found)
    else:
        make = partial(work.results, found, alignment=asked.alignment)
        results = await looked(
            request, here.looking, make, here.served.limits.deadline(asked.timeout)
        )
    trace = None
    if asked.trace:
        trace = await _traced(request, here, work, texts[0], asked)
    return Translations(model.name, [_translation(each) for each in results], trace)


@run.post("/run/summarize")
async def summarize(request: Request, asked: Summarize, here: Here) -> Summaries:
    """Summaries."""
    model = here.served.model("summarize", asked.model)
    work, found = await decoded(request, model, _listed(asked.text), asked)
    return Summaries(
        model.name,
        [
            Summary(
                each.text, each.score, each.finished, each.truncated, _n_best(each.alternatives)
            )
            for each in work.results(found)
        ],
    )


@run.post("/run/generate")
async def generate(request: Request, asked: Generate, here: Here) -> Generations:
    """Continuations of texts, or the answer to a chat; /v1 has both as streams."""
    model = here.served.model("generate", asked.model)
    if (asked.text is None) == (asked.messages is None):
        raise BadArgumentError("give either a text or messages.")
    prompts = _listed(asked.text) if asked.text is not None else [asked.messages or []]
    make = partial(
        Prompts,
        model,
        prompts,
        options=asked.options(),
        stop=() if asked.stop is None else _listed(asked.stop),
        seconds=asked.timeout,
    )
    work = await prepared(_length(prompts), make)
    found = await results_of(request, model, work.jobs)
    results = [[ready.result(each) for each in its] for ready, its in work.pairs(found)]
    return Generations(
        model.name,
        [
            Generated(
                its[0].text,
                its[0].score,
                its[0].finished,
                [NBest(each.text, each.score, each.finished) for each in its],
            )
            for its in results
        ],
    )


@run.post("/run/classify")
async def classify(request: Request, asked: Classify, here: Here) -> Classifications:
    """The labels of texts, or of pairs of texts."""
    model, texts = here.served.model("classify", asked.model), _listed(asked.text)
    pairs = [""] * len(texts) if asked.pair is None else _listed(asked.pair)
    if len(pairs) != len(texts):
        raise BadArgumentError(
            f"pair must be one for each of {len(texts)} texts; got {len(pairs)}."
        )
    items, paired = list(zip(texts, pairs, strict=True)), asked.pair is not None
    jobs = reading_jobs(items, paired, model.limits, asked.timeout)
    found = await results_of(request, model, jobs)
    return Classifications(
        model.name,
        [
            Labeled(
                [Label(label.label, label.score) for label in each.labels[: asked.top_k]],
                [label.label for label in each.chosen],
                each.truncated,
            )
            for each in found
        ],
    )


@run.post("/run/answer")
async def answer(request: Request, asked: Question, here: Here) -> Answers:
    """The answers to a question, best first."""
    model = here.served.model("answer", asked.model)
    jobs = reading_jobs([(asked.question, asked.context)], asked.top_k, model.limits, asked.timeout)
    [found] = await results_of(request, model, jobs)
    return Answers(
        model.name, [Answer(each.text, each.start, each.end, each.score) for each in found]
    )


@run.post("/run/encode")
async def encode(request: Request, asked: Encode, here: Here) -> Vectors:
    """Vectors of texts."""
    model = here.served.model("encode", asked.model)
    jobs = reading_jobs(_listed(asked.text), None, model.limits, asked.timeout)
    found = await results_of(request, model, jobs)
    return Vectors(
        model.name, [each.vector.tolist() for each in found], [each.truncated for each in found]
    )


@run.get("/traces/{id}", response_class=Response)
def trace(id: str, here: Here) -> Response:
    """The page of a trace, as a file to be opened in a browser."""
    page = here.traces.get(id)
    if page is None:
        raise HTTPException(404, "this trace is no longer here; ask for it again.")
    # As an attachment: a file with a script of its own is not to run as a page of this server.
    headers = {"Content-Disposition": 'attachment; filename="regard.html"'}
    return Response(page, media_type="text/html", headers=headers)


async def decoded(
    request: Request,
    model: Model[Any],
    texts: Sequence[str],
    asked: _Search,
    *,
    languages: tuple[str | None, str | None] = (None, None),
) -> tuple[Texts, list[Any]]:
    """What an encoder–decoder makes of texts: its hypotheses for each job."""

    def make() -> Texts:
        task = model.task.between(*languages) if any(languages) else model.task
        return Texts(task, texts, model.limits, options=asked.options(), seconds=asked.timeout)

    work = await prepared(_length(texts), make)
    return work, await results_of(request, model, work.jobs)


async def _traced(request: Request, here: State, work: Texts, text: str, asked: Translate) -> str:
    options = asked.options()
    options.pop("num_return_sequences", None)
    make = lambda: here.traces.add(work.task.trace(text, **options))  # noqa: E731
    end = here.served.limits.deadline(asked.timeout)
    return f"/traces/{await looked(request, here.looking, make, end)}"


def _translation(result: Any) -> Translation:
    aligned = result.alignment is not None
    return Translation(
        result.text,
        result.score,
        result.finished,
        _n_best(result.alternatives),
        result.source_words if aligned else None,
        result.target_words if aligned else None,
        result.alignment.tolist() if aligned else None,
    )


def _n_best(alternatives: Sequence[Alternative]) -> list[NBest]:
    return [NBest(each.text, each.score, each.finished) for each in alternatives]


def _listed(text: OneOrMore) -> list[str]:
    return [text] if isinstance(text, str) else text


def _length(texts: Sequence[Any]) -> int:
    return sum(len(each) if isinstance(each, str) else len(str(each)) for each in texts)
