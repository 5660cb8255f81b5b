"""`regard encode`: texts to vectors, as JSON lines or one NPY file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from regard.cli.lines import Line
from regard.cli.streams import say
from regard.cli.task_command import Pairs, TaskCommand


class Encode(TaskCommand):
    """A call of `regard encode`, which always writes JSON, or an array (lines, width)."""

    without = ("as_json",)

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common | {"as_json": True}, arguments)

    def _format(self) -> str:
        array = self.output is not None and self.output.suffix == ".npy"
        return "npy" if array else super()._format()

    def open(self) -> None:
        super().open()
        self.width, self.longest = self.task.width, self.task.max_length

    def warn(self, line: Line, result: Any) -> None:
        self.counts["cut"] += result.truncated

    @contextmanager
    def writer(self) -> Iterator[Callable[[Pairs], None]]:
        with self._npy() if self.format == "npy" else super().writer() as write:
            yield write

    @contextmanager
    def _npy(self) -> Iterator[Callable[[Pairs], None]]:
        """Rows as they come; the header, which has room for it, learns their number at the end."""
        from regard.cli.jobs.parts import array_header
        from regard.files import whole_file

        rows, width = 0, self.width
        with whole_file(self.output) as path, path.open("wb") as file:
            array_header(file, rows, width)

            def write(pairs: Pairs) -> None:
                nonlocal rows
                file.write(self.array([result for _, result in pairs]))
                rows += len(pairs)

            yield write
            array_header(file, rows, width)

    def array(self, results: Sequence[Any]) -> bytes:
        """The rows of an array; those without a result are of NaN."""
        import numpy as np

        nothing = np.full(self.width, np.nan)
        rows = [nothing if result is None else result.embedding for result in results]
        return b"".join(row.astype("<f4").tobytes() for row in rows)

    def end(self, total: int) -> None:
        texts = "1 text" if total == 1 else f"{total:,} texts"
        summary = f"{texts} → vectors of {self.width} numbers"
        if cut := self.counts["cut"]:
            were = "was" if cut == 1 else "were"
            summary += f"; {cut:,} {were} longer than {self.longest} tokens and {were} cut"
        say(f"{summary}.")
