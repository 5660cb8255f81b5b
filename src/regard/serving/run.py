"""The server's own interface: a route /run/{task} for each task, made from its fields.

A request has the task's inputs and options, under their names in Python and with their bounds; the
answer has a result for each text.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import Field as OptionField
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_type_hints

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from starlette.exceptions import HTTPException

from regard.errors import BadArgumentError, unknown
from regard.generation.config import DECODING, SAMPLING, GenerationConfig
from regard.http.application import download
from regard.options import Bounds, Options, option
from regard.serving.asking import all_of, results_of
from regard.serving.limits import TooLong
from regard.serving.served import Model
from regard.serving.state import Here, State
from regard.serving.work import Readings, Texts, listed
from regard.serving.written import Prompts
from regard.tasks.classification import Label

run = APIRouter(tags=["regard"])

ALIGNED = 2**20  # weights of the words of a request, if it has as many words as its texts
# Names of fields that are called otherwise today.
FORMER = {"source": "source_language", "target": "target_language", "pair": "text_pair"} | {
    alias: setting.name
    for setting in fields(GenerationConfig)
    for alias in setting.metadata.get("aliases", ())
}

OneOrMore = str | Annotated[list[str], Field(min_length=1)]


class Asked(BaseModel):
    """The fields of every request; those that are left out are as the model's files have them."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="By default the first that does the task.")
    timeout: float | None = Field(None, gt=0, description="Seconds, if less than the server's.")

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: Any) -> Any:
        for name in values if isinstance(values, dict) else ():
            if FORMER.get(name) in cls.model_fields:
                raise BadArgumentError(f"{name} is now {FORMER[name]}.")
            if name not in cls.model_fields:
                raise unknown("a field", name[:80], cls.model_fields)
        return values

    def values(self, names: Sequence[str]) -> dict[str, Any]:
        """Those of these fields that the request has."""
        return self.model_dump(include=set(names), exclude_none=True)


@dataclass(frozen=True)
class ClassifyOptions(Options):
    top_k: int | None = option(None, "Labels for each text, best first; all by default.", min=1)


@dataclass(frozen=True)
class AnswerOptions(Options):
    top_k: int = option(1, "Answers to each question, best first; 1 by default.", min=1, max=100)


Results = tuple[Sequence[Any], dict[str, Any]]
Outputs = dict[str, tuple[Any, Callable[[Any], Any]]]  # name: type, and its value of a result


@dataclass(frozen=True)
class TaskRoute:
    """A route of /run.

    Args:
        about: what it gives.
        inputs: fields of the request, each with its type and default.
        outputs: fields of a result.
        answer: gives the results of a request, and the values of `more`.
        options: fields of `kind`; left out, they are as the model has them.
        more: fields of the answer beside the results.
    """

    about: str
    inputs: dict[str, tuple[Any, Any]]
    outputs: Outputs
    answer: Callable[[Request, State, Model[Any], Any], Awaitable[Results]]
    options: Sequence[str] = ()
    kind: type[Any] = GenerationConfig
    more: dict[str, Any] = field(default_factory=dict)


def _request(name: str, route: TaskRoute) -> type[Asked]:
    """The class of a route's requests."""
    types = get_type_hints(route.kind)
    settings: dict[str, OptionField[Any]] = {
        setting.name: setting for setting in fields(route.kind)
    }
    request_fields: dict[str, Any] = dict(route.inputs)
    for option_name in route.options:
        metadata = settings[option_name].metadata
        bounds, about = metadata["bounds"], metadata["help"]
        kind = types[option_name] | None
        if bounds:
            about = f"{about} {str(bounds).capitalize()}."
            kind = Annotated[kind, BeforeValidator(partial(_checked, bounds, option_name, kind))]
        request_fields[option_name] = (kind, Field(None, description=about))
    return create_model(f"{name.capitalize()}Request", __base__=Asked, **request_fields)


def _checked(bounds: Bounds, name: str, kind: Any, value: Any) -> Any:
    """A value within its bounds, or the sentence that Python has for it."""
    if value is not None:
        bounds.check(name, value, whole=float not in get_args(kind))
    return value


def add_routes() -> None:
    """Make the route of each task."""
    for name, route in ROUTES.items():
        outputs: dict[str, Any] = {
            key: (kind | None, None) for key, (kind, _) in route.outputs.items()
        }
        result = create_model(f"{name.capitalize()}Result", **outputs)
        answer = create_model(
            f"{name.capitalize()}Answer",
            model=(str, ...),
            results=(list[result], ...),
            **route.more,
        )
        run.add_api_route(
            f"/run/{name}",
            _endpoint(name, route, _request(name, route)),
            methods=["POST"],
            response_model=answer,
            response_model_exclude_unset=True,
            description=route.about,
            name=name,
        )


def _endpoint(name: str, route: TaskRoute, kind: type[Asked]) -> Callable[..., Any]:
    async def endpoint(request: Request, asked: kind, here: Here) -> dict[str, Any]:
        model = here.served.model(name, asked.model)  # type: ignore[attr-defined]
        results, more = await route.answer(request, here, model, asked)
        values = (
            {key: value(result) for key, (_, value) in route.outputs.items()} for result in results
        )
        shown = [{key: value for key, value in its.items() if value is not None} for its in values]
        return {"model": model.name, "results": shown, **more}

    return endpoint


async def _translate(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    texts = listed(asked.text)
    if asked.trace and len(texts) > 1:
        raise BadArgumentError(f"a trace is of one text; got {len(texts)}. Send one at a time.")
    words = sum(len(text.split()) ** 2 for text in texts)
    if asked.alignment is not None and words > ALIGNED:
        raise TooLong(
            f"the squares of the texts' numbers of words may be {ALIGNED:,} together for an"
            f" alignment; got {words:,}. Send less text at a time."
        )
    languages = (asked.source_language, asked.target_language)
    options = asked.values(DECODING)
    work, hypotheses = await decoded(request, model, texts, options, asked.timeout, languages)
    if asked.alignment is None:
        results = await all_of(
            request, work.results(hypotheses), work.deadline, whole=work.is_small
        )
    else:
        aligned = work.results(hypotheses, alignment=asked.alignment)
        results = await all_of(request, aligned, work.deadline, thread=here.looking)
    if not asked.trace:
        return results, {}

    def traced() -> Iterator[str]:
        options.pop("alternatives", None)
        yield f"/traces/{here.traces.add(work.task.trace(texts[0], **options))}"

    [trace] = await all_of(request, traced(), work.deadline, thread=here.looking)
    return results, {"trace": trace}


async def _summarize(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    texts, options = listed(asked.text), asked.values(DECODING)
    work, hypotheses = await decoded(request, model, texts, options, asked.timeout)
    return await all_of(request, work.results(hypotheses), work.deadline, whole=work.is_small), {}


async def _generate(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    if (asked.text is None) == (asked.messages is None):
        raise BadArgumentError("give either a text or messages.")
    prompts = listed(asked.text) if asked.text is not None else [asked.messages or []]
    drawing = asked.values(SAMPLING)
    options = asked.values(DECODING) | ({"do_sample": True} | drawing if drawing else {})
    stop = () if asked.stop is None else listed(asked.stop)
    work = Prompts(model, prompts, options=options, stop=stop, seconds=asked.timeout)
    hypotheses = await results_of(request, model, work)
    made = (
        [ready.result(hypothesis) for hypothesis in its] for ready, its in work.pairs(hypotheses)
    )
    results = await all_of(request, made, work.deadline, whole=work.is_small)
    return [replace(first, alternatives=[first, *others]) for first, *others in results], {}


async def _classify(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    results = await _read(request, model, asked, ("text", "text_pair"))
    return [(result.labels[: asked.top_k], result) for result in results], {}


async def _answer(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    return await _read(request, model, asked, ("question", "context"), asked.top_k or 1), {}


async def _encode(request: Request, here: State, model: Model[Any], asked: Any) -> Results:
    return await _read(request, model, asked, ("text",)), {}


async def _read(
    request: Request, model: Model[Any], asked: Any, names: Sequence[str], options: Any = None
) -> list[Any]:
    """The results of texts by a model that reads.

    Args:
        names: the fields of texts that belong together.
    """
    columns = {name: listed(texts) for name, texts in asked.values(names).items()}
    first, *others = columns.values()
    for name, column in list(columns.items())[1:]:
        if len(column) != len(first):
            raise BadArgumentError(
                f"{name} must be one for each of {len(first)} texts; got {len(column)}."
            )
    work = Readings(list(zip(first, *others, strict=True)), options, model.limits, asked.timeout)
    return await results_of(request, model, work)


async def decoded(
    request: Request,
    model: Model[Any],
    texts: Sequence[str],
    options: dict[str, Any],
    seconds: float | None = None,
    languages: tuple[str | None, str | None] = (None, None),
) -> tuple[Texts, list[Any]]:
    """The hypotheses of an encoder–decoder for each job of some texts."""
    task = model.task.between(*languages) if any(languages) else model.task
    work = Texts(task, texts, model.limits, options=options, seconds=seconds)
    return work, await results_of(request, model, work)


@run.get("/traces/{id}", response_class=Response)
def trace(id: str, here: Here) -> Response:
    """The page of a trace, as a file to be opened in a browser."""
    page = here.traces.get(id)
    if page is None:
        raise HTTPException(404, "this trace is no longer here; ask for it again.")
    return download(page, "regard.html")


def _texts(name: str, others: Callable[[Any], Sequence[Any]]) -> Outputs:
    """The outputs of a task that writes.

    Args:
        name: of the text.
        others: all outputs for one text, best first.
    """
    plain: Outputs = {
        name: (str, lambda result: result.text),
        "score": (float, lambda result: result.score),
        "finished": (bool, lambda result: result.finished),
    }
    types: dict[str, Any] = {key: (kind, ...) for key, (kind, _) in plain.items()}
    alternative = create_model(f"{name.capitalize()}Alternative", **types)

    def alternatives(result: Any) -> list[dict[str, Any]]:
        outputs = others(result)
        return [{key: value(output) for key, (_, value) in plain.items()} for output in outputs]

    return plain | {"alternatives": (list[alternative], alternatives)}


_TEXT = (OneOrMore, Field(description="One or several."))
_TRUNCATED = (bool, lambda result: result.truncated)

ROUTES = {
    "translate": TaskRoute(
        "Translations, with word alignments and a trace on request.",
        {
            "text": _TEXT,
            "source_language": (str | None, Field(None, description="Of a model of several.")),
            "target_language": (str | None, Field(None, description="Of a model of several.")),
            "alignment": (
                Literal["input", "output"] | None,
                Field(None, description="The decoder's step that word alignments are read from."),
            ),
            "trace": (bool, Field(False, description="Also the address of a trace, of one text.")),
        },
        _texts("translation", lambda result: result.alternatives)
        | {
            "source_words": (list[str], lambda result: result.source_words or None),
            "target_words": (list[str], lambda result: result.target_words or None),
            "alignment": (
                list[list[float]],  # target words × source words
                lambda result: None if result.alignment is None else result.alignment.tolist(),
            ),
        },
        _translate,
        DECODING,
        more={"trace": (str | None, None)},
    ),
    "summarize": TaskRoute(
        "Summaries.",
        {"text": _TEXT},
        _texts("summary", lambda result: result.alternatives) | {"truncated": _TRUNCATED},
        _summarize,
        DECODING,
    ),
    "generate": TaskRoute(
        "Continuations of texts, or the answer to a chat; /v1 has both as streams.",
        {
            "text": (OneOrMore | None, Field(None, description="One or several to continue.")),
            "messages": (list[dict[str, Any]] | None, Field(None, description="A chat to answer.")),
            "stop": (
                str | Annotated[list[str], Field(max_length=16)] | None,
                Field(None, description="Strings that end the text."),
            ),
        },
        _texts("continuation", lambda result: result.alternatives),
        _generate,
        (*DECODING, *SAMPLING),
    ),
    "classify": TaskRoute(
        "The labels of texts, or of pairs of texts.",
        {
            "text": _TEXT,
            "text_pair": (
                OneOrMore | None,
                Field(None, description="The second text of each, for a model of pairs."),
            ),
        },
        {
            "labels": (list[Label], lambda result: result[0]),
            "chosen": (list[str], lambda result: result[1].chosen),
            "truncated": (bool, lambda result: result[1].truncated),
        },
        _classify,
        ("top_k",),
        ClassifyOptions,
    ),
    "answer": TaskRoute(
        "The answers to questions, best first.",
        {
            "question": (OneOrMore, Field(description="One or several.")),
            "context": (
                OneOrMore,
                Field(description="The text that may hold the answer, of each."),
            ),
        },
        {
            "answers": (
                list[dict[str, Any]],
                lambda result: [
                    {
                        "answer": answer.text,
                        "start": answer.start,
                        "end": answer.end,
                        "score": answer.score,
                    }
                    for answer in result
                ],
            )
        },
        _answer,
        ("top_k",),
        AnswerOptions,
    ),
    "encode": TaskRoute(
        "Vectors of texts.",
        {"text": _TEXT},
        {
            "embedding": (list[float], lambda result: result.vector.tolist()),
            "truncated": _TRUNCATED,
        },
        _encode,
    ),
}
add_routes()
