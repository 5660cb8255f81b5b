"""The parts of a job, in a folder from which a killed job goes on.

OUTPUT.parts/
    job.json                 what decides on the output, with the checksums of what it is made of
    part-00000000.SUM        the output of a shard; written whole, so it is there or is not
    bad-00000000             its lines that have no answer, if any; written before the part
    written                  checksums of the output, before it takes its name
    .lock                    locked while a process works here; the system unlocks it when that ends

SUM is of the job, the number, the part and its bad lines, so none of them can change unseen.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError, DamagedFileError, RegardError, UnavailableError
from regard.files import locked, sha256, sync, whole_file, write_json
from regard.json_files import read_object

_OURS = re.compile(r"part-(?P<number>\d{8})\.(?P<sum>[0-9a-f]{64})|bad-\d{8}|written|\.lock")
Content = tuple[bytes, bytes]  # of a part, and its bad lines
Say = Callable[[str], None]


class Store:
    """The parts of a job in memory, where it is small.

    >>> with Store().opened({}, resume=True, say=print) as store:
    ...     store.save(0, b"one", b"")
    ...     store.done, store.read(0)
    ({0}, (b'one', b''))
    """

    folder: Path | None = None

    def __init__(self) -> None:
        self._kept = dict[int, Content]()

    @contextmanager
    def opened(self, job: Mapping[str, Any], *, resume: bool, say: Say) -> Iterator["Store"]:
        """Begin the job, or go on with it."""
        yield self

    @property
    def done(self) -> set[int]:
        """The numbers of the shards whose parts are there."""
        return set(self._kept)

    def save(self, number: int, content: bytes, bad: bytes) -> None:
        """Keep what became of a shard."""
        self._kept[number] = content, bad

    def read(self, number: int) -> Content:
        """Return what became of a shard."""
        return self._kept[number]

    def wrote(self, output: Path, bad: bytes) -> None:
        """Keep the checksums of an output and the bad lines, before they take their names."""

    def has_written(self, path: Path) -> bool:
        """Return whether an output is the one that this job wrote."""
        return False

    def tidy(self) -> None:
        """Remove the folders that calls that were killed were making or removing."""

    def end(self, say: Say) -> None:
        """Remove the parts."""


class FolderStore(Store):
    """The parts of a job in a folder beside its output."""

    def __init__(self, output: Path):
        super().__init__()
        self.output = output
        self.folder: Path = output.with_name(f"{output.name}.parts")
        self._id = ""

    @contextmanager
    def opened(self, job: Mapping[str, Any], *, resume: bool, say: Say) -> Iterator["Store"]:
        """Begin the job in a new folder, or go on with it, while no other process does.

        Args:
            job: what decides on the output.
            resume: whether an earlier call's parts are taken up; else they are removed.
            say: called with a sentence where a part is not as it was written.

        Raises:
            BadArgumentError: the folder is not a job's, or another job's.
            UnavailableError: another process works on this output.
        """
        if not os.path.lexists(self.folder):
            self._create(job)
        self._recorded()  # no lock is put into a folder that is not a job's
        taken = (
            f"another process is writing {self.output}. Wait for it to end, or give another output."
        )
        with locked(self.folder, taken):
            if not (self.folder / "job.json").exists():  # that process has just finished
                raise UnavailableError(f"{self.output} was just written by another process.")
            self._remove_unfinished()
            if not resume:
                self._remove_parts()
                write_json(self.folder / "job.json", job)
            self._compare(self._recorded(), json.loads(json.dumps(job)))
            self._id = hashlib.sha256(json.dumps(job, sort_keys=True).encode()).hexdigest()
            self._take_up(say)
            yield self

    @property
    def done(self) -> set[int]:
        return set(self._paths())

    def save(self, number: int, content: bytes, bad: bytes) -> None:
        """Write what became of a shard; the part comes last, for it says that all is there."""
        if bad:
            with whole_file(self._bad(number)) as path:
                path.write_bytes(bad)
        else:
            self._bad(number).unlink(missing_ok=True)
        digest = self._sum(number, content, bad)
        with whole_file(self.folder / f"part-{number:08d}.{digest}") as path:
            path.write_bytes(content)

    def read(self, number: int) -> Content:
        """Return what became of a shard.

        Raises:
            DamagedFileError: it is not what was written.
        """
        part = self._paths().get(number, self.folder / f"part-{number:08d}")
        bad = self._bad(number)
        content = b"" if not part.exists() else part.read_bytes()
        lines = bad.read_bytes() if bad.exists() else b""
        if part.suffix != f".{self._sum(number, content, lines)}":
            raise DamagedFileError(
                f"{part} was changed after it was written. Give the same command again, which"
                " computes it again."
            )
        return content, lines

    def wrote(self, output: Path, bad: bytes) -> None:
        sums = {"output": sha256(output), "bad": hashlib.sha256(bad).hexdigest()}
        write_json(self.folder / "written", sums)

    def has_written(self, path: Path) -> bool:
        with suppress(RegardError, OSError):
            sums = read_object(self.folder / "written")
            return sha256(path) in sums.values()
        return False

    def tidy(self) -> None:
        for unfinished in self.folder.parent.glob(f".{escape(self.folder.name)}.*.part"):
            _remove(unfinished)

    def end(self, say: Say) -> None:
        """Remove the parts, and the folder where nothing else is in it."""
        if all(map(_is_ours, self.folder.iterdir())):  # at once: it is a job's folder, or is not
            folder = self._unfinished()
            os.rename(self.folder, folder)
            sync(folder)
            _remove(folder)
        else:
            _remove(self.folder)
            say(f"{self.folder} stays, since it has files that are not of the job.")

    def _paths(self) -> dict[int, Path]:
        """Return the parts by their numbers."""
        every = ((path, _OURS.fullmatch(path.name)) for path in self.folder.glob("part-*"))
        return {int(match["number"]): path for path, match in every if match and match["sum"]}

    def _unfinished(self) -> Path:
        """Return the folder's name while it is made, or removed."""
        return self.folder.with_name(f".{self.folder.name}.{os.getpid()}.part")

    def _bad(self, number: int) -> Path:
        return self.folder / f"bad-{number:08d}"

    def _sum(self, number: int, content: bytes, bad: bytes) -> str:
        digest = hashlib.sha256(f"{self._id} {number} {len(bad)}\n".encode())
        digest.update(bad)
        digest.update(content)
        return digest.hexdigest()

    def _create(self, job: Mapping[str, Any]) -> None:
        """Make the folder with its job at once, so that one without is not a job's."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        new = self._unfinished()
        try:
            new.mkdir()
            write_json(new / "job.json", job)
            with suppress(OSError):  # another process was first
                os.rename(new, self.folder)
                sync(self.folder)
        finally:
            _remove(new)

    def _recorded(self) -> dict[str, Any]:
        """Return the job of the folder.

        Raises:
            BadArgumentError: it is no job's folder.
        """
        with suppress(RegardError, OSError):
            job = read_object(self.folder / "job.json")
            if not self.folder.is_symlink() and {"settings", "sums"} <= job.keys():
                return job
        raise BadArgumentError(
            f"{self.folder} is in the way, and is not the folder of a job: it has no job.json that"
            " says what its parts are. Move it, or give another output; it stays as it is."
        )

    def _compare(self, recorded: Mapping[str, Any], job: Mapping[str, Any]) -> None:
        """Raise BadArgumentError where the folder's job is another one."""
        again = "or add --no-resume to start again."
        before, now = recorded["settings"], job["settings"]
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                raise BadArgumentError(
                    f"{self.folder} holds a job with {name}={before.get(name)!r}; got"
                    f" {now.get(name)!r}. Give the same value to continue it, {again}"
                )
        if recorded["sums"] != job["sums"]:
            other = sorted(set(recorded["sums"].items()) ^ set(job["sums"].items()))
            raise BadArgumentError(
                f"{self.folder} holds a job over other files, or over these before they changed:"
                f" {other[0][0]}. Give what was there to continue it, {again}"
            )

    def _take_up(self, say: Say) -> None:
        """Remove the parts that are not as they were written."""
        for number, path in self._paths().items():
            try:
                self.read(number)
            except DamagedFileError:
                say(f"{path} was changed after it was written; it is computed again.")
                for file in (*self.folder.glob(f"part-{number:08d}*"), self._bad(number)):
                    file.unlink(missing_ok=True)

    def _remove_unfinished(self) -> None:
        """Remove what killed processes left half-written."""
        for path in (self.output, self.output.with_name(f"{self.output.name}.bad.jsonl")):
            for unfinished in path.parent.glob(f".{escape(path.name)}.*.part"):
                if unfinished.is_file():
                    unfinished.unlink(missing_ok=True)

    def _remove_parts(self) -> None:
        for path in self.folder.iterdir():
            if _is_ours(path) and path.name not in ("job.json", "written", ".lock"):
                path.unlink(missing_ok=True)


def _is_ours(path: Path) -> bool:
    """Return whether a job wrote a file of its folder."""
    unfinished = re.fullmatch(r"\.(part-|bad-|job\.json|written).*\.part", path.name)
    whole = path.name == "job.json" or _OURS.fullmatch(path.name)
    return bool(whole or unfinished) and path.is_file()


def _remove(folder: Path) -> None:
    """Remove a folder that a job has, but for what is not its own."""
    with suppress(OSError):
        for path in folder.iterdir():
            if _is_ours(path):
                path.unlink()
        folder.rmdir()
