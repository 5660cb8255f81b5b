"""A reader of foreign bytes: files that it accepts, and how each is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

from fuzz.mutations import Mutation, mutations
from regard.errors import RegardError


@dataclass
class Reader:
    """One kind of file.

    Args:
        make: writes valid files into a folder and names those that are to be damaged.
        read: reads the folder whose file of this name may be damaged.
    """

    name: str
    make: Callable[[Path], list[str]]
    read: Callable[[Path, str], object]
    folder: Path = field(init=False)
    valid: dict[str, bytes] = field(init=False)

    def prepare(self, folder: Path) -> Reader:
        """Writes the valid files."""
        self.folder = folder / self.name
        self.folder.mkdir(parents=True)
        self.valid = {name: (self.folder / name).read_bytes() for name in self.make(self.folder)}
        return self

    @cached_property
    def _mutations(self) -> list[tuple[str, Mutation]]:
        return [(name, each) for name, valid in self.valid.items() for each in mutations(valid)]

    def input(self, number: int) -> tuple[str, bytes]:
        """The name of a file, and damaged content for it: the same for the same number."""
        random = Random(number)
        name, mutation = random.choice(self._mutations)
        return name, mutation(random)

    def try_out(self, name: str, content: bytes) -> str:
        """Reads the content as the file of this name: "accepted" or "refused".

        Raises:
            Exception: what is no error of ours, and no error of the system.
        """
        file = self.folder / name
        file.write_bytes(content)
        try:
            self.read(self.folder, name)
        except (RegardError, OSError) as error:
            str(error).encode("utf-8", "backslashreplace")
            return "refused"
        finally:
            file.write_bytes(self.valid[name])
        return "accepted"
