"""The server's own interface: a route /run/{task} for each task, made from its declaration.

A request has the task's inputs and options, under their names in Python and with their bounds; the
answer has a result for each input.
"""

import base64
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    create_model,
    model_validator,
)
from starlette.exceptions import HTTPException

from regard.engine.result import Result, shape
from regard.engine.text_to_text import TextToText
from regard.errors import BadArgumentError, RegardError, check_choice, unknown
from regard.generation import Hypothesis
from regard.http.application import download
from regard.serving.asking import all_of, answered, results_of
from regard.serving.limits import TooLong
from regard.serving.served import Model
from regard.serving.state import Here, State
from regard.serving.work import Readings, Sounds, Texts, listed
from regard.serving.written import Prompts
from regard.tasks import catalog
from regard.tasks.classification.task import split_labels
from regard.tasks.declaration import Kind
from regard.tasks.images.task import WRITTEN
from regard.tasks.text_generation.task import Continuation, Prompted

run = APIRouter(tags=["regard"])

SOUNDS, MOST_SOUND = "/run/transcribe", 2**22  # bytes of a request
TOO_LOUD = f"a request of {SOUNDS} may have {MOST_SOUND:,} bytes; send FLAC, OGG or MP3, or less."
ALIGNED = 2**20  # weights of the words of a request, if it has as many words as its texts
# Names of fields that are called otherwise today.
FORMER = {"source": "source_language", "target": "target_language", "pair": "text_pair"} | {
    alias: name
    for verb in catalog.VERBS
    for name, setting in catalog.doing(verb).options_class().settings().items()
    for alias in setting.metadata["aliases"]
}

ANSWER = TypeAdapter(dict[str, Any])  # a result's fields have their types, so nothing is checked
OneOrMore = str | Annotated[list[str], Field(min_length=1)]
Results = tuple[Sequence[Any], dict[str, Any]]  # and what else the answer has


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


@dataclass(frozen=True)
class Hook:
    """A task's own part.

    Args:
        answer: gives the results of a request, from the options that it has.
        fields: of its requests, beside the inputs and options.
        more: fields of its answers, beside the results.
    """

    answer: Callable[[Request, State, Model[Any], Any, dict[str, Any]], Awaitable[Results]]
    fields: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)


def add_routes() -> None:
    """Make the route of each task."""
    for verb in catalog.VERBS:
        kind, hook = catalog.doing(verb), HOOKS.get(verb, Hook(_read))
        result = create_model(
            f"{verb.capitalize()}Result",
            __base__=_result_class(kind.result_class(), f"{verb.capitalize()}Parts"),
            error=(str | None, None),  # of several texts, one that is refused
        )
        answer = create_model(
            f"{verb.capitalize()}Answer", model=(str, ...), results=(list[result], ...), **hook.more
        )
        run.add_api_route(
            f"/run/{verb}",
            _endpoint(kind, hook, _request_class(kind, hook)),
            methods=["POST"],
            response_model=answer,
            description=kind.summary,
            name=verb,
        )


def _endpoint(kind: Kind, hook: Hook, asked_class: type[Asked]) -> Callable[..., Any]:
    options = kind.options_class().settings()

    async def endpoint(request: Request, asked: asked_class, here: Here) -> Response:
        model = here.served.model(kind.verb, asked.model)  # type: ignore[attr-defined]
        named = asked.model_fields_set  # type: ignore[attr-defined]
        values = {name: getattr(asked, name) for name in options if name in named}
        chosen = _chosen(kind.verb, values)
        results, more = await hook.answer(request, here, model, asked, chosen)
        its = [
            kind.result_class().nothing() | {"error": str(result)}
            if isinstance(result, RegardError)
            else result.json(chosen)
            for result in answered(results)
        ]
        contents = ANSWER.dump_json({"model": model.name, "results": its, **more})
        return Response(contents, media_type="application/json")

    return endpoint


def _chosen(verb: str, values: dict[str, Any]) -> dict[str, Any]:
    """As `catalog.chosen`, which many requests ask for the same."""
    try:
        return dict(_chosen_before(verb, tuple(values.items())))
    except TypeError:  # of values that cannot be looked up, such as lists
        return catalog.chosen(verb, values)


@lru_cache(256)
def _chosen_before(verb: str, values: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return catalog.chosen(verb, dict(values))


def _request_class(kind: Kind, hook: Hook) -> type[Asked]:
    """The class of a task's requests. Its options have the bounds and sentences of Python."""
    own = kind.options_class()
    types, named = get_type_hints(own), dict[str, Any]()
    for each in kind.inputs:
        about = f"{each.help[:1].upper()}{each.help[1:]}; one or several."
        optional = (OneOrMore | None, Field(None, description=about))
        named[each.name] = optional if each.optional else (OneOrMore, Field(description=about))
    for name, setting in own.settings().items():
        about, bounds = setting.metadata["help"], setting.metadata["bounds"]
        if bounds:
            about = f"{about} {str(bounds).capitalize()}."
        check = BeforeValidator(partial(_checked, setting.metadata, name, types[name]))
        annotation = OneOrMore | None if list[str] in get_args(types[name]) else types[name]
        named[name] = (Annotated[annotation, check], Field(setting.default, description=about))

    return create_model(f"{kind.verb.capitalize()}Request", __base__=Asked, **named | hook.fields)


def _checked(metadata: Any, name: str, kind: Any, value: Any) -> Any:
    """A value within its bounds, or the sentence that Python has for it."""
    if value is not None or type(None) not in get_args(kind):
        if metadata["bounds"]:
            metadata["bounds"].check(name, value, whole=float not in (kind, *get_args(kind)))
        elif metadata["choices"]:
            check_choice(name, value, metadata["choices"])
    return value


def _result_class(kind: Any, name: str, *, nested: bool = False) -> type[BaseModel]:
    """The class of a task's results in the schema, by the shape of their JSON."""
    named: dict[str, Any] = {}
    for key, hint in shape(kind).items():
        [plain] = [each for each in (get_args(hint) or [hint]) if each is not type(None)][:1]
        plain = hint if get_origin(hint) is list else plain
        element = next(iter(get_args(plain)), None)
        if isinstance(element, type) and issubclass(element, Result):
            if element is kind and nested:
                continue  # alternatives have none of their own
            plain = list[_result_class(element, f"{name}{key.capitalize()}", nested=True)]  # type: ignore[misc]
        named[key] = (plain | None, None)
    return create_model(name, **named)


async def _read(
    request: Request,
    here: State,
    model: Model[Any],
    asked: Any,
    chosen: dict[str, Any],
    times: int = 1,
) -> Results:
    """The results of a model that reads."""
    names = [each.name for each in catalog.doing(model.kind).inputs]
    columns = {name: listed(texts) for name in names if (texts := getattr(asked, name)) is not None}
    first, *others = columns.values()
    for name, column in list(columns.items())[1:]:
        if len(column) != len(first):
            raise BadArgumentError(
                f"{name} must be one for each {names[0]}; got {len(column)} for {len(first)}."
            )
    rows, options = list(zip(first, *others, strict=True)), tuple(sorted(chosen.items()))
    work = Readings(rows, options, model.limits, asked.timeout, times=times, alone=True)
    return await results_of(request, model, work), {}


async def _classify(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The labels of texts, each of which is read once for each label of the request's own."""
    times = len(split_labels(chosen["labels"])) if "labels" in chosen else 1
    return await _read(request, here, model, asked, chosen, times)


async def _match(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The texts that fit images, which come as text: no file here is read by its name."""
    if any(not image.startswith(WRITTEN) for image in listed(asked.image)):
        raise BadArgumentError("an image must come as text, data:image/png;base64,… or the like.")
    labels = tuple(listed(chosen.get("labels") or []))
    if not labels:
        raise BadArgumentError("there are no texts to choose among; give them as labels.")
    model.limits.check(labels, len(labels), 1)
    return await _read(request, here, model, asked, chosen | {"labels": labels})


async def _transcribe(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The texts of sounds: what their files contain, since a server opens no file by name."""
    try:
        sounds = [base64.b64decode(sound, validate=True) for sound in listed(asked.sound)]
    except ValueError:
        raise BadArgumentError(
            "sound must be the contents of a sound file in base64; a name of a file is not."
        ) from None
    work = Sounds(sounds, tuple(sorted(chosen.items())), model.limits, asked.timeout)
    return await results_of(request, model, work), {}


async def _rewrite(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The results of an encoder–decoder, with alignments and a trace on request."""
    texts, step = listed(asked.text), getattr(asked, "alignment", None)
    is_traced = getattr(asked, "trace", False)
    if is_traced and len(texts) > 1:
        raise BadArgumentError(f"a trace is of one text; got {len(texts)}. Send one at a time.")
    words = sum(len(text.split()) ** 2 for text in texts)
    if step is not None and words > ALIGNED:
        raise TooLong(
            f"the squares of the texts' numbers of words may be {ALIGNED:,} together for an"
            f" alignment; got {words:,}. Send less text at a time."
        )
    task, left = model.task.with_options(**chosen)
    work, hypotheses = await decoded(request, model, task, texts, left, asked.timeout)
    if step is None:
        made = work.results(hypotheses)
        results = await all_of(request, made, work.deadline, whole=work.is_small)
    else:
        chosen["alignment"] = step  # of the parts of a result that were asked for
        made = work.results(hypotheses, alignment=step)
        results = await all_of(request, made, work.deadline, thread=here.looking)
    if not is_traced:
        return results, {}

    def traced() -> Iterator[str]:
        left.pop("alternatives", None)
        yield f"/traces/{here.traces.add(task.trace(texts[0], **left))}"

    [trace] = await all_of(request, traced(), work.deadline, thread=here.looking)
    return results, {"trace": trace}


async def _summarize(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The summaries by an encoder–decoder, or by a model that takes sentences."""
    answer = _rewrite if isinstance(model.task, TextToText) else _read
    return await answer(request, here, model, asked, chosen)


async def _continue(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """The continuations of texts, or the answer to a chat."""
    if (asked.text is None) == (asked.messages is None):
        raise BadArgumentError("give either a text or messages.")
    options = {name: value for name, value in chosen.items() if name not in ("tokens", "chat")}
    stop, system = listed(options.pop("stop", [])), options.pop("system", None)
    prompts: list[Any] = [asked.messages or []] if asked.text is None else listed(asked.text)
    if chosen.get("chat") and asked.text is not None:
        opening = [] if system is None else [{"role": "system", "content": system}]
        prompts = [[*opening, {"role": "user", "content": text}] for text in prompts]
    work = Prompts(model, prompts, options=options, stop=stop, seconds=asked.timeout, alone=True)
    hypotheses = await results_of(request, model, work)
    made = (_continued(ready, its) for ready, its in work.pairs(hypotheses))
    results = await all_of(request, made, work.deadline, whole=work.is_small)
    for place, error in sorted(work.refused.items()):
        results.insert(place, error)
    return results, {}


def _continued(
    ready: Prompted, hypotheses: list[Hypothesis] | RegardError
) -> Continuation | RegardError:
    if isinstance(hypotheses, RegardError):
        return hypotheses
    its = list(map(ready.result, hypotheses))
    return replace(its[0], alternatives=its)


async def decoded(
    request: Request,
    model: Model[Any],
    task: Any,
    texts: Sequence[str],
    options: dict[str, Any],
    seconds: float | None = None,
) -> tuple[Texts, list[Any]]:
    """The hypotheses of an encoder–decoder for each job of some texts.

    Args:
        task: the model's, with other settings.
    """
    work = Texts(task, texts, model.limits, options=options, seconds=seconds)
    return work, await results_of(request, model, work)


@run.get("/traces/{id}", response_class=Response)
def trace(id: str, here: Here) -> Response:
    """The page of a trace, as a file to be opened in a browser."""
    page = here.traces.get(id)
    if page is None:
        raise HTTPException(404, "this trace is no longer here; ask for it again.")
    return download(page, "regard.html")


HOOKS = {
    "translate": Hook(
        _rewrite,
        {
            "alignment": (
                Literal["input", "output"] | None,
                Field(None, description="The decoder's step that word alignments are read from."),
            ),
            "glossary": (
                dict[str, str] | None,
                Field(None, description="Terms, each with its translation: Haus|Hauses."),
            ),
            "trace": (bool, Field(False, description="Also the address of a trace, of one text.")),
        },
        {"trace": (str | None, None)},
    ),
    "classify": Hook(_classify),
    "match": Hook(_match),
    "transcribe": Hook(
        _transcribe,
        {"sound": (OneOrMore, Field(description="A sound file in base64; one or several."))},
    ),
    "summarize": Hook(_summarize),
    "generate": Hook(
        _continue,
        {
            "text": (OneOrMore | None, Field(None, description="One or several to continue.")),
            "messages": (list[dict[str, Any]] | None, Field(None, description="A chat to answer.")),
        },
    ),
}
add_routes()
