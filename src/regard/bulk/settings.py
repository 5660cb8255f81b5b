"""Settings that decide on a job's output, and travel to the workers: task, model, columns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from regard.errors import BadArgumentError

Format = Literal["text", "jsonl", "parquet"]

_FORMAT_OF: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_TABLES = (".csv", ".tsv", ".tab")


@dataclass(frozen=True)
class Settings:
    """Everything that a worker needs to turn lines of a file into lines of output.

    Args:
        task: a verb of `catalog.VERBS`.
        model: a shipped model's name, a folder or hub:org/name; see `regard.load`.
        input, output: the formats of the files.
        columns: the names of the columns that the task reads, such as question and context.
        id: the column that the output repeats; None: all columns.
        several: whether the input is several files, so that a line's number needs its file.
        options: of the task.
        engine: "auto", "torch" or "onnx", as `Task.run_by` takes it.
        precision: of "onnx".
        batch_size: texts computed together.
    """

    task: str
    model: str
    input: Format
    output: Format
    columns: tuple[str, ...]
    id: str | None = None
    several: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    precision: str | None = None
    batch_size: int = 32

    def recorded(self) -> dict[str, Any]:
        """Return the settings that a resumed job must repeat."""
        fields = asdict(self)
        options = fields.pop("options")
        del fields["batch_size"], fields["several"]
        fields["columns"] = list(self.columns)
        return {**fields, **options}


def format_of(path: Path) -> Format:
    """The format that a file's name says; text, a line each, where the ending is no other's.

    Raises:
        BadArgumentError: a table with separators, which has no line for each text.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    last = suffixes[-1] if suffixes else ""
    if last in _TABLES:
        raise BadArgumentError(
            f"{path.name} must be JSON lines (.jsonl), Parquet (.parquet) or text with one text a"
            f" line (.txt); got {last}. Convert it first."
        )
    return _FORMAT_OF.get(last, "text")
