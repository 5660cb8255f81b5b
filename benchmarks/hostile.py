"""`regard serve` under clients that send a megabyte of text and are gone after a second.

    python benchmarks/hostile.py
    python benchmarks/hostile.py --kinds 1000000x1000 -- --workers 2

Each kind is CHARACTERSxAT_ONCE: so many clients at a time, until `--clients` have been there, each
with a text of so many characters in sentences of one word. Meanwhile, and for `--after` seconds
afterwards, another process asks for the translation of four words every second and for /healthz
every 20 ms, each time by a new connection. All processes share the processors, so another line says
how long a server that does nothing else takes for the same /healthz. Memory is that of the server
and its workers (RSS, once texts have been translated, at its highest, and `--after` seconds after
the last client). What follows "--" are options of `regard serve`, which serves the shipped en-de.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from serving import free_port, held, server

FLOOD = Path(__file__).parents[1] / "tests" / "attack" / "flood.py"


def attacked(port: int, pid: int, kind: str, clients: int, after: float) -> str:
    """The figures of one kind."""
    characters, at_once = kind.split("x")
    good = subprocess.Popen(
        [sys.executable, FLOOD, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    began = time.monotonic()
    flood = subprocess.Popen(
        [sys.executable, FLOOD, str(port), str(clients), at_once, characters],
        stdout=subprocess.PIPE,
        text=True,
    )
    most = 0.0
    while flood.poll() is None:
        most = max(most, held(pid).rss)
        time.sleep(0.2)
    took = time.monotonic() - began
    answers = json.loads(flood.communicate()[0])
    time.sleep(after)
    seen = json.loads(good.communicate("")[0])
    lines = [
        f"{clients} clients of {int(characters):,} characters, {at_once} at a time, in {took:.0f}"
        f" s: {dict(sorted(answers.items()))}"
    ]
    for path, its in seen.items():
        seconds = sorted(each for _, each in its)
        wrong = sum(status != 200 for status, _ in its)
        p50, p99 = (seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.99))
        lines.append(
            f"    {path:10}{len(its):5} asked, {wrong} refused; p50 {1000 * p50:.0f} ms, p99"
            f" {1000 * p99:.0f} ms, longest {1000 * seconds[-1]:.0f} ms"
        )
    lines.append(f"    memory    {most:.0f} MB at most, {held(pid).rss:.0f} MB afterwards")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = ["1000000x100", "1000000x1000", "100000x100", "100000x1000", "1900x100"]
    parser.add_argument("--kinds", nargs="+", default=kinds, help="CHARACTERSxAT_ONCE")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--after", type=float, default=5.0, help="seconds")
    parser.add_argument("serve", nargs="*", help="options of regard serve, after --")
    options = parser.parse_args()
    port = free_port()
    command = [sys.executable, "-m", "regard", "serve", "en-de", "--port", str(port)]
    with server([*command, *options.serve], port) as process:
        time.sleep(2)
        print(
            f"{len(os.sched_getaffinity(0))} cores, regard serve en-de {' '.join(options.serve)}:"
            f" {held(process.pid).rss:.0f} MB before",
            flush=True,
        )
        for kind in options.kinds:
            print(attacked(port, process.pid, kind, options.clients, options.after), flush=True)


if __name__ == "__main__":
    main()
