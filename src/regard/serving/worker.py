"""One of several processes that answer for a server: `python -m regard.serving.worker`.

Its stdin has one line, a `Duty` as JSON. When that pipe closes, its parent has ended or wants it to
end, and it does. On stdout it writes lines of JSON: messages for the user, why it cannot start, or
which models are ready.
"""

import asyncio
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from regard.errors import RegardError
from regard.serving.threads import NICENESS, answer_first


@dataclass(frozen=True)
class Duty:
    """What a worker is to do.

    Args:
        models: places, as `Served` takes them.
        limits: fields of `Limits`.
        key, loopback: of `Access`.
    """

    models: list[str]
    limits: dict[str, Any]
    precision: str | None
    key: str | None
    loopback: bool

    def line(self, number: int, socket: Path) -> bytes:
        """For the stdin of the worker of a number, which is to listen at `socket`."""
        return json.dumps([asdict(self), number, str(socket)]).encode() + b"\n"


def main() -> None:
    # Signals reach every process of a group; when to end is said by stdin alone.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    os.nice(NICENESS)  # the process that holds the connections goes first
    said = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what anything else prints
    fields, number, path = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with, args=(sys.stdin.buffer, Path(path)), daemon=True).start()
    try:
        app, models = _application(Duty(**fields), number, said)
    except RegardError as error:
        _say(said, error=[type(error).__name__, str(error)])
        os._exit(2)  # a thread reads stdin, which Python would wait for
    asyncio.run(_serve(app, path, lambda: _say(said, ready=models)))


def _application(duty: Duty, number: int, said: IO[str]) -> tuple[Any, list[str]]:
    from regard.serving.app import create_app
    from regard.serving.guard import Access
    from regard.serving.limits import Limits
    from regard.serving.logs import log_to_stderr
    from regard.serving.memory import return_freed_memory
    from regard.serving.metrics import Metrics
    from regard.serving.served import Served

    return_freed_memory()
    log_to_stderr()
    metrics = Metrics()
    served = Served(
        duty.models,
        Limits(**duty.limits),
        metrics,
        precision=duty.precision,
        shared=True,
        say=lambda sentence: _say(said, say=sentence),
    )
    app = create_app(served, metrics, Access(duty.key, duty.loopback), worker=number)
    return app, list(served.models)


async def _serve(app: Any, path: str, listening: Any) -> None:
    from regard.serving.memory import keep_what_is_loaded
    from regard.serving.passing import answer

    keep_what_is_loaded()
    answer_first()
    server = await asyncio.start_unix_server(
        lambda reader, writer: answer(app, reader, writer), path, backlog=1024
    )
    listening()
    await server.serve_forever()


def _end_with(stdin: IO[bytes], path: Path) -> None:
    """Ends this process once the other end of its stdin is closed. What it has begun is no longer
    wanted then."""
    stdin.read()
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()  # by the last one, where their parent could not
    os._exit(0)


def _say(said: IO[str], **what: Any) -> None:
    with suppress(OSError):
        print(json.dumps(what), file=said)


if __name__ == "__main__":
    main()
