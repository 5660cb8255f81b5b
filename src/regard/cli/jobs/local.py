"""Workers of this machine that compute shards: threads where the native engine computes, which
needs no lock of Python; else processes, of which one that is killed is replaced."""

import gc
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from regard.cli.jobs.parts import Part
from regard.cli.jobs.shards import Shard
from regard.cli.jobs.worker import Worker
from regard.cli.task_command import TaskCommand
from regard.errors import UnavailableError
from regard.processes import Child, Team, end_with_parent
from regard.progress import Stopped, Work

TURN, MANY = 0.5, 50_000  # seconds that a thread keeps Python's lock; objects between two searches
ATTEMPTS = 3  # at a shard that ends the process which computes it


def parts(
    command: TaskCommand, shards: Sequence[Shard], *, workers: int, threads: int
) -> Generator[Any, None, None]:
    """Yield the parts of some shards, as they are done; to be closed, which ends the workers.

    Args:
        command: what is done, with its model.
        workers: each of which has a shard at a time, and, as a process, the model.
        threads: of each.

    Raises:
        RegardError: the model or an option cannot be used.
        UnavailableError: a shard ends every process that computes it.
    """
    outcomes: Generator[Any, None, None]
    if command.task.packed is not None:
        outcomes = _by_threads(command, shards, workers * threads)
    else:
        command.task = None  # each process has it
        team: Team[Shard] = Team(
            lambda: Child(_serve, command, threads, name="regard-part"),
            size=workers,
            attempts=ATTEMPTS,
            lost=_lost,
        )
        outcomes = team.answers(shards)
    with _undisturbed(), closing(outcomes):
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Have Python work in long turns.

    Two threads that take its lock from each other every 5 ms end their batches together, and so
    need it together the next time, and the next. And a quarter of Python's time was looking for
    garbage: in what is opened once, and in results before they were written.
    """
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(TURN)
    gc.freeze()
    gc.set_threshold(MANY)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)


def _by_threads(
    command: TaskCommand, shards: Sequence[Shard], threads: int
) -> Generator[Any, None, None]:
    """Yield the outcomes of shards, as many at a time as there are threads; of fewer shards, each
    has several batches at a time. Closing this ends the threads, between two steps of the model."""
    number = min(threads, len(shards))
    command.task.engine.workers = threads // number
    waiting, outcomes, work = iter(shards), SimpleQueue[Any](), Work()
    turn = threading.Lock()

    def compute() -> None:
        with closing(Worker(command)) as worker, suppress(Stopped):
            while True:
                with turn:
                    shard = next(waiting, None)
                if shard is None:
                    return
                outcomes.put(work.run(lambda shard=shard: outcome(worker, shard)))  # type: ignore[misc]

    team = [
        threading.Thread(target=compute, name="regard-part", daemon=True) for _ in range(number)
    ]
    for thread in team:
        thread.start()
    try:
        for _ in shards:
            yield outcomes.get()
    finally:
        waiting = iter(())
        work.stop()
        for thread in team:
            thread.join()


def _lost(shard: Shard, how: str) -> UnavailableError:
    return UnavailableError(
        f"a worker {how} at {shard.lines}, {ATTEMPTS} times. If memory is short, lower `workers`,"
        " `batch_size` or `shard_size`."
    )


def _serve(connection: Connection, command: TaskCommand, threads: int) -> None:
    """Compute the shards that come, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this
    end_with_parent()
    worker = Worker(command, threads=threads)
    with suppress(EOFError, OSError):  # the parent closed the pipe, or is gone
        while True:
            connection.send(outcome(worker, connection.recv()))
    worker.close()


def outcome(worker: Callable[[Shard], Part], shard: Shard) -> Part | Exception:
    """Return the worker's part of a shard; an exception where it has none, in a form that can be
    sent."""
    try:
        return worker(shard)
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return RuntimeError(f"{type(error).__name__}: {error}")
        return error
