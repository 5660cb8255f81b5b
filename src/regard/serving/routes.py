"""The server's own interface: a route /run/{task} for each task, made from its declaration.

A request has the task's inputs and options, under their names in Python and with their bounds; the
answer has a result for each input.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints

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
from regard.errors import RegardError, check_choice, unknown
from regard.http.application import download
from regard.http.bodies import JsonRoute
from regard.serving.asking import answered
from regard.serving.hooks import Hook, OneOrMore, read
from regard.serving.state import Here
from regard.tasks import catalog
from regard.tasks.declaration import Kind

run = APIRouter(tags=["regard"], route_class=JsonRoute)

SOUNDS, MOST_SOUND = "/run/transcribe", 2**22  # bytes of a request
TOO_LOUD = f"a request of {SOUNDS} may have {MOST_SOUND:,} bytes; send FLAC, OGG or MP3, or less."
ANSWER = TypeAdapter(dict[str, Any])  # a result's fields have their types, so nothing is checked


class Asked(BaseModel):
    """The fields of every request; those that are left out are as the model's files have them."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="By default the first that does the task.")
    timeout: float | None = Field(None, gt=0, description="Seconds, if less than the server's.")

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: object) -> object:
        for name in values if isinstance(values, dict) else ():
            if name not in cls.model_fields:
                raise unknown("a field", name[:80], cls.model_fields)
        return values


def add_routes() -> None:
    """Make the route of each task."""
    for verb in catalog.VERBS:
        kind = catalog.doing(verb)
        hook: Hook = kind.route() if kind.route else Hook(read)
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
    """Return the class of a task's requests. Its options have the bounds and sentences of
    Python."""
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


def _checked(metadata: Mapping[str, Any], name: str, kind: object, value: object) -> object:
    """Return a value within its bounds, or the sentence that Python has for it."""
    if value is not None or type(None) not in get_args(kind):
        if metadata["bounds"]:
            metadata["bounds"].check(name, value, whole=float not in (kind, *get_args(kind)))
        elif metadata["choices"]:
            check_choice(name, value, metadata["choices"])
    return value


def _result_class(kind: object, name: str, *, nested: bool = False) -> type[BaseModel]:
    """Return the class of a task's results in the schema, by the shape of their JSON."""
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


@run.get("/traces/{id}", response_class=Response)
def trace(id: str, here: Here) -> Response:
    """Return the page of a trace, as a file to be opened in a browser."""
    page = here.traces.get(id)
    if page is None:
        raise HTTPException(404, "this trace is no longer here; ask for it again.")
    return download(page, "regard.html")


add_routes()
