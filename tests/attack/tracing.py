"""The changes that a command makes below a folder, as the kernel sees them: by ptrace, since the
libraries in Rust and C write beside Python."""

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attack.forks import Child

# Numbers of ptrace and of the system's calls, for Linux on x86-64.
AVAILABLE = sys.platform == "linux" and platform.machine() == "x86_64"
_TRACEME, _SYSCALL, _SETOPTIONS, _GETEVENTMSG, _INFO = 0, 24, 0x4200, 0x4201, 0x420E
_OPTIONS = 1 | 2 | 4 | 8 | 16 | 0x100000  # marked stops; forks, threads and exec; die with us
_ALL_THREADS = 0x40000000  # __WALL
_WRITES = {1: 0, 20: 0, 40: 0, 18: 3, 296: 3, 326: 0, 328: 3}  # argument with the offset, or none
_COPY = 326  # copy_file_range: the file is its third argument
_OPEN, _CREAT, _OPENAT, _MMAP = 2, 85, 257, 9
_SYNCS, _CUTS = (74, 75), (77, 285)
# Calls by path: kind, and for a path the places of its folder (None: the working one) and name.
_PATHS: dict[int, tuple[str, list[tuple[int | None, int]]]] = {
    76: ("cut", [(None, 0)]),
    82: ("rename", [(None, 0), (None, 1)]),
    264: ("rename", [(0, 1), (2, 3)]),
    316: ("rename", [(0, 1), (2, 3)]),
    83: ("mkdir", [(None, 0)]),
    258: ("mkdir", [(0, 1)]),
    84: ("remove", [(None, 0)]),
    87: ("remove", [(None, 0)]),
    263: ("remove", [(0, 1)]),
    86: ("link", [(None, 0), (None, 1)]),
    265: ("link", [(0, 1), (2, 3)]),
    88: ("symlink", [(None, 1)]),
    266: ("symlink", [(1, 2)]),
}


@dataclass(frozen=True)
class Change:
    """One change of a file or a folder.

    Args:
        kind: create, write, cut, rename, mkdir, remove, link, symlink or sync.
        other: the new name, or a link's target.
        at: where it was written, or the length after a cut.
    """

    kind: str
    path: str
    other: str = ""
    at: int = 0
    data: bytes = b""


class _Call(NamedTuple):
    number: int
    arguments: tuple[int, ...]
    paths: list[str]
    existed: bool


def record(
    arguments: Sequence[object], said: Path, root: Path, before: Callable[[], None] = lambda: None
) -> tuple[int, list[Change]]:
    """Run a command; return its exit code, and what it changed below the folder."""

    def begin() -> None:
        _ptrace(_TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        before()

    child = Child(arguments, said, begin)
    os.waitpid(child.pid, _ALL_THREADS)
    _ptrace(_SETOPTIONS, child.pid, 0, _OPTIONS)
    _ptrace(_SYSCALL, child.pid)
    tracer = _Tracer(str(root.resolve()))
    known = {child.pid}
    while True:
        pid, status = os.waitpid(-1, _ALL_THREADS)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            if pid == child.pid:
                return os.waitstatus_to_exitcode(status), tracer.changes
            continue
        number, event = os.WSTOPSIG(status), status >> 16
        passed = 0
        if number == signal.SIGTRAP | 0x80:
            tracer.stopped(pid)
        elif not event and not (number == signal.SIGSTOP and pid not in known):
            passed = number
        known.add(pid)
        _ptrace(_SYSCALL, pid, 0, passed)


class _Tracer:
    def __init__(self, root: str):
        self.root, self.changes = root, list[Change]()
        self._entered = dict[int, _Call]()
        self._mapped = dict[str, bytes]()  # what is written through memory, and its last content

    def stopped(self, pid: int) -> None:
        """A thread enters a call of the system, or leaves it."""
        info = ctypes.create_string_buffer(88)
        _ptrace(_INFO, pid, len(info), ctypes.addressof(info))
        kind, number, *rest = struct.unpack("=B23x7Q", info.raw[:80])
        if kind == 1:
            self._entered[pid] = self._call(pid, number, tuple(rest))
        elif kind == 2 and (call := self._entered.pop(pid, None)):
            result = struct.unpack("=q", info.raw[24:32])[0]
            if result >= 0:
                self._done(pid, call, result)

    def _call(self, pid: int, number: int, arguments: tuple[int, ...]) -> _Call:
        paths: list[str] = []
        if number in _PATHS:
            paths = [
                self._named(pid, None if folder is None else arguments[folder], arguments[name])
                for folder, name in _PATHS[number][1]
            ]
        elif number in (_OPEN, _CREAT, _OPENAT):
            folder = arguments[0] if number == _OPENAT else None
            named = self._named(pid, folder, arguments[number == _OPENAT])
            paths = [os.path.realpath(named)]
        return _Call(number, arguments, paths, bool(paths) and os.path.lexists(paths[0]))

    def _done(self, pid: int, call: _Call, result: int) -> None:
        number, arguments, paths, _ = call
        if number in _WRITES and result:
            self._wrote(pid, arguments[2 if number == _COPY else 0], call, result)
        elif number in _SYNCS and (path := self._opened(pid, arguments[0])):
            self._add(Change("sync", path))
        elif number in _CUTS and (path := self._opened(pid, arguments[0])):
            self._add(Change("cut", path, at=os.path.getsize(path)))
        elif number == _MMAP and arguments[2] & 2 and arguments[3] & 15 in (1, 3):
            if path := self._opened(pid, arguments[4]):
                self._mapped[path] = b""
        elif paths and any(map(self._inside, paths)):
            self._by_path(pid, call)

    def _add(self, change: Change) -> None:
        """Keep a change, after what was written through memory before it."""
        for path, before in list(self._mapped.items()):
            now = change.other if change.kind == "rename" and change.path == path else path
            if not os.path.isfile(now):
                del self._mapped[path]
            elif (content := Path(now).read_bytes()) != before:
                self._mapped[path] = content
                self.changes.append(Change("write", path, data=content))
        self.changes.append(change)

    def _by_path(self, pid: int, call: _Call) -> None:
        number, arguments, paths, existed = call
        if number not in _PATHS:
            flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
            if number != _CREAT:
                flags = arguments[1 + (number == _OPENAT)]
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise SystemExit(f"a file without a name in {paths[0]} is not recorded")
            if flags & os.O_CREAT and not existed:
                self._add(Change("create", paths[0]))
            elif flags & os.O_TRUNC and flags & (os.O_WRONLY | os.O_RDWR):
                self._add(Change("cut", paths[0]))
            return
        kind, other, at = _PATHS[number][0], paths[1] if len(paths) > 1 else "", 0
        if kind == "symlink":
            other = _text(pid, arguments[0])
        elif kind == "cut":
            at = os.path.getsize(paths[0])
        self._add(Change(kind, paths[0], other, at))

    def _wrote(self, pid: int, descriptor: int, call: _Call, count: int) -> None:
        path = self._opened(pid, descriptor)
        if not path:
            return
        if place := _WRITES[call.number]:
            at = call.arguments[place]
        else:
            position = Path(f"/proc/{pid}/fdinfo/{_int(descriptor)}").read_text().split()[1]
            at = int(position) - count
        with open(path, "rb") as file:
            file.seek(at)
            self._add(Change("write", path, at=at, data=file.read(count)))

    def _opened(self, pid: int, descriptor: int) -> str:
        """Return the path of an open file below the folder; empty for another."""
        try:
            path = os.readlink(f"/proc/{pid}/fd/{_int(descriptor)}")
        except OSError:
            return ""
        return path if self._inside(path) and not path.endswith(" (deleted)") else ""

    def _inside(self, path: str) -> bool:
        return path == self.root or path.startswith(f"{self.root}/")

    def _named(self, pid: int, folder: int | None, address: int) -> str:
        number = -100 if folder is None else _int(folder)
        base = f"/proc/{pid}/cwd" if number == -100 else f"/proc/{pid}/fd/{number}"
        name = _text(pid, address)
        path = name if name.startswith("/") else os.path.join(os.readlink(base), name)
        return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _int(argument: int) -> int:
    return ctypes.c_int(argument & 0xFFFFFFFF).value


def _text(pid: int, address: int) -> str:
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        return os.fsdecode(memory.read(4096).partition(b"\0")[0])


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes, library.ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long
    if library.ptrace(request, pid, address, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "ptrace")
