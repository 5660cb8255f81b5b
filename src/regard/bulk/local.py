"""Processes of this machine that compute shards; one that is killed is replaced."""

import pickle
import signal
import sys
import traceback
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from typing import Any

from regard.bulk.settings import Settings
from regard.bulk.shards import Shard
from regard.errors import UnavailableError
from regard.processes import Child, Team, end_with_parent

ATTEMPTS = 3  # at a shard that ends the process which computes it


def parts(
    settings: Settings, shards: Sequence[Shard], *, workers: int, threads: int
) -> Generator[Any, None, None]:
    """The parts of some shards, as they are done; to be closed, which ends the processes.

    Args:
        workers: processes, each of which holds the model.
        threads: of each.

    Raises:
        RegardError: the model or an option cannot be used.
        UnavailableError: a shard ends every process that computes it.
    """
    team: Team[Shard] = Team(
        lambda: Child(_serve, settings, threads, name="regard-run"),
        size=workers,
        attempts=ATTEMPTS,
        lost=_lost,
    )
    with closing(team.answers(shards)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome


def _lost(shard: Shard, how: str) -> UnavailableError:
    return UnavailableError(
        f"a worker {how} at {shard.lines}, {ATTEMPTS} times. If memory is short, lower `workers`,"
        " `batch_size` or `shard_size`."
    )


def _serve(connection: Connection, settings: Settings, threads: int) -> None:
    """Compute the shards that come, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this
    end_with_parent()
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
