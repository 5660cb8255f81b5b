"""Requests passed on between processes, and the metrics of several as one."""

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.serving.front import Front
from regard.serving.logs import PASSED_ON
from regard.serving.passing import answer
from regard.serving.sums import parsed, past, summed, text

SCOPE: Scope = {
    "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
    "scheme": "http", "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 80),
    "path": "/a b/\u00fc", "raw_path": b"/a%20b/%C3%BC", "query_string": b"q=\xff",
    "headers": [(b"x-latin", b"\xe4\xff"), (b"host", b"x")],
}  # fmt: skip


class Sent(list[Message]):
    """What a client gets."""

    async def __call__(self, message: Message) -> None:
        self.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(each.get("body", b"") for each in self)


def client(body: bytes = b"") -> Receive:
    """One that sends a body and waits."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    return receive


def passed(apps: Iterable[ASGIApp], folder: Path, scopes: Iterable[Scope]) -> list[Sent]:
    """What a front with these workers sends for each request."""

    async def all_of_them() -> list[Sent]:
        async with AsyncExitStack() as stack:
            workers = []
            for number, app in enumerate(apps, 1):
                path = folder / f"{number}.socket"
                listen = lambda r, w, app=app: answer(app, r, w)  # noqa: E731
                await stack.enter_async_context(await asyncio.start_unix_server(listen, path))
                workers.append(SimpleNamespace(number=number, socket=path, busy=0, most=9))
            several: Any = SimpleNamespace(
                ready=workers,
                seconds=1,
                least_busy=lambda: min(workers, key=lambda each: each.busy, default=None),
            )
            found = []
            for scope in scopes:
                found.append(Sent())
                await asyncio.wait_for(Front(several)(scope, client(b"asked"), found[-1]), 10)
            assert all(each.busy == 0 for each in workers)
            return found

    return asyncio.run(all_of_them())


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    message = await receive()
    names = ("method", "path", "raw_path", "query_string", "headers")
    seen = repr([scope[name] for name in names] + [tuple(scope["client"]), message["body"]])
    await PlainTextResponse(seen, headers={"x-back": "\xe4"})(scope, receive, send)


def test_an_application_is_told_what_the_client_sent(tmp_path: Path) -> None:
    scope = dict(SCOPE)
    [sent] = passed([echo], tmp_path, [scope])
    names = ("method", "path", "raw_path", "query_string", "headers", "client")
    assert sent.body.decode() == repr([SCOPE[name] for name in names] + [b"asked"])
    assert (b"x-back", b"\xe4") in sent[0]["headers"]
    assert scope[PASSED_ON]


def test_a_trace_is_asked_of_the_worker_that_keeps_it(tmp_path: Path) -> None:
    apps = [PlainTextResponse(f"worker {number}") for number in (1, 2)]
    scopes = [SCOPE | {"path": f"/traces/a-b_c{end}"} for end in (".2", ".1", ".2", ".7", "")]
    found = [sent.body.decode() for sent in passed(apps, tmp_path, scopes)]
    assert found == ["worker 2", "worker 1", "worker 2", "worker 1", "worker 1"]


async def broken(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half of it", "more_body": True})
    raise RuntimeError("it ends here")


def test_half_an_answer_is_a_refusal(tmp_path: Path) -> None:
    scope = dict(SCOPE)
    [sent] = passed([broken], tmp_path, [scope])
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b"half" not in sent.body
    assert not scope[PASSED_ON]  # it is counted here


def test_without_workers_a_request_is_refused(tmp_path: Path) -> None:
    [sent] = passed([], tmp_path, [dict(SCOPE)])
    assert (sent[0]["status"], b"no worker is ready" in sent.body) == (503, True)


def test_a_full_worker_is_not_asked() -> None:
    worker = SimpleNamespace(number=1, socket=Path("nowhere"), busy=7, most=7)
    several: Any = SimpleNamespace(ready=[worker], least_busy=lambda: worker)
    sent = Sent()
    asyncio.run(Front(several)(SCOPE | {"path": "/v1/completions"}, client(), sent))
    assert sent[0]["status"] == 429
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b"rate_limit_exceeded" in sent.body


METRICS = """\
# TYPE regard_requests_total counter
regard_requests_total{route="/a"} %d
# TYPE regard_requests_created gauge
regard_requests_created{route="/a"} %d
# TYPE regard_waiting gauge
regard_waiting{model="x"} %d
# TYPE regard_seconds histogram
regard_seconds_bucket{le="1.0"} %d
regard_seconds_bucket{le="+Inf"} %d
regard_seconds_count %d
regard_seconds_sum %d
"""


def test_metrics_are_added_up_and_those_of_the_dead_stay() -> None:
    one, two = (METRICS % each for each in ((3, 50, 1, 2, 3, 3, 7), (4, 40, 2, 1, 4, 4, 9)))
    found = text(summed([parsed(one), parsed(two)])).decode()
    for line in (METRICS % (7, 40, 3, 3, 7, 7, 16)).splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            assert f"{name} {float(value)}\n" in found
    left = text(summed([past(parsed(one)), parsed(two)])).decode()
    assert 'regard_requests_total{route="/a"} 7.0\n' in left
    assert 'regard_waiting{model="x"} 2.0\n' in left
