"""Models of a page that computes by itself: its worker, as it was built, in a process of Node."""

from __future__ import annotations

import atexit
import base64
import gzip
import json
import os
import re
import select
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fuzz.small_models import small_model
from regard.checkpoints import open_checkpoint
from regard.errors import RegardError
from regard.studio.live_model import content
from regard.studio.page import ENGINES, STATIC
from regard.tasks.kinds import kind_of
from regard.tasks.loading import task_class
from regard.tasks.looking import describe

TEXT = "the dog"
MODELS = ("translation", "classification", "language-model")
SECONDS = 10  # of the processor for a model
# What WebAssembly says where a check is missing: the page may then be in any state.
TRAPS = re.compile(
    r"access out of bounds|unreachable|by zero|overflow|signature|null function|RuntimeError"
)
EVERY = 20  # after which an undamaged model must answer as before


class Worker:
    """A process in which the page's worker runs."""

    def __init__(self) -> None:
        files = [Path(__file__).with_name("page.mjs"), STATIC / "worker.js", *ENGINES]
        self._process = subprocess.Popen(
            ["node", "--max-old-space-size=1024", *map(str, files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

        atexit.register(self.end)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, model: bytes, weights: bytes) -> str:
        """Open a model and trace a text; what the worker says of it.

        Raises:
            RuntimeError: it ended, or it takes longer than SECONDS.
        """
        parts = [base64.b64encode(gzip.compress(part, 1)).decode() for part in (model, weights)]
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([*parts, TEXT]).encode() + b"\n")
        stdin.flush()
        begun = self._spent()
        while not select.select([stdout], [], [], 0.5)[0]:
            if self._spent() - begun > SECONDS:
                self.end()
                raise RuntimeError(f"the page's worker computes for {SECONDS} s")
        line = stdout.readline()
        if not line:
            raise RuntimeError(f"the page's worker ended with {self._process.wait()}")
        said: str = json.loads(line)
        return said

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _spent(self) -> float:
        """Seconds of the processor."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


_state: dict[str, Any] = {"asked": 0}


def make_page(folder: Path) -> list[str]:
    """For each model its description and its weights, as a page has them unpacked."""
    names = []
    for kind in MODELS:
        checkpoint = open_checkpoint(small_model(kind))
        task = task_class(kind_of(checkpoint)).load(checkpoint, name=kind, lazily=True)
        description, weights = content(task)
        info = asdict(describe(str(small_model(kind)), lambda name: None, name=kind))
        (folder / f"{kind}.json").write_text(json.dumps({"info": info, **description}))
        (folder / f"{kind}.bin").write_bytes(weights)
        names += [f"{kind}.json", f"{kind}.bin"]
    for kind in MODELS:
        _state[kind] = _valid(folder, kind)
    return names


def read_page(folder: Path, name: str) -> None:
    kind = name.partition(".")[0]
    said = _asked(folder, kind)
    if TRAPS.search(said):
        raise RuntimeError(said)
    _state["asked"] += 1
    if _state["asked"] % EVERY == 0 and kind in _state:
        other = next(each for each in MODELS if each != kind)
        if (again := _asked(folder, other)) != _state[other]:
            raise RuntimeError(f"another model says {again[:200]}, not {_state[other][:200]}")
    if not said.startswith("{"):
        raise RegardError(said)


def _asked(folder: Path, kind: str) -> str:
    worker = _state.get("worker")
    if worker is None or not worker.is_alive():
        worker = _state["worker"] = Worker()
    said: str = worker.ask(
        (folder / f"{kind}.json").read_bytes(), (folder / f"{kind}.bin").read_bytes()
    )
    return said


def _valid(folder: Path, kind: str) -> str:
    said = _asked(folder, kind)
    if not said.startswith("{"):
        raise RuntimeError(f"the page cannot run {kind}: {said}")
    return said
