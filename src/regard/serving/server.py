"""A server, in one process or in several that share a socket and the pages of the models' weights.

Whichever process is idle accepts a connection, and answers all its requests. One that ends is
replaced; its connections end with it.
"""

import logging
import multiprocessing
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from regard.errors import RegardError, UnavailableError
from regard.http.guard import Access
from regard.serving.limits import Limits
from regard.tasks.batching import cores

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a process that never got ready is replaced
END = getattr(signal, "SIGUSR1", signal.SIGTERM)  # which a group of processes does not get at once

log = logging.getLogger("regard.serving")


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    Args:
        models: places, as `Served` takes them.
        precision: of the packed models' products.
        notice: see `regard.http.server.Server`.
    """

    models: list[str]
    limits: Limits
    access: Access
    precision: str | None = None
    notice: float = 0.0


def serve(
    settings: Settings,
    listener: socket.socket,
    *,
    say: Callable[[str], None],
    started: Callable[[], None],
    traces: Path | None = None,
    **options: Any,
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
    from regard.http.server import answer
    from regard.serving.app import create_app
    from regard.serving.logs import log_to_stderr
    from regard.serving.metrics import Metrics
    from regard.serving.process import answer_first, keep_what_is_loaded, return_freed_memory
    from regard.serving.served import Served

    return_freed_memory()
    log_to_stderr()
    metrics = Metrics()
    served = Served(
        settings.models,
        settings.limits,
        metrics,
        precision=settings.precision,
        shared=traces is not None,
        say=say,
    )
    app = create_app(served, metrics, settings.access, traces=traces)
    keep_what_is_loaded()
    answer_first()
    started()
    answer(
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
    say: Callable[[str], None],
    started: Callable[[], None],
) -> None:
    """As `serve`, by several processes, which share the processors and end with this one."""
    with TemporaryDirectory(prefix="regard-", ignore_cleanup_errors=True) as folder:
        os.environ |= {
            "OMP_NUM_THREADS": str(max(1, cores() // number)),
            "PROMETHEUS_MULTIPROC_DIR": folder,  # read when prometheus_client is imported
        }
        from regard.serving.logs import log_to_stderr

        log_to_stderr()
        team = Team(settings, listener, Path(folder), say)
        try:
            team.start(number)
            started()
            signals, caught = list[int](), threading.Event()

            def catch(number: int, frame: FrameType | None) -> None:
                signals.append(number)
                caught.set()

            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, catch)
            caught.wait()
            listener.close()  # after which the workers decide how long connections are taken
            team.end()
            while team.is_alive and len(signals) == 1:
                time.sleep(0.05)
        finally:
            team.kill()
        if len(signals) > 1:
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(130)


class Worker:
    """A process that answers, and the pipe by which it speaks."""

    def __init__(self, settings: Settings, listener: socket.socket, folder: Path):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=_work, args=(settings, listener, other, folder), name="regard-serve"
        )
        self.process.start()
        other.close()  # so that the pipe ends with the process


class Team:
    """The workers of a server, each with a thread that replaces it when it ends.

    Args:
        folder: for their metrics and traces.
    """

    def __init__(
        self, settings: Settings, listener: socket.socket, folder: Path, say: Callable[[str], None]
    ):
        from prometheus_client import CollectorRegistry, Counter

        self._made_of, self._folder, self._say = (settings, listener, folder), folder, say
        (folder / "traces").mkdir()
        self._workers: set[Worker] = set()
        self._keepers: list[threading.Thread] = []
        self._is_ending = False
        registry = CollectorRegistry()
        self._ended = Counter(
            "regard_workers_ended", "Workers that ended by themselves.", registry=registry
        )

    def start(self, number: int) -> None:
        """Start all of them. The first one is alone until it is ready, so that models are packed
        once and a mistake is said once.

        Raises:
            RegardError: why one cannot start.
        """
        first = self._started()
        with ThreadPoolExecutor(number) as pool:
            others = list(pool.map(lambda _: self._started(), range(1, number)))
        for worker in (first, *others):
            keeper = threading.Thread(target=self._keep, args=(worker,), daemon=True)
            keeper.start()
            self._keepers.append(keeper)

    @property
    def is_alive(self) -> bool:
        """Whether a worker has not ended."""
        return any(keeper.is_alive() for keeper in self._keepers)

    def end(self) -> None:
        """Have the workers end once they have answered what has begun."""
        self._is_ending = True
        for worker in list(self._workers):
            with suppress(ProcessLookupError):
                os.kill(worker.process.pid or 0, END)

    def kill(self) -> None:
        """End the workers, with whatever they still do."""
        self._is_ending = True
        for worker in list(self._workers):
            worker.process.kill()
            worker.process.join()

    def _keep(self, worker: Worker) -> None:
        """Have another one take a worker's place whenever it ends."""
        from prometheus_client.multiprocess import mark_process_dead

        pause = 0.0
        while True:
            worker.process.join()
            self._workers.discard(worker)
            mark_process_dead(worker.process.pid)
            if self._is_ending:
                return
            self._ended.inc()
            fields = {"worker": worker.process.pid, "code": worker.process.exitcode}
            log.error("a worker has ended, and is replaced", extra={"fields": fields})
            time.sleep(pause)
            try:
                worker, pause = self._started(), 0.0
            except RegardError as error:
                log.error("a worker cannot start: %s", error)
                pause = min(max(2 * pause, FIRST_PAUSE), LONGEST_PAUSE)

    def _started(self) -> Worker:
        """A worker, once it is ready.

        Raises:
            RegardError: it cannot start.
        """
        worker = Worker(*self._made_of)
        self._workers.add(worker)
        try:
            for message in iter(worker.connection.recv, None):
                if isinstance(message, RegardError):
                    raise message
                self._say(message)
        except EOFError:
            worker.process.join()
            raise UnavailableError(
                f"a worker ended with code {worker.process.exitcode} before it was ready; what it"
                " printed says why."
            ) from None
        return worker


def _work(
    settings: Settings, listener: socket.socket, connection: Connection, folder: Path
) -> None:
    """Answer on a socket until END, or the end of the parent."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)  # they reach every process of a group
    os.dup2(2, 1)  # stdout is for the address
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
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


def _end_with_parent(folder: Path) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    shutil.rmtree(folder, ignore_errors=True)  # as the parent could not
    os._exit(0)
