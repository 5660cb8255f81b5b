"""A job: the files of a task's command, shard by shard, to one output."""

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from regard import checkpoints
from regard.cli.jobs import cluster, local
from regard.cli.jobs.parts import Part, join
from regard.cli.jobs.shards import Input, Shard, files_of
from regard.cli.jobs.store import FolderStore, Store
from regard.cli.jobs.watch import Watch
from regard.cli.jobs.worker import Worker
from regard.cli.refusals import NAMED
from regard.cli.streams import say
from regard.cli.task_command import TaskCommand
from regard.cli.texts import check_output
from regard.engine.batching import cores
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnavailableError
from regard.files import whole_file
from regard.lazy import pyarrow, require
from regard.version import __version__

Advance = Callable[[int], None]
Bar = Callable[[int, int], AbstractContextManager[Advance]]


@dataclass(frozen=True)
class Summary:
    """Counts of the lines of a job, and its files."""

    read: int
    bad: int
    resumed: int  # lines that an earlier call had done
    seconds: float  # of this call
    output: Path
    bad_file: Path | None  # where the bad lines are; None if every line was answered

    @property
    def written(self) -> int:
        return self.read - self.bad


@contextmanager
def _unseen(total: int, done: int) -> Iterator[Advance]:
    yield lambda lines: None


class Job:
    """Work of a command over the lines of files. `run` does it.

    Raises:
        RegardError: the files, columns or options do not fit the task.
    """

    def __init__(self, command: TaskCommand):
        self.command, self.files = command, command.files
        self.output = Path(command.output).absolute()
        self.bad = self.output.with_name(f"{self.output.name}.bad.jsonl")
        folder = Path(command.model)
        if folder.is_dir():  # workers may be elsewhere
            command.common = command.common | {"model": str(folder.absolute())}
        source = str(command.common["input"])
        if command.format == "parquet":
            require(pyarrow)
        if Path(source).is_dir() and self.output.parent == Path(source).absolute():
            raise BadArgumentError(f"{self.output} is in the folder that is read; give another.")
        options = [*vars(command.extra).values(), *command.chosen.values()]
        names = [value for value in options if isinstance(value, str | Path)]
        inputs = files_of(source)
        if self.output in inputs:
            raise BadArgumentError(f"{self.output} is the input; give the output another name.")
        paths = [Path(name).absolute() for name in names if isfile(name)]
        self.watch = Watch({*inputs, *self._model(), *paths})
        self.input = Input.read(
            *(source, self.files.shard_size or command.kind.shard, command.columns, say),
            delimiter=self.files.delimiter,
        )
        command.several_files = len(inputs) > 1
        self.said = 0  # sentences about lines
        self.store = FolderStore(self.output) if len(self.input.shards) > 1 else Store()

    def _model(self) -> list[Path]:
        """Return the folder, or the file, of the model."""
        with suppress(NotFoundError):  # said where it is opened
            return [Path(checkpoints.open_checkpoint(self.command.model).folder).absolute()]
        return []

    def run(self, *, bar: Bar = _unseen) -> Summary:
        """Do what is left to do, and write the output.

        Args:
            bar: gets the number of lines, and of those that are done, and gives a function to be
                called with the number of lines just done.

        Raises:
            UnavailableError: another process works on this output, it cannot be written, or what
                the job depends on has changed.
            BadArgumentError: the output exists, or an unfinished job there has other settings.
            DamagedFileError: a line has no answer, and the command is strict.
            RegardError: the model or an option cannot be used.
        """
        began = time.monotonic()
        self.store.tidy()
        self._check_outputs()
        threads = self.command.common["threads"] or max(1, cores() // self.files.workers)
        if len(self.input.shards) > 1 or self.files.runner == "ray":  # workers share the processors
            self.command.common = self.command.common | {"threads": None}
        self.command.open()
        self.watch.check()
        description = self._description()
        resume = self.files.resume
        with self.store.opened(description, resume=resume, say=say), self._written() as path:
            before = self.store.done
            left = [shard for shard in self.input.shards if shard.number not in before]
            done = self.input.lines - sum(shard.count for shard in left)
            if self.command.common["strict"]:
                self._refuse_bad()
            with bar(self.input.lines, done) as advance:
                if left:
                    self._compute(left, threads, advance)
            if left:
                self.command.end(self.input.lines - done)
            bad = self._finish(path)
        self.store.end(say)
        seconds, bad_file = time.monotonic() - began, self.bad if bad else None
        return Summary(self.input.lines, bad, done, seconds, self.output, bad_file)

    @property
    def done(self) -> int:
        """Lines whose parts are there."""
        done = self.store.done
        return sum(shard.count for shard in self.input.shards if shard.number in done)

    def _check_outputs(self) -> None:
        """Raise BadArgumentError where a file would be overwritten that this job did not write."""
        for path in (self.output, self.bad):
            if not (path.is_file() and self.store.has_written(path)):
                check_output(path, self.files.overwrite)

    def _description(self) -> dict[str, Any]:
        """Describe what decides on the output; of a job in memory, which ends here, its input."""
        command = self.command
        if self.store.folder is None:
            return {"sums": self.watch.sums(*self.input.files)}
        settings = command.extra.passed() | command.chosen
        settings |= {role.option: role.column for role in command.columns if role.column}
        settings |= self.files.chosen("id", "delimiter")
        settings |= {
            "task": command.verb,
            "model": command.model,
            "engine": command.task.computed_by,
            "precision": command.common["precision"],
            "json": command.as_json,
            "shard_size": self.files.shard_size or command.kind.shard,
            "regard": __version__,
        }
        settings = json.loads(json.dumps(settings, default=str))
        return {"settings": settings, "sums": self.watch.sums()}

    @contextmanager
    def _written(self) -> Iterator[Path]:
        """Give the path of an unfinished output; say of an error what has changed, if something
        has."""
        try:
            with whole_file(self.output) as path:
                yield path
        except Exception:
            self.watch.check()
            raise

    def _compute(self, left: Sequence[Shard], threads: int, advance: Advance) -> None:
        """Compute shards, and keep their parts."""
        command, workers = self.command, {"workers": self.files.workers, "threads": threads}
        alone = len(self.input.shards) == 1 and self.files.runner == "local"
        computed: Generator[Part, None, None]
        if alone:
            computed = self._alone(left, advance)
        elif self.files.runner == "ray":
            address = self.files.address
            computed = cluster.parts(command, left, **workers, address=address)
        else:
            computed = local.parts(command, left, **workers)
        others = [path for path in self.watch.paths if path not in self.input.files]
        with closing(computed) as finished:
            for part in finished:
                shard = self.input.shards[part.number]
                self.watch.check(Path(shard.file), *others)
                self.store.save(part.number, part.content, part.bad)
                self._say(part)
                if part.bad and command.common["strict"]:
                    self._refuse_bad()
                if not alone:
                    advance(shard.count)

    def _alone(self, left: Sequence[Shard], advance: Advance) -> Generator[Part, None, None]:
        """Yield the parts of shards, computed here."""
        with closing(Worker(self.command, progress=advance)) as worker:
            yield from map(worker, left)

    def _say(self, part: Part) -> None:
        """Say what is to be said of a part, and add up what is counted."""
        command = self.command
        command.counts += part.counts
        command.doubted += part.doubted
        for name, other in part.renamed.items():
            command.rename(name, other)
        for sentence in part.sentences:
            self.said += 1
            if self.said <= NAMED:
                command.say(sentence)
            elif self.said == NAMED + 1:
                command.say("more is to be said of lines, which is left out.")

    def _refuse_bad(self) -> None:
        """Raise DamagedFileError with the first line that is known to have no answer."""
        for number in sorted(self.store.done):
            if bad := self.store.read(number)[1]:
                first = json.loads(bad.partition(b"\n")[0])
                raise DamagedFileError(
                    f"{first['file']}, line {first['line']:,}: {first['reason']}"
                )

    def _finish(self, path: Path) -> int:
        """Write the output and the bad lines; the number of bad lines.

        Raises:
            DamagedFileError: a part is not what was written.
            UnavailableError: what the job depends on has changed.
        """
        bad: dict[int, bytes] = {}

        def contents() -> Iterator[bytes]:
            for shard in self.input.shards:
                content, bad[shard.number] = self.store.read(shard.number)
                yield content

        join(contents, path, self.command)
        self.watch.check()
        self.watch.check_content(*self.input.files)
        if {*files_of(str(self.command.common["input"]))} - {self.bad} != {*self.input.files}:
            raise UnavailableError("there are other files to read than when this began.")
        self._check_outputs()
        lines = b"".join(bad.values())
        self.store.wrote(path, lines)
        if lines:
            with whole_file(self.bad) as unfinished:
                unfinished.write_bytes(lines)
        elif self.files.overwrite:
            self.bad.unlink(missing_ok=True)
        return lines.count(b"\n")
