"""Texts streamed to many clients at once: the first token, tokens a second, clients that go.

    python benchmarks/streaming.py
    python benchmarks/streaming.py -- --workers 2

A model of the size of GPT-2 (124M) with random weights, in int8, writes `--tokens` tokens for each
of `--clients` clients of OpenAI's package at the same time, sampled with seeds of their own; each
has a prompt of 16 words. In every round a third of the clients closes its stream midway; after it,
the metric of rows that run must fall to 0, which is timed. "other" counts streams that differ from
the text of the same prompt and seed written alone. The memory of the server's processes (the sum of
their RSS) follows each round. What follows "--" are options of `regard serve`.

Random weights have the speed of trained ones, not their texts; clients run on the same cores.
"""

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import openai

from serving import free_port, held, server

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from random_models import VOCAB, saved


@dataclass
class Round:
    """What the clients saw."""

    first: list[float] = field(default_factory=list)  # seconds to the first piece
    rates: list[float] = field(default_factory=list)  # pieces a second of those that stayed
    pieces: int = 0
    other: int = 0
    seconds: float = 0.0


async def streamed(
    client: openai.AsyncOpenAI, model: str, k: int, options: argparse.Namespace, until: int | None
) -> tuple[str, float, float, int]:
    """Text, seconds to the first piece and to the end, and the number of pieces.

    Args:
        until: pieces after which the stream is closed; None: read to its end.
    """
    rng = random.Random(k)
    prompt = " ".join(f"t{rng.randrange(3, VOCAB['gpt2'])}" for _ in range(16))
    began, first, text, pieces = time.perf_counter(), 0.0, "", 0
    stream = await client.completions.create(
        model=model, prompt=prompt, max_tokens=options.tokens, seed=k, temperature=1.0, stream=True
    )
    async for event in stream:
        if event.choices and event.choices[0].text:
            pieces += 1
            first = first or time.perf_counter() - began
            text += event.choices[0].text
            if pieces == until:
                await stream.close()
                break
    return text, first, time.perf_counter() - began, pieces


async def one_round(
    client: openai.AsyncOpenAI, model: str, alone: list[str], options: argparse.Namespace
) -> Round:
    """All clients at once."""
    found, began = Round(), time.perf_counter()
    ends = [options.tokens // 2 if k % 3 == 2 else None for k in range(options.clients)]
    streams = [streamed(client, model, k, options, end) for k, end in enumerate(ends)]
    results = await asyncio.gather(*streams)
    found.seconds = time.perf_counter() - began
    for (text, first, seconds, pieces), whole, end in zip(results, alone, ends, strict=True):
        found.first.append(first)
        found.pieces += pieces
        if end is None:
            found.rates.append((pieces - 1) / (seconds - first))
            found.other += text != whole
        else:
            found.other += not whole.startswith(text)
    return found


def running(port: int) -> float:
    """Rows that the server computes."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        return sum(
            map(float, re.findall(r"^regard_running{.*} (\S+)$", answer.read().decode(), re.M))
        )


async def measured(pid: int, port: int, model: str, options: argparse.Namespace) -> None:
    client = openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0, timeout=300
    )
    alone = [(await streamed(client, model, k, options, None))[0] for k in range(options.clients)]
    print("round  first token p50   p99   tokens/s of a client   of all   idle after   other   RSS")
    for number in range(options.rounds):
        found = await one_round(client, model, alone, options)
        ended = time.perf_counter()
        while running(port):
            await asyncio.sleep(0.01)
        idle = time.perf_counter() - ended
        cuts = statistics.quantiles(found.first, n=100)
        print(
            f"{number + 1:5}{1000 * cuts[49]:14.0f} ms{1000 * cuts[98]:6.0f} ms"
            f"{statistics.median(found.rates):19.1f}{found.pieces / found.seconds:13.1f}"
            f"{1000 * idle:10.0f} ms{found.other:8}{held(pid).rss:6.0f} MB",
            flush=True,
        )
    await given_up(client, port, model, options)
    await client.close()


async def given_up(
    client: openai.AsyncOpenAI, port: int, model: str, options: argparse.Namespace
) -> None:
    """All clients go midway, at once."""
    streams = [streamed(client, model, k, options, 8) for k in range(options.clients)]
    await asyncio.gather(*streams)
    left = time.perf_counter()
    rows = running(port)
    while running(port):
        await asyncio.sleep(0.01)
    seconds = time.perf_counter() - left
    print(f"all leave after 8 tokens: {rows:.0f} rows run, none {1000 * seconds:.0f} ms later")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("serve", nargs="*", help="options of regard serve, after --")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = saved("gpt2", Path(name) / "gpt2")
        port = free_port()
        command = [sys.executable, "-m", "regard", "serve", str(folder), "--precision", "int8"]
        command += ["--port", str(port), "--timeout", "300", *options.serve]
        print(
            f"{len(os.sched_getaffinity(0))} cores; {options.clients} clients, {options.tokens}"
            f" tokens each {' '.join(options.serve)}"
        )
        with server(command, port) as process:
            asyncio.run(measured(process.pid, port, folder.name, options))


if __name__ == "__main__":
    main()
