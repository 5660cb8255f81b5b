"""What holds the connections of all clients, and passes each request on to one of the workers."""

import asyncio
import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.types import Message, Receive, Scope, Send

from regard.serving.guard import BODY_SECONDS, Access, Guard
from regard.serving.jobs import RECENT
from regard.serving.limits import Room
from regard.serving.logs import PASSED_ON, Logged
from regard.serving.memory import keep_what_is_loaded
from regard.serving.metrics import Metrics
from regard.serving.passing import EndedError, asked
from regard.serving.refusals import add_refusals, full_sentence, refusal, retry_after
from regard.serving.server import Server
from regard.serving.shedding import Shedding
from regard.serving.sums import Sums
from regard.serving.worker import Duty
from regard.serving.workers import Worker, Workers

TRACES = "/traces/"
ENDED = "what computed the answer has ended; send the request again."


class Front:
    """Passes requests on.

    An answer is sent on once it is whole, so a worker that ends in the middle is a refusal which
    says that the request may be sent again. A stream is sent on piece by piece, and then ends with
    an error.
    """

    def __init__(self, workers: Workers):
        self._workers = workers
        self._answered: deque[float] = deque(maxlen=RECENT)  # when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]  # whole, by the guard
        worker = self._worker_for(scope["path"])
        if worker is None:
            await self._refuse("no worker is ready; try again.", scope, receive, send)
            return
        if (seconds := self.full()) is not None:  # of a request that was not refused as bytes
            answer = refusal(scope["path"], 429, full_sentence(seconds), retry_after(seconds))
            await answer(scope, receive, send)
            return
        worker.busy += 1
        gone = asyncio.ensure_future(_gone(receive))
        passing = asyncio.ensure_future(self._pass(worker, scope, body, receive, send))
        try:
            await asyncio.wait([gone, passing], return_when=asyncio.FIRST_COMPLETED)
            if passing.done():
                passing.result()
        finally:
            worker.busy -= 1
            self._answered.append(time.monotonic())
            for each in (gone, passing):
                each.cancel()

    async def _pass(
        self, worker: Worker, scope: Scope, body: bytes, receive: Receive, send: Send
    ) -> None:
        begun = False
        try:
            async with asked(worker.socket, scope, body) as answer:
                held: list[Message] = []
                scope[PASSED_ON] = True
                while (message := await answer.next()) is not None:
                    if begun or _is_stream(message):
                        begun = True
                        await send(message)
                    else:
                        held.append(message)
        except EndedError:
            scope[PASSED_ON] = False
            if not begun:
                await self._refuse(ENDED, scope, receive, send)
                return
            error = {"message": ENDED, "type": "server_error", "code": None}
            event = f"data: {json.dumps({'error': error})}\n\n".encode()
            held = [{"type": "http.response.body", "body": event, "more_body": True}]
        for message in held:
            await send(message)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _worker_for(self, path: str) -> Worker | None:
        """The least busy one; of a trace, the one that keeps it."""
        if path.startswith(TRACES):
            number = path.rpartition(".")[2]
            for each in self._workers.ready:
                if str(each.number) == number:
                    return each
        return self._workers.least_busy()

    def full(self, requests: int = 0) -> int | None:
        """Seconds after which a worker may take a request; None while one takes any.

        Args:
            requests: that have no answer yet. Not all of them may have come to a worker.
        """
        ready = self._workers.ready
        if not ready:
            return None
        most = sum(each.most for each in ready)
        if max(requests, sum(each.busy for each in ready)) < most:
            return None
        each = 0.0
        if self._answered:
            each = (time.monotonic() - self._answered[0]) / len(self._answered)
        return max(1, min(60, round(most * each)))

    async def _refuse(self, sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = 1 if self._workers.ready else max(1, round(self._workers.seconds))
        answer = refusal(scope["path"], 503, sentence, retry_after(seconds))
        await answer(scope, receive, send)


@dataclass
class State:
    """What the server and the application share."""

    shedding: Shedding
    is_ending: Callable[[], bool] = lambda: False


def create_front(
    workers: Workers, metrics: Metrics, counted: Sums, access: Access, pending: Room
) -> FastAPI:
    """The application that clients are connected to.

    Args:
        metrics: of this process.
        counted: all of them.
        pending: bytes of the requests that have no answer yet.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    front = Front(workers)
    state = app.state.serving = State(Shedding(front.full, metrics, pending))

    async def healthy() -> dict[str, str]:
        return {"status": "ok"}

    async def ready() -> JSONResponse:
        found = workers.ready
        status = f"{len(found)} of {workers.number} ready"
        if state.is_ending():
            return JSONResponse({"status": "ending"}, 503)
        if len(found) < workers.number:
            return JSONResponse({"status": "starting", "workers": status}, 503)
        return JSONResponse({"status": "ready", "models": found[0].models, "workers": status})

    async def counters(request: Request) -> Response:
        return Response(await counted.text(workers, request.scope), media_type=CONTENT_TYPE_LATEST)

    app.add_api_route("/healthz", healthy, methods=["GET"])
    app.add_api_route("/readyz", ready, methods=["GET"])
    app.add_api_route("/metrics", counters, methods=["GET"])
    app.mount("/", front)
    add_refusals(app)
    app.add_middleware(Guard, access=access, seconds=BODY_SECONDS, pending=pending)
    app.add_middleware(Logged, metrics=metrics)
    return app


def _is_stream(message: Message) -> bool:
    headers = dict(message.get("headers", []))
    return headers.get(b"content-type", b"").startswith(b"text/event-stream")


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def run_front(
    listener: socket.socket,
    duty: Duty,
    number: int,
    *,
    notice: float,
    say: Callable[[str], None],
    started: Callable[[], None],
) -> None:
    """Answers on `listener` by several workers until a signal.

    Args:
        notice: see `Server`.
        say: called with sentences for the user.
        started: called once all workers are ready.

    Raises:
        RegardError: why a worker cannot start.
    """
    asyncio.run(_run(listener, duty, number, notice, say, started))


async def _run(
    listener: socket.socket,
    duty: Duty,
    number: int,
    notice: float,
    say: Callable[[str], None],
    started: Callable[[], None],
) -> None:
    metrics = Metrics()
    counted = Sums(metrics)
    workers = Workers(duty, number, say=say, on_end=counted.ended)
    counted.watch(workers)
    try:
        await workers.start()
        access, pending = Access(duty.key, duty.loopback), Room(number * duty.limits["pending"])
        app = create_front(workers, metrics, counted, access, pending)
        server = Server(app, seconds=duty.limits["seconds"], notice=notice)
        keep_what_is_loaded()
        started()
        await server.serve(sockets=[listener])
        if server.force_exit:
            os._exit(130)  # and the workers with it
    finally:
        await workers.close()
