"""Ray Data as the engine: each shard is a row, which actors that hold the model map to its part."""

import os
import pickle
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from regard.cli.jobs.local import ATTEMPTS, outcome
from regard.cli.jobs.parts import Part
from regard.cli.jobs.shards import Shard
from regard.cli.jobs.worker import Worker
from regard.cli.task_command import TaskCommand
from regard.errors import UnavailableError
from regard.lazy import pyarrow
from regard.packages import optional_package

if TYPE_CHECKING:
    import pyarrow

STORE = 256 * 2**20  # bytes of the object store of a cluster that is started here

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent anywhere
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DATA_LOG_LEVEL": "ERROR",
}


class Actor:
    """Computes shards in a process of Ray's; rows come and go as tables of Arrow."""

    def __init__(self, call: bytes, threads: int):
        self.worker = Worker(pickle.loads(call), threads=threads)

    def __call__(self, rows: "pyarrow.Table") -> "pyarrow.Table":
        outcomes = [outcome(self.worker, Shard(**row)) for row in rows.to_pylist()]
        pickled = [pickle.dumps(outcome_of_shard) for outcome_of_shard in outcomes]
        return pyarrow.table({"outcome": pyarrow.array(pickled, pyarrow.large_binary())})


def parts(
    command: TaskCommand,
    shards: Sequence[Shard],
    *,
    workers: int,
    threads: int,
    address: str | None = None,
) -> Generator[Part, None, None]:
    """Yield the parts of some shards, as they are done; to be closed, which ends the actors.

    An actor that ends is started again by Ray, and its shards are done again.

    Args:
        workers: actors, each of which holds the model.
        threads: of each; as many processors are asked for.
        address: of a cluster, as `ray.init` takes it; None: one is started on this machine.

    Raises:
        RegardError: the model or an option cannot be used.
        UnavailableError: Ray is not installed or cannot be reached, or shards end every actor that
            computes them.
    """
    with _connected(address, workers * threads) as ray:
        data = ray.data.from_items(
            [vars(shard) for shard in shards], override_num_blocks=len(shards)
        )
        team = ray.data.ActorPoolStrategy(
            size=min(workers, len(shards)), max_tasks_in_flight_per_actor=2
        )
        with warnings.catch_warnings():
            # Ray 2.64 removes ray_remote_args_fn; without it, a shard that ends every actor is
            # tried without end.
            warnings.simplefilter("ignore", DeprecationWarning)
            data = data.map_batches(
                Actor,
                batch_size=1,
                batch_format="pyarrow",
                fn_constructor_args=(pickle.dumps(command), threads),
                compute=team,
                num_cpus=threads,
                ray_remote_args_fn=_restarted,
            )
        rows = data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        try:
            for batch in rows:
                for pickled in batch.column("outcome").to_pylist():
                    result = pickle.loads(pickled)
                    if isinstance(result, Exception):
                        raise result
                    yield result
        except ray.exceptions.RayError as error:
            raise UnavailableError(
                f"Ray could not go on ({type(error).__name__}: {_first_line(error)}). If memory is"
                " short, lower `workers`, `batch_size` or `shard_size`."
            ) from error


def _restarted() -> dict[str, int]:
    """Limits on starting an actor that ended again, and on doing its shard again."""
    return {"max_restarts": -1, "max_task_retries": ATTEMPTS - 1}


@contextmanager
def _connected(address: str | None, processors: int) -> Iterator[Any]:
    """Ray, connected to a cluster; one that was started here ends with the block."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    with optional_package("ray[data]", "--runner ray needs"):
        import ray
        import ray.data
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address is None:
            ray.init(
                address="local",
                num_cpus=processors,
                object_store_memory=STORE,
                include_dashboard=False,
                **quiet,
            )
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # of a slow machine Ray says so by a plain Exception
        raise UnavailableError(
            f"there is no Ray cluster at {address or 'this machine'} that answers"
            f" ({_first_line(error)}). Check the address."
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "").strip()
