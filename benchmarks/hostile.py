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

sys.path.append(str(Path(__file__).parents[1] / "tests" / "attack"))
import flood

# A server with nothing to do.
IDLE = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def attacked(port: int, pid: int, other: int, kind: str, clients: int, after: float) -> str:
    """The figures of one kind."""
    characters, at_once = kind.split("x")
    good = subprocess.Popen(
        [sys.executable, flood.__file__, str(port), str(other)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    began = time.monotonic()
    bad = subprocess.Popen(
        [sys.executable, flood.__file__, str(port), str(clients), at_once, characters],
        stdout=subprocess.PIPE,
        text=True,
    )
    most = 0.0
    while bad.poll() is None:
        most = max(most, held(pid).rss)
        time.sleep(0.2)
    took = time.monotonic() - began
    answers = json.loads(bad.communicate()[0])
    time.sleep(after)
    seen = json.loads(good.communicate("")[0])
    lines = [
        f"{clients} clients of {int(characters):,} characters, {at_once} at a time, in {took:.0f}"
        f" s: {dict(sorted(answers.items()))}"
    ]
    for path, its in seen.items():
        seconds = sorted(each for _, each in its)
        wrong = sum(status != 200 for status, _ in its if path != "other")
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
    port, other = free_port(), free_port()
    idle = subprocess.Popen(
        [sys.executable, "-c", IDLE, str(other)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    command = [sys.executable, "-m", "regard", "serve", "en-de", "--port", str(port)]
    with server([*command, *options.serve], port) as process:
        for _ in range(20):  # the first texts make it larger once
            flood.asked(port, "/translate", flood.FOUR_WORDS)
        print(
            f"{len(os.sched_getaffinity(0))} cores, regard serve en-de {' '.join(options.serve)}:"
            f" {held(process.pid).rss:.0f} MB before",
            flush=True,
        )
        for kind in options.kinds:
            found = attacked(port, process.pid, other, kind, options.clients, options.after)
            print(found, flush=True)
    idle.kill()


if __name__ == "__main__":
    main()
