"""Worker that holds the model and turns shards into parts; each process has one."""

import os
from collections.abc import Callable
from typing import Any

from regard.cli.jobs.parts import Part, bad_lines, encoded
from regard.cli.jobs.reader import Reader
from regard.cli.jobs.shards import Shard
from regard.cli.refusals import Refusals
from regard.cli.task_command import TaskCommand
from regard.progress import check


class Worker:
    """Computes shards of one job.

    Args:
        command: what is done; opened here, if its model is not there.
        threads: that a process computes with; the variable that says so counts for all of it.
        progress: called with the number of lines just done.
    """

    def __init__(
        self,
        command: TaskCommand,
        *,
        threads: int | None = None,
        progress: Callable[[int], None] = lambda lines: None,
    ):
        if threads is not None:
            os.environ["OMP_NUM_THREADS"] = str(threads)
        self.command, self.threads, self.progress = command, threads, progress
        self.reader = Reader(command)

    def __call__(self, shard: Shard) -> Part:
        """Return the part of a shard: a line that is refused does not keep the others from their
        answers.

        Raises:
            RegardError: the model or an option cannot be used.
        """
        if self.command.task is None:
            self.command = self.command.of_part(0)  # the job itself has said what there is to say
            self.command.open()
            self.command.task.engine.use_threads(self.threads)
        command = self.command.of_part(shard.number)
        if shard.number and command.call.get("seed") is not None:
            from numpy.random import SeedSequence

            drawn = SeedSequence((command.call["seed"], shard.number)).generate_state(1)
            command.call = command.call | {"seed": int(drawn[0])}
        read, table = self.reader.read(shard)
        refusals = Refusals[Any](
            command.answer, keep_going=True, blank=command.asks_blank, named=False
        )
        pairs = refusals.answers(command.lines(read), self._advance)
        for line, result in pairs:
            if result is not None:
                command.warn(line, result)
        content = encoded(command, pairs, table, shard.first)
        seen = command.counts, command.doubted, command.renamed, command.sentences or ()
        return Part(shard.number, content, bad_lines(shard, pairs), *seen)

    def close(self) -> None:
        """Close the file that the last shard was in."""
        self.reader.close()

    def _advance(self, lines: int) -> None:
        check()
        self.progress(lines)
