"""The server's own interface: /run/{task}, with everything that is known of a result."""

from collections.abc import Iterator, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from regard.errors import BadArgumentError
from regard.http.application import download
from regard.serving.asking import all_of, results_of
from regard.serving.limits import TooLong
from regard.serving.schema import (
    Answer,
    Answers,
    Classifications,
    Classify,
    Encode,
    Generate,
    Generated,
    Generations,
    Label,
    Labeled,
    NBest,
    OneOrMore,
    Question,
    Summaries,
    Summarize,
    Summary,
    Translate,
    Translation,
    Translations,
    Vectors,
    _Search,
)
from regard.serving.served import Model
from regard.serving.state import Here, State
from regard.serving.work import Readings, Texts
from regard.serving.written import Prompts
from regard.tasks.text_to_text import Alternative

run = APIRouter(tags=["regard"])

ALIGNED = 2**20  # weights of the words of a request, if it has as many words as its texts


@run.post("/run/translate")
async def translate(request: Request, asked: Translate, here: Here) -> Translations:
    """Translations, with word alignments and a trace on request."""
    model, texts = here.served.model("translate", asked.model), _listed(asked.text)
    if asked.trace and len(texts) > 1:
        raise BadArgumentError(f"a trace is of one text; got {len(texts)}. Send one at a time.")
    if (
        asked.alignment is not None
        and (number := sum(_words(each) ** 2 for each in texts)) > ALIGNED
    ):
        raise TooLong(
            f"the squares of the texts' numbers of words may be {ALIGNED:,} together for an"
            f" alignment; got {number:,}. Send less text at a time."
        )
    languages = (asked.source, asked.target)
    work, found = await decoded(request, model, texts, asked, languages=languages)
    if asked.alignment is None:
        results = await all_of(request, work.results(found), work.deadline, whole=work.is_small)
    else:
        aligned = work.results(found, alignment=asked.alignment)
        results = await all_of(request, aligned, work.deadline, thread=here.looking)
    trace = None
    if asked.trace:
        [trace] = await all_of(
            request, _traced(here, work, texts[0], asked), work.deadline, thread=here.looking
        )
    return Translations(model.name, [_translation(each) for each in results], trace)


@run.post("/run/summarize")
async def summarize(request: Request, asked: Summarize, here: Here) -> Summaries:
    """Summaries."""
    model = here.served.model("summarize", asked.model)
    work, found = await decoded(request, model, _listed(asked.text), asked)
    results = await all_of(request, work.results(found), work.deadline, whole=work.is_small)
    return Summaries(
        model.name,
        [
            Summary(
                each.text, each.score, each.finished, each.truncated, _n_best(each.alternatives)
            )
            for each in results
        ],
    )


@run.post("/run/generate")
async def generate(request: Request, asked: Generate, here: Here) -> Generations:
    """Continuations of texts, or the answer to a chat; /v1 has both as streams."""
    model = here.served.model("generate", asked.model)
    if (asked.text is None) == (asked.messages is None):
        raise BadArgumentError("give either a text or messages.")
    prompts = _listed(asked.text) if asked.text is not None else [asked.messages or []]
    work = Prompts(
        model,
        prompts,
        options=asked.options(),
        stop=() if asked.stop is None else _listed(asked.stop),
        seconds=asked.timeout,
    )
    found = await results_of(request, model, work)
    made = ([ready.result(each) for each in its] for ready, its in work.pairs(found))
    results = await all_of(request, made, work.deadline, whole=work.is_small)
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
    work = Readings(items, paired, model.limits, asked.timeout)
    found = await results_of(request, model, work)
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
    work = Readings([(asked.question, asked.context)], asked.top_k, model.limits, asked.timeout)
    [found] = await results_of(request, model, work)
    return Answers(
        model.name, [Answer(each.text, each.start, each.end, each.score) for each in found]
    )


@run.post("/run/encode")
async def encode(request: Request, asked: Encode, here: Here) -> Vectors:
    """Vectors of texts."""
    model = here.served.model("encode", asked.model)
    work = Readings(_listed(asked.text), None, model.limits, asked.timeout)
    found = await results_of(request, model, work)
    return Vectors(
        model.name, [each.vector.tolist() for each in found], [each.truncated for each in found]
    )


@run.get("/traces/{id}", response_class=Response)
def trace(id: str, here: Here) -> Response:
    """The page of a trace, as a file to be opened in a browser."""
    page = here.traces.get(id)
    if page is None:
        raise HTTPException(404, "this trace is no longer here; ask for it again.")
    return download(page, "regard.html")


async def decoded(
    request: Request,
    model: Model[Any],
    texts: Sequence[str],
    asked: _Search,
    *,
    languages: tuple[str | None, str | None] = (None, None),
) -> tuple[Texts, list[Any]]:
    """What an encoder–decoder makes of texts: its hypotheses for each job."""
    task = model.task.between(*languages) if any(languages) else model.task
    work = Texts(task, texts, model.limits, options=asked.options(), seconds=asked.timeout)
    return work, await results_of(request, model, work)


def _traced(here: State, work: Texts, text: str, asked: Translate) -> Iterator[str]:
    options = asked.options()
    options.pop("alternatives", None)
    yield f"/traces/{here.traces.add(work.task.trace(text, **options))}"


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


def _words(text: str) -> int:
    return len(text.split())
