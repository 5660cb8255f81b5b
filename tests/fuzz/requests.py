"""Readers of requests: the studio's and `regard serve`'s applications, and the bytes of HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import socket
import struct
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn

from fuzz.small_models import TEXT, small_model, small_translator
from regard.errors import RegardError
from regard.http.guard import Access
from regard.serving.app import create_app as serving_app
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.serving.served import Served
from regard.studio.app import create_app as studio_app

HOST = "127.0.0.1:8765"
NAMES = {"translation": "translator", "language-model": "writer", "classification": "labels"}
NAMES |= {"question-answering": "answers", "embedding": "vectors"}
Message = MutableMapping[str, Any]

TILE = "GET /api/traces/it/{}?tap=decoder.layers.0.cross&head=1"
STUDIO: list[tuple[str, Any]] = [
    (
        "POST /api/explain",
        {"text": TEXT, "heads": 2, "head_dim": 4, "spotlight": 1, "temperature": 0.5},
    ),
    (
        "POST /api/explain",
        {"text": TEXT, "start": 1, "end": 4, "mask": "window", "positions": True},
    ),
    ("POST /api/traces", {"model": "small", "text": TEXT, "num_beams": 2, "hypothesis": 1}),
    ("POST /api/traces", {"model": "small", "text": TEXT, "target": "der Hund", "hidden": [1]}),
    (
        "POST /api/traces/it/ablate",
        {"what": "head", "tap": "decoder.layers.0.cross", "head": 1},
    ),
    ("POST /api/models", {"model": "small"}),
    ("POST /api/files", b""),
    (TILE.format("tile") + "&row=0&column=0&height=3&width=3&level=0&every=1", ""),
    (TILE.format("cell") + "&query=1&key=1", ""),
    (TILE.format("looks") + "&query=1&k=3&quantity=weight", ""),
    (TILE.format("summary"), ""),
    (TILE.format("thumbnails") + "&size=4", ""),
    (TILE.format("export.npz") + "&row=0&width=2&group=word", ""),
]
SEARCH = {"max_new_tokens": 3, "num_beams": 2, "alternatives": 2, "length_penalty": 0.5}
DRAW = {"temperature": 0.7, "top_p": 0.9, "seed": 3}
SERVE: list[tuple[str, Any]] = [
    ("POST /run/translate", {"text": TEXT, "alignment": "output", "timeout": 5} | SEARCH),
    (
        "POST /run/translate",
        {"text": [TEXT, "a"], "no_repeat_ngram_size": 2, "source_language": None},
    ),
    ("POST /run/generate", {"text": "ab", "do_sample": True, "top_k": 3, "stop": ["."]} | DRAW),
    ("POST /run/generate", {"messages": [{"role": "user", "content": "Hi"}], "max_new_tokens": 2}),
    ("POST /run/classify", {"text": [TEXT], "text_pair": ["a"], "top_k": 1}),
    ("POST /run/answer", {"question": "who?", "context": TEXT, "top_k": 2}),
    ("POST /run/encode", {"text": [TEXT, ""], "model": "vectors"}),
    (
        "POST /v1/completions",
        {"model": "writer", "prompt": ["ab"], "max_tokens": 2, "n": 2, "stop": "x", "echo": True}
        | DRAW,
    ),
    (
        "POST /v1/completions",
        {"model": "writer", "prompt": "ab", "stream": True, "max_tokens": 2,
         "stream_options": {"include_usage": True}},
    ),
    (
        "POST /v1/chat/completions",
        {"model": "writer", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2},
    ),
    ("POST /v1/embeddings", {"model": "vectors", "input": [TEXT], "encoding_format": "base64"}),
    ("POST /translate", {"q": [TEXT], "source": "auto", "target": "de", "alternatives": 1,
                         "format": "text", "api_key": "key"}),
    ("FORM /translate", "q=a+dog&source=en&target=de&api_key=key"),
    ("POST /run/translate", {"text": TEXT, "trace": True, "max_new_tokens": 1}),
    ("GET /v1/models/writer", ""),
    ("GET /languages", ""),
    ("GET /metrics", ""),
]  # fmt: skip


class Asked:
    """An application, asked in this thread, without a server."""

    def __init__(self, app: Any):
        self.app, self.loop = app, asyncio.new_event_loop()

    def ask(self, raw: bytes) -> None:
        """Sends a request: its method and address in the first line, then its body."""
        first, _, body = raw.partition(b"\n")
        method, _, address = first.partition(b" ")
        path, _, query = address.partition(b"?")
        kind = "application/x-www-form-urlencoded" if method == b"FORM" else "application/json"
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET" if method == b"GET" else "POST",
            "scheme": "http",
            "path": path.decode("utf-8", "replace"),
            "raw_path": path,
            "query_string": quote(query, safe="/?&=%.").encode(),
            "root_path": "",
            "headers": [
                (b"host", HOST.encode()),
                (b"content-type", kind.encode()),
                (b"content-length", str(len(body)).encode()),
                (b"authorization", b"Bearer key"),
            ],
            "server": ("127.0.0.1", 8765),
            "client": ("127.0.0.1", 1),
            "state": {},
        }
        status, text = self.loop.run_until_complete(self._answer(scope, body))
        if status >= 500 and status != 504:  # a request may name a time that is too short for it
            raise AssertionError(f"status {status}: {text[:300]!r}")
        if status >= 400:
            raise RegardError(text[:300].decode("utf-8", "replace"))

    async def _answer(self, scope: Message, body: bytes) -> tuple[int, bytes]:
        status, text, sent = 0, bytearray(), False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()  # the client stays
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            text.extend(message.get("body", b""))

        await self.app(scope, receive, send)
        return status, bytes(text)


_asked: dict[Path, Asked] = {}


def make_studio(folder: Path) -> list[str]:
    trace = small_translator()[0].trace(TEXT, max_new_tokens=4)
    small_translator()[0].save(folder / "small")
    _asked[folder] = Asked(studio_app([str(folder / "small")], {"it": trace}))
    trace.save(folder / "trace.safetensors")
    file = (folder / "trace.safetensors").read_bytes()
    return _write(folder, [(first, file if body == b"" else body) for first, body in STUDIO])


def make_serve(folder: Path) -> list[str]:
    _asked[folder] = Asked(serving_app(_served(folder, *NAMES), Metrics(), Access("key")))
    return _write(folder, SERVE)


def ask(folder: Path, name: str) -> None:
    _asked[folder].ask((folder / name).read_bytes())


class Listening(logging.Handler):
    """A server in this thread, asked by its port."""

    def __init__(self, app: Any):
        super().__init__(logging.ERROR)
        self.loop = asyncio.new_event_loop()
        self.failures: list[str] = []
        settings: dict[str, Any] = dict(host="127.0.0.1", port=0, log_config=None, lifespan="off")
        config = uvicorn.Config(app, http="h11", **settings)
        config.load()
        self.server = uvicorn.Server(config)
        self.server.lifespan = config.lifespan_class(config)
        self.loop.run_until_complete(self.server.startup())
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        logging.getLogger("uvicorn.error").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.failures.append(self.format(record))

    def send(self, content: bytes) -> None:
        """Sends bytes and reads what comes."""
        answer = self.loop.run_until_complete(self._send(content))
        failures, self.failures = self.failures, []
        status = answer[9:12]
        # After a broken chunk uvicorn answers 400 itself, and has no use for what we answer then.
        if any("LocalProtocolError" not in each or status != b"400" for each in failures):
            raise AssertionError(failures[0])
        if status[:1] == b"5":
            raise AssertionError(answer[:300].decode("latin-1"))
        if status[:1] not in (b"1", b"2"):
            raise RegardError(answer[:300].decode("latin-1"))

    async def _send(self, content: bytes) -> bytes:
        """The first of what the server says; nothing within 20 ms where it may wait for more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        # A connection that is ended so leaves no port behind, of which there are 28,000.
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        try:
            writer.write(content.replace(b"PORT", str(self.port).encode()))
            whole = content.decode("latin-1") in HTTP.values()  # it is answered, sooner or later
            return await asyncio.wait_for(reader.read(2**16), 60 if whole else 0.02)
        except (TimeoutError, ConnectionError):
            return b""
        finally:
            writer.close()


HEAD = "Host: 127.0.0.1:PORT\r\nUser-Agent: fuzz/1\r\nAccept: */*\r\n"
HTTP = {
    "get": f"GET /healthz HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n",
    "two": f"GET /languages HTTP/1.1\r\n{HEAD}\r\nGET /readyz HTTP/1.1\r\n{HEAD}\r\n",
    "post": f"POST /run/encode HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\n"
    'Content-Length: 13\r\nConnection: close\r\n\r\n{"text": "a"}',
    "chunks": f"POST /run/encode HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\n"
    "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    '7\r\n{"text"\r\n6\r\n: "a"}\r\n0\r\n\r\n',
    "expect": f"POST /run/encode HTTP/1.1\r\n{HEAD}Expect: 100-continue\r\n"
    'Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{"text": "a"}',
    "upgrade": f"GET /healthz HTTP/1.1\r\n{HEAD}Connection: Upgrade, HTTP2-Settings\r\n"
    "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nCookie: a=b; c\r\n\r\n",
}
_listening: dict[Path, Listening] = {}


def make_http(folder: Path) -> list[str]:
    for name, content in HTTP.items():
        (folder / name).write_bytes(content.encode())
    _listening[folder] = Listening(serving_app(_served(folder, "embedding"), Metrics(), Access()))
    return list(HTTP)


def send(folder: Path, name: str) -> None:
    _listening[folder].send((folder / name).read_bytes())


def serve_folder(folder: Path) -> None:
    """Writes a small model of each task, by its name in NAMES."""
    for task in NAMES:
        _named(folder, task)


def _served(folder: Path, *tasks: str) -> Served:
    """Small models; a request may take 9 seconds."""
    places = [str(_named(folder, task)) for task in tasks]
    return Served(places, Limits(new_tokens=4, seconds=9.0), Metrics())


def _named(folder: Path, task: str) -> Path:
    model = folder / NAMES.get(task, task)
    shutil.copytree(small_model(task), model)
    if task == "translation":
        (model / "README.md").write_text('---\nlanguage: ["en", "de"]\n---\n')
    if task == "language-model":
        settings = json.loads((model / "tokenizer_config.json").read_text())
        settings["chat_template"] = "{% for each in messages %}{{ each.content }}{% endfor %}"
        (model / "tokenizer_config.json").write_text(json.dumps(settings))
    return model


def _write(folder: Path, requests: list[tuple[str, Any]]) -> list[str]:
    """A file for each request: its first line, and its body."""
    for number, (first, body) in enumerate(requests):
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        content = content.encode() if isinstance(content, str) else content
        (folder / f"{number}.request").write_bytes(f"{first}\n".encode() + content)
    return [f"{number}.request" for number in range(len(requests))]
