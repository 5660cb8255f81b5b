"""kill -9 at any moment of training, and signals that ask it to end: resumed, it ends with the bits
of a run that was left alone."""

import json
import os
import re
import shutil
import signal
import time
from pathlib import Path
from random import Random

from attack.forks import Changes, Child, Row, parts_left, scratch
from fixtures.tasks import OPTIONS, options, write_data

# A shorter run has a larger part of its time in checkpoints.
SHORTER = ["--max-steps", "12", "--eval-every", "3", "--average", "2"]
TASKS = tuple(OPTIONS)


def command(task: str, folder: Path) -> list[str]:
    """The training of a task in the folder's run/."""
    data = write_data(task, folder)
    return ["train", task, str(data), *options(task), *SHORTER, "--output", str(folder / "run")]


def contents(run: Path, *, checkpoints: bool = True) -> dict[str, str | bytes]:
    """What is the same whenever the run was killed: all but times."""
    found: dict[str, str | bytes] = {}
    for file in sorted(run.rglob("*")):
        name = file.relative_to(run).as_posix()
        if not file.is_file() or name.startswith(("data/", ".lock")):
            continue
        if name == "log.jsonl":
            entries = map(json.loads, file.read_text().splitlines())
            kept = [{k: v for k, v in e.items() if "seconds" not in k} for e in entries]
            found[name] = json.dumps(kept)
        elif name.startswith("checkpoints/"):
            if file.suffix == ".safetensors" and checkpoints:
                found[name] = file.read_bytes()
        elif file.name == "README.md":
            found[name] = re.sub(r"(?m)^minutes: .*$|[0-9.]+ minutes?", "", file.read_text())
        else:
            found[name] = file.read_bytes()
    return found


def difference(whole: dict[str, str | bytes], other: dict[str, str | bytes]) -> str:
    """The names of the files that differ."""
    names = sorted(whole.keys() | other.keys())
    return ", ".join(name for name in names if whole.get(name) != other.get(name))


class Killing:
    """A task's training, which is killed, and what it comes to if it is not."""

    def __init__(self, task: str, folder: Path):
        self.folder, self.run, self.said = folder, folder / "run", folder / "said"
        self.command, self.changes = command(task, folder), Changes()
        started = time.monotonic()
        child = Child(self.command, self.said, self.changes.watch)
        if child.wait() != 0:
            raise SystemExit(f"the training of {task} fails: {child.said}")
        self.seconds, self.events = time.monotonic() - started, self.changes.count
        self.whole, self.ended = contents(self.run), contents(self.run, checkpoints=False)
        shutil.rmtree(self.run)

    def killed(self, random: Random) -> int:
        """Starts or resumes the run and kills it: at a random time, or before a change of a file.
        Returns how it ended, 0 where it was faster."""
        if random.random() < 0.5:
            place = random.randint(1, self.events)
            return Child(self.command, self.said, lambda: self.changes.watch(place)).wait()
        child = Child(self.command, self.said)
        return self.after(child, random.uniform(0, self.seconds), signal.SIGKILL)

    def after(self, child: Child, seconds: float, number: int) -> int:
        """How a child ends that gets a signal after some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.001)
        child.send(number)
        return child.wait()


def kills(task: str, tries: int, seed: int) -> Row:
    """kill -9 so many times, over as many runs as are ended meanwhile."""
    row, random = Row(f"kill -9, {task}"), Random(seed)
    with scratch() as folder:
        killing = Killing(task, folder)
        while row.tries < tries:
            code = -signal.SIGKILL
            while code == -signal.SIGKILL:
                if row.tries < tries:
                    code = killing.killed(random)
                    row.tries += code == -signal.SIGKILL
                else:
                    code = Child(killing.command, killing.said).wait()
            if code == 0:
                changed = difference(killing.whole, contents(killing.run))
                row.expect(not changed, f"not the same bits: {changed}")
            else:
                row.expect(False, f"exit {code}: {killing.said.read_text()[-300:]}")
            left = parts_left(killing.run)
            row.expect(not left, f"left behind: {left}")
            shutil.rmtree(killing.run, ignore_errors=True)
    return row


def signals(task: str, tries: int, seed: int) -> Row:
    """SIGTERM and Ctrl-C so many times each: nothing half-written stays, and the run goes on."""
    row, random = Row(f"SIGTERM, SIGINT, {task}"), Random(seed)
    with scratch() as folder:
        killing = Killing(task, folder)
        for number in (signal.SIGTERM, signal.SIGINT):
            for _ in range(tries):
                child = Child(killing.command, killing.said)
                code = killing.after(child, random.uniform(0, killing.seconds), number)
                row.tries += 1
                # Before the command has begun, the signal itself ends it; in training SIGTERM is
                # a Ctrl-C.
                known = (0, 128 + number, 130, -number)
                row.expect(code in known, f"exit {code}: {child.said[-300:]}")
                # Python says so where the signal came in a destructor, and goes on.
                if "Exception ignored" not in child.said:
                    row.expect("Traceback" not in child.said, child.said[-300:])
                left = parts_left(killing.run)
                row.expect(not left, f"left behind: {left}")
                if code == 0:
                    _compare(row, killing)
        code = Child(killing.command, killing.said).wait()
        row.expect(code == 0, f"exit {code}: {killing.said.read_text()[-300:]}")
        _compare(row, killing)
    return row


def _compare(row: Row, killing: Killing) -> None:
    """A run that was asked to end has other checkpoints, of steps between evaluations."""
    changed = difference(killing.ended, contents(killing.run, checkpoints=False))
    row.expect(not changed, f"not the same bits: {changed}")
    shutil.rmtree(killing.run)
