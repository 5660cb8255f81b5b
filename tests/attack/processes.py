"""kill -9 of one of two processes that train together: the other ends with one sentence, torchrun
with a code, and the same command ends with the bits of a run that was left alone."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from attack.forks import SECONDS, Child, Row, is_one_sentence, parts_left, scratch
from attack.kills import command, contents, difference

TASK = "language-model"
BEGUN = "2 processes each have the model"  # which the first says once they have found each other


class Pair:
    """A training by two processes, in the folder's run/."""

    def __init__(self, folder: Path):
        self.folder, self.run, self.command = folder, folder / "run", command(TASK, folder)

    def start(self) -> list[Child]:
        """Start both, as torchrun does."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
        common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
        return [
            Child(
                self.command,
                self.folder / f"said {rank}",
                lambda rank=str(rank): os.environ.update(common, RANK=rank, LOCAL_RANK=rank),
            )
            for rank in range(2)
        ]

    def wait_for_beginning(self, child: Child) -> None:
        """Wait until they train.

        Raises:
            TimeoutError: they have not begun.
        """
        end = time.monotonic() + SECONDS
        while BEGUN not in child.said:
            if time.monotonic() > end:
                raise TimeoutError(f"not begun in {SECONDS:g} s: {child.said[-300:]}")
            time.sleep(0.01)

    def torchrun(self) -> "subprocess.Popen[str]":
        """Start both by torchrun."""
        start = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
        return subprocess.Popen(
            [sys.executable, *start, "-m", "regard", *self.command],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )


def kills(tries: int, seed: int) -> Row:
    """Kill one of two so often, over as many runs as are ended meanwhile."""
    row, chance = Row(f"kill -9 of one of two processes, {TASK}"), Random(seed)
    with scratch() as folder:
        pair = Pair(folder)
        whole, seconds = _uninterrupted(pair)
        while row.tries < tries:
            children = pair.start()
            pair.wait_for_beginning(children[0])
            time.sleep(chance.uniform(0, seconds))
            victim, other = chance.sample(children, 2)
            victim.send(signal.SIGKILL)
            row.tries += 1
            codes = victim.wait(), other.wait()
            if codes[1] == 0:  # both had done their part, or the other one wrote the last file
                _resume(row, pair, whole)
                continue
            row.expect(codes == (-signal.SIGKILL, 2), f"exit {codes}: {other.said[-300:]}")
            row.expect(is_one_sentence(other.said), other.said[-300:])
            if chance.random() < 0.3:
                _resume(row, pair, whole)
        _resume(row, pair, whole)
    return row


def kills_by_torchrun(tries: int, seed: int) -> Row:
    """Kill one of torchrun's two so often, at any time from its start on."""
    row, chance = Row(f"kill -9 of one of torchrun's two, {TASK}"), Random(seed)
    with scratch() as folder:
        pair = Pair(folder)
        whole, seconds = _uninterrupted(pair)
        for _ in range(tries):
            started = pair.torchrun()
            workers = _children(started.pid)
            time.sleep(chance.uniform(0, 4 * seconds))
            row.tries += 1
            try:
                os.kill(chance.choice(workers), signal.SIGKILL)
                started.communicate(timeout=SECONDS)
                row.expect(started.returncode != 0, "torchrun ended with 0")
            except ProcessLookupError:
                started.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                started.kill()
                row.expect(False, f"torchrun goes on {SECONDS:g} s after a worker was killed")
            _resume(row, pair, whole)
    return row


def _uninterrupted(pair: Pair) -> tuple[dict[str, str | bytes], float]:
    """Return the files of a run that no one kills, and the seconds from its beginning."""
    children = pair.start()
    pair.wait_for_beginning(children[0])
    begun = time.monotonic()
    if any(child.wait() for child in children):
        raise SystemExit(f"two processes cannot train: {children[0].said}")
    whole, seconds = contents(pair.run), time.monotonic() - begun
    shutil.rmtree(pair.run)
    return whole, seconds


def _resume(row: Row, pair: Pair, whole: dict[str, str | bytes]) -> None:
    """Give the same command again, compare what it comes to, and remove it."""
    children = pair.start()
    codes = [child.wait() for child in children]
    row.expect(codes == [0, 0], f"resumed: exit {codes}: {children[0].said[-300:]}")
    changed = difference(whole, contents(pair.run))
    row.expect(not changed, f"not the same bits: {changed}")
    row.expect(not (left := parts_left(pair.run)), f"left behind: {left}")
    shutil.rmtree(pair.run, ignore_errors=True)


def _children(pid: int) -> list[int]:
    """Wait for the two workers of torchrun."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        workers = [
            pid for pid in children if b"regard" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        if len(workers) == 2:
            return [*map(int, workers)]
        time.sleep(0.01)
    raise TimeoutError("torchrun started no two workers")
