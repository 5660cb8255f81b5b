"""Commands in children of a process that has imported everything, so that a second is enough to
start, kill and resume several."""

import os
import pkgutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from mmap import mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

import regard
from regard.cli.main import main

SHARED = Path("/dev/shm")  # memory, where there is such a folder
SECONDS = 60.0  # that any command may take here
# What begins a change of files. A file that is only read is opened without one of these flags.
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass
class Row:
    """What was tried, how often, and what went wrong."""

    what: str
    tries: int = 0
    failures: list[str] = field(default_factory=list)

    def expect(self, holds: bool, said: str) -> None:
        if not holds:
            self.failures.append(said)


def prepare() -> None:
    """Imports what the commands do. A child may be made as long as there is one thread."""
    torch.set_num_threads(1)
    for module in pkgutil.walk_packages(regard.__path__, "regard."):
        if module.name != "regard.__main__":
            with suppress(ImportError):
                import_module(module.name)
    for name in ("torch._dynamo", "sacrebleu", "rouge_score.rouge_scorer", "sklearn.metrics"):
        with suppress(ImportError):
            import_module(name)
    tasks = Path("/proc/self/task")
    assert not tasks.is_dir() or len(list(tasks.iterdir())) == 1, "a thread has begun"


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that goes; in memory where that is possible."""
    with TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        yield Path(folder)


class Changes:
    """Counts the changes of files that children make, and kills the one that makes a given one."""

    def __init__(self) -> None:
        self._shared = memoryview(mmap(-1, 8)).cast("q")

    @property
    def count(self) -> int:
        return self._shared[0]

    def watch(self, kill_at: int | None = None) -> None:
        """Called in a child."""
        self._shared[0] = 0
        sys.addaudithook(lambda event, args: self._heard(event, args, kill_at))

    def _heard(self, event: str, args: tuple[Any, ...], kill_at: int | None) -> None:
        if event in CHANGES or (event == "open" and args[2] & WRITING):
            self._shared[0] += 1
            if self._shared[0] == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)


class Child:
    """A command that runs.

    Args:
        said: the file that gets what it prints.
        before: called in the child, before the command.
    """

    def __init__(
        self, arguments: Sequence[object], said: Path, before: Callable[[], None] = lambda: None
    ):
        self._said = said
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os._exit(_run(list(map(str, arguments)), said, before))

    @property
    def said(self) -> str:
        return self._said.read_text(errors="replace") if self._said.exists() else ""

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit code; of one that a signal ended, the signal's negative. One that takes longer
        is killed, and what it was doing last is in what it said.

        Raises:
            TimeoutError: it took longer.
        """
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > end:
                self.send(signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise TimeoutError(f"not done in {seconds:g} s: {self.said[-300:]}")
            time.sleep(0.002)


def _run(arguments: list[str], said: Path, before: Callable[[], None]) -> int:
    code: Any = 1
    try:
        file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before()
        main(arguments)
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    return code if isinstance(code, int) else 1


def in_child(work: Callable[[], object]) -> None:
    """Does it in a child, whose threads are not ours."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    if os.waitpid(pid, 0)[1] != 0:
        raise SystemExit("what is attacked could not be made")


def is_one_sentence(said: str) -> bool:
    """Whether the last line is a refusal in our words, and there is no traceback."""
    last = said.strip().splitlines()[-1:] or [""]
    return "Traceback" not in said and last[0].startswith("regard: ")


def parts_left(folder: Path) -> list[str]:
    """What was left half-written."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*.part")]
