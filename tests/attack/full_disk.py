"""A disk that is full wherever a command meets it: one sentence, what was there is whole, nothing
half-written stays, and with room the same command ends as it should."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from attack.forks import Child, Row, in_child, is_one_sentence, parts_left, scratch
from attack.kills import command, contents, difference
from fuzz.small_models import TEXT, small_translator

SIZE = 2**28  # bytes of the disk


class Disk:
    """A folder with as little room as is asked for: a file system in memory, where one may be
    mounted; elsewhere files may not become longer than the room."""

    def __init__(self, path: Path):
        self.path, self._ballast = path, path / ".ballast"
        path.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(path)]
        self.mounted = (
            sys.platform == "linux"
            and not subprocess.run(mount, capture_output=True, check=False).returncode
        )

    def used(self) -> int:
        """Bytes."""
        files = (file for file in self.path.rglob("*") if file != self._ballast)
        return sum(-(-file.lstat().st_size // 4096) * 4096 for file in files)

    def fill(self, room: int) -> None:
        """Leaves so many bytes."""
        if self.mounted:
            state = os.statvfs(self.path)
            with self._ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - room)

    def clear(self) -> None:
        """Gives the room back."""
        self._ballast.unlink(missing_ok=True)

    def limited(self, room: int) -> Callable[[], None]:
        """What a child does first."""

        def limit() -> None:
            import resource

            if not self.mounted and room < SIZE:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        return limit

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", str(self.path)], check=True)


@contextmanager
def full_disk(folder: Path) -> Iterator[Disk]:
    disk = Disk(folder / "disk")
    try:
        yield disk
    finally:
        disk.close()


@dataclass
class Case:
    """A command that writes to out on the disk.

    Args:
        keeps: whether what was there before is there again when the command has failed; training
            goes on instead.
    """

    what: str
    arguments: Callable[[Path, Path], list[Any]]
    keeps: bool = True
    out: str = "out"


def _train(task: str) -> Callable[[Path, Path], list[Any]]:
    def arguments(folder: Path, out: Path) -> list[Any]:
        return [*command(task, folder)[:-1], out]

    return arguments


def _with_model(*arguments: Any) -> Callable[[Path, Path], list[Any]]:
    places = {"MODEL": lambda folder, out: folder / "model", "OUT": lambda folder, out: out}

    def make(folder: Path, out: Path) -> list[Any]:
        return [places[each](folder, out) if each in places else each for each in arguments]

    return make


CASES = [
    Case("train language-model", _train("language-model"), keeps=False),
    Case("train classification", _train("classification"), keeps=False),
    Case("train translation", _train("translation"), keeps=False),
    Case("look --save", _with_model("look", "MODEL", TEXT, "--save", "OUT"), out="out.safetensors"),
    Case("look --html", _with_model("look", "MODEL", TEXT, "--html", "OUT"), out="out.html"),
]
SHORT = ("train language-model", "look --save")


def full(case: Case, tries: int, seed: int) -> Row:
    """So many amounts of room, from none to nearly enough."""
    row, random = Row(f"disk full, {case.what}"), Random(seed)
    with scratch() as folder, full_disk(folder) as disk:
        in_child(lambda: small_translator()[0].save(folder / "model"))
        out, said = disk.path / case.out, folder / "said"
        arguments = case.arguments(folder, out)
        child = Child(arguments, said, disk.limited(SIZE))
        if child.wait() != 0:
            raise SystemExit(f"{case.what} fails: {child.said}")
        needed, whole = disk.used(), _content(out)
        for _ in range(tries):
            before = whole if case.keeps else {}
            if not before:
                _remove(out)
            # What is there takes room of its own, which is not what the command needs.
            room = random.randrange(needed) if disk.mounted else random.randrange(needed // 4)
            disk.fill(room)
            child = Child(arguments, said, disk.limited(room))
            code = child.wait()
            disk.clear()
            row.tries += 1
            row.expect(code in (0, 2), f"exit {code}: {child.said[-600:]}")
            if code:
                row.expect(is_one_sentence(child.said), f"room {room}: {child.said[-600:]}")
            row.expect(not (left := parts_left(disk.path)), f"left behind: {left}")
            if code and case.keeps:
                row.expect(not (of := difference(before, _content(out))), f"what was there: {of}")
            code = Child(arguments, said, disk.limited(SIZE)).wait()
            row.expect(code == 0, f"with room: exit {code}: {child.said[-600:]}")
            changed = difference(whole, _content(out))
            row.expect(not changed, f"with room: not the same: {changed}")
    return row


def _content(out: Path) -> dict[str, str | bytes]:
    if out.is_file():
        return {"": out.read_bytes()}
    return {} if not out.exists() else contents(out)


def _remove(out: Path) -> None:
    if out.is_dir():
        shutil.rmtree(out)
    else:
        out.unlink(missing_ok=True)
