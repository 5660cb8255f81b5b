"""A server in one process, or in several that share a socket and the pages of the models' weights.

The process that is idle accepts a connection, and answers all its requests. One that ends is
replaced; its connections end with it.
"""

import logging
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from regard import http, serving
from regard.engine.batching import cores
from regard.errors import RegardError, UnavailableError
from regard.http.guard import Access
from regard.processes import Child, end_with_parent
from regard.serving.limits import Limits

END = getattr(signal, "SIGUSR1", signal.SIGTERM)  # which a group of processes does not get at once
PAUSE = 5.0  # seconds from the start of a worker until it may be replaced

log = logging.getLogger("regard.serving")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    Args:
        models: places, as `Served` takes them.
        engine, precision: as `Served` takes them.
        notice: see `regard.http.server.Server`.
    """

    models: list[str]
    limits: Limits
    access: Access
    engine: str = "auto"
    precision: str | None = None
    notice: float = 0.0


def serve(
    settings: Settings,
    listener: socket.socket,
    *,
    say: Say,
    started: Callable[[], None],
    traces: Path | None = None,
    **options: object,
) -> None:
    """Answer on a socket until a signal.

    Args:
        say: called with sentences for the user.
        started: called once the models are loaded.
        traces: where traces are kept, of several processes.
        options: of `regard.http.server.Server`.

    Raises:
        RegardError: a model cannot be served.
    """
    serving.process.return_freed_memory()
    serving.logs.log_to_stderr()
    metrics = serving.metrics.Metrics()
    served = serving.served.Served(
        settings.models,
        settings.limits,
        metrics,
        engine=settings.engine,
        precision=settings.precision,
        say=say,
    )
    app = serving.app.create_app(served, metrics, settings.access, traces=traces)
    serving.process.keep_what_is_loaded()
    serving.process.answer_first()
    started()
    http.server.answer(
        app,
        listener,
        seconds=settings.limits.seconds,
        notice=settings.notice,
        each_second=metrics.refresh,
        **options,
    )


def serve_by(
    number: int,
    settings: Settings,
    listener: socket.socket,
    *,
    say: Say,
    started: Callable[[], None],
) -> None:
    """As `serve`, by several processes, which share the processors and end with this one."""
    signals: list[int] = []
    team: list[Worker] = []
    with TemporaryDirectory(prefix="regard-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "traces").mkdir()
        os.environ |= {
            "OMP_NUM_THREADS": str(max(1, cores() // number)),
            "PROMETHEUS_MULTIPROC_DIR": name,  # read when prometheus_client is imported
        }
        try:
            for _ in range(number):
                team.append(Worker(settings, listener, folder))
                if len(team) == 1:  # alone, so that a mistake is said once
                    team[0].wait(say)
            for worker in team[1:]:
                worker.wait(say)
            started()

            def catch(number: int, frame: FrameType | None) -> None:
                signals.append(number)

            signal.signal(signal.SIGINT, catch)
            signal.signal(signal.SIGTERM, catch)
            _keep(team, lambda: Worker(settings, listener, folder), signals)
            listener.close()  # after which the workers decide how long connections are taken
            for worker in team:
                worker.finish()
            while len(signals) < 2 and any(worker.process.is_alive() for worker in team):
                time.sleep(0.05)
        finally:
            for worker in team:
                worker.process.kill()
                worker.process.join()
    if len(signals) > 1:
        os._exit(130)


def _keep(team: list["Worker"], start: Callable[[], "Worker"], signals: list[int]) -> None:
    """Have another worker take the place of one that has ended, until a signal."""
    from prometheus_client import CollectorRegistry, Counter
    from prometheus_client.multiprocess import mark_process_dead

    serving.logs.log_to_stderr()
    about = "Workers that ended by themselves."
    ended = Counter("regard_workers_ended", about, registry=CollectorRegistry())
    while not signals:
        for place, worker in enumerate(team):
            if worker.process.is_alive():
                continue
            if not worker.is_counted:
                worker.is_counted = True
                mark_process_dead(worker.process.pid)
                ended.inc()
                fields = {
                    "worker": worker.process.pid,
                    "code": worker.process.exitcode,
                    "why": worker.refusal(),
                }
                log.error("a worker has ended, and is replaced", extra={"fields": fields})
            if time.monotonic() > worker.began + PAUSE:
                with suppress(OSError):  # of a system that has no room for one now
                    team[place] = start()
        time.sleep(0.05)


class Worker(Child):
    """A process that answers; by the pipe it says how it starts."""

    def __init__(self, settings: Settings, listener: socket.socket, folder: Path):
        self.began, self._is_ready = time.monotonic(), False
        self.is_counted = False  # among those that have ended
        super().__init__(_work, settings, listener, folder, name="regard-serve")

    def wait(self, say: Say) -> None:
        """Wait until it is ready.

        Raises:
            RegardError: it cannot start.
        """
        try:
            while not self._is_ready and (message := self.connection.recv()) is not None:
                if isinstance(message, RegardError):
                    raise message
                say(message)
            self._is_ready = True
        except EOFError:
            self.process.join()
            raise UnavailableError(
                f"a worker ended with code {self.process.exitcode} before it was ready; what it"
                " printed says why."
            ) from None

    def refusal(self) -> str | None:
        """Return the sentence for which it could not start, if there is one."""
        try:
            self.wait(lambda sentence: None)
        except RegardError as error:
            return str(error)
        return None

    def finish(self) -> None:
        """Have it end once it has answered what has begun."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid or 0, END)


def _work(
    connection: Connection, settings: Settings, listener: socket.socket, folder: Path
) -> None:
    """Answer on a socket until END, or the end of the parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they reach every process of a group
    os.dup2(2, 1)  # stdout is for the address
    # which could not remove its folder, if it was killed
    end_with_parent(0, before=lambda: shutil.rmtree(folder, ignore_errors=True))
    try:
        serve(
            settings,
            listener,
            say=connection.send,
            started=lambda: connection.send(None),
            traces=folder / "traces",
            signals=(END,),
        )
    except RegardError as error:
        connection.send(error)
