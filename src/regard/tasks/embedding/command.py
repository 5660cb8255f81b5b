"""`regard encode`: texts to vectors, as JSON lines or one NPY file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from regard.cli.lines import Line
from regard.cli.streams import say
from regard.cli.task_command import Pairs, TaskCommand


class Encode(TaskCommand):
    """A call of `regard encode`, which always writes JSON, or an array (lines, width)."""

    without = ("as_json",)
    cut = 0

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common | {"as_json": True}, arguments)

    def warn(self, line: Line, result: Any) -> None:
        self.cut += result.truncated

    @contextmanager
    def writer(self) -> Iterator[Callable[[Pairs], None]]:
        array = self.output is not None and self.output.suffix == ".npy"
        with self._npy() if array else super().writer() as write:
            yield write

    @contextmanager
    def _npy(self) -> Iterator[Callable[[Pairs], None]]:
        """Rows as they come; the header, which has room for it, learns their number at the end."""
        import numpy as np

        from regard.files import whole_file

        rows, width = 0, self.task.width

        def header(file: Any) -> None:
            file.seek(0)
            described = {"descr": "<f4", "fortran_order": False, "shape": (rows, width)}
            np.lib.format.write_array_header_1_0(file, described)

        with whole_file(self.output) as path, path.open("wb") as file:
            header(file)

            def write(pairs: Pairs) -> None:
                nonlocal rows
                for _, result in pairs:
                    vector = np.full(width, np.nan) if result is None else result.embedding
                    file.write(vector.astype("<f4").tobytes())
                rows += len(pairs)

            yield write
            header(file)

    def end(self, total: int) -> None:
        texts = "1 text" if total == 1 else f"{total:,} texts"
        summary = f"{texts} → vectors of {self.task.width} numbers"
        if self.cut:
            were = "was" if self.cut == 1 else "were"
            longest = self.task.max_length
            summary += f"; {self.cut:,} {were} longer than {longest} tokens and {were} cut"
        say(f"{summary}.")
