"""OpenAI's /v1: completions and chats, streamed on request, embeddings, and the list of models."""

import base64
import json
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from secrets import token_hex
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from regard.errors import BadArgumentError, RegardError
from regard.http.refusals import UnknownModel
from regard.serving.asking import all_of, results_of
from regard.serving.jobs import Line
from regard.serving.served import Model
from regard.serving.state import Here, State
from regard.serving.work import Readings
from regard.serving.written import Prompts, Stops
from regard.tasks.writing import Prompt, Result

openai = APIRouter(prefix="/v1", tags=["OpenAI"])

NEW_TOKENS = 16  # of a completion, where the request does not say


class _Asked(BaseModel):
    """Fields that would do nothing here are refused, but for `user`, which only names someone."""

    model_config = ConfigDict(extra="forbid")

    model: str
    user: str | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    include_usage: bool = False


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
    def stops(self) -> list[str]:
        """Strings that end a text."""
        return [self.stop] if isinstance(self.stop, str) else list(self.stop or ())

    def options(self) -> dict[str, Any]:
        """Fields of GenerationConfig; a temperature of 0 takes the likeliest tokens."""
        named: dict[str, Any] = {}
        if self.temperature == 0:
            if self.n > 1:
                raise BadArgumentError("n texts of temperature 0 would be the same; ask for one.")
            named["do_sample"] = False
        elif {self.temperature, self.top_p, self.seed} != {None} or self.n > 1:
            values = dict(temperature=self.temperature, top_p=self.top_p, seed=self.seed)
            named = {name: value for name, value in values.items() if value is not None}
            named["do_sample"] = True
        if self.n > 1:
            named["alternatives"] = self.n
        return named


class Completion(_Written):
    """Texts to be continued."""

    prompt: str | Annotated[list[str], Field(min_length=1)]
    echo: bool = False


class Chat(_Written):
    """A chat to be answered."""

    messages: list[dict[str, Any]]
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None


class Embeddings(_Asked):
    """Texts to be turned into vectors."""

    input: str | Annotated[list[str], Field(min_length=1)]
    encoding_format: Literal["float", "base64"] = "float"


@openai.get("/models")
def models(here: Here) -> dict[str, Any]:
    """The models that are served."""
    return {"object": "list", "data": [_model(name) for name in here.served.models]}


@openai.get("/models/{name:path}")
def model(name: str, here: Here) -> dict[str, Any]:
    """One of them."""
    if name not in here.served.models:
        raise HTTPException(404, f"the model {name[:80]!r} is not served here.")
    return _model(name)


@openai.post("/completions", response_model=None)
async def completions(
    request: Request, asked: Completion, here: Here
) -> dict[str, Any] | StreamingResponse:
    """Continuations of texts."""
    prompts = [asked.prompt] if isinstance(asked.prompt, str) else asked.prompt
    options = asked.options() | {"max_new_tokens": asked.max_tokens or NEW_TOKENS}
    return await _written(request, here, asked, _Completions(asked, prompts), prompts, options)


@openai.post("/chat/completions", response_model=None)
async def chat(request: Request, asked: Chat, here: Here) -> dict[str, Any] | StreamingResponse:
    """The answer to a chat, by the model's own template."""
    options, most = asked.options(), asked.max_completion_tokens or asked.max_tokens
    if most is not None:
        options["max_new_tokens"] = most
    messages = [_plain(message) for message in asked.messages]
    return await _written(request, here, asked, _Chats(asked), [messages], options)


@openai.post("/embeddings")
async def embeddings(request: Request, asked: Embeddings, here: Here) -> dict[str, Any]:
    """Vectors of texts."""
    model = _served(here, "encode", asked.model)
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    work = Readings([(text,) for text in texts], None, model.limits)
    found = await results_of(request, model, work)
    counted = (len(model.task.tokenizer.inputs(text)) for text in texts)
    tokens = sum(await all_of(request, counted, work.deadline, whole=work.is_small))
    data = [
        {"object": "embedding", "index": k, "embedding": _vector(each.vector, asked)}
        for k, each in enumerate(found)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model.name, "usage": usage}


class _Form(ABC):
    """What the answers to completions and to chats have in common."""

    kind, chunk, prefix = "", "", ""

    def __init__(self, asked: _Written):
        self.asked = asked
        self._id, self._created = f"{self.prefix}-{token_hex(12)}", int(time.time())

    @abstractmethod
    def whole(self, index: int, text: str, reason: str) -> dict[str, Any]:
        """A choice of a whole answer."""

    @abstractmethod
    def piece(self, index: int, text: str, reason: str | None) -> dict[str, Any]:
        """A choice of a piece of a stream."""

    def first(self, index: int) -> str:
        """What a stream begins with."""
        return ""

    def answer(self, choices: list[dict[str, Any]], usage: Any, *, chunk: bool) -> dict[str, Any]:
        """An object around choices."""
        found = {
            "id": self._id,
            "object": self.chunk if chunk else self.kind,
            "created": self._created,
            "model": self.asked.model,
            "choices": choices,
        }
        return found if usage is None else found | {"usage": usage}


class _Completions(_Form):
    kind = chunk = "text_completion"
    prefix = "cmpl"

    def __init__(self, asked: Completion, prompts: Sequence[str]):
        super().__init__(asked)
        self._echoed = prompts if asked.echo else [""] * len(prompts)

    def first(self, index: int) -> str:
        return self._echoed[index // self.asked.n]

    def whole(self, index: int, text: str, reason: str) -> dict[str, Any]:
        return self.piece(index, self.first(index) + text, reason)

    def piece(self, index: int, text: str, reason: str | None) -> dict[str, Any]:
        return {"index": index, "text": text, "logprobs": None, "finish_reason": reason}


class _Chats(_Form):
    kind, chunk, prefix = "chat.completion", "chat.completion.chunk", "chatcmpl"

    def whole(self, index: int, text: str, reason: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        return {"index": index, "message": message, "logprobs": None, "finish_reason": reason}

    def piece(self, index: int, text: str, reason: str | None) -> dict[str, Any]:
        delta = {"role": "assistant", "content": text} if text or reason is None else {}
        return {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}


async def _written(
    request: Request,
    here: State,
    asked: _Written,
    form: _Form,
    prompts: Sequence[Prompt],
    options: dict[str, Any],
) -> dict[str, Any] | StreamingResponse:
    model = _served(here, "generate", asked.model)
    work = Prompts(model, prompts, options=options, stop=asked.stops, streamed=asked.stream)
    if asked.stream:
        with ExitStack() as stack:
            line: Line[Any] = model.threads.waiting.join(work.number)
            stack.enter_context(line)
            jobs = await all_of(request, iter(work), work.deadline, whole=work.is_small)
            work.listen()
            line.put(jobs)  # a refusal is said before the stream begins
            return _Stream(_events(work, form), stack.pop_all())
    found = await results_of(request, model, work)
    made = (
        (ready.result(each), len(each.tokens)) for ready, its in work.pairs(found) for each in its
    )
    results = await all_of(request, made, work.deadline, whole=work.is_small)
    choices = [
        form.whole(k, Stops(asked.stops).add(result.text, last=True), _reason(result))
        for k, (result, _) in enumerate(results)
    ]
    written = sum(tokens for _, tokens in results)
    return form.answer(choices, _usage(work, written), chunk=False)


class _Stream(StreamingResponse):
    """Server-sent events.

    Args:
        work: closed at their end, or where a client has gone before their beginning.
    """

    def __init__(self, events: AsyncIterator[str], work: ExitStack):
        headers = {"Cache-Control": "no-store"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._work:
            await super().__call__(scope, receive, send)


async def _events(work: Prompts, form: _Form) -> AsyncIterator[str]:
    """Pieces as they come."""
    asked, written = form.asked, 0
    stops = [Stops(asked.stops) for _ in work.jobs]
    with_usage = asked.stream_options is not None and asked.stream_options.include_usage
    try:
        for k in range(len(work.jobs)):
            yield _event(form.answer([form.piece(k, form.first(k), None)], None, chunk=True))
        async for k, piece, result in work.pieces():
            text = stops[k].add(piece, last=result is not None)
            if text:
                yield _event(form.answer([form.piece(k, text, None)], None, chunk=True))
            if result is not None:
                [hypothesis] = work.jobs[k].future.result()
                written += len(hypothesis.tokens)
                end = form.piece(k, "", _reason(result))
                yield _event(form.answer([end], None, chunk=True))
        if with_usage:
            yield _event(form.answer([], _usage(work, written), chunk=True))
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


def _reason(result: Result) -> str:
    return "stop" if result.finished else "length"


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message whose content, where it is a list of parts, is their text."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    texts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text":
            raise BadArgumentError("a message may have parts of text only here.")
        texts.append(str(part.get("text", "")))
    return message | {"content": "".join(texts)}


def _vector(vector: Any, asked: Embeddings) -> list[float] | str:
    if asked.encoding_format == "base64":
        return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()
    found: list[float] = vector.tolist()
    return found


def _served(here: State, kind: str, name: str) -> Model[Any]:
    if name not in here.served.models:
        known = ", ".join(here.served.models)
        raise UnknownModel(f"the model must be one of {known}; got {name[:80]!r}.")
    return here.served.model(kind, name)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "regard"}
