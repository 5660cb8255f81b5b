"""`regard serve` over an hour of mixed requests: memory, descriptors, threads, errors.

    python benchmarks/soak.py
    python benchmarks/soak.py --seconds 600 --warm-up 120 --rate 30 -- --workers 2

Requests come at random times, `--rate` a second on average: translations (greedy, with beams,
aligned, traced, LibreTranslate's), labels, embeddings and streamed texts; texts and translations
that the client gives up midway; bodies that are cut off, not JSON or not what is asked for; models
and paths that do not exist. What follows "--" are options of `regard serve`.

Each minute a line says what the server and its processes hold. At the end comes the slope of their
memory by least squares, after the warm-up, with its standard error. "errors" are answers with
another status than the request deserves, and "other" those that differ from the first answer to the
same request.
"""

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from serving import PAIRS, Held, free_port, held, server

MODELS = ("en-de", "shakespeare", "sentences", "emotions")
SPEAKERS = ("ROMEO:", "JULIET:", "KING HENRY:", "First Citizen:", "HAMLET:")
TOKENS = 60  # of a streamed text
HEAD = "POST /run/translate HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 500\r\n\r\n"


@dataclass
class Seen:
    """What the clients saw."""

    asked: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    answers: dict[Any, Any] = field(default_factory=dict)  # the first to each request
    other: int = 0

    def same(self, request: Any, answer: Any) -> None:
        """Counts an answer that is not the first one to the same request."""
        self.other += self.answers.setdefault(request, answer) != answer


class Clients:
    """Requests of every kind, on connections that are kept, and on new ones."""

    def __init__(self, port: int, texts: list[str], seen: Seen, random: random.Random):
        self._texts, self._seen, self._random, self._port = texts, seen, random, port
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=8)
        self.http = httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=60, limits=limits, trust_env=False
        )
        self.kinds: dict[str, tuple[float, Callable[[], Awaitable[None]]]] = {
            "translate": (30, self._translate),
            "translate, 4 beams": (6, lambda: self._translate(num_beams=4, alternatives=2)),
            "translate, aligned": (2, lambda: self._translate(alignment="output")),
            "translate, traced": (0.5, self._trace),
            "LibreTranslate": (6, self._libre),
            "classify": (14, self._classify),
            "embeddings": (14, self._embed),
            "stream": (12, self._stream),
            "stream, closed midway": (5, lambda: self._stream(pieces=self._random.randint(1, 20))),
            "translate, given up": (3, self._give_up),
            "body cut off": (2, self._cut),
            "not JSON": (2, self._not_json),
            "unknown field": (2, self._unknown_field),
            "unknown model": (2, self._unknown_model),
            "unknown path": (3, self._unknown_path),
            "metrics": (1, self._metrics),
        }

    async def one(self) -> None:
        """A request of a kind by chance."""
        weights = [weight for weight, _ in self.kinds.values()]
        [name] = self._random.choices(list(self.kinds), weights)
        self._seen.asked[name] += 1
        try:
            await self.kinds[name][1]()
        except (httpx2.HTTPError, OSError, ValueError, AssertionError) as error:
            self._seen.errors[f"{name}: {type(error).__name__} {str(error)[:80]}"] += 1

    def _text(self) -> str:
        return self._random.choice(self._texts)

    async def _sent(self, path: str, status: int = 200, **body: Any) -> Any:
        kept = self._random.random() < 0.7
        found = await self.http.post(
            path, json=body, headers={} if kept else {"Connection": "close"}
        )
        assert found.status_code == status, f"{found.status_code} {found.text[:60]}"
        return found.json()

    async def _translate(self, **options: Any) -> None:
        text = self._text()
        found = await self._sent("/run/translate", text=text, **options)
        self._seen.same((text, *options), found["results"][0]["translation"])

    async def _trace(self) -> None:
        found = await self._sent("/run/translate", text=self._text(), trace=True)
        page = await self.http.get(found["trace"])
        assert page.status_code == 200, f"trace {page.status_code}"

    async def _libre(self) -> None:
        texts = [self._text(), self._text()]
        found = await self._sent("/translate", q=texts, source="en", target="de")
        for text, translation in zip(texts, found["translatedText"], strict=True):
            self._seen.same((text,), translation)

    async def _classify(self) -> None:
        text = self._text()
        found = await self._sent("/run/classify", text=text)
        self._seen.same(("label", text), found["results"][0]["labels"][0]["label"])

    async def _embed(self) -> None:
        texts = [self._text() for _ in range(self._random.randint(1, 8))]
        found = await self._sent("/v1/embeddings", model="sentences", input=texts)
        assert len(found["data"]) == len(texts), "another number of vectors"

    async def _stream(self, pieces: int | None = None) -> None:
        prompt, seed = self._random.choice(SPEAKERS), self._random.randint(0, 9)
        body = dict(model="shakespeare", prompt=prompt, seed=seed, max_tokens=TOKENS, stream=True)
        lines, line = [], ""
        async with self.http.stream("POST", "/v1/completions", json=body) as answer:
            assert answer.status_code == 200, str(answer.status_code)
            async for each in answer.aiter_lines():
                line = each or line
                if line.startswith("data: {") and each:
                    lines.append(line.partition('"text": ')[2])
                if pieces is not None and len(lines) == pieces:
                    return
        assert line == "data: [DONE]", f"ends with {line[:60]}"
        self._seen.same((prompt, seed), "".join(lines))

    async def _give_up(self) -> None:
        texts = [self._text() for _ in range(60)]
        try:
            await self.http.post(
                "/run/translate", json=dict(text=texts, num_beams=8), timeout=httpx2.Timeout(0.1)
            )
        except httpx2.TimeoutException:
            return

    async def _cut(self) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(HEAD.format(self._port).encode() + b'{"text": ["A sentence')
        await writer.drain()
        await asyncio.sleep(0.2)
        writer.close()
        await writer.wait_closed()

    async def _not_json(self) -> None:
        headers = {"Content-Type": "application/json"}
        found = await self.http.post("/run/classify", content=b'{"text": ', headers=headers)
        assert found.status_code == 422, str(found.status_code)

    async def _unknown_field(self) -> None:
        await self._sent("/v1/completions", 400, model="shakespeare", prompt="x", logit_bias={})

    async def _unknown_model(self) -> None:
        await self._sent("/v1/embeddings", 404, model=self._text(), input="x")

    async def _unknown_path(self) -> None:
        found = await self.http.get(f"/{self._random.getrandbits(64)}")
        assert found.status_code == 404, str(found.status_code)

    async def _metrics(self) -> None:
        for path in ("/metrics", "/readyz", "/healthz", "/v1/models"):
            assert (await self.http.get(path)).status_code == 200, path


async def soaked(
    pid: int, port: int, texts: list[str], options: argparse.Namespace
) -> list[tuple[float, Held]]:
    """What the server held after so many seconds, at the end of each interval."""
    seen, rng = Seen(), random.Random(7)
    clients = Clients(port, texts, seen, rng)
    began, running = time.perf_counter(), set[asyncio.Task[None]]()
    found: list[tuple[float, Held]] = []
    due, before = began, held(pid)
    print("   minute   RSS MB   PSS MB  descriptors  threads   core  requests  errors  other")
    while len(found) < options.seconds // options.every:
        now = time.perf_counter()
        if now >= began + (len(found) + 1) * options.every:
            holds = held(pid)
            core = (holds.seconds - before.seconds) / options.every
            found.append((now - began, before := holds))
            print(
                f"{(now - began) / 60:9.1f}{before.rss:9.1f}{before.pss:9.1f}{before.files:13}"
                f"{before.threads:9}{core:7.0%}{seen.asked.total():10}{seen.errors.total():8}"
                f"{seen.other:7}",
                flush=True,
            )
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due += rng.expovariate(options.rate)
        task = asyncio.create_task(clients.one())
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    await clients.http.aclose()
    for name, number in sorted(seen.asked.items()):
        print(f"{number:9} {name}")
    print(f"{seen.errors.total():9} errors {dict(seen.errors) or ''}")
    print(f"{seen.other:9} other")
    return found


def slope(found: list[tuple[float, Held]]) -> str:
    """Of the memory, in MB an hour, with its standard error."""
    hours, sizes = zip(*((seconds / 3600, each.rss) for seconds, each in found), strict=True)
    (line, _), errors = np.polyfit(hours, sizes, 1, cov=True)
    return f"{line:+.2f} MB/h (standard error {errors[0, 0] ** 0.5:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--warm-up", type=float, default=600)
    parser.add_argument("--rate", type=float, default=12, help="requests a second")
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines")
    parser.add_argument("--data", type=Path, default=PAIRS)
    parser.add_argument("serve", nargs="*", help="options of regard serve, after --")
    options = parser.parse_args()
    lines = options.data.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(line.split("\t")[0] for line in lines))
    port = free_port()
    command = [sys.executable, "-m", "regard", "serve", *MODELS, "--precision", "int8"]
    with server([*command, "--port", str(port), *options.serve], port) as process:
        found = asyncio.run(soaked(process.pid, port, texts, options))
    kept = [each for each in found if each[0] > options.warm_up]
    if len(kept) > 3:
        print(f"{slope(kept)} after the first {options.warm_up / 60:g} minutes")


if __name__ == "__main__":
    main()
