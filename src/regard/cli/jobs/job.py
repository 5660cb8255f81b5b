"""A job: shards to parts to output, in a folder from which a killed job continues.

OUTPUT.parts/
    job.json                 what decides on the output, and what is in the input's files
    part-00000000            the output of a shard; written whole, so it is there or is not
    bad-00000000             its lines that have no answer; written before the part
    .lock                    locked while a process works here; the system unlocks it when that ends
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.cli.jobs import answering, parts
from regard.cli.jobs.reader import check_columns, find_columns
from regard.cli.jobs.settings import Settings
from regard.cli.jobs.shards import Input, Shard
from regard.data.lines import Say, warn
from regard.data.reader import format_of
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnavailableError
from regard.files import sha256_tree, whole_file, write_json
from regard.json_files import read_object
from regard.tasks import catalog
from regard.version import __version__

Advance = Callable[[int], None]
Bar = Callable[[int, int], AbstractContextManager[Advance]]


@dataclass(frozen=True)
class Summary:
    """Counts of the lines of a job, and its files."""

    read: int
    written: int
    bad: int
    resumed: int  # lines that an earlier call had done
    seconds: float  # of this call
    output: Path
    bad_file: Path | None  # where the bad lines are; None if every line was answered
    doubts: int = 0  # texts of this call that seem to be in another language than the model's
    doubted: tuple[str, ...] = ()  # the first of them


@contextmanager
def _unseen(total: int, done: int) -> Iterator[Advance]:
    yield lambda lines: None


class Job:
    """Work of one task over the lines of files. `run` does it, with an engine.

    >>> _ = Path("lines.txt").write_text("Where is the station?\\n")
    >>> job = Job("translate", "lines.txt", "out.jsonl", model="en-de")
    >>> job.settings.batch_size, job.output.name
    (32, 'out.jsonl')

    Args:
        task: a name in `catalog.VERBS`.
        input: a file, or a pattern such as "parts/*.jsonl".
        output: the file to write; its ending says the format, as that of the input does.
        model: a shipped model's name, a folder or hub:org/name.
        text: the column with the text, or the question; other: the second column, with the text's
            pair or the question's context; None: the task's own names.
        id: the column that the output repeats; None: all.
        delimiter: between the cells of CSV; None: as the first lines look.
        options: of the task, decoding included.
        shard_size: lines of a part; None: the task's own number.
        say: called with a sentence where a file is not UTF-8.
        settings: further fields of `Settings`: engine, precision, batch_size.

    Raises:
        RegardError: the files, columns or options do not fit the task.
    """

    def __init__(
        self,
        task: str,
        input: str,
        output: str | os.PathLike[str],
        *,
        model: str,
        text: str | None = None,
        other: str | None = None,
        id: str | None = None,
        delimiter: str | None = None,
        options: dict[str, Any] | None = None,
        shard_size: int | None = None,
        batch_size: int | None = None,
        say: Say = warn,
        **settings: Any,
    ):
        kind = catalog.doing(task)
        self.output = Path(output).absolute()
        self.folder = Path(f"{self.output}.parts")
        self.bad = Path(f"{self.output}.bad.jsonl")
        self.shard_size = shard_size or kind.shard
        if self.output.suffix.lower() == ".gz":
            raise BadArgumentError(f"the output is not packed; name it {self.output.stem}.")
        if self.output.is_dir():
            raise BadArgumentError(f"{output} is a folder; name a file in it.")
        written = format_of(self.output, "text")
        if written in ("csv", "tsv"):
            raise BadArgumentError(
                f"the output must be JSON lines (.jsonl), Parquet (.parquet) or text (.txt); got"
                f" {self.output.name}."
            )
        self.input = Input.read(input, self.shard_size, say, delimiter=delimiter)
        if self.output in self.input.files:
            raise BadArgumentError(f"{output} is the input; give the output another name.")
        if self.input.format == "text" and (text or other or id):
            raise BadArgumentError(
                f"{input} is text, a line each, and has no columns. Leave the columns out, or give"
                " CSV, JSON lines or Parquet."
            )
        needed = [column.name for column in kind.inputs if not column.optional]
        columns = find_columns(needed, (text, other), self.input)
        folder = Path(model)
        self.settings = Settings(
            task,
            str(folder.absolute()) if folder.is_dir() else model,  # workers may be elsewhere
            self.input.format,
            written,
            columns,
            id=id,
            delimiter=delimiter,
            several=len(self.input.files) > 1,
            options=options or {},
            batch_size=batch_size or kind.batch_size,
            **settings,
        )
        answering.check_options(self.settings)
        check_columns(self.settings, self.input)
        if "parquet" in (written, self.input.format):
            from regard.cli.jobs.shards import parquet

            parquet()

    def run(
        self,
        engine: Callable[[Settings, Sequence[Shard]], Any],
        *,
        strict: bool = False,
        bar: Bar = _unseen,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> Summary:
        """Does what is left to do, and writes the output.

        Args:
            engine: the parts of some shards, in any order: `local.parts` or `cluster.parts`, with
                their workers.
            strict: whether the first line without an answer is the end; what is done is kept.
            bar: gets the number of lines, and of those that are done, and gives a function to be
                called with the number of lines just done.
            say: called with a sentence where something takes long.

        Raises:
            UnavailableError: another process works on this output, or it cannot be written.
            BadArgumentError: the output exists, or an unfinished job there has other settings.
            DamagedFileError: a line has no answer, and `strict`.
            RegardError: the model or an option cannot be used.
        """
        began = time.monotonic()
        with self._locked():
            task = answering.opened(self.settings, 1, say)
            answering.answers(task, [], self.settings, 0)  # refuses options, as workers would
            computed_by = task.computed_by
            del task
            self._record(computed_by)
            left = [shard for shard in self.input.shards if not self._part(shard).exists()]
            done = self.input.lines - sum(shard.count for shard in left)
            if strict:
                self._refuse_bad()
            doubts, doubted = 0, tuple[str, ...]()
            with bar(self.input.lines, done) as advance:
                if left:
                    with closing(engine(self.settings, left)) as finished:
                        for part in finished:
                            self._save(part)
                            doubts, doubted = doubts + part.doubts, doubted + part.doubted
                            if strict and part.bad:
                                self._refuse_bad()
                            advance(self.input.shards[part.number].count)
            bad = self._finish()
        return Summary(
            self.input.lines,
            self.input.lines - bad,
            bad,
            done,
            time.monotonic() - began,
            self.output,
            self.bad if bad else None,
            doubts,
            doubted[: parts.SHOWN],
        )

    def done(self) -> int:
        """Lines whose parts are written."""
        return sum(shard.count for shard in self.input.shards if self._part(shard).exists())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keeps other processes from this output, and removes what killed ones left half-written.

        Raises:
            UnavailableError: another process works on it.
            BadArgumentError: the output exists already.
        """
        from filelock import FileLock, Timeout  # slow to import

        finished = next((path for path in (self.output, self.bad) if path.exists()), None)
        if finished is not None and not self.folder.exists():
            raise BadArgumentError(
                f"{finished} exists. Delete it, or give another output; nothing is overwritten."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / ".lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UnavailableError(
                f"another process is writing {self.output}. Wait for it to end, or give another"
                " output."
            ) from None
        try:
            if not (self.folder / ".lock").exists():  # that process has just finished
                raise UnavailableError(f"{self.output} was just written by another process.")
            for path in (self.output, self.bad):
                for unfinished in path.parent.glob(f".{path.name}.*.part"):
                    unfinished.unlink(missing_ok=True)
            yield
        finally:
            if not (self.folder / "job.json").exists():  # refused before it began
                with suppress(OSError):
                    (self.folder / ".lock").unlink()
                    self.folder.rmdir()  # not one that somehow has parts
            lock.release()

    def _record(self, computed_by: str) -> None:
        """Writes what the job is, or, in the folder of one, requires it to be the same."""
        settings = {
            **self.settings.recorded(),
            "engine": computed_by,
            "shard_size": self.shard_size,
            "weights": _weights(self.settings.model),
        }
        content = {"settings": settings, "input": self.input.recorded(), "regard": __version__}
        file = self.folder / "job.json"
        if not file.exists():
            if any(self.folder.glob("part-*")):
                raise DamagedFileError(
                    f"{self.folder} has parts, but not the job.json that says what they are."
                    " Delete that folder to start again."
                )
            write_json(file, content)
            return
        recorded_job = read_object(file)
        recorded = dict(recorded_job["settings"])
        for name in sorted(recorded.keys() | settings.keys()):
            if recorded.get(name) != settings.get(name):
                raise BadArgumentError(
                    f"{self.folder} holds a job with {name}={recorded.get(name)!r}; got"
                    f" {settings.get(name)!r}. Give the same value to continue it, or delete that"
                    " folder to start again."
                )
        if recorded_job["input"] != content["input"]:
            raise BadArgumentError(
                f"{self.folder} holds a job over other files, or over these before they changed."
                " Delete that folder to start again."
            )

    def _part(self, shard: Shard) -> Path:
        return self.folder / f"part-{shard.number:08d}"

    def _bad(self, shard: Shard) -> Path:
        return self.folder / f"bad-{shard.number:08d}"

    def _save(self, part: parts.Part) -> None:
        """Writes what became of a shard; the part comes last, for it says that all is there."""
        shard = self.input.shards[part.number]
        with whole_file(self._bad(shard)) as path:
            path.write_bytes(part.bad)
        with whole_file(self._part(shard)) as path:
            path.write_bytes(part.content)

    def _refuse_bad(self) -> None:
        """Raise DamagedFileError with the first line that is known to have no answer."""
        for shard in self.input.shards:
            bad = self._bad(shard)
            if bad.exists() and bad.stat().st_size:
                first = json.loads(bad.read_text(encoding="utf-8").partition("\n")[0])
                raise DamagedFileError(
                    f"{first['file']}, line {first['line']:,}: {first['reason']}"
                )

    def _finish(self) -> int:
        """Writes the output and the bad lines, and removes the parts; the number of bad lines.

        Raises:
            DamagedFileError: a part has not as many lines as it must have.
        """
        every, bad = self.input.shards, 0
        for shard in every:
            bad_lines = parts.count(self._bad(shard), "jsonl")
            expected = shard.count - (0 if self.settings.output == "text" else bad_lines)
            lines_found = parts.count(self._part(shard), self.settings.output)
            if lines_found != expected:
                lines = "1 line" if expected == 1 else f"{expected:,} lines"
                raise DamagedFileError(
                    f"{self._part(shard)} must have {lines}; it has {lines_found:,}."
                    " Delete it to compute it again."
                )
            bad += bad_lines
        if bad:
            with whole_file(self.bad) as path:
                parts.merge([self._bad(shard) for shard in every], path, "jsonl")
        with whole_file(self.output) as path:
            parts.merge([self._part(shard) for shard in every], path, self.settings.output)
        gone = self.folder.with_name(f".{self.folder.name}.{os.getpid()}.part")
        os.replace(self.folder, gone)  # at once: parts without their job would be a riddle
        shutil.rmtree(gone, ignore_errors=True)
        return bad


def _weights(model: str) -> str:
    """The SHA-256 of a model, so that another one of the same name is noticed."""
    from regard.checkpoints import open_checkpoint

    checkpoint = open_checkpoint(model)
    try:
        return checkpoint.sha256
    except NotFoundError:  # sentence-transformers may have them in a folder of the folder
        return sha256_tree(checkpoint.folder)
