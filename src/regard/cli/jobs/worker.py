"""Worker that holds the model and turns shards into parts; each process has one."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from regard.cli.jobs.answering import answers, opened
from regard.cli.jobs.parts import SHOWN, Part, bad_lines, encoded
from regard.cli.jobs.reader import Lines, Reader
from regard.cli.jobs.settings import Settings
from regard.cli.jobs.shards import Shard
from regard.errors import OtherLanguageError, RegardError
from regard.tasks import catalog


class Worker:
    """Computes shards of one job.

    Args:
        threads: that it computes with; the variable that says so counts for the process.
        task: the model, where several workers of this process share it.
    """

    def __init__(
        self,
        settings: Settings,
        threads: int,
        say: Callable[[str], None] = print,
        *,
        task: Any = None,
    ):
        if task is None:
            os.environ["OMP_NUM_THREADS"] = str(threads)
        else:
            self.task = task
        self.settings = settings
        self.threads = threads
        self.say = say
        self.reader = Reader(settings)

    @cached_property
    def task(self) -> Any:
        """The model, loaded for the first shard."""
        return opened(self.settings, self.threads, self.say)

    def __call__(self, shard: Shard) -> Part:
        """The part of a shard: a line that is refused does not keep the others from their answers.

        Raises:
            RegardError: the model or an option cannot be used.
        """
        from regard.engine.batching import answer_each

        lines = self.reader.read(shard)
        records = lines.records
        blank = catalog.doing(self.settings.task).blank
        places_asked = [
            k
            for k, record in enumerate(records)
            if record.error is None and (blank or record.texts[0].strip())
        ]

        def refuse(place: int, error: RegardError) -> None:
            reason = str(error)
            if isinstance(error, OtherLanguageError):
                reason = error.forced_by("--force")
            records[places_asked[place]] = replace(records[places_asked[place]], error=reason)

        answered = answer_each(
            lambda places: answers(
                self.task,
                [records[places_asked[place]].texts for place in places],
                self.settings,
                shard.number,
            ),
            range(len(places_asked)),
            refuse,
        )
        results = [None] * len(records)
        for place, result in answered.items():
            results[places_asked[place]] = result
        lines = Lines(records, lines.table)
        content = encoded(self.settings, lines, results)
        doubted = [
            record.texts[0]
            for record, result in zip(records, results, strict=True)
            if getattr(result, "language_doubt", False)
        ]
        bad = bad_lines(self.settings, shard, lines)
        return Part(shard.number, content, bad, len(doubted), tuple(doubted[:SHOWN]))

    def close(self) -> None:
        """Closes the file that the last shard was in."""
        self.reader.close()
