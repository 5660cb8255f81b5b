"""The studio's answers on one connection that is kept open, as a browser keeps it, and on new ones.

    python benchmarks/keep_alive.py

The time from sending a request to having read its answer, with http.client on this machine.
"""

import argparse
import json
import statistics
import time
from http.client import HTTPConnection

from regard.studio.app import create_app, in_background
from regard.tasks.loading import load

TEXT = "The old man bought a small red car."
TILE = "/api/traces/given/tile?tap=decoder.layers.0.cross&head=0&level=0"
REQUESTS = {
    "GET list of traces": ("GET", "/api/traces", None),
    "GET tile": ("GET", TILE, None),
    "POST explain": ("POST", "/api/explain", json.dumps({"text": "the old man"})),
}
JSON = {"Content-Type": "application/json"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50, help="requests of each kind")
    options = parser.parse_args()
    app = create_app(["en-de"], {"given": load("en-de").trace(TEXT)})
    with in_background(app) as address:
        host = address.removeprefix("http://")
        print(f"{'milliseconds, median':24}{'kept open':>10}{'new':>8}")
        for name, request in REQUESTS.items():
            connection = HTTPConnection(host)
            answer(connection, request)  # whatever is loaded once
            kept = [answer(connection, request) for _ in range(options.runs)]
            connection.close()
            new = [answer(HTTPConnection(host), request) for _ in range(options.runs)]
            print(f"{name:24}{statistics.median(kept):10.1f}{statistics.median(new):8.1f}")


def answer(connection: HTTPConnection, request: tuple[str, str, str | None]) -> float:
    """Milliseconds until the answer has been read."""
    method, path, body = request
    started = time.perf_counter()
    connection.request(method, path, body, JSON if body else {})
    response = connection.getresponse()
    content = response.read()
    elapsed = time.perf_counter() - started
    if response.status != 200:
        raise SystemExit(f"{method} {path} was answered with {response.status}: {content!r}")
    return 1000 * elapsed


if __name__ == "__main__":
    main()
