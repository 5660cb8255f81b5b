"""What a request costs the server beside its model.

    python benchmarks/hot_routes.py

64 clients keep their connections and ask again as soon as they are answered. The figure is the
server's own processor time for a request, which other work on the machine hardly changes, and the
requests that one core could answer.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

CLIENTS = 64
ROUTES = {
    "translate": ("en-de", dict(text="The house is small.", num_beams=1)),
    "classify": ("emotions", dict(text="I am so happy today!")),
    "encode": ("sentences", dict(text="The house is small.")),
    "generate": ("shakespeare", dict(text="ROMEO:", max_new_tokens=8, do_sample=False)),
}


def processor_seconds(pid: int) -> float:
    """Of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def client(port: int, request: bytes, left: list[int]) -> None:
    """Ask again and again on one connection, until none is left to be asked."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while left:
        left.pop()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
    writer.close()


async def asked(port: int, path: str, body: object, number: int) -> None:
    """Ask a route so many times."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
    left = list(range(number))
    await asyncio.gather(*(client(port, request, left) for _ in range(CLIENTS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--command", nargs="+", default=["-m", "regard", "serve"])
    options = parser.parse_args()
    models = [model for model, _ in ROUTES.values()]
    command = [sys.executable, *options.command, *models, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[0].rpartition(b":")[2])
        try:
            for name, (_, body) in ROUTES.items():
                asyncio.run(asked(port, f"/run/{name}", body, 200))
                used, began = processor_seconds(server.pid), time.perf_counter()
                asyncio.run(asked(port, f"/run/{name}", body, options.requests))
                used = (processor_seconds(server.pid) - used) / options.requests
                rate = options.requests / (time.perf_counter() - began)
                print(f"{name:10} {1000 * used:5.2f} ms of processor a request, {1 / used:6.0f} a")
                print(f"{'':10} second of one core; {rate:6.0f} a second here", flush=True)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
