"""`regard encode`: texts to vectors, as JSON lines or one NPY file."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from regard.cli.lines import Line
from regard.cli.streams import say
from regard.cli.task_command import Pairs, TaskCommand

if TYPE_CHECKING:
    from regard.tasks.embedding.task import Embedding


class Encode(TaskCommand["Embedding"]):
    """A call of `regard encode`, which always writes JSON, or an array (lines, width)."""

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common | {"as_json": True}, arguments)

    def _format(self) -> str:
        array = self.output is not None and self.output.suffix == ".npy"
        return "npy" if array else super()._format()

    def open(self) -> None:
        super().open()
        self.width, self.longest = self.task.width, self.task.max_length

    def warn(self, line: Line, result: "Embedding") -> None:
        self.counts["cut"] += result.truncated

    @contextmanager
    def framed(self, file: IO[Any]) -> Iterator[None]:
        """Write the header of an array, which has room for the number of rows."""
        if self.format != "npy":
            yield
            return
        import numpy as np

        def header(rows: int) -> None:
            file.seek(0)
            described = {"descr": "<f4", "fortran_order": False, "shape": (rows, self.width)}
            np.lib.format.write_array_header_1_0(file, described)

        header(0)
        start = file.tell()
        yield
        header((file.tell() - start) // (4 * self.width))

    def encoded(self, pairs: Pairs) -> bytes:
        """Rows of an array, or JSON; a line without a result has NaN."""
        if self.format != "npy":
            return super().encoded(pairs)
        import numpy as np

        nothing = np.full(self.width, np.nan)
        rows = [nothing if result is None else result.embedding for _, result in pairs]
        return b"".join(row.astype("<f4").tobytes() for row in rows)

    def end(self, total: int) -> None:
        texts = "1 text" if total == 1 else f"{total:,} texts"
        summary = f"{texts} → vectors of {self.width} numbers"
        if cut := self.counts["cut"]:
            were = "was" if cut == 1 else "were"
            summary += f"; {cut:,} {were} longer than {self.longest} tokens and {were} cut"
        say(f"{summary}.")
