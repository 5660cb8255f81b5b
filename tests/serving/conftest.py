"""A server with the shipped models and a small chat model, in a thread of the tests."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch

from regard.checkpoints import save_pretrained
from regard.http.guard import Access
from regard.http.server import Server
from regard.http.sockets import bind
from regard.models import Decoder, DecoderConfig
from regard.serving.app import create_app
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.serving.served import Served
from regard.text import Tokenizer

# It takes minutes: no test is so slow that its work has ended, and each ends it by going.
ENDLESS = dict(text=["Yes."] * 400, num_beams=6, min_new_tokens=400, max_new_tokens=400)
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    address: str
    served: Served
    metrics: Metrics
    app: Any

    @contextmanager
    def asking(self, path: str, body: Any) -> Iterator[int]:
        """A client that has sent a request, and goes at the end; the bytes of its body."""
        host, port = self.address.removeprefix("http://").split(":")
        sent = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((host, int(port))) as client:
            client.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
            yield len(sent)

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any, Any]:
        """Status, content and headers of an answer; a body is sent as JSON."""
        data = None if body is None else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if data else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        wanted = urllib.request.Request(self.address + path, data, kind | named)
        try:
            with urllib.request.urlopen(wanted, timeout=120) as answer:
                return answer.status, _content(answer), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _content(error), error.headers


def _content(answer: Any) -> Any:
    text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers["Content-Type"] else text


@contextmanager
def serving(
    places: Sequence[str], limits: Limits | None = None, access: Access | None = None, **more: Any
) -> Iterator[Running]:
    metrics = Metrics()
    served = Served(places, limits or Limits(), metrics)
    app = create_app(served, metrics, access or Access(), **more)
    listener = bind(0)
    server = Server(app, seconds=5)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Running(f"http://127.0.0.1:{listener.getsockname()[1]}", served, metrics, app)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture(scope="package")
def chat_model(tmp_path_factory: pytest.TempPathFactory, byte_level: Any) -> Path:
    """A small random model with a chat template, which ends nothing by itself."""
    torch.manual_seed(23)
    config = DecoderConfig(
        283, d_model=20, num_layers=2, num_heads=5, d_ff=28, max_positions=643, bos_id=0, eos_id=2
    )
    model = Decoder(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    made = tmp_path_factory.mktemp("chat")
    save_pretrained(model, made)
    backend = tokenizers.Tokenizer.from_str(byte_level.to_str())
    special = dict(pad=None, unk=None, eos="<|im_end|>")
    Tokenizer(backend, **special, settings={"chat_template": TEMPLATE}).save(made)
    return made


@pytest.fixture(scope="package")
def server(chat_model: Path) -> Iterator[Running]:
    with serving(["en-de", "shakespeare", "emotions", "sentences", str(chat_model)]) as running:
        yield running


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something to become true."""

    def wait(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 180
        while not condition():
            assert time.monotonic() < end, "it did not become true"
            time.sleep(0.005)

    return wait
