"""OpenAI's /v1: completions and chats, streamed on request, embeddings, and the list of models."""

import base64
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from secrets import token_hex
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    model_validator,
)
from starlette.types import Receive, Scope, Send

from regard.errors import BadArgumentError, RegardError, unknown
from regard.generation.choosers import Chosen
from regard.http.bodies import JsonRoute
from regard.http.refusals import UnknownModel
from regard.serving.asking import all_of, results_of
from regard.serving.jobs import Line
from regard.serving.logprobs import Logprobs
from regard.serving.state import Here, State
from regard.serving.work import Readings, listed
from regard.serving.written import Prompts, Stops
from regard.tasks.text_generation.task import Continuation, Prompt, Prompted

openai = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=JsonRoute)

T = TypeVar("T")
_ANY = TypeAdapter(dict[str, Any])
NEW_TOKENS = 16  # of a completion, where the request does not say
MOST_LIKELY = 20  # tokens at each place, OpenAI's limit


_NO_TOOLS: Any = (("tools", [[]]), ("functions", [[]]), ("tool_choice", ["none", "auto"]))
# Fields that are not here, each with the values that ask for nothing: clients send them unasked.
NOTHING: dict[str, list[Any]] = dict(_NO_TOOLS) | {
    "best_of": [1],
    "frequency_penalty": [0],
    "function_call": ["none", "auto"],
    "logit_bias": [{}],
    "modalities": [["text"]],
    "parallel_tool_calls": [True, False],
    "presence_penalty": [0],
    "reasoning_effort": ["none"],
    "response_format": [{"type": "text"}],
    "service_tier": ["auto", "default"],
    "store": [False],
    "suffix": [""],
}
_NAMES = ("user", "metadata", "safety_identifier", "prompt_cache_key")  # of a client's own


class _Asked(BaseModel):
    """A request of OpenAI's clients. A field that would do nothing here is refused, unless its
    value asks for nothing or only names someone; null is a field that is left out."""

    model_config = ConfigDict(extra="forbid")

    model: str

    @model_validator(mode="before")
    @classmethod
    def _leave_out(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        fields = {name: value for name, value in values.items() if value is not None}
        for name in [name for name in fields if name not in cls.model_fields]:
            value = fields.pop(name)
            if name in _NAMES or (name == "best_of" and value == fields.get("n", 1)):
                continue
            if name not in NOTHING:
                raise unknown("a field", name[:80], cls.model_fields)
            if value not in NOTHING[name]:
                its = " or ".join(json.dumps(nothing) for nothing in NOTHING[name])
                raise BadArgumentError(
                    f"{name} is not available here: leave it out, or send {its}."
                )
        return fields


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    include_usage: bool = False


def _texts(value: T) -> T:
    """Return a text or several.

    Raises:
        BadArgumentError: ids of tokens.
    """
    flat = value if isinstance(value, list) else []
    if any(isinstance(part, int | list) for part in flat):
        raise BadArgumentError(
            "texts were expected; got ids of tokens, which are those of another model. Send texts:"
            " LangChain does with check_embedding_ctx_length=False."
        )
    return value


class _Written(_Asked):
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: float | None = None
    n: Annotated[int, Field(ge=1, le=64)] = 1
    seed: Annotated[int, Field(ge=0)] | None = None
    stop: str | Annotated[list[str], Field(max_length=16)] | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None

    @property
    def top(self) -> int | None:
        """Likeliest tokens that are wanted at each place; None: no log-probabilities."""
        return None

    @property
    def stops(self) -> list[str]:
        """Strings that end a text."""
        return listed(self.stop or [])

    def options(self) -> dict[str, Any]:
        """Fields of GenerationConfig; a temperature of 0 takes the likeliest tokens."""
        options: dict[str, Any] = {}
        if self.temperature == 0:
            if self.n > 1:
                raise BadArgumentError("n texts of temperature 0 would be the same; ask for one.")
            options["do_sample"] = False
        elif {self.temperature, self.top_p, self.seed} != {None} or self.n > 1:
            values = dict(temperature=self.temperature, top_p=self.top_p, seed=self.seed)
            options = {name: value for name, value in values.items() if value is not None}
            options["do_sample"] = True
        if self.n > 1:
            options["alternatives"] = self.n
        if self.top is not None:
            options["top_logprobs"] = self.top
        return options


class Completion(_Written):
    """Texts to be continued."""

    prompt: Annotated[str | Annotated[list[str], Field(min_length=1)], BeforeValidator(_texts)]
    echo: bool = False
    logprobs: Annotated[
        Annotated[int, Field(ge=0, le=MOST_LIKELY)] | None,
        BeforeValidator(lambda value: None if value is False else value),
    ] = None

    @property
    def top(self) -> int | None:
        if self.echo and self.logprobs is not None:
            raise BadArgumentError(
                "log-probabilities are of what is written, not of the prompt: leave out echo, or"
                " logprobs."
            )
        return self.logprobs


class Chat(_Written):
    """A chat to be answered."""

    messages: list[dict[str, Any]]
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    logprobs: bool = False
    top_logprobs: Annotated[int, Field(ge=0, le=MOST_LIKELY)] | None = None

    @property
    def top(self) -> int | None:
        if self.top_logprobs and not self.logprobs:
            raise BadArgumentError("top_logprobs needs logprobs; send logprobs: true with it.")
        return (self.top_logprobs or 0) if self.logprobs else None


class Embeddings(_Asked):
    """Texts to be turned into vectors."""

    input: Annotated[str | Annotated[list[str], Field(min_length=1)], BeforeValidator(_texts)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None


@openai.get("/models")
def models(here: Here) -> dict[str, Any]:
    """Return the models that are served."""
    return {"object": "list", "data": [_model(name) for name in here.served.models]}


@openai.get("/models/{name:path}")
def model(name: str, here: Here) -> dict[str, Any]:
    """One of them."""
    return _model(_known(here, name))


@openai.post("/completions", response_model=None)
async def completions(request: Request, asked: Completion, here: Here) -> Response:
    """Continuations of texts."""
    prompts = listed(asked.prompt)
    options = asked.options() | {"max_new_tokens": asked.max_tokens or NEW_TOKENS}
    answer = _Answer(asked, prompts if asked.echo else [""] * len(prompts))
    return await _written(request, here, asked, answer, prompts, options)


@openai.post("/chat/completions", response_model=None)
async def chat(request: Request, asked: Chat, here: Here) -> Response:
    """Return the answer to a chat, by the model's own template."""
    options, most = asked.options(), asked.max_completion_tokens or asked.max_tokens
    if most is not None:
        options["max_new_tokens"] = most
    messages = [_plain(message) for message in asked.messages]
    return await _written(request, here, asked, _Answer(asked), [messages], options)


@openai.post("/embeddings", response_model=dict[str, Any])
async def embeddings(request: Request, asked: Embeddings, here: Here) -> Response:
    """Vectors of texts."""
    model = here.served.model("encode", _known(here, asked.model))
    texts, size = listed(asked.input), model.task.width
    if (asked.dimensions or 1) > size:
        raise BadArgumentError(
            f"dimensions may be {size} at most with {model.name}; got {asked.dimensions}."
        )
    work = Readings([(text,) for text in texts], None, model.limits)
    embeddings = await results_of(request, model, work)
    counted = (len(model.task.tokenizer.inputs(text)) for text in texts)
    tokens = sum(await all_of(request, counted, work.deadline, whole=work.is_small))
    data = [
        {"object": "embedding", "index": k, "embedding": _vector(embedding.vector, asked)}
        for k, embedding in enumerate(embeddings)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    content = {"object": "list", "data": data, "model": model.name, "usage": usage}
    return Response(_ANY.dump_json(content), media_type="application/json")


class _Answer:
    """An answer to a completion or a chat, whole or in pieces.

    Args:
        beginnings: of the texts for each prompt; None: a chat's.
    """

    def __init__(self, asked: _Written, beginnings: Sequence[str] | None = None):
        self._beginnings, self._asked = beginnings, asked
        kind = "text_completion"
        if beginnings is None:
            kind = "chat.completion.chunk" if asked.stream else "chat.completion"
        self._fields = {
            "id": f"{'chatcmpl' if beginnings is None else 'cmpl'}-{token_hex(12)}",
            "object": kind,
            "created": int(time.time()),
            "model": asked.model,
        }

    def beginning(self, index: int) -> str:
        """Return the beginning of a text, which was in the request."""
        return "" if self._beginnings is None else self._beginnings[index // self._asked.n]

    def logprobs(self, ready: Prompted) -> Logprobs | None:
        """Return what keeps a text's log-probabilities, where they are wanted."""
        if self._asked.top is None:
            return None
        return Logprobs(ready, self._asked.top, chat=self._beginnings is None)

    def choice(
        self, index: int, text: str, reason: str | None = None, logprobs: Logprobs | None = None
    ) -> dict[str, Any]:
        """Return a text, or a piece of it; with a reason, the last one."""
        message = {"role": "assistant", "content": text}
        content: dict[str, Any] = {"text": text}
        if self._beginnings is None and self._asked.stream:
            content = {"delta": message if text or reason is None else {}}
        elif self._beginnings is None:
            content = {"message": message | {"refusal": None}}
        its = None if logprobs is None else logprobs.of(text)
        return {"index": index, **content, "logprobs": its, "finish_reason": reason}

    def of(self, *choices: dict[str, Any], **more: object) -> dict[str, Any]:
        """Return the object around choices."""
        return {**self._fields, "choices": list(choices), **more}

    def event(self, *choices: dict[str, Any], **more: object) -> str:
        """Such an object as an event of a stream."""
        return _event(self.of(*choices, **more))


async def _written(
    request: Request,
    here: State,
    asked: _Written,
    answer: _Answer,
    prompts: Sequence[Prompt],
    options: dict[str, Any],
) -> Response:
    model = here.served.model("generate", _known(here, asked.model))
    work = Prompts(model, prompts, options=options, stop=asked.stops, streamed=asked.stream)
    if asked.stream:
        with ExitStack() as stack:
            line: Line[Any] = model.threads.waiting.join(work.number)
            stack.enter_context(line)
            jobs = await all_of(request, iter(work), work.deadline, whole=work.is_small)
            work.listen()
            line.put(jobs)  # a refusal is said before the stream begins
            return _Stream(_events(asked, work, answer), stack.pop_all())
    hypotheses = await results_of(request, model, work)
    written = [(ready, each) for ready, its in work.pairs(hypotheses) for each in its]

    def choices() -> Iterator[dict[str, Any]]:
        for k, (ready, hypothesis) in enumerate(written):
            result, logprobs = ready.result(hypothesis), answer.logprobs(ready)
            if logprobs is not None:
                logprobs.add(hypothesis.chosen)
            text = answer.beginning(k) + Stops(asked.stops).add(result.text, last=True)
            yield answer.choice(k, text, _reason(result), logprobs)

    made = await all_of(request, choices(), work.deadline, whole=work.is_small)
    usage = _usage(work, sum(len(hypothesis.tokens) for _, hypothesis in written))
    return JSONResponse(answer.of(*made, usage=usage))


class _Stream(StreamingResponse):
    """Server-sent events.

    Args:
        work: closed at their end, or where a client has gone before their beginning.
    """

    def __init__(self, events: AsyncIterator[str], work: ExitStack):
        super().__init__(events, media_type="text/event-stream")
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._work:
            await super().__call__(scope, receive, send)


async def _events(asked: _Written, work: Prompts, answer: _Answer) -> AsyncIterator[str]:
    """Pieces as they come."""
    written = 0
    stops = [Stops(asked.stops) for _ in work.jobs]
    logprobs = [answer.logprobs(ready) for ready in work.ready]
    try:
        for k in range(len(work.jobs)):
            yield answer.event(answer.choice(k, answer.beginning(k)))
        async for k, piece, its in work.pieces():
            kept = logprobs[k]
            if isinstance(its, Chosen) and kept is not None:
                kept.add([its])
            if text := stops[k].add(piece, last=isinstance(its, Continuation)):
                yield answer.event(answer.choice(k, text, logprobs=kept))
            if isinstance(its, Continuation):
                [hypothesis] = work.jobs[k].future.result()
                written += len(hypothesis.tokens)
                yield answer.event(answer.choice(k, "", _reason(its)))
        if asked.stream_options is not None and asked.stream_options.include_usage:
            yield answer.event(usage=_usage(work, written))
        yield "data: [DONE]\n\n"
    except RegardError as error:
        yield _event({"error": {"message": str(error), "type": "server_error", "code": None}})


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


def _usage(work: Prompts, written: int) -> dict[str, int]:
    read = sum(len(ready.ids) for ready in work.ready)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
    }


def _reason(result: Continuation) -> str:
    return "stop" if result.finished else "length"


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message whose content, where it is a list of parts, is their text; a developer's is
    the system's, which it was called before."""
    if message.get("role") == "developer":
        message = message | {"role": "system"}
    content = message.get("content")
    if not isinstance(content, list):
        return message
    texts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text":
            raise BadArgumentError("a message may have parts of text only here.")
        texts.append(str(part.get("text", "")))
    return message | {"content": "".join(texts)}


def _vector(vector: NDArray[np.float32], asked: Embeddings) -> list[float] | str:
    """Return a vector, or its first dimensions at length 1, as Matryoshka models are used (Kusupati
    et al. 2022)."""
    if asked.dimensions not in (None, len(vector)):
        vector = vector[: asked.dimensions]
        vector = vector / max(np.linalg.norm(vector), np.finfo(np.float32).tiny)
    if asked.encoding_format == "base64":
        return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()
    numbers: list[float] = vector.tolist()
    return numbers


def _known(here: State, name: str) -> str:
    if name not in here.served.models:
        raise UnknownModel(str(unknown("the model", name[:80], here.served.models)))
    return name


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "regard"}
