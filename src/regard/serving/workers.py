"""The processes that answer for a server: started, watched, replaced when they end."""

import asyncio
import json
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from regard import errors
from regard.serving.worker import Duty
from regard.tasks.batching import cores

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a worker that never got ready is replaced
LINE = 2**20  # bytes of a line that a worker says

log = logging.getLogger("regard.serving")


@dataclass(eq=False)
class Worker:
    """A process, and where it listens once it is ready."""

    number: int
    process: Process
    socket: Path
    models: list[str] | None = None  # once it is ready
    busy: int = 0  # requests that it has
    most: int = 0  # requests that fill the queues and rows of all its models

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked."""
        return self.models is not None and self.process.returncode is None


class Workers:
    """Several workers that do the same.

    Args:
        number: of workers; they share the processors.
        say: called with sentences for the user.
        on_end: called with a worker that has ended.
    """

    def __init__(
        self,
        duty: Duty,
        number: int,
        *,
        say: Callable[[str], None] = lambda sentence: None,
        on_end: Callable[[Worker], None] = lambda worker: None,
    ):
        self.number, self.seconds = number, 1.0
        self._duty, self._say, self._on_end = duty, say, on_end
        # The last worker removes it, too, where this process could not.
        self._folder = TemporaryDirectory(prefix="regard-", ignore_cleanup_errors=True)
        self._workers: dict[int, Worker] = {}
        self._keeping: list[asyncio.Task[None]] = []
        self._made = 0

    @property
    def ready(self) -> list[Worker]:
        """Those that can be asked, in the order of their numbers."""
        return [self._workers[key] for key in sorted(self._workers) if self._workers[key].is_ready]

    def least_busy(self) -> Worker | None:
        """Which one to ask next."""
        return min(self.ready, key=lambda each: each.busy, default=None)

    async def start(self) -> None:
        """Starts all of them. The first one is alone until it is ready, so that models are packed
        once and a mistake is said once.

        Raises:
            RegardError: why the first one cannot start.
        """
        began = time.monotonic()
        first = await self._started(1)
        self.seconds = time.monotonic() - began
        others = [self._started(number) for number in range(2, self.number + 1)]
        all_of_them = [first, *await asyncio.gather(*others)]
        self._keeping = [asyncio.create_task(self._keep(each)) for each in all_of_them]

    async def close(self) -> None:
        """Ends all of them, with whatever they still do."""
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        for worker in self._workers.values():
            assert worker.process.stdin is not None
            worker.process.stdin.close()
        for worker in self._workers.values():
            try:
                await asyncio.wait_for(worker.process.wait(), 5)
            except TimeoutError:
                worker.process.kill()
        self._folder.cleanup()

    async def _keep(self, worker: Worker) -> None:
        """Has another one take a worker's place whenever it ends."""
        pause = 0.0
        while True:
            await worker.process.wait()
            worker.socket.unlink(missing_ok=True)
            self._on_end(worker)
            fields = {"worker": worker.number, "code": worker.process.returncode}
            log.error("a worker has ended, and is replaced", extra={"fields": fields})
            await asyncio.sleep(pause)
            try:
                worker, pause = await self._started(worker.number), 0.0
            except errors.RegardError as error:
                log.error("a worker cannot start: %s", error)
                pause = min(max(2 * pause, FIRST_PAUSE), LONGEST_PAUSE)

    async def _started(self, number: int) -> Worker:
        """A worker, once it is ready.

        Raises:
            RegardError: it cannot start.
        """
        self._made += 1
        threads, limits = max(1, cores() // self.number), self._duty.limits
        socket = Path(self._folder.name) / f"{self._made}.socket"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "regard.serving.worker"),
            stdin=PIPE,
            stdout=PIPE,
            limit=LINE,
            env=_environment(threads),
        )
        assert process.stdin is not None
        assert process.stdout is not None
        worker = self._workers[number] = Worker(number, process, socket)
        process.stdin.write(self._duty.line(number, socket))
        async for line in process.stdout:
            message: dict[str, Any] = json.loads(line)
            if "say" in message:
                self._say(message["say"])
            elif "error" in message:
                name, sentence = message["error"]
                await process.wait()
                raise getattr(errors, name, errors.UnavailableError)(sentence)
            else:
                worker.models = message["ready"]
                worker.most = len(worker.models) * (limits["waiting"] + limits["rows"] * threads)
                return worker
        raise errors.UnavailableError(
            f"a worker ended with code {await process.wait()} before it was ready; what it printed"
            " says why."
        )


def _environment(threads: int) -> dict[str, str]:
    """Of a worker: it imports this package from where it is here, and nothing from the folder that
    the user is in."""
    places = [str(Path(errors.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(each for each in places if each)
    return os.environ | {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": path}
