"""Processes of this machine that compute shards; one that is killed is replaced."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from regard.bulk.settings import Settings
from regard.bulk.shards import Shard
from regard.errors import UnavailableError

ATTEMPTS = 3  # at a shard that ends the process which computes it


def parts(
    settings: Settings, shards: Sequence[Shard], *, workers: int, threads: int
) -> Iterator[Any]:
    """The parts of some shards, as they are done; to be closed, which ends the processes.

    Args:
        workers: processes, each of which holds the model.
        threads: of each.

    Raises:
        RegardError: the model or an option cannot be used.
        UnavailableError: a shard ends every process that computes it.
    """
    waiting = deque(shards)
    ended: Counter[int] = Counter()
    team = [_Process(settings, threads) for _ in range(min(workers, len(shards)))]
    try:
        for process in team:
            process.give(waiting.popleft())
        while busy := {each.connection: each for each in team if each.shard is not None}:
            for connection in wait(list(busy)):
                process = busy[connection]  # type: ignore[index]
                shard = process.shard
                assert shard is not None
                try:
                    outcome = process.connection.recv()
                except (EOFError, OSError):
                    ended[shard.number] += 1
                    how = process.end()
                    if ended[shard.number] == ATTEMPTS:
                        raise UnavailableError(
                            f"a worker {how} at {shard.lines}, {ATTEMPTS} times. If memory is"
                            " short, lower `workers`, `batch_size` or `shard_size`."
                        ) from None
                    team[team.index(process)] = process = _Process(settings, threads)
                    process.give(shard)
                    continue
                process.shard = None
                if waiting:  # before this part is written, so that the process does not wait
                    process.give(waiting.popleft())
                if isinstance(outcome, Exception):
                    raise outcome
                yield outcome
    finally:
        for process in team:
            process.end()


class _Process:
    """A process, its pipe, and the shard that it computes."""

    def __init__(self, settings: Settings, threads: int):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(other, settings, threads), daemon=True, name="regard-run"
        )
        self.process.start()
        other.close()  # so that the pipe ends with the process
        self.shard: Shard | None = None

    def give(self, shard: Shard) -> None:
        self.shard = shard
        with suppress(OSError):  # it has just ended, which receiving from it finds
            self.connection.send(shard)

    def end(self) -> str:
        """Ends the process; says how it had ended by itself."""
        self.connection.close()
        self.process.join(timeout=0.2)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _serve(connection: Connection, settings: Settings, threads: int) -> None:
    """Computes the shards that come, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from regard.bulk.worker import Worker

    worker = Worker(
        settings, threads, lambda sentence: print(f"regard: {sentence}", file=sys.stderr)
    )
    with suppress(EOFError, OSError):  # the parent closed the pipe, or is gone
        while True:
            connection.send(outcome(worker, connection.recv()))
    worker.close()


def outcome(worker: Any, shard: Shard) -> Any:
    """The worker's part of a shard; an exception where it has none, in a form that can be sent."""
    try:
        return worker(shard)
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return RuntimeError(f"{type(error).__name__}: {error}")
        return error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
