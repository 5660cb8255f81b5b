"""Files that a job depends on, which must not change while it runs."""

import os
from collections.abc import Iterable
from pathlib import Path

from regard.errors import UnavailableError
from regard.files import sha256_tree

Mark = tuple[int, ...]


class Watch:
    """Files, and folders with all that is in them, as they were when this was made."""

    def __init__(self, paths: Iterable[Path]):
        self._marks = {path: _marks(path) for path in paths}
        self._sums: dict[Path, str] = {}

    @property
    def paths(self) -> list[Path]:
        """The files and folders that are watched."""
        return list(self._marks)

    def sums(self, *paths: Path) -> dict[str, str]:
        """Return the SHA-256 of each, or of these, by which a job knows them again."""
        self._sums = {path: sha256_tree(path) for path in sorted(paths or self._marks)}
        self.check()  # what changed meanwhile has no sum
        return {str(path): digest for path, digest in self._sums.items()}

    def check(self, *paths: Path) -> None:
        """Compare size, times and inode of each file; of these paths alone, if there are any.

        Raises:
            UnavailableError: one has changed.
        """
        for path in paths or self._marks:
            if _marks(path) != self._marks[path]:
                raise _changed(path)

    def check_content(self, *paths: Path) -> None:
        """Compare the SHA-256 of files.

        Raises:
            UnavailableError: one has changed.
        """
        for path in paths:
            if sha256_tree(path) != self._sums[path]:
                raise _changed(path)


def _changed(path: Path) -> UnavailableError:
    return UnavailableError(
        f"{path} was changed while it was used; nothing of the change is in the output. Give the"
        " same command again when it is done."
    )


def _marks(path: Path) -> Mark | dict[str, Mark | None] | None:
    """Size, times and inode of a file, or of all files in a folder; None: it is not there."""
    if not path.is_dir():
        return _mark(path)
    every = [Path(root, name) for root, _, names in os.walk(path) for name in names]
    return {str(file): _mark(file) for file in every}


def _mark(path: Path) -> Mark | None:
    try:
        about = path.stat()
    except OSError:
        return None
    # The time of the last change of the inode is the one that no program can set back.
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
