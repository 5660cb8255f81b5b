"""What a job depends on is changed under it, or between a kill and the resume: never unseen."""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fixtures.jobs import UpperCase, run
from regard.checkpoints import shipped
from regard.cli.jobs import local
from regard.cli.jobs.parts import Part
from regard.cli.jobs.worker import Worker
from regard.errors import RegardError, UnavailableError

TRIES = 3
LINES, SIZE = 24, 3
FILES = ("a", "b")


@dataclass
class World:
    """Files of a job, and what changes them."""

    draw: random.Random

    def input(self) -> Path:
        return Path("in") / f"{self.draw.choice(FILES)}.jsonl"

    def part(self) -> Path:
        return self.draw.choice(sorted(Path("out.jsonl.parts").glob("part-*")))

    def flip(self, path: Path) -> None:
        """Change one byte in place."""
        content = bytearray(path.read_bytes())
        content[self.draw.randrange(len(content))] ^= 1 << self.draw.randrange(8)
        path.write_bytes(content)

    def back(self, path: Path) -> None:
        """Change one byte, and set the time back."""
        about = path.stat()
        self.flip(path)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))

    def replace(self, path: Path) -> None:
        """Put a file of the same size in its place."""
        new = path.with_name("new")
        new.write_bytes(path.read_bytes().replace(b"text", b"next"))
        os.replace(new, path)

    def twice(self, path: Path) -> None:
        """Change a file, and change it back."""
        content = path.read_bytes()
        path.write_bytes(content.replace(b"text", b"next"))
        path.write_bytes(content)

    def add(self, path: Path, content: str, *, first: bool = False) -> None:
        before = path.read_text()
        path.write_text(content + before if first else before + content)

    def set(self, path: Path, **values: Any) -> None:
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    def swap(self) -> None:
        """Give a part the content of another."""
        one, other = self.draw.sample(sorted(Path("out.jsonl.parts").glob("part-*")), 2)
        one.write_bytes(other.read_bytes())


MODEL = Path("model")
Change = Callable[[World], object]
LINE = '{"text": "one more"}\n'
UNDER: dict[str, Change] = {  # a run
    "a byte of the input": lambda world: world.flip(world.input()),
    "a byte of the input, at its old time": lambda world: world.back(world.input()),
    "the input is replaced": lambda world: world.replace(world.input()),
    "the input is changed, and changed back": lambda world: world.twice(world.input()),
    "a line at the end of the input": lambda world: world.add(world.input(), LINE),
    "a line at the start of the input": lambda world: world.add(world.input(), LINE, first=True),
    "the input is cut": lambda world: os.truncate(world.input(), 40),
    "the input is removed": lambda world: world.input().unlink(),
    "a file is added to the folder": lambda world: Path("in/c.jsonl").write_text(LINE),
    "a byte of the weights": lambda world: world.flip(MODEL / "model.safetensors"),
    "a byte of the weights, at their old time": lambda world: world.back(
        MODEL / "model.safetensors"
    ),
    "the config": lambda world: world.set(MODEL / "config.json", dropout=0.5),
    "the tokenizer": lambda world: world.set(MODEL / "tokenizer.json", version="2.0"),
    "the settings of decoding": lambda world: world.set(
        MODEL / "generation_config.json", max_new_tokens=3
    ),
    "the glossary": lambda world: world.add(Path("terms.tsv"), "dog\tDogge\n"),
    "a bit of a part": lambda world: world.flip(world.part()),
    "a part is cut": lambda world: os.truncate(world.part(), 10),
    "a part has the content of another": lambda world: world.swap(),
    "a part is removed": lambda world: world.part().unlink(),
    "the bad lines": lambda world: world.flip(next(Path("out.jsonl.parts").glob("bad-*"))),
}
MENDED = (  # by computing one part again
    "the input is changed, and changed back",
    "a bit of a part",
    "a part is cut",
    "a part has the content of another",
    "a part is removed",
    "the bad lines",
)


@pytest.fixture
def clean(folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The output where nothing changes; the files of the job are there."""
    shutil.copytree(shipped.SHIPPED["shakespeare"].folder, MODEL)
    if not (MODEL / "generation_config.json").exists():
        (MODEL / "generation_config.json").write_text("{}")
    Path("in").mkdir()
    Path("terms.tsv").write_text("house\tHaus\n")
    for name in FILES:
        texts = [f"text {name} {k}" if k % SIZE else "too long" for k in range(LINES // 2)]
        lines = (json.dumps({"text": text}) + "\n" for text in texts)
        Path("in", f"{name}.jsonl").write_text("".join(lines))
    answer()
    content = Path("out.jsonl").read_bytes()
    for path in ("out.jsonl", "out.jsonl.bad.jsonl"):
        os.unlink(path)
    return content


def answer() -> Any:
    return run("in", "out.jsonl", model=str(MODEL), shard_size=SIZE, glossary="terms.tsv")


def changing(change: Callable[[], object], after: int, *, end: bool) -> Any:
    """Workers that change something after so many parts, and then end with the power or go on."""

    def parts(command: Any, shards: Any, **_: Any) -> Iterator[Part]:
        with closing(Worker(command)) as worker:
            for k, shard in enumerate(shards):
                if k == after:
                    if end:
                        raise UnavailableError("the power failed.")
                    change()
                yield worker(shard)

    return parts


@pytest.mark.parametrize("kind", UNDER)
@pytest.mark.parametrize("resumed", [False, True], ids=["under a run", "before a resume"])
def test_a_change_is_seen_and_nothing_is_mixed(
    kind: str,
    resumed: bool,
    clean: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(".", "../before", dirs_exist_ok=True)
    for seed in range(TRIES):
        world = World(random.Random(seed))
        after = world.draw.randrange(2, LINES // SIZE - 1)
        with monkeypatch.context() as patch:
            change = lambda world=world: UNDER[kind](world)  # noqa: E731
            patch.setattr(local, "parts", changing(change, after, end=resumed))
            with pytest.raises(RegardError):
                answer()
        if resumed:
            change()
        assert not Path("out.jsonl").exists()
        capsys.readouterr()
        if kind in MENDED:
            again = answer().resumed
            assert Path("out.jsonl").read_bytes() == clean
            assert again
        else:
            with pytest.raises(RegardError):
                answer()
            assert not Path("out.jsonl").exists()
        shutil.rmtree(".", ignore_errors=True)
        shutil.copytree("../before", ".", dirs_exist_ok=True)
