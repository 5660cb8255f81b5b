"""The power goes at any change of a file: what a program has synced is there, of the rest some. The
same command, given again, ends with what it gives when it is left alone."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

from attack.forks import Child, Row, in_child, parts_left, scratch
from attack.kills import command, contents
from attack.tracing import Change, record
from checkpoints.test_hub import FILES, Hub
from fuzz.small_models import TEXT, small_translator
from regard.checkpoints import hub
from regard.errors import RegardError

# What the disk has of changes that were not synced: names of files, and their contents.
WAYS = ("all", "none", "names", "in order", "any")
DOWNLOAD = "download hub:org/small"
CACHE = "models--org--small"


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
        if way == "short":  # what is before the changes stays
            first = min((change.at for change in self.waiting), default=len(self.now))
            return bytes(self.now[: random.randint(min(first, len(self.now)), len(self.now))])
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
    with a journal do; a file's name is there when its folder was synced.
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
        for part in above:
            assert isinstance(folder, Folder)
            folder = folder.now[part]
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

    def keeps(self, path: str) -> bool:
        """Return whether what is written at a path is what the program saw last."""
        folder, name = self._place(path)
        return name in folder.now and _is(Path(path), folder.now[name])

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


def _is(path: Path, node: Node) -> bool:
    if isinstance(node, File):
        return path.is_file() and path.read_bytes() == node.now
    if isinstance(node, Folder):
        return path.is_dir() and all(_is(path / name, inside) for name, inside in node.now.items())
    return path.is_symlink() and os.readlink(path) == node


def _copy(folder: Folder, copies: dict[int, Folder]) -> Folder:
    """Return the folder as the disk has it; one that was copied before, as that copy."""
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
        lasting: parts of the names of what is not lost once something is written after it.
        whole: the names that are as before, or as after, at any time.
        seal: the name of a file that says, when it is there, that all is there.
        aside: parts of the names of what is not compared.
        twice: whether the command is given once before, so that it writes over what is there.
        before: called in the process of the command, with the folder.
    """

    what: str
    begin: Callable[[Path, Path], list[Any]]
    lasting: str = ""
    whole: tuple[str, ...] = ()
    seal: str = ""
    aside: tuple[str, ...] = ()
    twice: bool = False
    before: Callable[[Path], None] = lambda root: None


def _train(task: str) -> Case:
    return Case(
        f"train {task}",
        lambda folder, root: [*command(task, folder)[:-1], root / "run"],
        lasting="checkpoints/step-",
        whole=("run/model/tokenizer.json",),
    )


def _bulk(*more: str, twice: bool = False) -> Case:
    def begin(folder: Path, root: Path) -> list[Any]:
        texts = folder / "big.txt"
        words = ("lovely", "kind", "awful")
        texts.write_text("".join(f"a {w} day, number {n}\n" for n in range(40) for w in words))
        arguments = ["classify", "--model", "emotions", "--input", texts, "--shard-size", 20]
        return [*arguments, "--workers", 1, *more, "--output", root / "out.jsonl"]

    what = " ".join(("classify --input", *more))
    return Case(what, begin, ".parts/part-", ("out.jsonl",), twice=twice)


def _look(option: str, name: str) -> Case:
    def begin(folder: Path, root: Path) -> list[Any]:
        in_child(lambda: small_translator()[0].save(folder / "model"))
        return ["look", folder / "model", TEXT, option, root / name]

    return Case(f"look {option}", begin, whole=(name,), twice=True)


def _export(folder: Path, root: Path) -> list[Any]:
    in_child(lambda: small_translator()[0].save(folder / "model"))
    return ["export", "page", folder / "model", "--output", root / "page.html"]


def _download(root: Path) -> None:
    """Fetch a model from the hub of `_served` into a cache, and end as a command does."""
    from huggingface_hub import constants

    constants.HF_HUB_CACHE = constants.HUGGINGFACE_HUB_CACHE = str(root)
    constants.ENDPOINT = os.environ["HF_ENDPOINT"]
    constants.HUGGINGFACE_CO_URL_TEMPLATE = (
        constants.ENDPOINT + "/{repo_id}/resolve/{revision}/{filename}"
    )
    constants.HF_HUB_DISABLE_XET = True
    try:
        hub.find_folder("hub:org/small")
    except RegardError as error:
        print(f"regard: {error}")
        sys.exit(2)
    sys.exit(0)


@contextmanager
def _served() -> Iterator[None]:
    """A hub in another process: threads of this one would not be in a child."""
    handler = type("Served", (Hub,), {"served": dict(FILES), "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    pid = os.fork()
    if pid == 0:
        server.serve_forever()
    server.server_close()
    settings = {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "NO_PROXY": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


CASES = [
    *map(_train, ("classification", "language-model", "translation", "image-classification")),
    _bulk(),
    _bulk("--overwrite", twice=True),
    _look("--html", "out.html"),
    _look("--save", "out.safetensors"),
    Case("export page", _export, whole=("page.html",), twice=True),
    Case(
        DOWNLOAD,
        lambda folder, root: [],
        seal=f"{CACHE}/refs/main",
        aside=(
            "/blobs/",
            "/trees/",
            ".locks/",
            "CACHEDIR.TAG",
            "/tmp",
        ),  # the client's notes to itself
        before=_download,
    ),
]
SHORT = ("train classification", "classify --input", "look --html", DOWNLOAD)


class Cutting:
    """A command whose changes of files are known, and what it comes to."""

    def __init__(self, case: Case, folder: Path):
        self.case, self.root, self.said = case, folder / "disk", folder / "said"
        self.root.mkdir()
        self.arguments = case.begin(folder, self.root)
        if case.twice:
            self.again()
        self.old, self.disk = self.content(), Disk(self.root)
        code, self.changes = record(self.arguments, self.said, self.root, self.before)
        if code:
            raise SystemExit(f"{case.what} fails: {self.said.read_text()}")
        self.whole = self.content()

    def before(self) -> None:
        self.case.before(self.root)

    def again(self) -> int:
        """Give the command; return its exit code."""
        return Child(self.arguments, self.said, self.before).wait()

    def content(self) -> dict[str, str | bytes]:
        """Return the contents of all files, but for the notes of times and what is unfinished."""
        files = dict[str, str | bytes]()
        for inside in sorted(self.root.iterdir()):
            if inside.is_file():
                files[inside.name] = inside.read_bytes()
            elif inside.is_dir():
                files |= {f"{inside.name}/{name}": file for name, file in contents(inside).items()}
        aside = self.case.aside if self.case.lasting else (*self.case.aside, ".tmp", ".part")
        return {name: file for name, file in files.items() if not any(map(name.count, aside))}

    def lasting(self, number: int) -> set[str]:
        """Return the names that the disk must have after so many changes."""
        kept, last = set[str](), ""
        for change in self.changes[:number]:
            if last and change.kind in ("create", "write"):
                kept.add(last)
                last = ""
            if change.kind in ("remove", "rename"):  # what is in it or above it goes
                last = "" if _touches(change.path, last) else last
                kept = {name for name in kept if not _touches(change.path, name)}
            if change.kind == "rename" and self.case.lasting and self.case.lasting in change.other:
                last = change.other
        return kept

    def cut(self, row: Row, number: int, random: Random, way: str) -> None:
        """The power goes after so many changes."""
        self.disk.restore(self.disk.cut(random, way), random, way)
        where = f"{number} of {len(self.changes)} changes, {way}"
        lost = [name for name in self.lasting(number) if not self.disk.keeps(name)]
        row.expect(not lost, f"lost, {where}: {lost}")
        for name in self.case.whole:
            content = (self.root / name).read_bytes() if (self.root / name).exists() else None
            known = (self.old.get(name), self.whole.get(name))
            row.expect(content in known, f"mixed, {where}: {name} is neither of before nor after")
        is_sealed = self.case.seal and (self.root / self.case.seal).exists()
        if number == len(self.changes) or is_sealed:
            of = self.difference(more=True)  # what was removed may be there again
            row.expect(not of, f"lost after the end, {where}: {of}")
        code = self.again()
        said = self.said.read_text()
        if "arrived damaged" in said:  # what was fetched is removed then
            code = self.again()
        done = self.case.whole and "exists. Give another output" in said
        row.expect(code == 0 or bool(done), f"lost, {where}: {code}, {said[-400:]}")
        row.expect(not (of := self.difference()), f"mixed, {where}: {of}")
        left = parts_left(self.root) if self.case.lasting and code == 0 else []
        row.expect(not left, f"left behind, {where}: {left}")

    def difference(self, *, more: bool = False) -> str:
        """Return the names of the files that are not as the command leaves them.

        Args:
            more: whether there may be others.
        """
        try:
            now = self.content()
        except ValueError as error:
            return f"a log that is not JSON ({error})"
        names = sorted(self.whole.keys() if more else now.keys() | self.whole.keys())
        return ", ".join(name for name in names if now.get(name) != self.whole.get(name))


def _touches(path: str, name: str) -> bool:
    return path.startswith(name) or name.startswith(f"{path}/")


def cuts(case: Case, tries: int, seed: int) -> Row:
    """The power goes so often, at any change; at last when all is done."""
    row, random = Row(f"power cut, {case.what}"), Random(seed)
    with scratch() as folder, _served():
        cutting, made = Cutting(case, folder.resolve()), 0
        total = len(cutting.changes)
        numbers = sorted(random.randint(0, total) for _ in range(tries - 1))
        for row.tries, number in enumerate([*numbers, total], 1):
            for change in cutting.changes[made:number]:
                cutting.disk.change(change)
            made = number
            way = "none" if row.tries == tries else random.choice(WAYS)
            cutting.cut(row, number, random, way)
    return row
