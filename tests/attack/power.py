"""The power goes at any change of a file: what a program has synced is there, of the rest some. The
same command, given again, ends with what it gives when it is left alone."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import regard
from attack.forks import Child, Row, in_child, parts_left, scratch
from attack.kills import command, contents
from attack.tracing import AVAILABLE, Change, record
from fuzz.small_models import TEXT, small_translator
from regard.checkpoints import hub

# What the disk has of changes that were not synced: names of files, and their contents.
WAYS = ("all", "none", "names", "in order", "any")


@dataclass(eq=False)
class File:
    """A file: its bytes, those on the disk, and the changes between them."""

    now: bytearray = field(default_factory=bytearray)
    disk: bytes = b""
    waiting: list[Change] = field(default_factory=list)

    def change(self, change: Change) -> None:
        _apply(self.now, change)
        self.waiting.append(change)

    def sync(self) -> None:
        self.disk = bytes(self.now)
        self.waiting.clear()

    def after(self, random: Random, way: str) -> bytes:
        """Return what the disk has when the power has gone."""
        if way in ("in order", "any"):
            way = random.choice(("all", "none", "some", "zeros", "short"))
        if way == "all":
            return bytes(self.now)
        if way == "zeros":  # the length is on the disk, the content is not
            return self.disk[: len(self.now)].ljust(len(self.now), b"\0")
        if way == "short":
            return bytes(self.now[: random.randint(0, len(self.now))]) if self.waiting else self.disk
        content = bytearray(self.disk)
        for change in self.waiting if way == "some" else ():
            if random.random() < 0.5:
                _apply(content, change)
        return bytes(content)


@dataclass(eq=False)
class Folder:
    """A folder: its names, and those on the disk."""

    now: dict[str, "Node"] = field(default_factory=dict)
    disk: dict[str, "Node"] = field(default_factory=dict)


Node = File | Folder | str  # the last is a link with its target
Names = list[tuple[Folder, str, Node | None]]  # change together; None: the name goes


class Disk:
    """A folder of which the disk has less than a program sees.

    A sync of a file or a folder puts the new folders above it on the disk, too, as file systems
    with a journal do; a file's own name is there when its folder was synced.
    """

    def __init__(self, root: Path):
        self.root, self.top = root, self._read(root)
        self._waiting = list[Names]()

    def _read(self, path: Path) -> Folder:
        folder = Folder()
        for inside in sorted(path.iterdir()):
            if inside.is_symlink():
                folder.now[inside.name] = os.readlink(inside)
            elif inside.is_dir():
                folder.now[inside.name] = self._read(inside)
            else:
                content = inside.read_bytes()
                folder.now[inside.name] = File(bytearray(content), content)
        folder.disk = dict(folder.now)
        return folder

    def _place(self, path: str) -> tuple[Folder, str]:
        folder: Node = self.top
        *above, name = Path(path).relative_to(self.root).parts
        for each in above:
            assert isinstance(folder, Folder)
            folder = folder.now[each]
        assert isinstance(folder, Folder)
        return folder, name

    def change(self, change: Change) -> None:
        """Take up a change that the program made."""
        if change.kind == "sync":
            self._sync(change.path)
            return
        folder, name = self._place(change.path)
        if change.kind in ("write", "cut"):
            file = folder.now[name]
            assert isinstance(file, File)
            file.change(change)
            return
        new: dict[str, Callable[[], Node]] = {
            "create": File,
            "mkdir": Folder,
            "symlink": lambda: change.other,
        }
        if change.kind in new:
            self._rename([(folder, name, new[change.kind]())])
        elif change.kind == "remove":
            self._rename([(folder, name, None)])
        elif change.kind == "link":
            self._rename([(*self._place(change.other), folder.now[name])])
        else:
            assert change.kind == "rename"
            node = folder.now[name]
            self._rename([(folder, name, None), (*self._place(change.other), node)])

    def _rename(self, names: Names) -> None:
        for folder, name, node in names:
            _name(folder.now, name, node)
        self._waiting.append(names)

    def _sync(self, path: str) -> None:
        node: Node = self.top
        if Path(path) != self.root:
            folder, name = self._place(path)
            node = folder.now[name]
        above = {self.top, node}
        for part in Path(path).relative_to(self.root).parents:
            if part.parts:
                inside, name = self._place(str(self.root / part))
                above.add(inside.now[name])
        if isinstance(node, File):
            node.sync()

        def is_synced(names: Names) -> bool:
            made = len(names) == 1 and isinstance(names[0][2], Folder) and names[0][2] in above
            return made or any(folder is node for folder, _, _ in names)

        synced = [names for names in self._waiting if is_synced(names)]
        self._waiting = [names for names in self._waiting if not is_synced(names)]
        for names in synced:
            for folder, name, other in names:
                _name(folder.disk, name, other)

    def cut(self, random: Random, way: str) -> Folder:
        """Return what the disk has when the power goes: the names of its files, as they are."""
        kept = list(self._waiting)
        if way == "none":
            kept = []
        elif way == "in order":
            kept = kept[: random.randint(0, len(kept))]
        elif way == "any":  # a change of a name comes after what came before it with that name
            chosen, seen = list[Names](), set[tuple[int, str]]()
            for names in reversed(kept):
                keys = {(id(folder), name) for folder, name, _ in names}
                if keys & seen or random.random() < 0.5:
                    chosen.append(names)
                    seen |= keys
            kept = chosen[::-1]
        copies = dict[int, Folder]()
        top = _copy(self.top, copies)
        for names in kept:
            for folder, name, node in names:
                inside = _copy(folder, copies)
                _name(inside.disk, name, _copy(node, copies) if isinstance(node, Folder) else node)
        return top

    def restore(self, folder: Folder, random: Random, way: str) -> None:
        """Write what is left in place of what is there."""
        shutil.rmtree(self.root)
        written = dict[int, Path]()

        def write(path: Path, node: Node) -> None:
            if isinstance(node, str):
                path.symlink_to(node)
            elif isinstance(node, Folder):
                path.mkdir()
                for name, inside in node.disk.items():
                    write(path / name, inside)
            elif id(node) in written:
                os.link(written[id(node)], path)
            else:
                path.write_bytes(node.after(random, way))
                written[id(node)] = path

        write(self.root, folder)


def _copy(folder: Folder, copies: dict[int, Folder]) -> Folder:
    """Return the folder as the disk has it; each one once."""
    if id(folder) not in copies:
        copies[id(folder)] = copy = Folder()
        copy.disk = {
            name: _copy(node, copies) if isinstance(node, Folder) else node
            for name, node in folder.disk.items()
        }
    return copies[id(folder)]


def _name(names: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _apply(content: bytearray, change: Change) -> None:
    if change.kind == "cut":
        del content[change.at :]
        content.extend(bytes(change.at - len(content)))
    else:
        content.extend(bytes(max(0, change.at - len(content))))
        content[change.at : change.at + len(change.data)] = change.data


@dataclass
class Case:
    """A command that writes below a folder.

    Args:
        begin: makes what the command reads in a first folder, and returns its arguments; what it
            writes is below the second.
        lasting: parts of names of what, once whole, is not lost when anything is written after it.
        whole: the names that are as before, or as after, at any time.
        twice: whether the command is given once before, so that it writes over what is there.
        before: called in the process of the command.
    """

    what: str
    begin: Callable[[Path, Path], list[Any]]
    lasting: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    twice: bool = False
    before: Callable[[Path], Callable[[], None]] = lambda root: lambda: None
    around: Callable[[], Any] = nullcontext


def _train(task: str) -> Callable[[Path, Path], list[Any]]:
    return lambda folder, root: [*command(task, folder)[:-1], root / "run"]


def _bulk(*more: str) -> Callable[[Path, Path], list[Any]]:
    def begin(folder: Path, root: Path) -> list[Any]:
        texts = folder / "big.txt"
        texts.write_text("".join(f"a {w} day, number {n}\n" for n in range(40) for w in WORDS))
        arguments = ["classify", "--model", "emotions", "--input", texts, "--shard-size", 20]
        return [*arguments, "--workers", 1, *more, "--output", root / "out.jsonl"]

    return begin


WORDS = ("lovely", "kind", "awful")


def _look(name: str) -> Callable[[Path, Path], list[Any]]:
    def begin(folder: Path, root: Path) -> list[Any]:
        in_child(lambda: small_translator()[0].save(folder / "model"))
        option = "--html" if name.endswith("html") else "--save"
        return ["look", folder / "model", TEXT, option, root / name]

    return begin


def _vectors(folder: Path, root: Path) -> list[Any]:
    return []


def _save_vectors(root: Path) -> Callable[[], None]:
    def save() -> None:
        vectors = regard.load("words-en")
        vectors.save(root / "vectors")
        raise SystemExit(0)

    return save


CASES = [
    *(
        Case(f"train {task}", _train(task), lasting=("checkpoints/step-",))
        for task in ("classification", "language-model", "translation")
    ),
    Case("classify --input", _bulk(), lasting=(".parts/part-",), whole=("out.jsonl",)),
    Case(
        "classify --input --overwrite", _bulk("--overwrite"), (".parts/part-",), ("out.jsonl",), True
    ),
    Case("look --html", _look("out.html"), whole=("out.html",), twice=True),
    Case("look --save", _look("out.safetensors"), whole=("out.safetensors",), twice=True),
]
SHORT = ("train classification", "classify --input", "look --html")


class Cutting:
    """A command whose changes of files are known, and what it comes to."""

    def __init__(self, case: Case, folder: Path):
        self.case, self.root, self.said = case, folder / "disk", folder / "said"
        self.root.mkdir()
        self.arguments = case.begin(folder, self.root)
        self.before = case.before(self.root)
        if case.twice:
            self.again()
        self.old = self.content()
        self.disk = Disk(self.root)
        code, self.changes = record(self.arguments, self.said, self.root, self.before)
        if code:
            raise SystemExit(f"{case.what} fails: {self.said.read_text()}")
        self.whole = self.content()

    def again(self) -> int:
        return Child(self.arguments, self.said, self.before).wait()

    def content(self) -> dict[str, str | bytes]:
        """Return the contents of all files, but for the notes of times."""
        found = dict[str, str | bytes]()
        for inside in sorted(self.root.iterdir()):
            if inside.is_dir():
                found |= {f"{inside.name}/{name}": each for name, each in contents(inside).items()}
            else:
                found[inside.name] = inside.read_bytes()
        return found

    def lasting(self, number: int) -> set[str]:
        """Return the names that the disk must have after so many changes."""
        kept, waiting = set[str](), ""
        for change in self.changes[:number]:
            if waiting and change.kind in ("create", "write") and waiting not in change.path:
                kept.add(waiting)
                waiting = ""
            if change.kind == "rename" and any(map(change.other.__contains__, self.case.lasting)):
                waiting = "" if change.other.endswith(".part") else change.other
            if change.kind == "remove":
                kept = {name for name in kept if not change.path.startswith(name)}
        return kept

    def cut(self, row: Row, number: int, random: Random, way: str) -> None:
        """The power goes after so many changes."""
        left = self.disk.cut(random, way)
        self.disk.restore(left, random, way)
        where = f"{number} of {len(self.changes)} changes, {way}"
        lost = [name for name in self.lasting(number) if not Path(name).exists()]
        row.expect(not lost, f"lost, {where}: {lost}")
        for name in self.case.whole:
            content = (self.root / name).read_bytes() if (self.root / name).exists() else None
            known = (self.old.get(name), self.whole[name])
            row.expect(content in known, f"mixed, {where}: {name} is neither of before nor after")
        if number == len(self.changes):
            row.expect(not (of := self.difference()), f"lost at the end, {where}: {of}")
        code = self.again()
        done = self.case.whole and "already exists" in self.said.read_text()
        row.expect(code == 0 or bool(done), f"lost, {where}: {code}, {self.said.read_text()[-400:]}")
        row.expect(not (of := self.difference()), f"mixed, {where}: {of}")
        row.expect(not (parts := parts_left(self.root)), f"left behind, {where}: {parts}")

    def difference(self) -> str:
        """Return the names of the files that are not as the command leaves them."""
        now = self.content()
        names = sorted(now.keys() | self.whole.keys())
        return ", ".join(name for name in names if now.get(name) != self.whole.get(name))


def cuts(case: Case, tries: int, seed: int) -> Row:
    """So many ends of the power, at any change; a few when all is done."""
    row, random = Row(f"power cut, {case.what}"), Random(seed)
    with scratch() as folder, case.around():
        cutting = Cutting(case, folder.resolve())
        total, made = len(cutting.changes), 0
        numbers = sorted([random.randint(0, total) for _ in range(tries - 1)] + [total])
        for row.tries, number in enumerate(numbers, 1):
            for change in cutting.changes[made:number]:
                cutting.disk.change(change)
            made = number
            way = "none" if row.tries == tries else random.choice(WAYS)
            cutting.cut(row, number, random, way)
    return row
